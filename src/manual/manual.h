/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of the manual pages and of the shell's completion follows from tables: the commands
 * (cli/cli.h), the daemon's options (daemon/options.h) and the keys of a configuration
 * (config/schema.h). The rest of a page is in docs/man/, main.c puts them together.
 */
#ifndef GATEAU_MANUAL_MANUAL_H
#define GATEAU_MANUAL_MANUAL_H

#include <stdio.h>

/** Every command as a subsection: how it is called, what it does, its options. */
void manual_commands(FILE *out);

/** Every object of a configuration as a subsection, each of its keys with all that is known. */
void manual_keys(FILE *out);

/** The table of options of gateaud. */
void manual_daemon_options(FILE *out);

/** The shell functions that know commands, options, what they take, and a scheduler's keys. */
void manual_completion(FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of gateaud. No DPDK: the manual page is made from its table. */
#ifndef GATEAU_DAEMON_OPTIONS_H
#define GATEAU_DAEMON_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* did not start or did not end, or the summary does not balance */
	EXIT_USAGE = 2,
};

/** Ends with a null name. */
extern const struct options_entry daemon_options[];

struct options {
	const char *config_path;
	const char *socket; /* NULL: the default one */
	bool json;
	bool probe; /* only look; config_path may be NULL then */
};

/**
 * Read the command line into @out. Returns -1 to go on, else the exit code: what was asked for is
 * printed, or what is wrong said.
 */
int daemon_options_read(int argc, char **argv, struct options *out);

#endif

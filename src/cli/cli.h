/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of `gateau`. Each has a file of its own; main.c has the one table that names them,
 * finds them and prints their help.
 */
#ifndef GATEAU_CLI_CLI_H
#define GATEAU_CLI_CLI_H

/** Exit codes: what was asked for was done; it failed; it was asked for wrongly. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2,
};

/**
 * A command's function takes its own name as argv[0] and returns an enum cli_exit. Results go to
 * stdout, faults to stderr. "--help" never reaches it.
 */
int cmd_check(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_schema(int argc, char **argv);

/**
 * Say on stderr what is wrong with the arguments of @command and how it is used. Returns CLI_USAGE
 * for the caller to return.
 */
int cli_usage_fault(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

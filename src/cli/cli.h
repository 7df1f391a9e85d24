/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of `gateau`. Each has a file of its own that describes it as a struct cli_command;
 * the table in commands.c names them all. From it main.c finds them, help.c explains them, and the
 * manual page and the shell's completion are made.
 *
 * To add a command: describe it in its file, declare it below, list it in commands.c.
 */
#ifndef GATEAU_CLI_CLI_H
#define GATEAU_CLI_CLI_H

#include "base/options.h"

/** Exit codes: what was asked for was done; it failed; it was asked for wrongly. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2,
};

/** Operands of a command that completion tells apart. */
#define CLI_OPERANDS_MAX 3

/**
 * A command. Words in capitals in `operands` and as an option's value say what is expected there:
 * FILE, PATH, CAPTURE and CASE are files, PORT is a port's name, COMMAND one of these commands, KEY
 * a key of a port or its scheduler and VALUE what the key before it accepts; completion knows
 * nothing about others.
 */
struct cli_command {
	const char *name;
	const char *usage;   /* its arguments in one line */
	const char *summary; /* one line of `gateau --help`, without a full stop */
	const char *help;    /* more, as whole lines: paragraphs, and examples, which are indented;
				NULL = the summary says it all */
	const struct options_entry *options; /* those it has, NULL = none but --help */
	/* What may stand at each place, words separated by spaces; the last one may be repeated,
	   and so may KEY and VALUE. */
	const char *operands[CLI_OPERANDS_MAX];
	/* Takes its own name as argv[0] and returns an enum cli_exit. Results go to stdout, faults
	   to stderr. "--help" never reaches it. */
	int (*run)(int argc, char **argv);
};

extern const struct cli_command cli_check, cli_diff, cli_help, cli_reload, cli_replay, cli_schema,
	cli_set, cli_show, cli_top;

/** All commands in the order of the overview; ends with NULL. */
extern const struct cli_command *const cli_commands[];

/** The command called @name, NULL if there is none. */
const struct cli_command *cli_find(const char *name);

/**
 * Read the options of command @c with options_parse(). Returns the index of the first operand in
 * @argv, or -1 after a message, for the caller to return CLI_USAGE.
 */
int cli_options(const struct cli_command *c, int argc, char **argv, const char **given);

/**
 * Say on stderr what is wrong with the arguments of @command and how it is used. Returns CLI_USAGE
 * for the caller to return.
 */
int cli_usage_fault(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** The list of commands, and one of them explained. */
void cli_print_overview(FILE *out);
void cli_print_help(FILE *out, const struct cli_command *c);

/** Say on stderr that there is no command @name, and which ones there are. Returns CLI_USAGE. */
int cli_unknown_command(const char *name);

#endif

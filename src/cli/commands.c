/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands, and what all of them do alike with their arguments; see cli.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

const struct cli_command *const cli_commands[] = {
	&cli_check, &cli_replay, &cli_schema, &cli_show, &cli_top,
	&cli_diff,  &cli_reload, &cli_set,    &cli_help, NULL,
};

const struct cli_command *cli_find(const char *name)
{
	for (const struct cli_command *const *c = cli_commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
	}
	return NULL;
}

int cli_options(const struct cli_command *c, int argc, char **argv, const char **given)
{
	char err[OPTIONS_ERROR_MAX];
	int first = options_parse(c->options, argc, argv, given, err);

	if (first < 0)
		cli_usage_fault(c->name, "%s", err);
	return first;
}

int cli_usage_fault(const char *command, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "gateau %s: ", command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\nusage: gateau %s %s\n", command, cli_find(command)->usage);
	return CLI_USAGE;
}

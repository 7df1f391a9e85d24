/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau help: what commands there are and what each does, from the table in commands.c. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "cli/cli.h"

void cli_print_overview(FILE *out)
{
	fprintf(out, "usage: gateau COMMAND [ARGUMENTS]\n\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		fprintf(out, "  %-8s %s\n", (*c)->name, (*c)->summary);
	fprintf(out,
		"\n`gateau help COMMAND` explains one; `gateau --version` says which this is.\n"
		"Exit code: 0 done, 1 failed, 2 wrong usage.\n");
}

void cli_print_help(FILE *out, const struct cli_command *c)
{
	fprintf(out, "usage: gateau %s %s\n\n", c->name, c->usage);
	fprintf(out, "%c%s.\n", c->summary[0] - 'a' + 'A', c->summary + 1);
	if (c->options) {
		fputc('\n', out);
		options_print(out, c->options, 0);
	}
	if (c->help)
		fprintf(out, "\n%s", c->help);
}

int cli_unknown_command(const char *name)
{
	size_t tolerance = words_tolerance(name);

	fprintf(stderr, "gateau: no command \"%s\"", name);
	for (const struct cli_command *const *c = cli_commands; *c; c++) {
		if (words_distance(name, (*c)->name) <= tolerance)
			fprintf(stderr, "; did you mean \"%s\"?", (*c)->name);
	}
	fprintf(stderr, "\n");
	cli_print_overview(stderr);
	return CLI_USAGE;
}

static int run(int argc, char **argv)
{
	const struct cli_command *c;
	int first = cli_options(&cli_help, argc, argv, NULL);

	if (first < 0)
		return CLI_USAGE;
	if (argc > first + 1)
		return cli_usage_fault(argv[0], "one command at a time");
	if (argc == first) {
		cli_print_overview(stdout);
		return CLI_OK;
	}
	c = cli_find(argv[first]);
	if (!c)
		return cli_unknown_command(argv[first]);
	cli_print_help(stdout, c);
	return CLI_OK;
}

const struct cli_command cli_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "explain the commands, or one of them",
	.operands = {"COMMAND"},
	.run = run,
};

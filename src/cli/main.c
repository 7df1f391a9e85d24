/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau, the operator's tool: find the command that is asked for and run it. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/cli.h"

static bool is_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (is_help(argv[i]))
			return true;
	}
	return false;
}

static int run_command(int argc, char **argv)
{
	const struct cli_command *c;

	if (argc < 2) {
		cli_print_overview(stderr);
		return CLI_USAGE;
	}
	if (is_help(argv[1])) {
		cli_print_overview(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("gateau %s\n", GATEAU_VERSION);
		return CLI_OK;
	}
	c = cli_find(argv[1]);
	if (!c)
		return cli_unknown_command(argv[1]);
	if (wants_help(argc - 1, argv + 1)) {
		cli_print_help(stdout, c);
		return CLI_OK;
	}
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int rc = run_command(argc, argv);

	/* A result that a full disk swallowed must not pass for one. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "gateau: standard output: %s\n", strerror(errno));
		return CLI_FAILED;
	}
	return rc;
}

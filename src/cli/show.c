/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau show: what a running gateaud is doing. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show_config.h"

enum { OPTION_SOCKET, OPTION_JSON, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	[OPTION_JSON] = {.name = "json", .letter = 'j', .help = "print JSON"},
	{0},
};

static int run(int argc, char **argv)
{
	const char *given[OPTIONS];
	int first = cli_options(&cli_show, argc, argv, given);
	json_t *result;

	if (first < 0)
		return CLI_USAGE;
	if (argc == first + 1 && !strcmp(argv[first], "config"))
		return show_config(given[OPTION_SOCKET], given[OPTION_JSON]);
	if (first < argc)
		return cli_usage_fault(argv[0], "no argument \"%s\"", argv[first]);
	result = client_ask(argv[0], given[OPTION_SOCKET], json_pack("{s:s}", "op", "version"));
	if (!result)
		return CLI_FAILED;
	json_dumpf(result, stdout, JSON_INDENT(2));
	printf("\n");
	json_decref(result);
	return CLI_OK;
}

const struct cli_command cli_show = {
	.name = "show",
	.usage = "[config] [-j] [--socket PATH]",
	.summary = "show what a running gateaud is doing",
	.options = options,
	.run = run,
};

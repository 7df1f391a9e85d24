/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau show: what a running gateaud is doing. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show_config.h"
#include "cli/show_ports.h"

enum { OPTION_STATS, OPTION_QUEUES, OPTION_JSON, OPTION_SOCKET, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_STATS] = {.name = "stats", .letter = 's', .help = "what was counted, too"},
	[OPTION_QUEUES] = {.name = "queues",
			   .letter = 'q',
			   .help = "the same of each TX queue by itself, besides their sum"},
	[OPTION_JSON] = {.name = "json", .letter = 'j', .help = "print JSON"},
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	{0},
};

static int run(int argc, char **argv)
{
	const char *given[OPTIONS];
	int first = cli_options(&cli_show, argc, argv, given);

	if (first < 0)
		return CLI_USAGE;
	if (argc > first + 1)
		return cli_usage_fault(argv[0], "no argument \"%s\"", argv[first + 1]);
	if (argc == first + 1 && !strcmp(argv[first], "config"))
		return show_config(given[OPTION_SOCKET], given[OPTION_JSON]);
	return show_ports(&(struct show_ports){
		.socket = given[OPTION_SOCKET],
		.port = argc > first ? argv[first] : NULL,
		.stats = given[OPTION_STATS] || given[OPTION_QUEUES],
		.queues = given[OPTION_QUEUES],
		.json = given[OPTION_JSON],
	});
}

const struct cli_command cli_show = {
	.name = "show",
	.usage = "[PORT | config] [-s] [-q] [-j] [--socket PATH]",
	.summary = "show what a running gateaud is doing",
	.help = "Ports, or PORT, in the words of `tc qdisc show`: a line with the options in force,\n"
		"and with -s what `tc -s qdisc show` prints of a cake, and more. -j prints tc's keys.\n"
		"`gateau show config` prints the whole configuration in force.\n"
		"\n"
		"  gateau show\n"
		"  gateau show wan -s\n"
		"  gateau show -s -j | jq '.ports[].tins[0].drops'\n",
	.options = options,
	.operands = {"PORT config"},
	.run = run,
};

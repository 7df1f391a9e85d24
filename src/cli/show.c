/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau show: what a running gateaud is doing. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/client.h"
#include "cli/show_config.h"
#include "cli/show_flows.h"
#include "cli/show_ports.h"

/* gateaud takes no more. */
#define SHOW_MOST 64

enum { OPTION_STATS, OPTION_QUEUES, OPTION_MOST, OPTION_JSON, OPTION_SOCKET, OPTIONS };

static const struct options_entry options[] = {
	[OPTION_STATS] = {.name = "stats", .letter = 's', .help = "what was counted, too"},
	[OPTION_QUEUES] = {.name = "queues",
			   .letter = 'q',
			   .help = "the same of each TX queue by itself, besides their sum"},
	[OPTION_MOST] = {.name = "most",
			 .letter = 'n',
			 .value = "N",
			 .help = "with flows: so many of them, and of hosts; 10 without it"},
	[OPTION_JSON] = {.name = "json", .letter = 'j', .help = "print JSON"},
	[OPTION_SOCKET] = CLIENT_OPTION_SOCKET,
	{0},
};

/** 0 where it is not given; false: said what is wrong. */
static bool read_most(const char *given, unsigned *most)
{
	char *end;
	unsigned long n = given ? strtoul(given, &end, 10) : 0;

	*most = (unsigned)n;
	if (!given || (!*end && n > 0 && n <= SHOW_MOST && *given != '-'))
		return true;
	cli_usage_fault("show", "\"%s\" is no number of flows, 1 to %u", given, SHOW_MOST);
	return false;
}

static int run_flows(const char *const *given, const char *port)
{
	struct show_flows what = {
		.socket = given[OPTION_SOCKET],
		.port = port,
		.json = given[OPTION_JSON],
	};

	return read_most(given[OPTION_MOST], &what.most) ? show_flows(&what) : CLI_USAGE;
}

static int run_ports(const char *const *given, const char *port)
{
	return show_ports(&(struct show_ports){
		.socket = given[OPTION_SOCKET],
		.port = port,
		.stats = given[OPTION_STATS] || given[OPTION_QUEUES],
		.queues = given[OPTION_QUEUES],
		.json = given[OPTION_JSON],
	});
}

static int run(int argc, char **argv)
{
	const char *given[OPTIONS], *what;
	int first = cli_options(&cli_show, argc, argv, given);
	int most = 1; /* operands */

	if (first < 0)
		return CLI_USAGE;
	what = first < argc ? argv[first] : "";
	if (!strcmp(what, "flows"))
		most = 2;
	if (argc > first + most)
		return cli_usage_fault(argv[0], "no argument \"%s\"", argv[first + most]);
	if (!strcmp(what, "config"))
		return show_config(given[OPTION_SOCKET], given[OPTION_JSON]);
	if (!strcmp(what, "flows"))
		return run_flows(given, argv[first + 1]);
	return run_ports(given, *what ? what : NULL);
}

const struct cli_command cli_show = {
	.name = "show",
	.usage = "[PORT] [-s] [-q] [-j] | flows [PORT] [-n N] [-j] | config [-j]",
	.summary = "show what a running gateaud is doing",
	.help = "Ports, or PORT, in the words of `tc qdisc show`: a line with the options in force,\n"
		"and with -s what `tc -s qdisc show` prints of a cake, and more. -j prints tc's keys.\n"
		"`gateau show flows` prints the flows and hosts that queue the most right now, and\n"
		"`gateau show config` the whole configuration in force.\n"
		"\n"
		"  gateau show\n"
		"  gateau show wan -s\n"
		"  gateau show flows wan -n 3\n"
		"  gateau show -s -j | jq '.ports[].tins[0].drops'\n",
	.options = options,
	.operands = {"PORT flows config", "PORT"},
	.run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau check: whether a configuration file is valid, and what it says. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>

#include "config/config.h"
#include "config/show.h"

/** How several TX queues work together; of one, what was said of it in vain. */
static void print_queues(const struct config_port *p)
{
	char text[CONFIG_SHOW_MAX];

	if (p->tx_queues > 1) {
		printf("  queues: %s\n", config_show_sharing(p, text, sizeof(text)));
		printf("  fair to: %s\n", config_show_fairness(p, text, sizeof(text)));
		return;
	}
	if (p->share != SHARE_DEMAND)
		printf("  note: \"share\" has no effect with one TX queue\n");
	if (p->steer_set)
		printf("  note: \"steer\" has no effect with one TX queue\n");
}

static void print_port(const struct config_port *p)
{
	char text[CONFIG_SHOW_MAX];

	printf("port %s: %s, %u RX + %u TX queue%s, mtu %u\n", p->name, p->device, p->rx_queues,
	       p->tx_queues, p->rx_queues + p->tx_queues == 2 ? "" : "s", p->mtu);
	printf("  cake %s, memory limit %" PRIu64 " bytes%s\n",
	       config_show_scheduler(&p->scheduler, text, sizeof(text)),
	       cake_memory_limit(&p->scheduler.cake), p->tx_queues > 1 ? " in each queue" : "");
	print_queues(p);
	for (unsigned i = 0; i < p->scheduler.n_rules; i++)
		printf("  rule %u: %s\n", i,
		       config_show_rule(&p->scheduler, i, text, sizeof(text)));
}

static int run(int argc, char **argv)
{
	int first = cli_options(&cli_check, argc, argv, NULL);
	struct gateau_config *cfg;
	struct config_error err;

	if (first < 0)
		return CLI_USAGE;
	if (argc != first + 1)
		return cli_usage_fault(argv[0],
				       argc == first ? "no file given" : "one file at a time");
	if (config_load(argv[first], &cfg, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	printf("%s: valid\n", argv[first]);
	for (unsigned i = 0; i < cfg->n_ports; i++)
		print_port(&cfg->ports[i]);
	for (unsigned i = 0; i < cfg->n_links; i++)
		printf("link %s -> %s\n", cfg->ports[cfg->links[i].from].name,
		       cfg->ports[cfg->links[i].to].name);
	config_free(cfg);
	return CLI_OK;
}

const struct cli_command cli_check = {
	.name = "check",
	.usage = "FILE",
	.summary = "check a configuration file without starting anything",
	.help = "Reads FILE as gateaud would and prints what it sets up. The first fault, if there is\n"
		"one, goes to stderr as FILE:LINE: KEY: what is wrong; what is accepted.\n"
		"Devices and CPUs are not looked for: the file may be meant for another machine.\n",
	.operands = {"FILE"},
	.run = run,
};

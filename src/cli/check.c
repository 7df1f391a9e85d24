/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau check: whether a configuration file is valid, and what it says. */
#include "cli/cli.h"

#include <stdio.h>

#include "base/units.h"
#include "config/config.h"
#include "config/schema.h"

static const char *scheduler_word(const char *key, int value)
{
	return schema_word(schema_find(schema_scheduler, key), value);
}

static void print_port(const struct config_port *p)
{
	const struct cake_params *s = &p->scheduler;
	char rate[UNITS_FORMAT_MAX] = "unlimited", rtt[UNITS_FORMAT_MAX];

	if (s->bandwidth_bps)
		units_format_rate(rate, sizeof(rate), s->bandwidth_bps);
	printf("port %s: %s, %u RX + %u TX queue%s, mtu %u\n", p->name, p->device, p->rx_queues,
	       p->tx_queues, p->rx_queues + p->tx_queues == 2 ? "" : "s", p->mtu);
	printf("  scheduler: %s, %s, %s, rtt %s, %s profile\n", rate,
	       scheduler_word("diffserv", (int)s->diffserv),
	       scheduler_word("flowmode", (int)s->flowmode),
	       units_format_time(rtt, sizeof(rtt), s->rtt_ns),
	       scheduler_word("profile", (int)s->profile));
}

int cmd_check(int argc, char **argv)
{
	struct gateau_config *cfg;
	struct config_error err;

	if (argc != 2)
		return cli_usage_fault(argv[0], argc < 2 ? "no file given" : "one file at a time");
	if (config_load(argv[1], &cfg, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	printf("%s: valid\n", argv[1]);
	for (unsigned i = 0; i < cfg->n_ports; i++)
		print_port(&cfg->ports[i]);
	for (unsigned i = 0; i < cfg->n_links; i++)
		printf("link %s -> %s\n", cfg->ports[cfg->links[i].from].name,
		       cfg->ports[cfg->links[i].to].name);
	config_free(cfg);
	return CLI_OK;
}

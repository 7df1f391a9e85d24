/* SPDX-License-Identifier: BSD-3-Clause */
/* See topology.h. */
#include "lcore/topology.h"

#include <errno.h>

/* Who is next, and among whom. */
struct dealer {
	const uint16_t *cpus;
	unsigned n_cpus, next;
};

static int worker_on(const struct dealer *d, uint16_t cpu)
{
	for (unsigned i = 0; i < d->n_cpus; i++)
		if (d->cpus[i] == cpu)
			return (int)i;
	return -ENOENT;
}

/** A worker: the one on @cpu if that is wanted, else the next in turn. */
static int deal(struct dealer *d, bool wanted, uint16_t cpu)
{
	return wanted ? worker_on(d, cpu) : (int)(d->next++ % d->n_cpus);
}

/** The port that @from's frames leave by, or -1. The configuration has at most one. */
static int link_target(const struct gateau_config *cfg, unsigned from)
{
	for (unsigned i = 0; i < cfg->n_links; i++)
		if (cfg->links[i].from == from)
			return (int)cfg->links[i].to;
	return -1;
}

bool topology_is_target(const struct gateau_config *cfg, unsigned port)
{
	for (unsigned i = 0; i < cfg->n_links; i++)
		if (cfg->links[i].to == port)
			return true;
	return false;
}

static int deal_rx(struct topology *t, const struct gateau_config *cfg, struct dealer *d,
		   struct topology_wish *unmet)
{
	for (unsigned p = 0; p < cfg->n_ports; p++) {
		const struct config_port *port = &cfg->ports[p];
		int to = link_target(cfg, p);

		for (uint16_t q = 0; to >= 0 && q < port->rx_queues; q++) {
			int worker = deal(d, q < port->n_rx_lcores, port->rx_lcores[q]);

			if (worker < 0) {
				*unmet = (struct topology_wish){
					.port = p, .queue = q, .cpu = port->rx_lcores[q]};
				return worker;
			}
			t->rx[t->n_rx++] = (struct topology_rx){
				.q = {.port = p, .queue = q, .worker = worker}, .to = to};
		}
	}
	return 0;
}

static int deal_tx(struct topology *t, const struct gateau_config *cfg, struct dealer *d,
		   struct topology_wish *unmet)
{
	for (unsigned p = 0; p < cfg->n_ports; p++) {
		const struct config_port *port = &cfg->ports[p];
		unsigned queues = topology_is_target(cfg, p) ? port->tx_queues : 0;

		for (uint16_t q = 0; q < queues; q++) {
			int worker = deal(d, q < port->n_tx_lcores, port->tx_lcores[q]);

			if (worker < 0) {
				*unmet = (struct topology_wish){.port = p,
								.tx = true,
								.queue = q,
								.cpu = port->tx_lcores[q]};
				return worker;
			}
			t->tx[t->n_tx++] =
				(struct topology_queue){.port = p, .queue = q, .worker = worker};
		}
	}
	return 0;
}

int topology_deal(struct topology *t, const struct gateau_config *cfg, const uint16_t *cpus,
		  unsigned n_cpus, struct topology_wish *unmet)
{
	struct dealer d = {.cpus = cpus, .n_cpus = n_cpus};
	int ret;

	t->n_rx = 0;
	t->n_tx = 0;
	ret = deal_rx(t, cfg, &d, unmet);
	if (ret)
		return ret;
	return deal_tx(t, cfg, &d, unmet);
}

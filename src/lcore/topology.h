/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which worker polls which RX queue and runs which TX queue. Numbers only: no DPDK, no threads.
 *
 * Queues are dealt like cards, first all RX queues in the order of the ports, then all TX queues,
 * so that no worker has two more than another, unless a port names the CPU it wants.
 */
#ifndef GATEAU_LCORE_TOPOLOGY_H
#define GATEAU_LCORE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

#define TOPOLOGY_RX_MAX (CONFIG_PORTS_MAX * CONFIG_QUEUES_MAX)
#define TOPOLOGY_TX_MAX (CONFIG_PORTS_MAX * CONFIG_QUEUES_MAX)

/** A queue and who serves it. */
struct topology_queue {
	uint16_t port;   /* index into gateau_config.ports */
	uint16_t queue;  /* of that port */
	uint16_t worker; /* index into the workers' CPUs */
};

/** An RX queue is polled only if a link leads its port's frames somewhere. */
struct topology_rx {
	struct topology_queue q;
	uint16_t to; /* port that its frames leave by */
};

struct topology {
	unsigned n_rx, n_tx;
	struct topology_rx rx[TOPOLOGY_RX_MAX];
	struct topology_queue tx[TOPOLOGY_TX_MAX]; /* of ports that a link leads to */
};

/** A CPU that a port asks for. */
struct topology_wish {
	unsigned port;  /* index into gateau_config.ports */
	bool tx;        /* in "tx_lcores", else in "rx_lcores" */
	uint16_t queue; /* entry of it */
	uint16_t cpu;
};

/** Whether a link leads to @port: only then does it have TX queues that are used. */
bool topology_is_target(const struct gateau_config *cfg, unsigned port);

/**
 * Deal the queues of @cfg to workers on @n_cpus CPUs, at least one.
 *
 * @return 0; -ENOENT if a port wants a CPU without a worker: @unmet is then that wish
 */
int topology_deal(struct topology *t, const struct gateau_config *cfg, const uint16_t *cpus,
		  unsigned n_cpus, struct topology_wish *unmet);

#endif

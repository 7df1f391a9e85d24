/* SPDX-License-Identifier: BSD-3-Clause */
/* See watch.h. */
#include "dataplane/watch.h"

#include <inttypes.h>

#include "base/log.h"

static void watch_queue(bool *said, const struct config_port *port, unsigned queue, uint64_t ns)
{
	bool stuck = ns >= WATCH_STUCK_NS;

	if (stuck == *said)
		return;
	*said = stuck;
	if (stuck)
		log_warning("port %s: TX queue %u is stuck: the worker that holds it has not gone "
			    "on for %" PRIu64 " ms (its driver does not return, or its CPU is "
			    "taken)",
			    port->name, queue, ns / 1000000);
	else
		log_info("port %s: TX queue %u moves again", port->name, queue);
}

void watch_queues(struct watch *w, const struct dataplane *dp, uint64_t now)
{
	for (unsigned i = 0; i < dp->topology.n_tx; i++) {
		const struct topology_queue *t = &dp->topology.tx[i];

		watch_queue(&w->said[t->port][t->queue], &dp->config->ports[t->port], t->queue,
			    txq_stalled(dp->txqs[t->port][t->queue], now));
	}
}

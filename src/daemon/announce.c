/* SPDX-License-Identifier: BSD-3-Clause */
/* See announce.h. */
#include "daemon/announce.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "config/show.h"

#define TEXT_SIZE 512

static void announce_port(const struct port *port)
{
	const struct config_port *c = port->config;

	log_info("port %s: %s (%s), MTU %u, %u RX queue%s of %u, %u TX queue%s of %u", c->name,
		 c->device, port->driver, c->mtu, c->rx_queues, c->rx_queues == 1 ? "" : "s",
		 port->rx_descriptors, c->tx_queues, c->tx_queues == 1 ? "" : "s",
		 port->tx_descriptors);
}

static void announce_scheduler(const struct config_port *c, const struct packet_describer *d)
{
	char text[CONFIG_SHOW_MAX];
	bool several = c->tx_queues > 1;

	log_info("port %s: cake %s, memory limit %" PRIu64 " bytes%s, flows hashed by %s", c->name,
		 config_show_scheduler(&c->scheduler, text, sizeof(text)),
		 cake_memory_limit(&c->scheduler.cake), several ? " in each queue" : "",
		 d->hasher.name);
	if (several) {
		log_info("port %s: queues: %s", c->name,
			 config_show_sharing(c, text, sizeof(text)));
		log_info("port %s: fair to: %s", c->name,
			 config_show_fairness(c, text, sizeof(text)));
	}
	for (unsigned i = 0; i < c->scheduler.n_rules; i++)
		log_info("port %s: rule %u: %s", c->name, i,
			 config_show_rule(&c->scheduler, i, text, sizeof(text)));
}

static void announce_worker(const struct dataplane *dp, unsigned index)
{
	const struct topology *t = &dp->topology;
	char text[TEXT_SIZE] = "";
	size_t used = 0;

	for (unsigned i = 0; i < t->n_rx && used < sizeof(text); i++)
		if (t->rx[i].q.worker == index)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " rx %s/%u",
						 dp->config->ports[t->rx[i].q.port].name,
						 t->rx[i].q.queue);
	for (unsigned i = 0; i < t->n_tx && used < sizeof(text); i++)
		if (t->tx[i].worker == index)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " tx %s/%u",
						 dp->config->ports[t->tx[i].port].name,
						 t->tx[i].queue);
	log_info("worker on CPU %u:%s", dp->workers[index].cpu, used ? text : " no queues");
}

/** What a file for several machines may say without effect on this one. */
static void announce_idle_options(const struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		if (dp->ports[i].super_packets)
			return;
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		if (dp->txqs[i][0] && !dp->config->ports[i].scheduler.cake.split_gso)
			log_warning("port %s: \"split_gso\": false changes nothing: no port's "
				    "device hands on super-packets",
				    dp->config->ports[i].name);
}

void announce(const struct dataplane *dp)
{
	const struct pool_plan *plan = &dp->plan;

	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		announce_port(&dp->ports[i]);
		if (dp->txqs[i][0])
			announce_scheduler(&dp->config->ports[i], &dp->describers[i]);
	}
	announce_idle_options(dp);
	for (unsigned i = 0; i < dp->n_workers; i++)
		announce_worker(dp, i);
	log_info("buffers: %u queued + %u descriptors + %u deferred + %u in hand + %u in caches = "
		 "%u of %u bytes, %" PRIu64 " MB",
		 plan->queued, plan->descriptors, plan->deferred, plan->in_hand, plan->caches,
		 plan->elements, plan->element_bytes, (plan->bytes + (1 << 20) - 1) >> 20);
	log_info("clock: %" PRIu64 " Hz, within %" PRIu64 " ppm", dp->clock.hz,
		 dp->clock.error_ppb / 1000 + 1);
}

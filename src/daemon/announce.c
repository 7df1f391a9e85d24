/* SPDX-License-Identifier: BSD-3-Clause */
/* See announce.h. */
#include "daemon/announce.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "config/schema.h"
#include "config/show.h"

#define TEXT_SIZE 1024

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

/** Queues of one worker: "rx lan/0-3 tx lan/0,2 wan/1". Room for the longest line of the log. */
struct queue_list {
	char text[TEXT_SIZE];
	int port; /* of the queue before */
	unsigned first, last;
};

static void __attribute__((format(printf, 2, 3)))
append(struct queue_list *list, const char *fmt, ...)
{
	size_t used = strlen(list->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(list->text + used, sizeof(list->text) - used, fmt, args);
	va_end(args);
}

/** The end of a run of queues, where there is one. */
static void close_run(struct queue_list *list)
{
	if (list->port >= 0 && list->last != list->first)
		append(list, "-%u", list->last);
}

static void add_to_list(struct queue_list *list, const struct gateau_config *cfg,
			const struct topology_queue *q)
{
	if (list->port == q->port && q->queue == list->last + 1) {
		list->last = q->queue;
		return;
	}
	close_run(list);
	if (list->port == q->port)
		append(list, ",%u", q->queue);
	else
		append(list, " %s/%u", cfg->ports[q->port].name, q->queue);
	list->port = q->port;
	list->first = list->last = q->queue;
}

/** Queues come by port, then in order. Begins a new list behind @word. */
static void begin_list(struct queue_list *list, const char *word)
{
	append(list, " %s", word);
	list->port = -1;
}

/** Their frames' buffers are on one node; the other port's card, and its workers, cross over. */
static void announce_nodes(const struct dataplane *dp)
{
	for (unsigned i = 1; i < dp->config->n_ports; i++)
		if (dp->ports[i].node >= 0 && dp->ports[0].node >= 0 &&
		    dp->ports[i].node != dp->ports[0].node)
			log_warning("port %s is on NUMA node %d, port %s on %d",
				    dp->config->ports[0].name, dp->ports[0].node,
				    dp->config->ports[i].name, dp->ports[i].node);
}

static void announce_worker(const struct dataplane *dp, unsigned index)
{
	const struct topology *t = &dp->topology;
	const struct worker *w = &dp->workers[index];
	struct queue_list list = {.port = -1};

	if (w->n_rx)
		begin_list(&list, "rx");
	for (unsigned i = 0; i < t->n_rx; i++)
		if (t->rx[i].q.worker == index)
			add_to_list(&list, dp->config, &t->rx[i].q);
	close_run(&list);
	if (w->n_tx)
		begin_list(&list, "tx");
	for (unsigned i = 0; i < t->n_tx; i++)
		if (t->tx[i].worker == index)
			add_to_list(&list, dp->config, &t->tx[i]);
	if (w->n_tx)
		close_run(&list);
	log_info("worker on CPU %u:%s", w->cpu, *list.text ? list.text : " no queues");
}

/** How workers rest, and how many of them have the CPU wait for frames first. */
static void announce_idle(const struct dataplane *dp)
{
	const char *word = schema_word(schema_find(schema_file, "idle"), dp->config->idle);
	unsigned monitors = 0;

	for (unsigned i = 0; i < dp->n_workers; i++)
		monitors += dp->workers[i].means.monitor;
	if (monitors)
		log_info("idle: %s, with the CPU's monitor on %u worker%s", word, monitors,
			 monitors == 1 ? "" : "s");
	else
		log_info("idle: %s", word);
}

/** What a file for several machines may say without effect on this one. */
static void announce_idle_options(const struct dataplane *dp)
{
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		if (dp->ports[i].choice.super_packets)
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
		port_announce(&dp->ports[i]);
		if (dp->txqs[i][0])
			announce_scheduler(&dp->config->ports[i], dp->describers[i]);
	}
	announce_idle_options(dp);
	announce_nodes(dp);
	for (unsigned i = 0; i < dp->n_workers; i++)
		announce_worker(dp, i);
	announce_idle(dp);
	log_info("buffers: %u queued + %u descriptors + %u deferred + %u in hand + %u in caches = "
		 "%u of %u bytes, %" PRIu64 " MB",
		 plan->queued, plan->descriptors, plan->deferred, plan->in_hand, plan->caches,
		 plan->elements, plan->element_bytes, (plan->bytes + (1 << 20) - 1) >> 20);
	log_info("clock: %" PRIu64 " Hz, within %" PRIu64 " ppm", dp->clock.hz,
		 dp->clock.error_ppb / 1000 + 1);
}

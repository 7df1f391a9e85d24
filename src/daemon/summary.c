/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h: gathering and adding up. */
#include "daemon/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

const char *summary_reason_name(unsigned reason)
{
	if (reason < WORKER_DROPS)
		return worker_drop_name(reason);
	return cake_decision_name(CAKE_DROP_OVERFLOW + reason - WORKER_DROPS);
}

static void collect_dispatch(struct summary_port *p, const struct dispatch *d)
{
	const struct dispatch_counters *c = dispatch_counters(d);

	p->dropped[WORKER_DROP_DEFER] += counter_get(&c->defer);
	for (unsigned t = 0; t < CAKE_MAX_TINS; t++) {
		p->shed[t] += counter_get(&c->shed[t]);
		p->dropped[WORKER_DROP_SHED] += counter_get(&c->shed[t]);
	}
	p->shed_collisions += dispatch_shed_collisions(d);
}

static void collect_worker(struct summary *s, unsigned index, const struct worker *w)
{
	const struct worker_counters *c = &w->counters;

	s->workers[index] = (struct summary_worker){
		.cpu = w->cpu,
		.passes = counter_get(&c->passes),
		.busy_passes = counter_get(&c->busy_passes),
		.stalls = counter_get(&c->stalls),
		.stall_ns = counter_get(&c->stall_ns),
		.max_stall_ns = counter_get(&c->max_stall_ns),
		.taken_up = counter_get(&w->rescue.taken_up),
		.busy_cycles = counter_get(&c->busy_cycles),
		.sleeps = counter_get(&c->sleeps),
		.slept_ns = counter_get(&c->slept_ns),
		.late_wakeups = counter_get(&c->late_wakeups),
	};
	for (unsigned p = 0; p < s->config->n_ports; p++) {
		const struct worker_port_counters *from = &w->ports[p];
		struct summary_port *to = &s->ports[p];

		to->rx_packets += counter_get(&from->rx_packets);
		to->rx_bytes += counter_get(&from->rx_bytes);
		to->segments_added += counter_get(&from->segments_added);
		for (unsigned r = 0; r < WORKER_DROPS; r++)
			to->dropped[r] += counter_get(&from->dropped[r]);
		for (unsigned r = 0; r < PACKET_UNCLASSIFIED_REASONS; r++)
			to->unclassified[r] += counter_get(&from->unclassified[r]);
		if (w->to[p])
			collect_dispatch(to, w->to[p]);
	}
}

static void collect_txq(struct summary_queue *to, const struct txq *q)
{
	const struct txq_counters *c = txq_counters(q);

	to->tx_packets = counter_get(&c->sent_packets);
	to->tx_bytes = counter_get(&c->sent_bytes);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		to->dropped[d] = counter_get(&c->dropped[d]);
	to->gso_no_buffer = counter_get(&c->gso_no_buffer);
	to->segments_added = counter_get(&c->segments_added);
	to->queued = txq_queued(q);
	to->deferred = txq_deferred(q);
	to->held = txq_held(q);
	to->marked = counter_get(&c->marked);
	to->device_full = counter_get(&c->device_full);
	to->stalls = txq_stalls(q);
	to->shares = txq_share_counters(q, &to->share);
	txq_stats(q, &to->cake);
}

/** One of the port's queues, in addition to those before it. */
static void add_queue(struct summary_port *p, const struct summary_queue *q)
{
	p->n_queues++;
	p->tx_packets += q->tx_packets;
	p->tx_bytes += q->tx_bytes;
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		p->dropped[WORKER_DROPS + d - CAKE_DROP_OVERFLOW] += q->dropped[d];
	p->dropped[WORKER_DROP_GSO_NO_BUFFER] += q->gso_no_buffer;
	p->segments_added += q->segments_added;
	p->queued += q->queued;
	p->deferred += q->deferred;
	p->held += q->held;
	p->marked += q->marked;
	p->device_full += q->device_full;
	cake_stats_add(&p->cake, &q->cake);
}

static int collect_queues(struct summary *s, const struct dataplane *dp)
{
	const struct topology *t = &dp->topology;

	s->queues = calloc(t->n_tx, sizeof(*s->queues));
	if (!s->queues)
		return -ENOMEM;
	s->n_queues = t->n_tx;
	for (unsigned i = 0; i < t->n_tx; i++) {
		struct summary_queue *q = &s->queues[i];
		struct summary_port *p = &s->ports[t->tx[i].port];

		q->port = t->tx[i].port;
		q->queue = t->tx[i].queue;
		q->cpu = dp->workers[t->tx[i].worker].cpu;
		collect_txq(q, dp->txqs[q->port][q->queue]);
		if (!p->n_queues)
			p->first_queue = i;
		add_queue(p, q);
	}
	return 0;
}

static void add_up(struct summary *s)
{
	for (unsigned i = 0; i < s->config->n_ports; i++) {
		const struct summary_port *p = &s->ports[i];

		s->received += p->rx_packets;
		s->segments_added += p->segments_added;
		s->sent += p->tx_packets;
		for (unsigned r = 0; r < SUMMARY_REASONS; r++)
			s->dropped += p->dropped[r];
		s->queued += p->queued;
		s->deferred += p->deferred;
		s->held += p->held;
	}
}

int summary_collect(struct summary *s, const struct dataplane *dp, uint64_t uptime_ns)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->config = dp->config;
	s->uptime_ns = uptime_ns;
	s->hz = dp->clock.hz;
	s->error_ppb = dp->clock.error_ppb;
	s->dpdk_hz = rte_get_tsc_hz();
	s->n_workers = dp->n_workers;
	s->mbufs = dp->plan.elements;
	for (unsigned i = 0; i < dp->n_workers; i++)
		collect_worker(s, i, &dp->workers[i]);
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_nic_stats(&dp->ports[i], &s->ports[i].nic);
	ret = collect_queues(s, dp);
	if (!ret)
		add_up(s);
	return ret;
}

void summary_free(struct summary *s)
{
	free(s->queues);
}

int64_t summary_difference(const struct summary *s)
{
	return (int64_t)(s->received + s->segments_added - s->sent - s->dropped - s->queued -
			 s->deferred - s->held);
}

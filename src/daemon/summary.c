/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h: gathering and adding up. */
#include "daemon/summary.h"

#include <string.h>

#include <rte_cycles.h>

const char *summary_reason_name(unsigned reason)
{
	if (reason < WORKER_DROPS)
		return worker_drop_name(reason);
	return cake_decision_name(CAKE_DROP_OVERFLOW + reason - WORKER_DROPS);
}

static void collect_dispatch(struct summary_port *p, const struct dispatch_counters *c)
{
	p->dropped[WORKER_DROP_DEFER] += counter_get(&c->defer);
	for (unsigned t = 0; t < CAKE_MAX_TINS; t++)
		p->dropped[WORKER_DROP_SHED] += counter_get(&c->shed[t]);
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
			collect_dispatch(to, dispatch_counters(w->to[p]));
	}
}

/** One of the port's queues, in addition to those before it. */
static void collect_txq(struct summary_port *p, const struct txq *q)
{
	const struct txq_counters *c = txq_counters(q);
	struct cake_stats cake;

	p->scheduled = true;
	p->tx_packets += counter_get(&c->sent_packets);
	p->tx_bytes += counter_get(&c->sent_bytes);
	p->marked += counter_get(&c->marked);
	p->device_full += counter_get(&c->device_full);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		p->dropped[WORKER_DROPS + d - CAKE_DROP_OVERFLOW] += counter_get(&c->dropped[d]);
	p->dropped[WORKER_DROP_GSO_NO_BUFFER] += counter_get(&c->gso_no_buffer);
	p->segments_added += counter_get(&c->segments_added);
	p->queued += txq_queued(q);
	p->deferred += txq_deferred(q);
	p->held += txq_held(q);
	txq_stats(q, &cake);
	cake_stats_add(&p->cake, &cake);
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

void summary_collect(struct summary *s, const struct dataplane *dp, uint64_t uptime_ns)
{
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
	for (unsigned i = 0; i < dp->topology.n_tx; i++) {
		const struct topology_queue *t = &dp->topology.tx[i];

		collect_txq(&s->ports[t->port], dp->txqs[t->port][t->queue]);
	}
	for (unsigned i = 0; i < dp->config->n_ports; i++)
		port_nic_stats(&dp->ports[i], &s->ports[i].nic);
	add_up(s);
}

int64_t summary_difference(const struct summary *s)
{
	return (int64_t)(s->received + s->segments_added - s->sent - s->dropped - s->queued -
			 s->deferred - s->held);
}

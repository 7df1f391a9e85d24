/* SPDX-License-Identifier: BSD-3-Clause */
/* See snapshot.h: gathering and adding up. */
#include "stats/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "dataplane/visits.h"

const char *stats_reason_name(unsigned reason)
{
	if (reason < WORKER_DROPS)
		return worker_drop_name(reason);
	return cake_decision_name(CAKE_DROP_OVERFLOW + reason - WORKER_DROPS);
}

static void collect_dispatch(struct stats_port *p, const struct dispatch *d)
{
	const struct dispatch_counters *c = dispatch_counters(d);

	p->ring_packets += counter_get(&c->deferred);
	p->dropped[WORKER_DROP_DEFER] += counter_get(&c->defer);
	for (unsigned t = 0; t < CAKE_MAX_TINS; t++) {
		p->shed[t] += counter_get(&c->shed[t]);
		p->dropped[WORKER_DROP_SHED] += counter_get(&c->shed[t]);
	}
	p->shed_collisions += dispatch_shed_collisions(d);
}

static void collect_worker(struct stats_snapshot *s, unsigned index, const struct worker *w)
{
	const struct worker_counters *c = &w->counters;

	s->workers[index] = (struct stats_worker){
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
		.interrupts = counter_get(&c->interrupts),
		.late_wakeups = counter_get(&c->late_wakeups),
	};
	for (unsigned p = 0; p < s->config->n_ports; p++) {
		const struct worker_port_counters *from = &w->ports[p];
		struct stats_port *to = &s->ports[p];

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

/** What the holder alone may read; run by it, or at rest. Of what it counts all is of one moment.
 */
static void read_txq(struct txq *q, void *queue, uint64_t now)
{
	const struct txq_counters *c = txq_counters(q);
	struct stats_queue *to = queue;

	(void)now;
	to->tx_packets = counter_get(&c->sent_packets);
	to->tx_bytes = counter_get(&c->sent_bytes);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		to->dropped[d] = counter_get(&c->dropped[d]);
	to->gso_no_buffer = counter_get(&c->gso_no_buffer);
	to->link_down = counter_get(&c->link_down);
	to->segments_added = counter_get(&c->segments_added);
	to->queued = txq_queued(q);
	to->deferred = txq_deferred(q);
	to->held = txq_held(q);
	to->marked = counter_get(&c->marked);
	to->device_full = counter_get(&c->device_full);
	to->shares = txq_share_counters(q, &to->share);
	txq_stats(q, &to->cake);
	for (unsigned t = 0; t < to->cake.tin_cnt; t++)
		txq_sojourn(q, t, &to->sojourn[t]);
}

/** One of the port's queues, in addition to those before it. */
static void add_queue(struct stats_port *p, const struct stats_queue *q)
{
	p->n_queues++;
	p->stalled_queues += q->stalled;
	p->tx_packets += q->tx_packets;
	p->tx_bytes += q->tx_bytes;
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		p->dropped[WORKER_DROPS + d - CAKE_DROP_OVERFLOW] += q->dropped[d];
	p->dropped[WORKER_DROP_GSO_NO_BUFFER] += q->gso_no_buffer;
	p->dropped[WORKER_DROP_LINK_DOWN] += q->link_down;
	p->segments_added += q->segments_added;
	p->queued += q->queued;
	p->deferred += q->deferred;
	p->held += q->held;
	p->marked += q->marked;
	p->device_full += q->device_full;
	cake_stats_add(&p->cake, &q->cake);
	for (unsigned t = 0; t < q->cake.tin_cnt; t++)
		sojourn_merge(&p->sojourn[t], &q->sojourn[t]);
}

/** The queues of before, whose numbers are kept, or new ones. */
static int find_room(struct stats_snapshot *s, const struct topology *t)
{
	bool same = s->n_queues == t->n_tx;

	for (unsigned i = 0; same && i < t->n_tx; i++)
		same = s->queues[i].port == t->tx[i].port && s->queues[i].queue == t->tx[i].queue;
	if (same)
		return 0;
	stats_free(s);
	s->queues = calloc(t->n_tx, sizeof(*s->queues));
	if (!s->queues)
		return -ENOMEM;
	s->n_queues = t->n_tx;
	return 0;
}

static void read_at_rest(struct stats_snapshot *s, struct dataplane *dp)
{
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct stats_queue *q = &s->queues[i];

		read_txq(dp->txqs[q->port][q->queue], q, 0);
	}
}

/** All at once, so that they are of nearly the same time. */
static int read_live(struct stats_snapshot *s, struct dataplane *dp)
{
	struct queue_visit *visits = calloc(s->n_queues, sizeof(*visits));

	if (!visits)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_queues; i++)
		visits[i] = (struct queue_visit){
			.port = s->queues[i].port,
			.queue = s->queues[i].queue,
			.visit = {.run = read_txq, .arg = &s->queues[i]},
		};
	visits_make(dp, visits, s->n_queues, STATS_PATIENCE_MS);
	for (unsigned i = 0; i < s->n_queues; i++)
		s->queues[i].stalled = !visit_is_done(&visits[i].visit);
	free(visits);
	return 0;
}

/**
 * Tins are told by the names that they have in the configuration's mode. A queue that has not
 * changed to that one yet, or has not answered since, has others, which have no name: none of it.
 */
static void leave_out_other_tins(struct stats_snapshot *s)
{
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct stats_queue *q = &s->queues[i];
		const struct config_port *p = &s->config->ports[q->port];

		if (q->cake.tin_cnt != cake_tin_count(p->scheduler.cake.diffserv))
			q->cake.tin_cnt = 0;
	}
}

static int collect_queues(struct stats_snapshot *s, struct dataplane *dp, enum stats_when when)
{
	const struct topology *t = &dp->topology;
	int ret = find_room(s, t);

	if (ret)
		return ret;
	for (unsigned i = 0; i < t->n_tx; i++) {
		struct stats_queue *q = &s->queues[i];

		q->port = t->tx[i].port;
		q->queue = t->tx[i].queue;
		q->cpu = dp->workers[t->tx[i].worker].cpu;
		q->stalls = txq_stalls(dp->txqs[q->port][q->queue]);
		q->stalled = false;
	}
	if (when == STATS_LIVE)
		return read_live(s, dp);
	read_at_rest(s, dp);
	return 0;
}

static void add_queues(struct stats_snapshot *s)
{
	for (unsigned i = 0; i < s->n_queues; i++) {
		struct stats_port *p = &s->ports[s->queues[i].port];

		if (!p->n_queues)
			p->first_queue = i;
		add_queue(p, &s->queues[i]);
	}
}

static void add_up(struct stats_snapshot *s)
{
	s->received = s->segments_added = s->sent = s->dropped = 0;
	s->queued = s->deferred = s->held = 0;
	for (unsigned i = 0; i < s->config->n_ports; i++) {
		const struct stats_port *p = &s->ports[i];

		s->received += p->rx_packets;
		s->segments_added += p->segments_added;
		s->sent += p->tx_packets;
		for (unsigned r = 0; r < STATS_REASONS; r++)
			s->dropped += p->dropped[r];
		s->queued += p->queued;
		s->deferred += p->deferred;
		s->held += p->held;
	}
}

/** Frames that workers have received, or made of super-packets, so far. */
static uint64_t count_arrivals(const struct dataplane *dp)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < dp->n_workers; i++)
		for (unsigned p = 0; p < dp->config->n_ports; p++) {
			const struct worker_port_counters *c = &dp->workers[i].ports[p];

			n += counter_get(&c->rx_packets) + counter_get(&c->segments_added);
		}
	return n;
}

int stats_collect(struct stats_snapshot *s, struct dataplane *dp, enum stats_when when,
		  uint64_t uptime_ns)
{
	const uint64_t before = count_arrivals(dp);
	int ret;

	memset(s->ports, 0, sizeof(s->ports));
	s->config = dp->config;
	s->uptime_ns = uptime_ns;
	s->hz = dp->clock.hz;
	s->error_ppb = dp->clock.error_ppb;
	s->dpdk_hz = rte_get_tsc_hz();
	s->n_workers = dp->n_workers;
	s->mbufs = dp->plan.elements;
	for (unsigned i = 0; i < dp->n_workers; i++)
		collect_worker(s, i, &dp->workers[i]);
	for (unsigned i = 0; i < dp->config->n_ports; i++) {
		port_nic_stats(&dp->ports[i], &s->ports[i].nic);
		s->ports[i].link_up = !dp->ports[i].link_down;
		s->ports[i].link_downs = dp->ports[i].link_downs;
	}
	ret = collect_queues(s, dp, when);
	if (ret)
		return ret;
	leave_out_other_tins(s);
	add_queues(s);
	add_up(s);
	s->moved = count_arrivals(dp) - before;
	return 0;
}

void stats_free(struct stats_snapshot *s)
{
	free(s->queues);
	s->queues = NULL;
	s->n_queues = 0;
}

int64_t stats_difference(const struct stats_snapshot *s)
{
	return (int64_t)(s->received + s->segments_added - s->sent - s->dropped - s->queued -
			 s->deferred - s->held);
}

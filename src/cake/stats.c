/* SPDX-License-Identifier: BSD-3-Clause */
/* From running state to the statistics of cake_stats.h. */
#include <gateau/cake_stats.h>

#include <errno.h>

#include "cake/state.h"

#define NS_PER_US 1000

static const char *const decision_names[CAKE_DECISIONS] = {
	[CAKE_SEND] = "sent",        [CAKE_SEND_CE] = "marked", [CAKE_DROP_OVERFLOW] = "overflow",
	[CAKE_DROP_CODEL] = "codel", [CAKE_DROP_BLUE] = "blue", [CAKE_DROP_ACK] = "ack_filter",
	[CAKE_DROP_PURGE] = "purge",
};

const char *cake_decision_name(enum cake_decision d)
{
	return decision_names[d];
}

static void tin_stats(const struct tin *t, struct cake_tin_stats *s)
{
	*s = (struct cake_tin_stats){
		.threshold_rate = t->rate.bytes_per_s,
		.sent_bytes = t->in.bytes,
		.sent_packets = t->in.packets,
		.backlog_bytes = t->in.bytes - t->out.bytes,
		.backlog_packets = tin_qlen(t),
		.target_us = t->cobalt.target / NS_PER_US,
		.interval_us = t->cobalt.interval / NS_PER_US,
		.peak_delay_us = t->peak_delay / NS_PER_US,
		.avg_delay_us = t->avg_delay / NS_PER_US,
		.base_delay_us = t->base_delay / NS_PER_US,
		.drops = t->drops,
		.ecn_mark = t->ecn_marks,
		.ack_drops = t->ack_drops,
		.way_indirect_hits = t->way_indirect_hits,
		.way_misses = t->way_misses,
		.way_collisions = t->way_collisions,
		.sparse_flows = tin_sparse(t) + t->flows_in[CAKE_SET_DECAYING],
		.bulk_flows = tin_bulk(t),
		.unresponsive_flows = t->unresponsive,
		.max_pkt_len = t->max_len,
		.flow_quantum = t->flow_quantum,
	};
}

/* Ranges start inverted; until something was seen they read as 0. */
static uint32_t seen_min(uint32_t min, uint32_t max)
{
	return min > max ? 0 : min;
}

void cake_tin_load_get(const struct cake *c, unsigned tin, struct cake_tin_load *out)
{
	const struct tin *t = &c->tins[tin];

	*out = (struct cake_tin_load){
		.arrived_bytes = t->in.bytes,
		.arrived_packets = t->in.packets,
		.queued_bytes = t->in.bytes - t->out.bytes,
	};
}

/* What tins that are no more have counted; and what others have that did not leave by them. */
static void count_before(const struct cake *c, struct cake_stats *out)
{
	const struct before *b = &c->before;

	out->enqueued_packets += b->packets - b->requeued_packets;
	out->enqueued_bytes += b->bytes - b->requeued_bytes;
	out->packets += b->packets - b->requeued_packets;
	out->bytes += b->bytes - b->requeued_bytes;
	out->decisions[CAKE_SEND_CE] += b->ecn_marks;
}

/* What has left is in @out, packets and bytes: take off what was dropped. */
static void count_drops(const struct cake *c, struct cake_stats *out)
{
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++) {
		out->decisions[d] = c->decisions[d];
		out->drops += c->decisions[d];
	}
	out->packets -= out->drops;
	out->bytes -= c->dropped_bytes;
	out->decisions[CAKE_SEND] = out->packets - out->decisions[CAKE_SEND_CE];
}

void cake_stats_get(const struct cake *c, struct cake_stats *out)
{
	const struct adjust *a = &c->adjust;

	*out = (struct cake_stats){
		.overlimits = c->overlimits,
		.qlen = instance_qlen(c),
		.capacity_estimate = c->autorate.peak,
		.memory_used = c->memory_peak,
		.memory_limit = c->memory_limit,
		.avg_hdr_offset = (a->avg_offset + 0x8000) >> 16,
		.min_network_size = seen_min(a->min_network, a->max_network),
		.max_network_size = a->max_network,
		.min_adj_size = seen_min(a->min_adjusted, a->max_adjusted),
		.max_adj_size = a->max_adjusted,
		.catch_ups = c->catch_ups,
		.catch_up_ns = c->catch_up_ns,
		.changes = c->changes,
		.tin_cnt = c->n_tins,
	};
	for (unsigned i = 0; i < c->n_tins; i++) {
		struct cake_tin_stats *s = &out->tins[i];

		tin_stats(&c->tins[i], s);
		out->enqueued_packets += s->sent_packets;
		out->enqueued_bytes += s->sent_bytes;
		out->backlog += s->backlog_bytes;
		out->packets += c->tins[i].out.packets;
		out->bytes += c->tins[i].out.bytes;
		out->decisions[CAKE_SEND_CE] += s->ecn_mark;
	}
	count_before(c, out);
	count_drops(c, out);
}

static void keep_most(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

static void keep_most32(uint32_t *most, uint32_t value)
{
	if (value > *most)
		*most = value;
}

/** 0 = nothing seen. */
static void keep_least(uint64_t *least, uint64_t value)
{
	if (value && (!*least || value < *least))
		*least = value;
}

static void keep_least32(uint32_t *least, uint32_t value)
{
	if (value && (!*least || value < *least))
		*least = value;
}

static void add_tin(struct cake_tin_stats *sum, const struct cake_tin_stats *t)
{
	keep_most(&sum->threshold_rate, t->threshold_rate);
	sum->sent_bytes += t->sent_bytes;
	sum->sent_packets += t->sent_packets;
	sum->backlog_bytes += t->backlog_bytes;
	sum->backlog_packets += t->backlog_packets;
	keep_most(&sum->target_us, t->target_us);
	keep_most(&sum->interval_us, t->interval_us);
	keep_most(&sum->peak_delay_us, t->peak_delay_us);
	keep_most(&sum->avg_delay_us, t->avg_delay_us);
	keep_least(&sum->base_delay_us, t->base_delay_us);
	sum->drops += t->drops;
	sum->ecn_mark += t->ecn_mark;
	sum->ack_drops += t->ack_drops;
	sum->way_indirect_hits += t->way_indirect_hits;
	sum->way_misses += t->way_misses;
	sum->way_collisions += t->way_collisions;
	sum->sparse_flows += t->sparse_flows;
	sum->bulk_flows += t->bulk_flows;
	sum->unresponsive_flows += t->unresponsive_flows;
	keep_most32(&sum->max_pkt_len, t->max_pkt_len);
	keep_most32(&sum->flow_quantum, t->flow_quantum);
}

void cake_stats_add(struct cake_stats *sum, const struct cake_stats *s)
{
	sum->bytes += s->bytes;
	sum->packets += s->packets;
	sum->enqueued_packets += s->enqueued_packets;
	sum->enqueued_bytes += s->enqueued_bytes;
	sum->drops += s->drops;
	sum->overlimits += s->overlimits;
	sum->backlog += s->backlog;
	sum->qlen += s->qlen;
	keep_most(&sum->capacity_estimate, s->capacity_estimate);
	sum->memory_used += s->memory_used;
	sum->memory_limit += s->memory_limit;
	keep_most32(&sum->avg_hdr_offset, s->avg_hdr_offset);
	keep_least32(&sum->min_network_size, s->min_network_size);
	keep_most32(&sum->max_network_size, s->max_network_size);
	keep_least32(&sum->min_adj_size, s->min_adj_size);
	keep_most32(&sum->max_adj_size, s->max_adj_size);
	for (unsigned d = 0; d < CAKE_DECISIONS; d++)
		sum->decisions[d] += s->decisions[d];
	sum->catch_ups += s->catch_ups;
	sum->catch_up_ns += s->catch_up_ns;
	sum->changes += s->changes;
	if (s->tin_cnt > sum->tin_cnt)
		sum->tin_cnt = s->tin_cnt;
	for (unsigned i = 0; i < s->tin_cnt; i++)
		add_tin(&sum->tins[i], &s->tins[i]);
}

void cake_stats_with(const struct cake *c, const struct cake *before, struct cake_stats *out)
{
	struct cake_stats s;

	cake_stats_get(c, out);
	cake_stats_get(before, &s);
	/* Its tins count in @c already, but for what comes and goes meanwhile. */
	s.tin_cnt = 0;
	s.changes = 0;
	s.memory_limit = 0;
	s.memory_used = 0;
	cake_stats_add(out, &s);
	out->tin_cnt = c->n_tins;
}

static int64_t us_from_now(uint64_t time, uint64_t now)
{
	return (int64_t)(time - now) / NS_PER_US;
}

int cake_flow_stats_get(const struct cake *c, unsigned tin, uint32_t flow, uint64_t now,
			struct cake_flow_stats *out)
{
	const struct flow *f;

	if (tin >= c->n_tins || flow >= c->tins[tin].table.n)
		return -ENOENT;
	f = &c->tins[tin].table.flows[flow];
	*out = (struct cake_flow_stats){
		.set = f->set,
		.deficit = f->deficit,
		.backlog = overflow_bytes(&c->overflow, c->tins[tin].first_flow + flow),
		.drops = f->drops,
		.cobalt_count = f->cobalt.count,
		.dropping = f->cobalt.dropping,
		.drop_next_us = us_from_now(f->cobalt.drop_next, now),
		.blue_prob = f->cobalt.p_drop,
		.blue_timer_us = us_from_now(f->cobalt.blue_timer, now),
	};
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tin: a traffic class with its threshold rate, its flows and its hosts, and the states its flows
 * go through.
 *
 *	       arrival              deficit used up, packets left
 *	NONE ──────────► SPARSE ───────────────────────────────────► BULK
 *	 ▲                 │ deficit used up, no packets               ▲ │
 *	 │                 └────────────► SPARSE_WAIT ── arrival ──────┘ │
 *	 │ at rest                             │                         │
 *	 └──── DECAYING ◄──── empty ───────────┴─────────────────────────┘
 *	           └── arrival ──► SPARSE
 *
 * SPARSE flows are in the list of new flows, SPARSE_WAIT and BULK in that of old ones.
 */
#ifndef GATEAU_CAKE_TIN_H
#define GATEAU_CAKE_TIN_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include "base/prng.h"
#include "cake/cobalt.h"
#include "cake/ewma.h"
#include "cake/flow.h"
#include "cake/host.h"
#include "cake/shaper.h"

struct tin {
	struct flow_table table;
	uint32_t first_flow;                    /* number of slot 0 among the flows of all tins */
	uint8_t number;                         /* its own, the internal index */
	struct host_table src_hosts, dst_hosts; /* without entries unless the mode isolates them */
	uint32_t *pure_acks; /* queued, by flow; NULL unless there is an ACK filter */

	struct rate rate;      /* threshold: up to it the tin goes before lower ones */
	uint64_t next;         /* ns: until then it is above its threshold */
	int64_t deficit;       /* bytes; shares an unlimited link by `quantum` */
	uint32_t quantum;      /* bytes per round of an unlimited link */
	uint32_t flow_quantum; /* bytes per round of a flow whose host has no other */
	uint64_t share;        /* cake.share that `rate` follows */
	struct cobalt_config cobalt;

	struct tin_count {
		uint64_t packets, bytes;
	} in, out;                                /* what is queued is the difference */
	uint32_t flows_in[CAKE_SET_DECAYING + 1]; /* by state; unknown of CAKE_SET_NONE */
	uint32_t unresponsive;
	uint32_t busy_src_hosts, busy_dst_hosts; /* hosts with bulk flows */

	uint64_t drops, ecn_marks, ack_drops;
	uint64_t way_indirect_hits, way_misses, way_collisions;
	uint64_t peak_delay, avg_delay, base_delay; /* ns, EWMA */
	uint32_t max_len;
};

int tin_init(struct tin *t, const struct cake_params *p);
void tin_fini(struct tin *t);

/** Bytes tin_init() allocates. */
uint64_t tin_footprint(const struct cake_params *p);

/** Drop all flow state; the queues must be empty. Rates and counters stay. */
void tin_reset(struct tin *t);

/**
 * Set threshold, flow quantum and AQM parameters for a rate of @bytes_per_s. The AQM's target is
 * at least one and a half full frames at that rate.
 */
void tin_set_rate(struct tin *t, uint64_t bytes_per_s, const struct cake_params *p);

/** Set threshold and flow quantum alone for a rate of @bytes_per_s. */
void tin_share_rate(struct tin *t, uint64_t bytes_per_s, const struct cake_params *p);

/** Slot of a flow that tin_find_flow() does not meet at once. */
uint32_t tin_search_flow(struct tin *t, enum cake_flowmode mode, const struct cake_packet *p);

static inline uint32_t tin_sparse(const struct tin *t)
{
	return t->flows_in[CAKE_SET_SPARSE] + t->flows_in[CAKE_SET_SPARSE_WAIT];
}

static inline uint32_t tin_bulk(const struct tin *t)
{
	return t->flows_in[CAKE_SET_BULK];
}

/** A flow is sparse or bulk. */
static inline bool tin_active(const struct tin *t)
{
	return flow_first(&t->table, FLOWS_NEW) != FLOW_NONE ||
	       flow_first(&t->table, FLOWS_OLD) != FLOW_NONE;
}

/** Packets that wait. */
static inline uint32_t tin_qlen(const struct tin *t)
{
	return (uint32_t)(t->in.packets - t->out.packets);
}

/** Fetch what tin_find_flow() looks at first: the slot that is returned. */
static inline uint32_t tin_prefetch_flow(const struct tin *t, enum cake_flowmode mode,
					 const struct cake_packet *p)
{
	uint32_t own = cake_flow_key(mode, p) & (t->table.n - 1);

	__builtin_prefetch(&t->table.tags[own]);
	__builtin_prefetch(&t->table.flows[own], 1);
	return own;
}

/** Fetch what tin_activate_flow() is going to write to beside slot @own, which is there by now. */
static inline void tin_prefetch_neighbours(const struct tin *t, uint32_t own)
{
	const struct flow *f = &t->table.flows[own];

	if (f->set != CAKE_SET_DECAYING)
		return;
	__builtin_prefetch(&t->table.flows[f->prev], 1);
	__builtin_prefetch(&t->table.flows[f->next], 1);
}

/** Slot of @p's flow, its hosts looked up if the slot is new to it. */
static inline uint32_t tin_find_flow(struct tin *t, enum cake_flowmode mode,
				     const struct cake_packet *p)
{
	uint32_t hash = cake_flow_key(mode, p);
	uint32_t own = hash & (t->table.n - 1);

	/* Most are where they were, and the slot knows their hosts. In a table that is full many
	 * have had to go aside. */
	if (t->table.tags[own] != hash) {
		own = flow_find_aside(&t->table, own, hash);
		if (own == FLOW_NONE || t->table.flows[own].set == CAKE_SET_NONE)
			return tin_search_flow(t, mode, p);
		t->way_indirect_hits++;
		return own;
	}
	if (t->table.flows[own].set != CAKE_SET_NONE)
		return own;
	return tin_search_flow(t, mode, p);
}

/* A flow in the bulk rotation weighs on its hosts. */
static inline void tin_hosts_inc(struct tin *t, const struct flow *f)
{
	if (t->src_hosts.tags)
		t->busy_src_hosts += host_inc(&t->src_hosts, f->src_host);
	if (t->dst_hosts.tags)
		t->busy_dst_hosts += host_inc(&t->dst_hosts, f->dst_host);
}

static inline void tin_hosts_dec(struct tin *t, const struct flow *f)
{
	if (t->src_hosts.tags)
		t->busy_src_hosts -= host_dec(&t->src_hosts, f->src_host);
	if (t->dst_hosts.tags)
		t->busy_dst_hosts -= host_dec(&t->dst_hosts, f->dst_host);
}

/** Move a flow to another state; keeps the tin's and the hosts' counts. */
HOT void tin_set_flow(struct tin *t, struct flow *f, enum cake_flow_set set)
{
	t->flows_in[f->set]--;
	t->flows_in[set]++;
	if (f->set == CAKE_SET_BULK)
		tin_hosts_dec(t, f);
	if (set == CAKE_SET_BULK)
		tin_hosts_inc(t, f);
	f->set = set;
}

/** Bytes a flow gets per round: the quantum over its host's bulk flows, dithered. */
HOT int32_t tin_flow_refill(const struct tin *t, const struct flow *f, struct prng *rng)
{
	uint32_t load = 1, share = 65535;

	if (t->src_hosts.tags && t->src_hosts.bulk_flows[f->src_host] > load)
		load = t->src_hosts.bulk_flows[f->src_host];
	if (t->dst_hosts.tags && t->dst_hosts.bulk_flows[f->dst_host] > load)
		load = t->dst_hosts.bulk_flows[f->dst_host];
	if (load > 1)
		share /= load;

	/* Dithered, so that the rounding of a small share evens out over the rounds. */
	return (t->flow_quantum * share + prng_u16(rng)) >> 16;
}

/** Something arrived for the flow: the first step of the state machine. Returns whether it may have
 * made the tin active. */
HOT bool tin_activate_flow(struct tin *t, uint32_t slot, struct prng *rng)
{
	struct flow *f = &t->table.flows[slot];

	if (f->set == CAKE_SET_NONE || f->set == CAKE_SET_DECAYING) {
		if (f->set == CAKE_SET_DECAYING)
			flow_remove(&t->table, FLOWS_DECAYING, slot);
		flow_append(&t->table, FLOWS_NEW, slot);
		tin_set_flow(t, f, CAKE_SET_SPARSE);
		f->deficit = tin_flow_refill(t, f, rng);
		return true;
	}
	if (f->set == CAKE_SET_SPARSE_WAIT)
		tin_set_flow(t, f, CAKE_SET_BULK);
	return false;
}

/** A packet that waited for @sojourn ns is sent. */
HOT void tin_note_delay(struct tin *t, uint64_t sojourn)
{
	t->avg_delay = ewma(t->avg_delay, sojourn, 8);
	t->peak_delay = ewma(t->peak_delay, sojourn, sojourn > t->peak_delay ? 2 : 8);
	t->base_delay = ewma(t->base_delay, sojourn, sojourn < t->base_delay ? 2 : 8);
}

#endif

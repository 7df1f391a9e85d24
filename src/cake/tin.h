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

#include "cake/cobalt.h"
#include "cake/flow.h"
#include "cake/host.h"
#include "cake/shaper.h"

struct tin {
	struct flow_table table;
	struct host *src_hosts; /* as many as flows; NULL unless the mode isolates sources */
	struct host *dst_hosts; /* likewise destinations */
	uint32_t *pure_acks;    /* queued, by flow; NULL unless there is an ACK filter */

	struct rate rate;      /* threshold: up to it the tin goes before lower ones */
	uint64_t next;         /* ns: until then it is above its threshold */
	int64_t deficit;       /* bytes; shares an unlimited link by `quantum` */
	uint32_t quantum;      /* bytes per round of an unlimited link */
	uint32_t flow_quantum; /* bytes per round of a flow whose host has no other */
	uint64_t share;        /* cake.share that `rate` follows */
	struct cobalt_config cobalt;

	uint64_t backlog;                /* bytes */
	uint32_t qlen;                   /* packets */
	uint32_t sparse, bulk, decaying; /* flows by state; SPARSE_WAIT counts as sparse */
	uint32_t unresponsive;
	uint32_t busy_src_hosts, busy_dst_hosts; /* hosts with bulk flows */

	uint64_t sent_bytes, sent_packets; /* enqueued, as tc counts them */
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

/** Slot of @p's flow, its hosts looked up if the slot is new to it. */
uint16_t tin_find_flow(struct tin *t, enum cake_flowmode mode, const struct cake_packet *p);

/** Move a flow to another state; keeps the tin's and the hosts' counts. */
void tin_set_flow(struct tin *t, uint16_t slot, enum cake_flow_set set);

/** Bytes a flow gets per round: the quantum over its host's bulk flows, dithered. */
int32_t tin_flow_refill(const struct tin *t, const struct flow *f, struct prng *rng);

/** Something arrived for the flow: the first step of the state machine. */
void tin_activate_flow(struct tin *t, uint16_t slot, struct prng *rng);

/** A packet that waited for @sojourn ns is sent. */
void tin_note_delay(struct tin *t, uint64_t sojourn);

static inline bool tin_active(const struct tin *t)
{
	return t->sparse + t->bulk > 0;
}

#endif

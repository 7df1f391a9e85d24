/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * COBALT, the AQM of one flow queue: CoDel (RFC 8289) for traffic that listens, BLUE for traffic
 * that does not.
 *
 * CoDel signals when a packet has waited longer than `target`, at a rate that grows with the square
 * root of the signals already given, and backs off the same way. BLUE raises a drop probability on
 * each overflow and lowers it when the queue is found empty. A flow's state outlives its packets.
 */
#ifndef GATEAU_CAKE_COBALT_H
#define GATEAU_CAKE_COBALT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"

/* BLUE's ceiling in the gateau profile: an unresponsive flow keeps three packets of four. */
#define COBALT_P_QUARTER (1u << 30)

/* The same for all flows of a tin; all times in ns, probabilities in 0.32 fixed point. */
struct cobalt_config {
	uint64_t target;
	uint64_t interval;
	uint64_t mtu_time; /* a full frame at the tin's rate */
	uint32_t p_max;    /* BLUE's ceiling */
	bool fade;         /* BLUE also fades with time: docs/deviations.md */
	bool interval32;   /* Linux's truncation of the interval */
	bool stride;       /* back off from many signals in few steps: docs/deviations.md */
};

/* Packed: struct flow has use for what would be padding at its end. */
struct cobalt {
	uint64_t drop_next; /* when CoDel signals next; with count 0: end of the activity timeout */
	uint64_t blue_timer;   /* when p_drop last changed */
	uint32_t count;        /* CoDel's signals in this episode */
	uint32_t rec_inv_sqrt; /* 1/sqrt(count), 0.32; 0 = never computed */
	uint32_t p_drop;       /* BLUE */
	bool dropping;
} __attribute__((packed));

enum cobalt_verdict {
	COBALT_PASS,
	COBALT_CODEL,
	COBALT_BLUE,
};

/**
 * Judge the packet at the head of the queue.
 *
 * @param sojourn     ns it has waited
 * @param bulk_flows  the tin's bulk flows in ingress mode, else 0: a flow may have two packets of
 *                    every bulk flow ahead of it
 * @param ce          set if the packet is to be marked; also together with COBALT_BLUE
 */
enum cobalt_verdict cobalt_judge(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now,
				 uint64_t sojourn, uint32_t bulk_flows, bool ecn_capable,
				 struct prng *rng, bool *ce);

/**
 * The common case of cobalt_judge(), of a flow that COBALT has nothing against: what it would do,
 * if the packet passes without more ado. False: nothing was done.
 */
static inline bool cobalt_pass(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now,
			       uint64_t sojourn)
{
	if (v->count | v->p_drop || sojourn > cfg->target)
		return false;
	v->dropping = false;
	v->drop_next = now + cfg->interval; /* the slot stays this flow's for so long */
	return true;
}

/** A packet of this flow was dropped because the instance is out of memory. */
void cobalt_overflow(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now);

/** The flow was served and had no packet. */
void cobalt_empty(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now);

/** The common case of cobalt_empty(). False: nothing was done. */
static inline bool cobalt_stay_calm(struct cobalt *v)
{
	if (v->count | v->p_drop)
		return false;
	v->dropping = false;
	return true;
}

/** Nothing to remember: the slot may go to another flow. */
static inline bool cobalt_at_rest(const struct cobalt *v, uint64_t now)
{
	return v->p_drop == 0 && v->count == 0 && now >= v->drop_next;
}

#endif

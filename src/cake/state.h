/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The running state of an instance: changed on the way in and out (enqueue.c, dequeue.c), read by
 * stats.c.
 */
#ifndef GATEAU_CAKE_STATE_H
#define GATEAU_CAKE_STATE_H

#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "cake/adjust.h"
#include "cake/autorate.h"
#include "cake/classify.h"
#include "cake/overflow.h"
#include "cake/shaper.h"
#include "cake/slab.h"
#include "cake/tin.h"

/* Sums over tins that are no more; and packets that tins have counted again. */
struct before {
	uint64_t packets, bytes, ecn_marks;
	uint64_t requeued_packets, requeued_bytes;
};

struct cake {
	struct cake_params params;
	struct prng *rng;

	struct classifier classifier;
	struct adjust adjust;
	struct shaper shaper;
	struct autorate autorate; /* of an instance whose rate follows what arrives */
	struct overflow overflow;
	struct slab slab;
	struct fifo dropped; /* to be taken by the caller */

	uint64_t bytes_per_s; /* the full rate, 0 = unlimited */
	uint64_t share; /* bytes/s of it that are this instance's, 0 = all: cake_set_share() */

	struct tin *tins;
	unsigned n_tins;
	bool far;             /* the flow tables are larger than a second cache */
	unsigned active_tins; /* bit by number: those that tin_active() */
	unsigned current_tin; /* where the round over an unlimited link's tins stands */

	uint64_t wake;       /* ns: cake_next_time() */
	uint64_t steps_left; /* flows that this cake_dequeue() may still look at, plus 1 */

	uint32_t max_qlen;     /* packets */
	uint64_t memory;       /* bytes charged */
	uint64_t memory_limit; /* no more than the slab was sized for */
	uint64_t memory_cap;   /* cake_set_memlimit(), 0 = none */
	uint64_t memory_peak;

	uint64_t dropped_bytes;
	uint64_t overlimits;
	uint64_t counted_wait;              /* ns: end of the wait that overlimits counted last */
	uint64_t decisions[CAKE_DECISIONS]; /* drops; what was sent is the rest of what went out */
	uint64_t catch_ups, catch_up_ns;
	uint64_t changes;
	struct before before; /* what left instances that this one succeeded, and no tin counts */
};

/** The tin and the flow that a packet was put in. */
static inline struct tin *instance_tin_of(const struct cake *c, const struct desc *d)
{
	return &c->tins[d->flow / c->params.flows];
}

static inline uint32_t instance_slot_of(const struct cake *c, const struct desc *d)
{
	return d->flow & (c->params.flows - 1);
}

/** Packets that wait. */
static inline uint32_t instance_qlen(const struct cake *c)
{
	return c->shaper.slot.queued;
}

/**
 * Run at @bytes_per_s (0 = unlimited) from now on: thresholds, quanta, AQM parameters and the
 * memory limit follow. Packets, deficits, schedules and the flows' AQM state stay; nothing is
 * allocated, since creation made room for the highest limit.
 */
void instance_set_rate(struct cake *c, uint64_t bytes_per_s);

/** shaper_rescale() from the rate @from to the instance's; in the linux profile @time stays. */
uint64_t instance_rescale(const struct cake *c, uint64_t time, uint64_t now, uint64_t from);

/** @share of @from bytes/s, as a part of what the instance runs at; 0 = all, as ever. */
uint64_t instance_scale_share(const struct cake *c, uint64_t share, uint64_t from);

/** The shaper, resp. a tin, runs at what cake_set_share() said; AQM parameters stay. */
void instance_share_rate(struct cake *c);
void instance_share_tin(struct cake *c, struct tin *t);

/** Slots are used, or no more, as the parameters say; and the failsafe, as ingress mode is. */
void instance_set_slots(struct cake *c, uint64_t now);

/** The memory limit of the rate, or memory_cap if that is less. */
uint64_t instance_memory_limit(const struct cake *c);

#endif

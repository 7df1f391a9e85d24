/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a virtual lcore's work takes, ns. The defaults are measurements or estimates that are named
 * in cost.c; a scenario may set its own.
 */
#ifndef GATEAU_SCENARIO_COST_H
#define GATEAU_SCENARIO_COST_H

#include <stdint.h>

#include "txq/dispatch.h"
#include "txq/txq.h"

struct cost {
	uint32_t poll;    /* looking into an RX ring */
	uint32_t parse;   /* a frame: receiving and describing it */
	uint32_t ring;    /* putting it on another lcore's defer ring */
	uint32_t shed;    /* judging and dropping it there */
	uint32_t run;     /* claiming, looking into and releasing a TX queue */
	uint32_t enqueue; /* into CAKE */
	uint32_t dequeue; /* out of CAKE, to the device */
	uint32_t drop;    /* by CAKE, freeing it included */
	uint32_t line;    /* reading what one other queue published */
	uint32_t clear;   /* visiting a flow queue of a tin that is not used, at a sync: what
			     Linux's cake_mq did; 0 = nobody does */
	uint32_t reserve; /* a slot: one contended atomic operation */
};

void cost_default(struct cost *c);

/** A TX queue's work so far: what is new is charged to the lcore that looks. */
struct cost_queue {
	uint64_t sent, dropped, inside, syncs, reservations;
};

/** ns for what was done to @q since @seen; @siblings: queues of its port; @tins: of
 * its mode. */
uint64_t cost_of_queue(const struct cost *c, const struct txq *q, unsigned siblings, unsigned tins,
		       struct cost_queue *seen);

/** A lcore's dispatch to one port so far. */
struct cost_dispatch {
	uint64_t ring, shed;
};

/** ns for what was deferred and shed since @seen. */
uint64_t cost_of_dispatch(const struct cost *c, const struct dispatch *d,
			  struct cost_dispatch *seen);

#endif

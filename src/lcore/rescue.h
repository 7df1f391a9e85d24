/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TX queues whose home lcore does not come round: preempted between two runs, or held up by a
 * device. Any other lcore takes such a queue up and runs it in each of its passes.
 *
 * It notices that it is needed no more by the time the queue was run last: if it is not its own,
 * another has run it since, most likely the home, which just runs its queues. Neither asks, tells
 * or waits. An lcore that stops while it has taken up a queue is relieved of it in the same way.
 *
 * An lcore that stops inside a run still holds the queue (txq/claim.h). It is not taken from it.
 */
#ifndef GATEAU_LCORE_RESCUE_H
#define GATEAU_LCORE_RESCUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/counter.h"
#include "lcore/serve.h"

/**
 * One foreign queue is looked at every so often, ns, in turn: a cache line that its home has just
 * written, 0.1 us, which is 1 % of the time. Of 64 queues each is looked at every 0.64 ms, by
 * each of the other lcores.
 */
#define RESCUE_LOOK_NS 10000

struct rescue_queue {
	struct worker_tx tx;
	bool taken_up;
};

/** An lcore's. All fields but the counter are its own alone. */
struct rescue {
	struct rescue_queue *queues;
	unsigned n, next, n_taken_up;
	uint64_t looked_ns;
	counter_t taken_up; /* times it took up a queue; writer: the lcore */
};

/** 0 or -ENOMEM. At most @max queues may be added. */
int rescue_init(struct rescue *r, unsigned max);
void rescue_fini(struct rescue *r);

/** A queue that other lcores are the home of. */
void rescue_add(struct rescue *r, const struct worker_tx *tx);

/** Run what was taken up, look at one of the others if that is due. Returns frames moved. */
unsigned rescue_pass(struct rescue *r, uint64_t now, struct txq_dead *dead);

/** The lcore has rested: look at as many as it would have looked at meanwhile. */
void rescue_make_up(struct rescue *r, uint64_t now, uint64_t rested_ns, struct txq_dead *dead);

#endif

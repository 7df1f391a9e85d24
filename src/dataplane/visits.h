/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Visiting TX queues from a thread that is no worker (txq/visit.h), several at once, and waiting
 * for it. All operations on running queues go through here: reading them and changing them.
 */
#ifndef GATEAU_DATAPLANE_VISITS_H
#define GATEAU_DATAPLANE_VISITS_H

#include "dataplane/dataplane.h"
#include "txq/visit.h"

/** How long a worker may take to come round, ms: far longer than the machine takes a CPU away. */
#define VISITS_PATIENCE_MS 2000

/** As `port`: not a queue, but the worker of that number, between two of its passes. */
#define VISITS_WORKER CONFIG_PORTS_MAX

/** The clock that patience is measured by, ms. */
uint64_t visits_clock_ms(void);

/** One queue, or worker, and what is to be done there. */
struct queue_visit {
	unsigned port, queue; /* index into the configuration's ports; which of its TX queues */
	struct visit visit;   /* `run` and `arg` are the caller's, `done` the answer */
};

/**
 * Have all of @visits made, in no order, and wait for it. One thread at a time.
 *
 * @param patience_ms  after this long those that no worker has come round for are called off
 * @return 0; -ETIMEDOUT: some were not made, those whose `done` is false
 */
int visits_make(struct dataplane *dp, struct queue_visit *visits, unsigned n, unsigned patience_ms);

/** The same for all TX queues of port @p: @run with @arg in each. */
int visits_make_port(struct dataplane *dp, unsigned p,
		     void (*run)(struct txq *q, void *arg, uint64_t now), void *arg,
		     unsigned patience_ms);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main thread's eye on TX queues while the workers run them. A worker that stops inside a run
 * holds its queue, and nobody may take it from it: what is left is to say so.
 */
#ifndef GATEAU_DATAPLANE_WATCH_H
#define GATEAU_DATAPLANE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/dataplane.h"

/**
 * A queue is said to be stuck after this long, ns: a driver that waits for its device. Shorter
 * stalls are a busy machine's and are counted only (txq_stalls()).
 */
#define WATCH_STUCK_NS 500000000

/** Zero it to begin with. */
struct watch {
	bool said[CONFIG_PORTS_MAX][CONFIG_QUEUES_MAX]; /* of the stall that it is in */
};

/** Say which queues are stuck, once for each time, and which are no more. */
void watch_queues(struct watch *w, const struct dataplane *dp, uint64_t now);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into a TX queue from other lcores: a small ring that many append to and one empties.
 *
 * It is the lock-less list that replaced the busylock of the kernel's qdiscs: whoever does not hold
 * the queue never touches the scheduler. The ring is small on purpose. It only has to cover the
 * time until its holder comes round; a longer one would be a second queue in front of CAKE, without
 * CAKE's fairness. What does not fit is the producer's to drop, and is counted as "defer".
 */
#ifndef GATEAU_TXQ_DEFER_H
#define GATEAU_TXQ_DEFER_H

#include <rte_mbuf.h>
#include <rte_ring.h>

/** Entries: 1,024 frames of 1,514 bytes are 1.2 ms at 10 Gbit/s. A power of 2. */
#define DEFER_SIZE 1024

/** In plain memory: no EAL needed. 0 or -ENOMEM. */
int defer_create(struct rte_ring **out);
void defer_destroy(struct rte_ring *ring);

/** Any thread. Returns how many were taken, from the front; the rest is still the caller's. */
static inline unsigned defer_put(struct rte_ring *ring, struct rte_mbuf **pkts, unsigned n)
{
	return rte_ring_enqueue_burst(ring, (void **)pkts, n, NULL);
}

/** The same, for frames that belong together: takes all or none. */
static inline unsigned defer_put_all(struct rte_ring *ring, struct rte_mbuf **pkts, unsigned n)
{
	return rte_ring_enqueue_bulk(ring, (void **)pkts, n, NULL);
}

/** Only the holder of the queue. Returns how many were put in @pkts, in order. */
static inline unsigned defer_take(struct rte_ring *ring, struct rte_mbuf **pkts, unsigned max)
{
	return rte_ring_dequeue_burst(ring, (void **)pkts, max, NULL);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way into a TX queue from other lcores: a small ring that many append to and one empties.
 *
 * It is the lock-less list that replaced the busylock of the kernel's qdiscs: whoever does not hold
 * the queue never touches the scheduler. What does not fit is the producer's to drop, and is
 * counted as "defer".
 *
 *	 cons.tail                    prod.tail            prod.head
 *	     │ filled: the holder's to take │ being filled      │ free
 *	─────┴──────────────────────────────┴───────────────────┴──────
 *
 * Producers do not wait for each other (RTS): prod.tail moves up only when all that had begun are
 * done, so that a producer preempted in the middle hides also what others put in behind it, their
 * own earlier frames from themselves included. Hence defer_mark() and defer_passed().
 *
 * The positions are read here with their own width: the consumer takes what the 64-bit tail says,
 * with acquire, which pairs with the release by the last of the producers that moved it.
 */
#ifndef GATEAU_TXQ_DEFER_H
#define GATEAU_TXQ_DEFER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

/**
 * Entries, a power of 2. It has to hold what all producers together may send between two looks of
 * the holder, no more: a pass takes up to 50 us, which at the 20 M frames/s that a scheduler can
 * serve is 1,000 frames. Shorter starves the holder. Longer would be a second queue in front of
 * CAKE, without CAKE's fairness: a full one of 1,024 delays a frame by the 26 us that it takes to
 * enqueue them. How many of these may be used at a time is the queue's to say: txq_room().
 */
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

/** Position behind the last frame that was put in, or is about to be. */
static inline uint32_t defer_mark(const struct rte_ring *ring)
{
	union __rte_ring_rts_poscnt head;

	head.raw = __atomic_load_n(&ring->rts_prod.head.raw, __ATOMIC_RELAXED);
	return head.val.pos;
}

/** Any thread: frames put in and not yet taken out, those included that are not to be seen yet. */
static inline unsigned defer_count(const struct rte_ring *ring)
{
	/* In this order, or the tail could be ahead of the head. */
	uint32_t tail = __atomic_load_n(&ring->cons.tail, __ATOMIC_ACQUIRE);
	uint32_t n = defer_mark(ring) - tail;

	/* The ring moved on in between. */
	return n < DEFER_SIZE ? n : DEFER_SIZE;
}

/** Only the holder of the queue: frames that it can take now. */
static inline unsigned defer_ready(const struct rte_ring *ring)
{
	union __rte_ring_rts_poscnt tail;

	tail.raw = __atomic_load_n(&ring->rts_prod.tail.raw, __ATOMIC_ACQUIRE);
	return tail.val.pos - __atomic_load_n(&ring->cons.tail, __ATOMIC_RELAXED);
}

/**
 * Only the holder of the queue: up to @max of the defer_ready() frames, to @pkts, in order. Returns
 * how many.
 */
static inline unsigned defer_take(struct rte_ring *ring, struct rte_mbuf **pkts, unsigned max)
{
	return rte_ring_dequeue_burst(ring, (void **)pkts, max, NULL);
}

/**
 * Only the holder: whether everything before @mark, which this lcore had from defer_mark(), has
 * been taken out. After 2^31 frames an old mark may say no where it is yes: who then uses the ring
 * has a new one.
 */
static inline bool defer_passed(const struct rte_ring *ring, uint32_t mark)
{
	return (int32_t)(__atomic_load_n(&ring->cons.tail, __ATOMIC_RELAXED) - mark) >= 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who may touch a TX queue's scheduler: one lcore at a time, the holder. Nobody ever waits for it.
 *
 *	free ──try (acquire)──► held since t ──release──► free
 *
 * The acquire takes over everything that the holder before wrote until its release: scheduler,
 * ring's consumer side, held burst, device queue. That is all the synchronisation there is.
 *
 * A queue normally is its home lcore's. If nobody has run it for CLAIM_ABANDONED_NS any lcore may
 * (lcore/rescue.h). An lcore that stops *between* runs is covered so. One that stops *inside* a run
 * (preempted, or stuck in a driver) still holds the queue, may be in the middle of any line of it,
 * and is left alone: the stall is counted, once, by whoever sees it, and the queue waits.
 */
#ifndef GATEAU_TXQ_CLAIM_H
#define GATEAU_TXQ_CLAIM_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

/**
 * A queue with something to do that was not run for this long may be run by any lcore, ns. A pass
 * takes some 10 us, so that this one's lcore is not coming round; and at 10 Gbit/s the ring of
 * 1,024 full frames lasts 1.2 ms.
 */
#define CLAIM_ABANDONED_NS 1000000

/** A queue held for this long is stalled, ns: a run takes 100 us at most. */
#define CLAIM_STALLED_NS 1000000

struct claim {
	/* Every lcore: rw. When it was claimed, ns; 0 = free. */
	_Atomic uint64_t since __rte_cache_aligned;

	/* Holder: wo, others: ro. When it was run last, ns; frames that wait inside since. */
	_Atomic uint64_t run_ns __rte_cache_aligned;
	_Atomic uint32_t waiting;

	/* Whoever sees a stall: rw. The claim it saw stalled last; how many there were. */
	_Atomic uint64_t seen __rte_cache_aligned;
	_Atomic uint64_t stalls;
};
static_assert(offsetof(struct claim, run_ns) == RTE_CACHE_LINE_SIZE &&
		      offsetof(struct claim, seen) == 2 * RTE_CACHE_LINE_SIZE,
	      "who tries to claim does not touch what the holder writes");

/** Any lcore: become the holder, unless there is one. */
static inline bool claim_try(struct claim *c, uint64_t now)
{
	uint64_t unheld = 0;

	/* Looking first keeps the line shared while another holds it. */
	return !atomic_load_explicit(&c->since, memory_order_relaxed) &&
	       atomic_compare_exchange_strong_explicit(&c->since, &unheld, now ? now : 1,
						       memory_order_acquire, memory_order_relaxed);
}

/** Holder. */
static inline void claim_release(struct claim *c)
{
	atomic_store_explicit(&c->since, 0, memory_order_release);
}

/** Holder: it is being run. @now never goes back. */
static inline void claim_note_run(struct claim *c, uint64_t now)
{
	atomic_store_explicit(&c->run_ns, now, memory_order_relaxed);
}

/** Holder: @n frames are inside, in the scheduler or held for the device. */
static inline void claim_note_waiting(struct claim *c, uint32_t n)
{
	if (atomic_load_explicit(&c->waiting, memory_order_relaxed) != n)
		atomic_store_explicit(&c->waiting, n, memory_order_relaxed);
}

/** Any lcore: nobody has run it for CLAIM_ABANDONED_NS. Clocks of lcores differ a little. */
static inline bool claim_abandoned(const struct claim *c, uint64_t now)
{
	uint64_t run = atomic_load_explicit(&c->run_ns, memory_order_relaxed);

	return now > run && now - run > CLAIM_ABANDONED_NS;
}

/**
 * Any thread: for how long its holder has been stopped inside, ns; 0 = it has not. Counts a stall
 * when it is seen for the first time.
 */
static inline uint64_t claim_stalled(struct claim *c, uint64_t now)
{
	uint64_t since = atomic_load_explicit(&c->since, memory_order_relaxed);
	uint64_t seen = atomic_load_explicit(&c->seen, memory_order_relaxed);

	if (!since || now < since || now - since <= CLAIM_STALLED_NS)
		return 0;
	if (seen != since &&
	    atomic_compare_exchange_strong_explicit(&c->seen, &seen, since, memory_order_relaxed,
						    memory_order_relaxed))
		atomic_fetch_add_explicit(&c->stalls, 1, memory_order_relaxed);
	return now - since;
}

#endif

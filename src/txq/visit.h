/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How another thread gets something done in a TX queue that it may not touch: it hands over a
 * function, and the queue's holder runs that at its next txq_run(), as it runs everything else.
 *
 *	visit_post ──► the holder: run(), done ──► visit_is_done
 *	         └───► visit_withdraw: it will not be run
 *
 * So a reader copies statistics, and an operator's change is made, without a lock and without the
 * holder ever waiting: it looks at one line once a run, which is written when somebody visits. A
 * queue has one visitor at a time; who visits waits outside (dataplane/visits.h). Workers have such
 * a door, too, for what is theirs (lcore/worker.h).
 */
#ifndef GATEAU_TXQ_VISIT_H
#define GATEAU_TXQ_VISIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

struct txq;

/** The visitor's; it stays where it is until it is done or withdrawn. */
struct visit {
	/**
	 * Holder of @q: what the visitor wants done at @now, ns. It may call all that is the
	 * holder's, and is to be short: the queue stands still meanwhile. What it makes the
	 * scheduler drop is taken and counted after it.
	 */
	void (*run)(struct txq *q, void *arg, uint64_t now);
	void *arg;
	_Atomic bool done; /* holder: wo, visitor: ro */
};

/** Of a queue. All zero is nobody there. */
struct visit_door {
	_Atomic(struct visit *) visitor __rte_cache_aligned; /* visitor and holder: rw */
};

/** Any thread. False: another is there. */
static inline bool visit_post(struct visit_door *d, struct visit *v)
{
	struct visit *nobody = NULL;

	atomic_store_explicit(&v->done, false, memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&d->visitor, &nobody, v,
						       memory_order_release, memory_order_relaxed);
}

/** The visitor: whether it has been run; what run() wrote is to be seen then. */
static inline bool visit_is_done(const struct visit *v)
{
	return atomic_load_explicit(&v->done, memory_order_acquire);
}

/** The visitor. True: it will not be run. False: it has been, or is just being, run. */
static inline bool visit_withdraw(struct visit_door *d, struct visit *v)
{
	struct visit *expected = v;

	return atomic_compare_exchange_strong_explicit(&d->visitor, &expected, NULL,
						       memory_order_relaxed, memory_order_relaxed);
}

/** Holder: whether there is somebody. */
static inline bool visit_waits(const struct visit_door *d)
{
	return atomic_load_explicit(&d->visitor, memory_order_relaxed) != NULL;
}

/** Holder: do what the visitor wants. The visitor may take @v away as soon as this is done. */
static inline void visit_serve(struct visit_door *d, struct txq *q, uint64_t now)
{
	struct visit *v = atomic_exchange_explicit(&d->visitor, NULL, memory_order_acquire);

	if (!v)
		return;
	v->run(q, v->arg, now);
	atomic_store_explicit(&v->done, true, memory_order_release);
}

#endif

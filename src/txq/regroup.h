/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving flows between the TX queues of a port, when frames are spread over them by something else
 * ("steer"), without reordering a flow: what came before leaves all queues before anything else
 * does.
 *
 *	receivers: hashes for both ways        control thread
 *	queues:    a second instance each      txq_change_apply(), with a struct txq_regroup
 *	receivers: steer the new way
 *	queues:    rings are empty of the old  regroup_switched()
 *	           what came before drains
 *	           all of them have            regroup_drained(), regroup_release()
 *	queues:    the second instance sends
 *
 * In between frames of both ways arrive. Which way one came is seen by what it is: one that the old
 * way would not have brought to this queue came the new way. One that either way brings there goes
 * in behind what came before, until all that arrives came the new way.
 *
 * The port sends at its rate all the time: what one queue leaves of it, as it waits for the others,
 * these use. What is new waits as long as what was queued takes, which the control thread bounds:
 * once released, a queue no longer waits for the others.
 */
#ifndef GATEAU_TXQ_REGROUP_H
#define GATEAU_TXQ_REGROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "share/steer.h"

/** Of a port; the control thread's, and stays until all changes with it are done. */
struct txq_regroup {
	/* Written before it is handed over. */
	enum steer from, to;
	unsigned queues;

	/* Control thread: wo, holders: ro. */
	_Atomic bool switched; /* all that arrives is steered the new way */
	_Atomic bool released; /* nobody waits for the others any more */

	/* Holders: rw, control thread: ro. Queues that have sent what came before. */
	_Atomic unsigned drained;
};

/** Control thread: every receiver steers the new way, and no ring has anything from before. */
static inline void regroup_switched(struct txq_regroup *r)
{
	atomic_store_explicit(&r->switched, true, memory_order_release);
}

/** Control thread: whether all queues have sent what came before. */
static inline bool regroup_drained(const struct txq_regroup *r)
{
	return atomic_load_explicit(&r->drained, memory_order_acquire) == r->queues;
}

/** Control thread: what came later may be sent, by each queue once it has sent what came before. */
static inline void regroup_release(struct txq_regroup *r)
{
	atomic_store_explicit(&r->released, true, memory_order_release);
}

struct txq;

/** Holder, meanwhile: put @n packets, whole arrivals, into the instance that each belongs to. */
void regroup_enqueue(struct txq *q, struct cake_packet *batch, unsigned n, uint64_t now);

#endif

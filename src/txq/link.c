/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time without a link. A device takes frames until its ring is full and sends them whenever the
 * link comes back, so nothing is given to it meanwhile: what waits, waits in CAKE, where its memory
 * limit bounds it and the fattest flow pays.
 *
 * A link that was away for longer than its frames are of use, or as long as the operator says
 * ("link_hold"), brings none of them back.
 */
#include "txq/state.h"

void txq_link_down(struct txq *q, uint64_t now, uint64_t hold_ns)
{
	if (!q->drop_ns)
		q->drop_ns = now + hold_ns;
}

void txq_link_up(struct txq *q, uint64_t now)
{
	if (!q->drop_ns)
		return;
	q->drop_ns = 0;
	cake_resume(q->cake, now);
}

static void drop_held(struct txq *q)
{
	q->free(q->held, q->n_held);
	counter_add(&q->counters.link_down, q->n_held);
	q->n_held = 0;
}

void link_wait(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	q->served = 0;
	if (now < q->drop_ns)
		return;
	drop_held(q);
	txq_drop_queued(q, dead, &q->counters.link_down);
}

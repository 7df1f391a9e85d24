/* SPDX-License-Identifier: BSD-3-Clause */
/* See rescue.h. */
#include "lcore/rescue.h"

#include <errno.h>
#include <stdlib.h>

int rescue_init(struct rescue *r, unsigned max)
{
	r->queues = calloc(max, sizeof(*r->queues));
	return r->queues || !max ? 0 : -ENOMEM;
}

void rescue_fini(struct rescue *r)
{
	free(r->queues);
}

void rescue_add(struct rescue *r, const struct worker_tx *tx)
{
	r->queues[r->n++].tx = *tx;
}

/** The next in turn. A holder that has stopped inside is counted where it is seen (txq_stalls()).
 */
static void look_at_one(struct rescue *r, uint64_t now)
{
	struct rescue_queue *q = &r->queues[r->next];

	r->next = (r->next + 1) % r->n;
	r->looked_ns = now;
	if (q->taken_up || !txq_abandoned(q->tx.queue, now) || txq_stalled(q->tx.queue, now))
		return;
	q->taken_up = true;
	q->tx.ran_ns = txq_last_run(q->tx.queue);
	r->n_taken_up++;
	counter_add(&r->taken_up, 1);
}

static unsigned run_taken_up(struct rescue *r, uint64_t now, struct txq_dead *dead)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < r->n; i++) {
		struct rescue_queue *q = &r->queues[i];

		if (!q->taken_up)
			continue;
		if (txq_last_run(q->tx.queue) == q->tx.ran_ns) {
			moved += serve(&q->tx, now, dead);
		} else {
			q->taken_up = false;
			r->n_taken_up--;
		}
	}
	return moved;
}

unsigned rescue_pass(struct rescue *r, uint64_t now, struct txq_dead *dead)
{
	if (r->n && now - r->looked_ns >= RESCUE_LOOK_NS)
		look_at_one(r, now);
	return r->n_taken_up ? run_taken_up(r, now, dead) : 0;
}

void rescue_make_up(struct rescue *r, uint64_t now, uint64_t rested_ns, struct txq_dead *dead)
{
	uint64_t looks = rested_ns / RESCUE_LOOK_NS;

	if (looks > r->n)
		looks = r->n;
	for (; looks; looks--) {
		r->looked_ns = now - RESCUE_LOOK_NS;
		rescue_pass(r, now, dead);
	}
}

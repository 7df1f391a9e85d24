/* SPDX-License-Identifier: BSD-3-Clause */
/* See regroup.h; change.c has a queue's steps. */
#include "txq/regroup.h"

#include "txq/state.h"

/** Where an arrival that begins with @p belongs. */
static struct cake *instance_for(const struct txq *q, const struct cake_packet *p)
{
	const struct txq_regroup *r = q->regroup;

	if (atomic_load_explicit(&r->switched, memory_order_acquire))
		return q->entry;
	return steer_queue(r->from, p, r->queues) == q->share_index ? q->cake : q->entry;
}

void regroup_enqueue(struct txq *q, struct cake_packet *batch, unsigned n, uint64_t now)
{
	for (unsigned i = 0, next; i < n; i = next) {
		/* An arrival is not split: its packets are of one flow. */
		for (next = i + 1; next < n && batch[next - 1].more; next++)
			;
		cake_enqueue(instance_for(q, &batch[i]), batch + i, next - i, now);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "equal": cake_mq of Linux. The rate over the number of active queues, counted by each for itself.
 *
 * A sibling is active if it has packets or has sent one since this queue looked last. Reads race
 * with writes, as in Linux; a count that is wrong is right 200 us later.
 */
#include "share/state.h"

void equal_publish(struct share_queue *q, uint64_t now)
{
	struct share_line *l = &q->share->lines[q->index];

	atomic_store_explicit(&l->stamp, now, memory_order_relaxed);
	atomic_store_explicit(&l->last_active, q->last_sent, memory_order_relaxed);
	atomic_store_explicit(&l->qlen, cake_backlog(q->cake), memory_order_relaxed);
}

static unsigned count_active(const struct share_queue *q)
{
	unsigned active = 1;

	for (unsigned i = 0; i < q->share->params.queues; i++) {
		const struct share_line *l = &q->share->lines[i];

		if (i != q->index &&
		    (atomic_load_explicit(&l->qlen, memory_order_relaxed) ||
		     atomic_load_explicit(&l->last_active, memory_order_relaxed) > q->last_sync))
			active++;
	}
	return active;
}

void equal_sync(struct share_queue *q, uint64_t now)
{
	const uint64_t rate = q->terms.params.bytes_per_s;
	unsigned active;

	if (now - q->last_sync < SHARE_SYNC_NS)
		return;
	active = count_active(q);
	q->counters.syncs++;
	q->counters.active_queues = active;
	q->counters.share_bytes_s = rate / active;
	q->counters.share_changes += cake_set_share(q->cake, active > 1 ? rate / active : 0);
	q->last_sync = now;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A TX queue as one lcore sees it, one run of it from claim to release, and when the next is due.
 */
#ifndef GATEAU_LCORE_SERVE_H
#define GATEAU_LCORE_SERVE_H

#include <stdint.h>

#include "share/share.h"
#include "txq/txq.h"

/** The lcore's own: another has its own for the same queue. */
struct worker_tx {
	struct txq *queue;
	struct share_view *view; /* the lcore's, of the port; NULL: it never shares a rate */
	uint64_t ran_ns;         /* txq_last_run() after this lcore ran it last; 0 = never */
};

/** Run it once, unless another holds it; what it dropped is freed after that. Returns frames
 * moved. */
static inline unsigned serve(struct worker_tx *tx, uint64_t now, struct txq_dead *dead)
{
	unsigned moved;

	if (!txq_claim(tx->queue, now))
		return 0;
	moved = txq_run(tx->queue, tx->view, now, dead);
	tx->ran_ns = txq_last_run(tx->queue);
	txq_release(tx->queue);
	txq_free_dead(tx->queue, dead);
	return moved;
}

/**
 * When the queue has something to do by itself, ns, as txq_next_time(); now if another runs it, as
 * may be for a moment only.
 */
static inline uint64_t serve_next_time(struct worker_tx *tx, uint64_t now)
{
	uint64_t next;

	if (!txq_claim(tx->queue, now))
		return now;
	next = txq_next_time(tx->queue);
	txq_release(tx->queue);
	return next;
}

#endif

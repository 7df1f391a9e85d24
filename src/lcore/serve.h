/* SPDX-License-Identifier: BSD-3-Clause */
/* A TX queue as one lcore sees it, and one run of it from claim to release. */
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

#endif

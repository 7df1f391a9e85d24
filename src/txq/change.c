/* SPDX-License-Identifier: BSD-3-Clause */
/* See change.h. */
#include "txq/change.h"

#include <errno.h>
#include <stdlib.h>

#include "txq/state.h"

struct txq_change {
	/* Control thread: wo, before it is handed over. */
	struct txq *queue;
	struct txq_settings to;
	enum cake_change kind;
	bool reshares; /* it shares the rate by other terms, or another one */

	/* The control thread's, but while the holder has the change: what it takes, and what it
	 * leaves behind. */
	struct share_queue *share;

	_Atomic bool done; /* holder: wo */
};

static bool same_terms(const struct share_params *a, const struct share_params *b)
{
	return a->bytes_per_s == b->bytes_per_s && a->max_frame == b->max_frame &&
	       a->mode == b->mode && a->weight == b->weight;
}

static bool reshares(const struct txq *q, const struct txq_settings *to)
{
	if (q->shared != to->share)
		return true;
	return q->share && !same_terms(share_queue_params(q->share), &to->shared);
}

/** Take what memory it needs. */
static int provide(struct txq_change *ch, const struct txq *q)
{
	if (ch->kind == CAKE_CHANGE_REQUEUE)
		return -EOPNOTSUPP;
	if (!ch->to.share || ch->to.share == q->shared)
		return 0;
	return share_queue_create(&ch->share, ch->to.share, q->share_index, NULL);
}

int txq_change_prepare(struct txq_change **out, struct txq *q, const struct txq_settings *to)
{
	struct txq_change *ch;
	int ret;

	if (q->prepared)
		return -EBUSY;
	ch = calloc(1, sizeof(*ch));
	if (!ch)
		return -ENOMEM;
	ch->queue = q;
	ch->to = *to;
	txq_complete_params(q, &ch->to.cake, to->share && to->shared.mode == SHARE_DEMAND);
	ret = cake_change_kind(q->cake, &ch->to.cake);
	if (ret >= 0) {
		ch->kind = ret;
		ch->reshares = reshares(q, to);
		ret = provide(ch, q);
	}
	if (ret) {
		free(ch);
		return ret;
	}
	q->prepared = ch;
	*out = ch;
	return 0;
}

enum cake_change txq_change_kind(const struct txq_change *ch)
{
	return ch->kind == CAKE_CHANGE_NONE && ch->reshares ? CAKE_CHANGE_IN_PLACE : ch->kind;
}

/** Of the share that the queue is to have part in the other is left. */
static void swap_share(struct txq *q, struct txq_change *ch)
{
	struct share_queue *before = q->share;

	if (q->shared == ch->to.share)
		return;
	q->shared = ch->to.share;
	q->share = ch->share;
	ch->share = before;
}

void txq_change_apply(struct txq *q, void *change, uint64_t now)
{
	struct txq_change *ch = change;

	q->change = ch;
	if (txq_change_kind(ch) == CAKE_CHANGE_NONE)
		return;
	q->wash = ch->to.cake.wash;
	/* Super-packets that were queued whole come out whole. */
	q->whole |= !ch->to.cake.split_gso;
	if (q->share)
		share_queue_leave(q->share);
	swap_share(q, ch);
	cake_change(q->cake, &ch->to.cake, now);
	if (q->share)
		share_queue_join(q->share, q->cake, &ch->to.shared, now);
}

void change_step(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	struct txq_change *ch = q->change;
	bool shrunk = cake_shrink(q->cake, TXQ_CHANGE_STEP, now);

	txq_take_drops(q, dead);
	if (!shrunk)
		return;
	q->change = NULL;
	/* From here on it is the control thread's. */
	atomic_store_explicit(&ch->done, true, memory_order_release);
}

bool txq_change_is_done(const struct txq_change *ch)
{
	return atomic_load_explicit(&ch->done, memory_order_acquire);
}

void txq_change_end(struct txq_change *ch)
{
	ch->queue->prepared = NULL;
	share_queue_destroy(ch->share);
	free(ch);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See change.h. */
#include "txq/change.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_prefetch.h>

#include "port/mbuf.h"
#include "txq/state.h"

struct txq_change {
	/* Control thread: wo, before it is handed over. */
	struct txq *queue;
	struct txq_settings to;
	enum cake_change kind;
	bool reshares; /* it shares the rate by other terms, or another one */
	bool rehash;   /* what is queued lacks hashes that the new flow mode goes by */

	/* The control thread's, but while the holder has the change: what it takes, and later what
	 * it leaves behind. NULL = nothing. */
	struct cake *cake;
	struct share_queue *share;

	/* Holder: rw. Bytes that the new instance of a regrouping may hold by itself. */
	uint64_t limit_after;

	/* Holder: rw. Bytes that the instance before may hold by itself, and both together. */
	uint64_t limit_before, limit_both;

	bool drained; /* holder: rw; regroup.h */

	_Atomic bool done; /* holder: wo */
};

/** Packets moved at once. */
#define MOVE_BURST MBUF_BURST

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
static int provide(struct txq_change *ch, struct txq *q)
{
	int ret = 0;

	if (ch->to.regroup)
		ch->kind = CAKE_CHANGE_REQUEUE;
	if (ch->kind == CAKE_CHANGE_REQUEUE)
		ret = cake_create(&ch->cake, &ch->to.cake, &q->rng);
	if (ret || !ch->to.share || ch->to.share == q->shared)
		return ret;
	ret = share_queue_create(&ch->share, ch->to.share, q->share_index, NULL);
	if (ret)
		cake_destroy(ch->cake);
	return ret;
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
		ch->rehash = to->describer && to->cake.flowmode != q->flowmode;
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

/** Of the share that the queue is to have part in the other is left, but for what it counted. */
static void swap_share(struct txq *q, struct txq_change *ch)
{
	struct share_queue *before = q->share;

	if (q->shared == ch->to.share)
		return;
	if (before)
		share_counters_add(&q->share_before, before);
	q->shared = ch->to.share;
	q->share = ch->share;
	ch->share = before;
}

static uint64_t memory_limit(const struct cake *c)
{
	return cake_memory_used(c) + cake_memory_left(c);
}

/** Sends from another instance from now on; the one before is emptied by and by. */
static void begin_move(struct txq *q, struct txq_change *ch, uint64_t now)
{
	q->cake = ch->cake;
	ch->cake = NULL;
	q->arrived_before = 0;
	ch->limit_before = memory_limit(q->entry);
	ch->limit_both = RTE_MAX(ch->limit_before, memory_limit(q->cake));
	cake_succeed(q->cake, q->entry, now);
	shed_control_suspend(q->control, now);
	if (q->share)
		share_set_parties(q->share, 0);
}

/** Goes on sending from the same instance; what arrives the new way is put into another. */
static void begin_regroup(struct txq *q, struct txq_change *ch, uint64_t now)
{
	q->entry = ch->cake;
	ch->cake = NULL;
	q->regroup = ch->to.regroup;
	ch->limit_after = memory_limit(q->entry);
	ch->limit_both = RTE_MAX(memory_limit(q->cake), ch->limit_after);
	cake_succeed(q->entry, q->cake, now);
	shed_control_suspend(q->control, now);
	if (q->share)
		share_set_parties(q->share, 0);
}

/** From now on by the new instance, and all that was to change with it. */
static void end_regroup(struct txq *q, struct txq_change *ch, uint64_t now)
{
	struct cake *before = q->cake;

	if (q->share)
		share_queue_leave(q->share);
	swap_share(q, ch);
	q->cake = q->entry;
	q->regroup = NULL;
	/* Its parameters' limit, and later that of the rate then, nobody's part of it. */
	cake_set_memlimit(q->cake, 0, now);
	cake_absorb(q->cake, before);
	ch->cake = before;
	/* It has not sent meanwhile, which is not made up for. */
	cake_resume(q->cake, now);
	if (q->share)
		share_queue_join(q->share, q->cake, &ch->to.shared, now);
	shed_set_mode(q->shed, &ch->to.cake);
	txq_note_traffic(q);
	shed_control_resume(q->control, now);
}

/** Both hold no more than the larger limit: the new instance, what the one before leaves of it. */
static void limit_after(struct txq *q, const struct txq_change *ch, uint64_t now)
{
	const uint64_t used = cake_memory_used(q->cake);
	const uint64_t left = used < ch->limit_both ? ch->limit_both - used : 1;

	cake_set_memlimit(q->entry, RTE_MIN(left, ch->limit_after), now);
}

/** Returns whether the queue has sent what came before, and need not wait for the others. */
static bool regroup(struct txq *q, struct txq_change *ch, uint64_t now, struct txq_dead *dead)
{
	struct txq_regroup *r = q->regroup;

	limit_after(q, ch, now);
	txq_take_drops(q, dead);
	if (!ch->drained) {
		/* `switched` first: until then more may come in. */
		if (!atomic_load_explicit(&r->switched, memory_order_acquire) || q->n_held ||
		    cake_backlog(q->cake))
			return false;
		ch->drained = true;
		atomic_fetch_add_explicit(&r->drained, 1, memory_order_release);
	}
	return atomic_load_explicit(&r->released, memory_order_acquire);
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
	if (ch->to.regroup) {
		begin_regroup(q, ch, now);
		return;
	}
	if (q->share)
		share_queue_leave(q->share);
	swap_share(q, ch);
	if (ch->cake)
		begin_move(q, ch, now);
	else
		cake_change(q->cake, &ch->to.cake, now);
	if (q->share)
		share_queue_join(q->share, q->cake, &ch->to.shared, now);
	shed_set_mode(q->shed, &ch->to.cake);
}

/**
 * Hash packets anew, as they would be if they arrived now. The rest of what is known of them stays:
 * washing may have changed their headers since.
 */
static void rehash(struct txq *q, struct rte_mbuf **pkts, unsigned n,
		   const struct packet_describer *d)
{
	struct mbuf_private known[MOVE_BURST];

	for (unsigned i = 0; i < n; i++)
		known[i] = *mbuf_private(pkts[i]);
	mbuf_describe_burst(pkts, n, d, &q->map);
	for (unsigned i = 0; i < n; i++) {
		struct mbuf_private *p = mbuf_private(pkts[i]);

		known[i].packet.flow_hash = p->packet.flow_hash;
		known[i].packet.src_hash = p->packet.src_hash;
		known[i].packet.dst_hash = p->packet.dst_hash;
		known[i].packet.tcp = p->packet.tcp;
		*p = known[i];
	}
}

/** Up to MOVE_BURST packets from the instance before to the new one. Returns how many. */
static unsigned move_burst(struct txq *q, const struct txq_change *ch, unsigned max, uint64_t now)
{
	struct cake_verdict out[MOVE_BURST];
	struct cake_packet batch[MOVE_BURST];
	struct rte_mbuf *pkts[MOVE_BURST];
	uint64_t came[MOVE_BURST];
	unsigned n = cake_take(q->entry, out, RTE_MIN(max, (unsigned)MOVE_BURST));

	/* Cold since they arrived. */
	for (unsigned i = 0; i < n; i++) {
		pkts[i] = mbuf_from_handle(&q->map, out[i].handle);
		rte_prefetch0(mbuf_private(pkts[i]));
	}
	if (ch->rehash)
		rehash(q, pkts, n, ch->to.describer);
	for (unsigned i = 0; i < n; i++) {
		batch[i] = mbuf_private(pkts[i])->packet;
		came[i] = out[i].enqueued_ns;
	}
	cake_requeue(q->cake, batch, came, n, now);
	return n;
}

/** Both hold no more than the larger limit: the instance before, what the new one leaves of it. */
static void limit_before(struct txq *q, const struct txq_change *ch, uint64_t now)
{
	const uint64_t used = cake_memory_used(q->cake);
	const uint64_t left = used < ch->limit_both ? ch->limit_both - used : 1;

	cake_set_memlimit(q->entry, RTE_MIN(left, ch->limit_before), now);
}

/** Move packets of the instance before. Returns whether none is left. */
static bool move(struct txq *q, struct txq_change *ch, uint64_t now, struct txq_dead *dead)
{
	int left = TXQ_CHANGE_STEP + 2 * q->arrived_before;

	q->arrived_before = 0;
	while (left > 0 && cake_backlog(q->entry)) {
		unsigned n = move_burst(q, ch, left, now);

		txq_take_drops(q, dead);
		left -= n ? n : 1; /* there were flows that have nothing */
	}
	limit_before(q, ch, now);
	txq_take_drops(q, dead);
	return !cake_backlog(q->entry);
}

static void end_move(struct txq *q, struct txq_change *ch, uint64_t now)
{
	cake_absorb(q->cake, q->entry);
	ch->cake = q->entry;
	q->entry = q->cake;
	txq_note_traffic(q);
	shed_control_resume(q->control, now);
}

static void hand_back(struct txq *q, struct txq_change *ch)
{
	q->change = NULL;
	/* From here on it is the control thread's. */
	atomic_store_explicit(&ch->done, true, memory_order_release);
}

void change_step(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	struct txq_change *ch = q->change;

	if (q->regroup) {
		if (!regroup(q, ch, now, dead))
			return;
		end_regroup(q, ch, now);
	} else if (txq_is_moving(q)) {
		if (!move(q, ch, now, dead))
			return;
		end_move(q, ch, now);
	} else {
		bool shrunk = cake_shrink(q->cake, TXQ_CHANGE_STEP, now);

		txq_take_drops(q, dead);
		if (!shrunk)
			return;
	}
	hand_back(q, ch);
}

void change_cut_short(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	struct txq_change *ch = q->change;

	if (!q->regroup) {
		change_step(q, now, dead);
		return;
	}
	end_regroup(q, ch, now);
	hand_back(q, ch);
}

bool txq_change_is_done(const struct txq_change *ch)
{
	return atomic_load_explicit(&ch->done, memory_order_acquire);
}

void txq_change_end(struct txq_change *ch)
{
	if (txq_change_is_done(ch))
		ch->queue->flowmode = ch->to.cake.flowmode;
	ch->queue->prepared = NULL;
	share_queue_destroy(ch->share);
	cake_destroy(ch->cake);
	free(ch);
}

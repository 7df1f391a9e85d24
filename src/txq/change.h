/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changing a TX queue while it runs, without losing or reordering a packet.
 *
 *	control thread			holder
 *	txq_change_prepare ──visit───► txq_change_apply ─► a step at each txq_run()
 *	txq_change_end ◄────────────── done ◄──────────────┘
 *
 * All memory is taken and given back by the control thread, all work is the holder's. Most of it is
 * done at once, in place. Two things take steps, so that no run is long:
 *
 * - A memory limit below what is held comes down by TXQ_CHANGE_STEP packets per run; they are
 *   dropped as "overflow".
 * - What tables are made for (cake.h, CAKE_CHANGE_REQUEUE) takes another instance. The one before
 *   is emptied into it, flow by flow in order, packets keep the time at which they came:
 *
 *	arrivals ─► instance before ── TXQ_CHANGE_STEP + 2 per arrival, each run ──► new one ─►
 *device
 *
 *   Arrivals go in behind their flow's packets, so that they cannot overtake them; with two moved
 *   for each that arrives it ends. Both together hold no more than the larger limit. No flow is
 *   shed meanwhile (shed.h); a full ring still refuses packets.
 */
#ifndef GATEAU_TXQ_CHANGE_H
#define GATEAU_TXQ_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "packet/describe.h"
#include "share/share.h"
#include "txq/regroup.h"
#include "txq/txq.h"

/** Packets that a change moves or drops per run beyond twice those that arrive: 256 at 40 ns, or 90
 * where they are hashed anew, are 10 to 23 us. */
#define TXQ_CHANGE_STEP 256

/** What a queue is to go by: all of it, as it was when it is not to change. */
struct txq_settings {
	struct cake_params cake;    /* min_charge, burst and slots are the queue's to set */
	struct share *share;        /* of the port; NULL = a rate of its own, or none */
	struct share_params shared; /* with a share; `queues` as it was created, `now` unused */
	/**
	 * How frames are looked at by the new flow mode: what is queued is hashed by it when it is
	 * moved. NULL: the hashes that frames have are enough for both modes. Stays as it is until
	 * the change is done.
	 *
	 * Meanwhile frames are put in the instance before, too: whoever receives has to compute the
	 * hashes of both modes (packet_describer_need()), and every frame that was described
	 * without those of the old one must be in the queue, or its ring, before
	 * txq_change_apply().
	 */
	const struct packet_describer *describer;
	/**
	 * NULL but where frames are steered another way from now on: regroup.h. The queue goes by
	 * all else that changes with it when it has sent what came before.
	 */
	struct txq_regroup *regroup;
};

struct txq_change;

/**
 * Control thread, one at a time: check @to, and take the memory that it needs. Nothing changes yet.
 *
 * @return 0; -EINVAL (out of range); -ENOMEM; -EBUSY: the change before has not been ended
 */
int txq_change_prepare(struct txq_change **out, struct txq *q, const struct txq_settings *to);

/** Control thread: what it takes; CAKE_CHANGE_NONE: @to is what the queue goes by already. */
enum cake_change txq_change_kind(const struct txq_change *ch);

/** Holder, as a visit (visit.h) with a struct txq_change: go by it. Cannot fail. */
void txq_change_apply(struct txq *q, void *change, uint64_t now);

/** Control thread: it is as it was to be, to the last packet. True, too, once the queue was purged.
 */
bool txq_change_is_done(const struct txq_change *ch);

/** Control thread: give back its memory, once it is done, or if it was never handed over. */
void txq_change_end(struct txq_change *ch);

/** Holder: a step, if a change is going on. */
void change_step(struct txq *q, uint64_t now, struct txq_dead *dead);

/** Holder: it is purged, so that there is nothing to wait for. */
void change_cut_short(struct txq *q, uint64_t now, struct txq_dead *dead);

#endif

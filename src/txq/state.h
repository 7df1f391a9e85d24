/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of a TX queue, for the files that are one: txq.c, its life and a run of it; out.c, the
 * held burst and the device; link.c, the time without a link.
 */
#ifndef GATEAU_TXQ_STATE_H
#define GATEAU_TXQ_STATE_H

#include "base/prng.h"
#include "base/sojourn.h"
#include "share/share.h"
#include "txq/change.h"
#include "txq/claim.h"
#include "txq/regroup.h"
#include "txq/shed_control.h"
#include "txq/txq.h"
#include "txq/visit.h"

struct txq {
	/* Written before the workers start; every lcore reads it. */
	struct rte_ring *ring;
	struct shed *shed;
	struct shed_control *control;
	struct shed_traffic *traffic; /* the control's, per tin */
	struct mbuf_map map;
	txq_tx_fn tx;
	txq_free_fn free;
	unsigned home, share_index;
	uint16_t port, queue;
	uint64_t tso_flags;

	struct claim claim;
	struct visit_door door;

	/* Holder: wo, seldom; producers: ro. Frames the ring may hold, see txq_room(). */
	_Atomic uint32_t limit __rte_cache_aligned;

	/* Control thread: rw. The change that was prepared and has not been ended; NULL = none. */
	struct txq_change *prepared;
	enum cake_flowmode flowmode; /* of the change that was ended last */

	/* Holder: rw. */
	struct cake *cake __rte_cache_aligned;
	struct cake *entry; /* what arrives goes into: cake, or what is being emptied into it;
			       regrouping, what comes after cake */
	struct share_queue *share; /* NULL: no other queue has part in its rate */
	struct share *shared;      /* of which that is a part */
	struct txq_change *change; /* it is going on; NULL = none is */
	struct txq_regroup
		*regroup;        /* cake sends, entry waits until all queues have sent; or NULL */
	uint32_t arrived_before; /* packets put into another `entry` since the last step */
	bool wash;
	bool whole; /* super-packets come out of CAKE */

	/* The held burst: frames 0..n_held-1 go out first, in order. */
	uint16_t n_held;
	uint32_t served;  /* frames that the device took in the last run */
	uint64_t drop_ns; /* the link is down: from then on nothing is kept; 0 = it is up */
	uint64_t now;     /* ns, the latest that was seen: lcores' clocks differ a little */
	struct prng rng;
	struct rte_mbuf *held[TXQ_HELD];

	/* Holder: rw. Of packets that CAKE let go, by tin; */
	struct sojourn_count sojourn[CAKE_MAX_TINS] __rte_cache_aligned;

	struct share_counters share_before; /* sums of the parts in a rate that it had before */

	/* Holder: wo, others: ro. */
	struct txq_counters counters __rte_cache_aligned;
};

/** Packets are on their way from one instance to another. */
static inline bool txq_is_moving(const struct txq *q)
{
	return q->entry != q->cake;
}

/** The parameters of an instance for this queue, of what a person chose. */
void txq_complete_params(const struct txq *q, struct cake_params *p, bool slots);

/** Tell the control of shedding what has passed the tins. */
void txq_note_traffic(struct txq *q);

/** Take what the scheduler has dropped since the last time, all reasons counted. */
void txq_take_drops(struct txq *q, struct txq_dead *dead);

/** Drop all that waits in CAKE, counted as @reason. */
void txq_drop_queued(struct txq *q, struct txq_dead *dead, counter_t *reason);

/** Holder: a run while the link is down, in place of sending. */
void link_wait(struct txq *q, uint64_t now, struct txq_dead *dead);

/** rte_eth_tx_burst(), an inline function, as one that has an address. */
uint16_t out_device_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n);

/** Give the held burst to the device. Returns how many it took; what is left moves up. */
unsigned out_send_held(struct txq *q);

/** Fill the held burst, which is empty, from CAKE. */
void out_hold_burst(struct txq *q, struct share_view *view, uint64_t now, struct txq_dead *dead);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TX queue: one CAKE between the frames that are to leave by it and the device's queue.
 *
 *	its home lcore ──► txq_enqueue ─┐
 *	                    (ring first) ├─► CAKE ─► held burst ─► device
 *	any other lcore ──► txq_defer ───┘
 *	                      (ring)
 *
 * A queue is claimed by compare-exchange, never waited for (claim.h). Its home lcore normally holds
 * it for a run; when that has not come round in time any lcore may. Who does not hold it only
 * appends to its ring. Frames that have come through either way are the queue's; what it drops is
 * handed to the caller in a list that is freed once the queue has been released.
 *
 * Order. Frames that one lcore brings for one queue go into CAKE in the order it brought them,
 * whoever holds the queue meanwhile:
 * - Only the home lcore enqueues directly; what any other brings goes through the ring, which is
 *   first in, first out for each producer, and is emptied into CAKE by one holder at a time.
 * - The home lcore uses the ring as well when it cannot claim the queue. Later, holding it again,
 *   it empties the ring first, and goes past it only if its own frames were in what it took out:
 *   a producer that was preempted may hide them (defer.h). Until they are seen, the ring it is.
 * CAKE keeps the order of a flow, and one holder at a time hands bursts to the device.
 *
 * Super-packets that CAKE was to have whole ("split_gso": false) are handed to a device that cuts
 * them, or cut here.
 *
 * A device that takes k of n frames leaves the rest in the held burst, in order and at most one
 * burst: nothing is dequeued until it is gone, so that CAKE goes on deciding about all others.
 *
 * Nothing here needs EAL: memory is plain, so that sanitizers see it.
 */
#ifndef GATEAU_TXQ_TXQ_H
#define GATEAU_TXQ_TXQ_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <gateau/cake.h>
#include <gateau/cake_config.h>
#include <gateau/cake_stats.h>

#include "base/counter.h"
#include "port/gso.h"
#include "txq/defer.h"

/** Frames handed to the device at once. */
#define TXQ_BURST 32

/**
 * Frames sent in one run beyond those that it took out of the ring: bounded, so that a queue with a
 * fast device does not starve its lcore's others; more than came in, so that it does not grow.
 */
#define TXQ_QUOTA 256

/**
 * Frames that go into CAKE at once, at most: what the ring gives, up to the end of the arrival that
 * the last of them is a segment of.
 */
#define TXQ_BATCH (CAKE_BURST_MAX + GSO_SEGS_MAX - 1)

/** Frames held for the device, at most: a burst, whose last packet may have been cut late. */
#define TXQ_HELD (TXQ_BURST - 1 + GSO_SEGS_MAX)

/** rte_eth_tx_burst(), or a test's replacement. Returns how many were taken, from the front. */
typedef uint16_t (*txq_tx_fn)(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n);

/** mbuf_free_bulk(), or a test's replacement for frames that no mempool has. */
typedef void (*txq_free_fn)(struct rte_mbuf **pkts, unsigned n);

/**
 * Frames the ring may hold even if the scheduler's memory is full: four bursts, so that a flow
 * whose share is not used up finds a place whatever the others do. The work in it, 128 frames in
 * and 128 out at 25 + 30 ns, is 7 us a run.
 */
#define TXQ_ROOM_MIN (4 * TXQ_BURST)

/** What a queue is made of. */
struct txq_params {
	struct cake_params cake; /* min_charge and burst are set by txq_create() */
	struct mbuf_map map;     /* of the pool that all its frames come from */
	uint16_t port, queue;    /* DPDK's */
	txq_tx_fn tx;            /* NULL = rte_eth_tx_burst() */
	txq_free_fn free;        /* NULL = mbuf_free_bulk() */
	unsigned home;           /* number of the lcore that normally runs it */
	struct share *share;     /* of the port; NULL = the queue has a rate of its own, or none */
	unsigned share_index;    /* which of the port's queues it is */
	uint64_t tso_flags;      /* port.h's: what a super-packet that stayed whole is sent with;
				    0 = it is cut when its turn has come */
};

/** Writer: the holder. */
struct txq_counters {
	counter_t sent_packets, sent_bytes;
	counter_t dropped[CAKE_DECISIONS]; /* packets, by reason; the held burst's purge too */
	counter_t segments_added;          /* frames made of super-packets, less these */
	counter_t gso_no_buffer;           /* super-packets dropped: nothing to cut them into */
	counter_t link_down;               /* dropped: the link was down for too long */
	counter_t marked;                  /* packets that left CAKE with CE set */
	counter_t device_full;             /* times the device took less than it was given */
};

struct shed;
struct share;
struct share_counters;
struct share_view;
struct sojourn;
struct txq;
struct visit_door;

/** 0, -EINVAL (parameters out of range), -ENOMEM. */
int txq_create(struct txq **out, const struct txq_params *params);

/** Only when empty: after txq_purge(). NULL is ignored. */
void txq_destroy(struct txq *q);

/** Any lcore: hold the queue, unless another does. What says "holder" below may be called then. */
bool txq_claim(struct txq *q, uint64_t now);
void txq_release(struct txq *q);

/** The lcore that normally runs it. */
unsigned txq_home(const struct txq *q);

/** Any lcore: it has something to do, and nobody has run it for CLAIM_ABANDONED_NS. */
bool txq_abandoned(const struct txq *q, uint64_t now);

/** Any lcore: when it was run last, ns. */
uint64_t txq_last_run(const struct txq *q);

/**
 * Any thread: for how long its holder has been stopped inside, ns, if that is more than
 * CLAIM_STALLED_NS; else 0. Counted in txq_stalls() when it is first seen.
 */
uint64_t txq_stalled(struct txq *q, uint64_t now);
uint64_t txq_stalls(const struct txq *q);

/**
 * Frames that a queue has dropped, to be freed after its release. One per lcore; zero n first. A
 * full ring may push out as many; what is more than fits is freed earlier.
 */
#define TXQ_DEAD_MAX (DEFER_SIZE + CAKE_BURST_MAX)
struct txq_dead {
	unsigned n;
	struct rte_mbuf *pkts[TXQ_DEAD_MAX];
};

/**
 * Frames that an lcore which runs a queue has in hand, at most: the batch that goes in, and what
 * was dropped. They are no more in the ring or in CAKE, where others may have taken their place.
 */
#define TXQ_IN_HAND (CAKE_BURST_MAX + TXQ_DEAD_MAX)

void txq_free(const struct txq *q, struct rte_mbuf **pkts, unsigned n);
void txq_free_dead(const struct txq *q, struct txq_dead *dead);

/**
 * Home lcore, as the holder: put in @n described frames (mbuf_describe()) directly, at most
 * TXQ_BATCH, whole arrivals. What waits in the ring goes first.
 *
 * @param after  txq_mark() when this lcore put something in the ring last; 0 = it never did
 * @return true: all are the queue's; false: they would overtake what this lcore put in the ring
 *         before, and are still the caller's, to be put there too
 */
bool txq_enqueue(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint32_t after, uint64_t now,
		 struct txq_dead *dead);

/**
 * Any lcore: append @n described frames to the ring. Returns how many were taken, from the front;
 * of the segments of a super-packet (cake_packet.more), which come alone, all or none.
 */
unsigned txq_defer(struct txq *q, struct rte_mbuf **pkts, unsigned n);

/** Any lcore, right after txq_defer(): all it has put in is before this. */
uint32_t txq_mark(const struct txq *q);

/**
 * Any lcore: frames that txq_defer() takes at present. What several lcores put in at once may
 * exceed it by a burst each; a super-packet's segments pass if there is any.
 */
unsigned txq_room(const struct txq *q);

/**
 * Holder: take in the ring, send what may be sent at @now (ns; an earlier one than before counts as
 * the same).
 *
 * @param view  this lcore's of the port's queues (share/share.h); NULL if it never shares a rate
 * @return frames moved, in or out; 0 = there was nothing to do
 */
unsigned txq_run(struct txq *q, struct share_view *view, uint64_t now, struct txq_dead *dead);

/**
 * Holder: when txq_run() has something to do if nothing arrives and the device has room, ns; a time
 * that has passed means now, CAKE_NEVER = not by itself.
 */
uint64_t txq_next_time(const struct txq *q);

/** Where another thread asks for something to be done by the holder. */
struct visit_door *txq_door(struct txq *q);

/**
 * Holder: the device's link has gone down at @now. Nothing is sent until txq_link_up(); what comes
 * in is kept as far as memory goes for @hold_ns, then all that is there and all that comes is
 * dropped as "link-down". Said again it changes nothing.
 */
void txq_link_down(struct txq *q, uint64_t now, uint64_t hold_ns);

/** Holder: it is up again. What was kept leaves at the rate: nothing is made up for. */
void txq_link_up(struct txq *q, uint64_t now);

/** Holder: drop everything inside, ring included, as "purge". Producers have stopped. */
void txq_purge(struct txq *q);

/** Any lcore: half of what the ring may hold is in it. */
bool txq_half_full(const struct txq *q);

/** What it tells the lcores that receive for it; they join before the workers start. */
struct shed *txq_shed(const struct txq *q);

/** Frames in the ring. Any thread; exact while nobody else uses it. */
uint32_t txq_deferred(const struct txq *q);

/** Holder, or any thread after the workers have ended: frames in CAKE, and held for the device. */
uint32_t txq_queued(const struct txq *q);
uint32_t txq_held(const struct txq *q);

const struct txq_counters *txq_counters(const struct txq *q);

/** Holder, or any thread after the workers have ended. False: it shares no rate. */
bool txq_share_counters(const struct txq *q, struct share_counters *out);

/** Holder, or any thread after the workers have ended. */
void txq_stats(const struct txq *q, struct cake_stats *out);

/** Likewise: how long packets of tin @tin (internal index) waited that left the scheduler. */
void txq_sojourn(const struct txq *q, unsigned tin, struct sojourn *out);

/** Holder: its scheduler, to be looked at. */
const struct cake *txq_cake(const struct txq *q);

/** Bytes of a frame that txq_flow_head() copies, at most: tags, labels and two IPv6 headers. */
#define TXQ_HEAD_BYTES 192

/** The frame of a flow that is to leave next. */
struct txq_head {
	uint64_t enqueued_ns;
	uint32_t len;     /* bytes of the frame */
	uint32_t present; /* of them here */
	uint8_t bytes[TXQ_HEAD_BYTES];
};

/** Holder: of slot @flow of @tin (internal index). 0; -ENOENT: nothing waits there. */
int txq_flow_head(const struct txq *q, unsigned tin, uint32_t flow, struct txq_head *out);

#endif

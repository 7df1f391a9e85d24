/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TX queue: one CAKE between the frames that are to leave by it and the device's queue.
 *
 *	its own lcore ──────────► txq_enqueue ─┐
 *	                             (ring first) ├─► CAKE ─► held burst ─► device
 *	other lcores ─► txq_defer ─► ring ─────┘
 *
 * One lcore, the queue's home, runs it; the others only append to its ring. Frames that have come
 * through either way are the queue's, and it frees what is dropped.
 *
 * Super-packets that CAKE was to have whole ("split_gso": false) are handed to a device that cuts
 * them, or cut here.
 *
 * A device that takes k of n frames leaves the rest in the held burst, in order and at most one
 * burst: nothing is dequeued until it is gone, so that CAKE goes on deciding about all others.
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

/** Frames of a queue that are neither in its CAKE nor in its ring at one time, at most: the burst
 * that goes in with what it pushed out, and the held burst. */
#define TXQ_IN_HAND (2 * CAKE_BURST_MAX + TXQ_BURST)

/** rte_eth_tx_burst(), or a test's replacement. Returns how many were taken, from the front. */
typedef uint16_t (*txq_tx_fn)(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n);

/** What a queue is made of. */
struct txq_params {
	struct cake_params cake; /* min_charge is set by txq_create() */
	struct mbuf_map map;     /* of the pool that all its frames come from */
	uint16_t port, queue;    /* DPDK's */
	txq_tx_fn tx;            /* NULL = rte_eth_tx_burst() */
	uint64_t tso_flags;      /* port.h's: what a super-packet that stayed whole is sent with;
				    0 = it is cut when its turn has come */
};

/** Writer: the home lcore. */
struct txq_counters {
	counter_t sent_packets, sent_bytes;
	counter_t dropped[CAKE_DECISIONS]; /* packets, by reason; the held burst's purge too */
	counter_t segments_added;          /* frames made of super-packets, less these */
	counter_t gso_no_buffer;           /* super-packets dropped: nothing to cut them into */
	counter_t marked;                  /* packets that left CAKE with CE set */
	counter_t device_full;             /* times the device took less than it was given */
};

struct txq;

/** 0, -EINVAL (parameters out of range), -ENOMEM. */
int txq_create(struct txq **out, const struct txq_params *params);

/** Only when empty: after txq_purge(). NULL is ignored. */
void txq_destroy(struct txq *q);

/**
 * Home lcore: put in @n described frames (mbuf_describe()) directly, at most TXQ_BATCH, whole
 * arrivals. What waits in the ring goes first, so that a flow never overtakes itself. All frames
 * are the queue's from here on.
 */
void txq_enqueue(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint64_t now);

/**
 * Any other lcore: append @n described frames to the ring. Returns how many were taken, from the
 * front; of the segments of a super-packet (cake_packet.more), which come alone, all or none.
 */
unsigned txq_defer(struct txq *q, struct rte_mbuf **pkts, unsigned n);

/**
 * Home lcore, once per loop: take in the ring, send what may be sent at @now (ns, never going
 * back), free what was dropped.
 *
 * @return frames moved, in or out; 0 = there was nothing to do
 */
unsigned txq_run(struct txq *q, uint64_t now);

/** Home lcore: drop everything inside, ring included, as "purge". Producers have stopped. */
void txq_purge(struct txq *q);

/** Frames inside: in CAKE, in the ring, held. Exact while nobody else uses the queue. */
uint32_t txq_queued(const struct txq *q);
uint32_t txq_deferred(const struct txq *q);
uint32_t txq_held(const struct txq *q);

const struct txq_counters *txq_counters(const struct txq *q);

/** Home lcore, or any thread after the workers have ended. */
void txq_stats(const struct txq *q, struct cake_stats *out);

#endif

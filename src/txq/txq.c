/* SPDX-License-Identifier: BSD-3-Clause */
/* See txq.h. */
#include "txq/txq.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_prefetch.h>

#include "base/prng.h"

struct txq {
	/* Written before the workers start; every lcore reads it. */
	struct rte_ring *ring;
	struct cake *cake;
	struct mbuf_map map;
	txq_tx_fn tx;
	uint16_t port, queue;
	bool wash;
	bool whole; /* super-packets come out of CAKE */
	uint64_t tso_flags;

	/* Home lcore: rw. The held burst: frames 0..n_held-1 go out first, in order. */
	uint16_t n_held __rte_cache_aligned;
	struct prng rng;
	struct rte_mbuf *held[TXQ_HELD];

	/* Home lcore: wo, others: ro. */
	struct txq_counters counters __rte_cache_aligned;
};

/* A ring that is too small for the segments of one super-packet would never take any. */
static_assert(DEFER_SIZE >= GSO_SEGS_MAX, "an arrival fits the ring");

/* rte_eth_tx_burst() is an inline function. */
static uint16_t device_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	return rte_eth_tx_burst(port, queue, pkts, n);
}

int txq_create(struct txq **out, const struct txq_params *params)
{
	struct cake_params cake = params->cake;
	char name[RTE_RING_NAMESIZE];
	struct txq *q;
	int ret;

	q = rte_zmalloc("txq", sizeof(*q), RTE_CACHE_LINE_SIZE);
	if (!q)
		return -ENOMEM;
	q->map = params->map;
	q->tx = params->tx ? params->tx : device_tx;
	q->port = params->port;
	q->queue = params->queue;
	q->wash = cake.wash;
	q->whole = !cake.split_gso;
	q->tso_flags = params->tso_flags;
	/* Different queues must not throw the same dice. */
	q->rng = prng_xorshift32(1 + ((uint32_t)q->port << 16 | q->queue));
	snprintf(name, sizeof(name), "defer_%u_%u", q->port, q->queue);
	ret = defer_create(&q->ring, name);
	if (ret)
		goto err_queue;
	cake.min_charge = params->map.element_bytes;
	cake.burst = TXQ_BATCH;
	ret = cake_create(&q->cake, &cake, &q->rng);
	if (ret)
		goto err_ring;
	*out = q;
	return 0;

err_ring:
	rte_ring_free(q->ring);
err_queue:
	rte_free(q);
	return ret;
}

void txq_destroy(struct txq *q)
{
	if (!q)
		return;
	cake_destroy(q->cake);
	rte_ring_free(q->ring);
	rte_free(q);
}

/** Free what the scheduler has dropped since the last time, all reasons counted. */
static void free_drops(struct txq *q)
{
	struct cake_verdict drops[TXQ_BURST];
	struct rte_mbuf *pkts[TXQ_BURST];
	unsigned n;

	do {
		n = cake_take_drops(q->cake, drops, TXQ_BURST);
		for (unsigned i = 0; i < n; i++) {
			pkts[i] = mbuf_from_handle(&q->map, drops[i].handle);
			counter_add(&q->counters.dropped[drops[i].decision], 1);
		}
		rte_pktmbuf_free_bulk(pkts, n);
	} while (n == TXQ_BURST);
}

/** At most TXQ_BATCH frames into CAKE, whole arrivals. */
static void enqueue_batch(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint64_t now)
{
	struct cake_packet batch[TXQ_BATCH];

	for (unsigned i = 0; i < n; i++) {
		batch[i] = mbuf_private(pkts[i])->packet;
		if (q->wash)
			mbuf_wash(pkts[i]);
	}
	/* All are taken: the drop list is empty before each batch. */
	cake_enqueue(q->cake, batch, n, now);
	free_drops(q);
}

static bool has_more(struct rte_mbuf *m)
{
	return mbuf_private(m)->packet.more;
}

/**
 * Take a batch out of the ring, and the rest of an arrival that it ends in the middle of: that is
 * there, since the segments of a super-packet were put in at once.
 */
static unsigned take_batch(struct txq *q, struct rte_mbuf *pkts[TXQ_BATCH])
{
	unsigned n = defer_take(q->ring, pkts, CAKE_BURST_MAX);

	while (n && has_more(pkts[n - 1]))
		n += defer_take(q->ring, pkts + n, 1);
	return n;
}

/** Everything that was in the ring when it was called goes into CAKE. Returns how many. */
static unsigned take_deferred(struct txq *q, uint64_t now)
{
	struct rte_mbuf *pkts[TXQ_BATCH];
	unsigned total = 0, n;

	/* Producers may keep the ring filled for ever: one ring's worth is enough. */
	do {
		n = take_batch(q, pkts);
		if (n)
			enqueue_batch(q, pkts, n, now);
		total += n;
	} while (n >= CAKE_BURST_MAX && total < DEFER_SIZE);
	return total;
}

void txq_enqueue(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint64_t now)
{
	take_deferred(q, now);
	if (n)
		enqueue_batch(q, pkts, n, now);
}

unsigned txq_defer(struct txq *q, struct rte_mbuf **pkts, unsigned n)
{
	if (n && has_more(pkts[0]))
		return defer_put_all(q->ring, pkts, n);
	return defer_put(q->ring, pkts, n);
}

/** Give the held burst to the device. Returns how many it took; what is left moves up. */
static unsigned send_held(struct txq *q)
{
	uint32_t len[TXQ_HELD];
	uint64_t bytes = 0;
	uint16_t sent;

	/* A frame that was taken may be gone already: lengths first. */
	for (unsigned i = 0; i < q->n_held; i++)
		len[i] = q->held[i]->pkt_len;
	sent = q->tx(q->port, q->queue, q->held, q->n_held);
	for (unsigned i = 0; i < sent; i++)
		bytes += len[i];
	q->n_held -= sent;
	for (unsigned i = 0; i < q->n_held; i++)
		q->held[i] = q->held[sent + i];
	counter_add(&q->counters.sent_packets, sent);
	counter_add(&q->counters.sent_bytes, bytes);
	if (q->n_held)
		counter_add(&q->counters.device_full, 1);
	return sent;
}

/** A super-packet's turn has come: for the device to cut, or cut. */
static void hold_super_packet(struct txq *q, struct rte_mbuf *m)
{
	unsigned n;

	if (q->tso_flags && gso_offload(m, q->tso_flags, q->port, q->queue)) {
		q->held[q->n_held++] = m;
		return;
	}
	n = gso_cut(m, &q->map, q->held + q->n_held);
	if (!n) {
		rte_pktmbuf_free(m);
		counter_add(&q->counters.gso_no_buffer, 1);
		return;
	}
	counter_add(&q->counters.segments_added, n - 1);
	q->n_held += n;
}

/** Packets that CAKE let go, at most TXQ_BURST, to the end of the held burst. */
static void hold(struct txq *q, const struct cake_verdict *out, unsigned n)
{
	struct rte_mbuf *pkts[TXQ_BURST];

	/* Cold since they were received: fetch all before the first is touched. */
	for (unsigned i = 0; i < n; i++) {
		pkts[i] = mbuf_from_handle(&q->map, out[i].handle);
		rte_prefetch0(pkts[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		if (out[i].decision == CAKE_SEND_CE) {
			mbuf_set_ce(pkts[i]);
			counter_add(&q->counters.marked, 1);
		}
		if (q->whole && gso_is_super(pkts[i]))
			hold_super_packet(q, pkts[i]);
		else
			q->held[q->n_held++] = pkts[i];
	}
}

/** Fill the held burst, which is empty, from CAKE: one by one where each may become many. */
static void hold_burst(struct txq *q, uint64_t now)
{
	struct cake_verdict out[TXQ_BURST];
	const unsigned once = q->whole ? 1 : TXQ_BURST;
	unsigned n;

	do {
		n = cake_dequeue(q->cake, out, once, now);
		hold(q, out, n);
	} while (n == once && q->n_held < TXQ_BURST);
	free_drops(q);
}

unsigned txq_run(struct txq *q, uint64_t now)
{
	unsigned moved = take_deferred(q, now);
	const unsigned quota = moved + TXQ_QUOTA;

	for (unsigned sent = 0; sent < quota;) {
		unsigned taken;

		if (!q->n_held)
			hold_burst(q, now);
		if (!q->n_held)
			break;
		taken = send_held(q);
		moved += taken;
		sent += taken;
		if (q->n_held)
			break;
	}
	return moved;
}

void txq_purge(struct txq *q)
{
	struct rte_mbuf *pkts[CAKE_BURST_MAX];
	unsigned n;

	counter_t *purged = &q->counters.dropped[CAKE_DROP_PURGE];

	rte_pktmbuf_free_bulk(q->held, q->n_held);
	counter_add(purged, q->n_held);
	q->n_held = 0;
	while ((n = defer_take(q->ring, pkts, CAKE_BURST_MAX)) > 0) {
		rte_pktmbuf_free_bulk(pkts, n);
		counter_add(purged, n);
	}
	cake_purge(q->cake);
	free_drops(q);
}

uint32_t txq_queued(const struct txq *q)
{
	return cake_backlog(q->cake);
}

uint32_t txq_deferred(const struct txq *q)
{
	return rte_ring_count(q->ring);
}

uint32_t txq_held(const struct txq *q)
{
	return q->n_held;
}

const struct txq_counters *txq_counters(const struct txq *q)
{
	return &q->counters;
}

void txq_stats(const struct txq *q, struct cake_stats *out)
{
	cake_stats_get(q->cake, out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* From CAKE to the device: see state.h. */
#include <rte_ethdev.h>
#include <rte_prefetch.h>

#include "txq/state.h"

uint16_t out_device_tx(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	return rte_eth_tx_burst(port, queue, pkts, n);
}

unsigned out_send_held(struct txq *q)
{
	const unsigned n = q->n_held;
	uint64_t bytes = 0;
	uint16_t sent;

	/* A frame that was taken may be gone already: lengths first. */
	for (unsigned i = 0; i < n; i++)
		bytes += q->held[i]->pkt_len;
	sent = q->tx(q->port, q->queue, q->held, (uint16_t)n);
	for (unsigned i = sent; i < n; i++) {
		bytes -= q->held[i]->pkt_len;
		q->held[i - sent] = q->held[i];
	}
	q->n_held -= sent;
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
		q->free(&m, 1);
		counter_add(&q->counters.gso_no_buffer, 1);
		return;
	}
	counter_add(&q->counters.segments_added, n - 1);
	q->n_held += n;
}

/** A packet that CAKE let go whole, to the end of the held burst. */
static void hold_whole(struct txq *q, struct rte_mbuf *m)
{
	if (gso_is_super(m))
		hold_super_packet(q, m);
	else
		q->held[q->n_held++] = m;
}

/** Packets that CAKE let go at @now, at most TXQ_BURST, to the end of the held burst. */
static void hold(struct txq *q, const struct cake_verdict *out, unsigned n, uint64_t now)
{
	struct rte_mbuf **pkts = &q->held[q->n_held];

	/* Cold since they were received: fetch all before the first is touched. */
	for (unsigned i = 0; i < n; i++) {
		pkts[i] = mbuf_from_handle(&q->map, out[i].handle);
		rte_prefetch0(pkts[i]);
		sojourn_add(&q->sojourn[out[i].tin], now - out[i].enqueued_ns);
	}
	for (unsigned i = 0; i < n; i++) {
		if (out[i].decision != CAKE_SEND_CE)
			continue;
		mbuf_set_ce(pkts[i]);
		counter_add(&q->counters.marked, 1);
	}
	if (q->whole && n)
		hold_whole(q, pkts[0]);
	else
		q->n_held += n;
}

/** One by one where each may become many. */
void out_hold_burst(struct txq *q, struct share_view *view, uint64_t now, struct txq_dead *dead)
{
	struct cake_verdict out[TXQ_BURST];
	const unsigned once = q->whole ? 1 : TXQ_BURST;
	unsigned n;

	do {
		n = q->share ? share_dequeue(q->share, view, out, once, now)
			     : cake_dequeue(q->cake, out, once, now);
		hold(q, out, n, now);
	} while (n == once && q->n_held < TXQ_BURST);
	txq_take_drops(q, dead);
}

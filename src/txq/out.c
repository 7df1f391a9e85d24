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
		q->free(&m, 1);
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
		q->traffic[out[i].tin].sent += out[i].len;
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

/** One by one where each may become many. */
void out_hold_burst(struct txq *q, struct share_view *view, uint64_t now, struct txq_dead *dead)
{
	struct cake_verdict out[TXQ_BURST];
	const unsigned once = q->whole ? 1 : TXQ_BURST;
	unsigned n;

	do {
		n = q->share ? share_dequeue(q->share, view, out, once, now)
			     : cake_dequeue(q->cake, out, once, now);
		hold(q, out, n);
	} while (n == once && q->n_held < TXQ_BURST);
	txq_take_drops(q, dead);
}

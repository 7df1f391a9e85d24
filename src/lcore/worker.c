/* SPDX-License-Identifier: BSD-3-Clause */
/* See worker.h. */
#include "lcore/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_pause.h>
#include <rte_prefetch.h>

#include "port/gso.h"

/* Headers of a frame this far ahead are fetched while the ones before it are parsed: parsing takes
 * some 50 ns, memory some 100 ns. */
#define PREFETCH_AHEAD 3

/* VLAN tags that may come on top of the MTU, as network devices allow. */
#define FREE_TAGS_BYTES 8

const char *worker_drop_name(enum worker_drop reason)
{
	static const char *const names[WORKER_DROPS] = {
		[WORKER_DROP_RUNT] = "runt",
		[WORKER_DROP_TOO_LONG] = "too-long",
		[WORKER_DROP_NO_BUFFER] = "no-buffer",
		[WORKER_DROP_GSO_SEGMENTS] = "gso-segments",
		[WORKER_DROP_GSO_NO_BUFFER] = "gso-no-buffer",
		[WORKER_DROP_DEFER] = "defer",
		[WORKER_DROP_SHED] = "shed",
	};

	return names[reason];
}

int worker_init(struct worker *w, struct worker_control *control, unsigned max_rx, unsigned max_tx)
{
	memset(w, 0, sizeof(*w));
	w->control = control;
	w->rx = calloc(max_rx, sizeof(*w->rx));
	w->tx = calloc(max_tx, sizeof(*w->tx));
	if ((!w->rx && max_rx) || (!w->tx && max_tx)) {
		worker_fini(w);
		return -ENOMEM;
	}
	return 0;
}

void worker_fini(struct worker *w)
{
	for (unsigned i = 0; i < CONFIG_PORTS_MAX; i++)
		dispatch_destroy(w->to[i]);
	free(w->rx);
	free(w->tx);
}

void worker_add_rx(struct worker *w, const struct worker_rx *rx)
{
	w->rx[w->n_rx++] = *rx;
}

void worker_add_tx(struct worker *w, const struct worker_tx *tx)
{
	w->tx[w->n_tx++] = *tx;
}

/** Of a super-packet its segments go over the wire. */
static uint32_t wire_length(const struct cake_packet *p)
{
	return p->gso_segs > 1 ? (uint32_t)p->gso_header + p->gso_size : p->len;
}

/** Longest frame that may leave at @mtu: the Ethernet header and two VLAN tags are on top of it,
 * but not PPPoE's header and MPLS labels. */
static uint32_t longest_frame(const struct cake_packet *p, uint16_t mtu)
{
	uint32_t tags = p->network_offset - RTE_ETHER_HDR_LEN;

	return RTE_ETHER_HDR_LEN + RTE_MIN(tags, (uint32_t)FREE_TAGS_BYTES) + mtu;
}

/** Whether the sender left TCP's or UDP's checksum to a NIC, as virtual machines' kernels do. */
static bool lacks_checksum(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) == RTE_MBUF_F_RX_L4_CKSUM_NONE;
}

/** Make a frame ready to go on, read its headers, and count it if they do not tell what it is.
 * Returns why it cannot go on, or WORKER_DROPS if it can. */
static enum worker_drop admit(struct worker *w, const struct worker_rx *rx, struct rte_mbuf **m)
{
	const struct mbuf_private *priv;

	if (rte_pktmbuf_pkt_len(*m) < RTE_ETHER_HDR_LEN)
		return WORKER_DROP_RUNT;
	if (rte_pktmbuf_pkt_len(*m) > MBUF_FRAME_MAX)
		return WORKER_DROP_TOO_LONG;
	if (mbuf_make_own(m, &w->control->map))
		return WORKER_DROP_NO_BUFFER;
	mbuf_describe(*m, rx->describer, &w->control->map);
	priv = mbuf_private(*m);
	if (priv->unclassified)
		counter_add(&w->ports[rx->port].unclassified[priv->unclassified], 1);
	if (wire_length(&priv->packet) > longest_frame(&priv->packet, rx->mtu))
		return WORKER_DROP_TOO_LONG;
	if (priv->packet.gso_segs > GSO_SEGS_MAX)
		return WORKER_DROP_GSO_SEGMENTS;
	if (!gso_is_super(*m) && lacks_checksum(*m))
		mbuf_complete_checksum(*m);
	return WORKER_DROPS;
}

/** Describe a burst; what cannot go on is freed. Returns how many are left, moved to the front. */
static unsigned admit_burst(struct worker *w, const struct worker_rx *rx, struct rte_mbuf **pkts,
			    unsigned n)
{
	struct worker_port_counters *c = &w->ports[rx->port];
	struct rte_mbuf *refused[WORKER_RX_BURST];
	unsigned n_refused = 0, kept = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < RTE_MIN(n, (unsigned)PREFETCH_AHEAD); i++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[i], void *));
	for (unsigned i = 0; i < n; i++) {
		enum worker_drop reason;

		if (i + PREFETCH_AHEAD < n)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[i + PREFETCH_AHEAD], void *));
		bytes += rte_pktmbuf_pkt_len(pkts[i]);
		reason = admit(w, rx, &pkts[i]);
		if (reason == WORKER_DROPS) {
			pkts[kept++] = pkts[i];
		} else {
			refused[n_refused++] = pkts[i];
			counter_add(&c->dropped[reason], 1);
		}
	}
	rte_pktmbuf_free_bulk(refused, n_refused);
	counter_add(&c->rx_packets, n);
	counter_add(&c->rx_bytes, bytes);
	return kept;
}

/**
 * Cut here, not on the lcore that runs the TX queue: whoever received a super-packet has the work
 * of it, and the ring holds frames, whose number bounds the time and the memory in it.
 */
static void forward_segments(struct worker *w, const struct worker_rx *rx, struct rte_mbuf *super,
			     uint64_t now)
{
	struct worker_port_counters *c = &w->ports[rx->to_port];
	struct rte_mbuf *segs[GSO_SEGS_MAX];
	unsigned n = gso_cut(super, &w->control->map, segs);

	if (!n) {
		rte_pktmbuf_free(super);
		counter_add(&c->dropped[WORKER_DROP_GSO_NO_BUFFER], 1);
		return;
	}
	counter_add(&c->segments_added, n - 1);
	dispatch_burst(rx->to, segs, n, now);
}

static void forward_burst(struct worker *w, const struct worker_rx *rx, struct rte_mbuf **pkts,
			  unsigned n, uint64_t now)
{
	unsigned done = 0;

	for (unsigned i = 0; rx->split_gso && i < n; i++) {
		if (!gso_is_super(pkts[i]))
			continue;
		dispatch_burst(rx->to, pkts + done, i - done, now);
		forward_segments(w, rx, pkts[i], now);
		done = i + 1;
	}
	dispatch_burst(rx->to, pkts + done, n - done, now);
}

/** Poll one RX queue. Returns frames received. */
static unsigned receive_from(struct worker *w, const struct worker_rx *rx, uint64_t now)
{
	struct rte_mbuf *pkts[WORKER_RX_BURST];
	unsigned n = rte_eth_rx_burst(rx->device, rx->queue, pkts, WORKER_RX_BURST);

	if (n)
		forward_burst(w, rx, pkts, admit_burst(w, rx, pkts, n), now);
	return n;
}

static void note_stall(struct worker *w, uint64_t now)
{
	uint64_t gap = now - w->last_pass_ns;

	if (w->last_pass_ns && gap > WORKER_STALL_NS) {
		struct worker_counters *c = &w->counters;
		uint64_t max = counter_get(&c->max_stall_ns);

		counter_add(&c->stalls, 1);
		counter_add(&c->stall_ns, gap);
		if (gap > max)
			counter_add(&c->max_stall_ns, gap - max);
	}
	w->last_pass_ns = now;
}

/** Run a TX queue, unless another does. Returns frames moved. */
static unsigned run(struct worker *w, const struct worker_tx *tx, uint64_t now)
{
	unsigned moved;

	if (!txq_claim(tx->queue, now))
		return 0;
	moved = txq_run(tx->queue, tx->view, now, &w->dead);
	txq_release(tx->queue);
	txq_free_dead(tx->queue, &w->dead);
	return moved;
}

unsigned worker_pass(struct worker *w, uint64_t now, bool receive)
{
	unsigned moved = 0;

	note_stall(w, now);
	for (unsigned i = 0; receive && i < w->n_rx; i++)
		moved += receive_from(w, &w->rx[i], now);
	for (unsigned i = 0; i < w->n_tx; i++)
		moved += run(w, &w->tx[i], now);
	counter_add(&w->counters.passes, 1);
	if (moved)
		counter_add(&w->counters.busy_passes, 1);
	return moved;
}

static bool is_empty(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_tx; i++)
		if (txq_queued(w->tx[i].queue) || txq_deferred(w->tx[i].queue) ||
		    txq_held(w->tx[i].queue))
			return false;
	return true;
}

static uint64_t worker_now(struct worker *w)
{
	return tsc_clock_read(w->control->clock, &w->time, rte_rdtsc());
}

/** Polling, and sending alone once told to stop, until the phase allows to drain. */
static int forward(struct worker *w)
{
	int phase;

	for (;;) {
		phase = atomic_load_explicit(&w->control->phase, memory_order_acquire);
		if (phase >= WORKER_DRAIN)
			return phase;
		/* Published after the last frame went to anyone's ring, which main waits for. */
		if (phase != atomic_load_explicit(&w->reached, memory_order_relaxed))
			atomic_store_explicit(&w->reached, phase, memory_order_release);
		if (!worker_pass(w, worker_now(w), phase == WORKER_RUN))
			rte_pause();
	}
}

static void drain(struct worker *w)
{
	uint64_t now = worker_now(w);
	const uint64_t deadline = now + w->control->drain_ns;

	while (!is_empty(w) && now < deadline) {
		if (atomic_load_explicit(&w->control->phase, memory_order_relaxed) ==
		    WORKER_ABANDON)
			return;
		if (!worker_pass(w, now, false))
			rte_pause();
		now = worker_now(w);
	}
}

int worker_main(void *worker)
{
	struct worker *w = worker;

	if (forward(w) == WORKER_DRAIN)
		drain(w);
	for (unsigned i = 0; i < w->n_tx; i++)
		txq_purge(w->tx[i].queue);
	atomic_store_explicit(&w->reached, WORKER_ENDED, memory_order_release);
	return 0;
}

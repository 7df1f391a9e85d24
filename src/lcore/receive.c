/* SPDX-License-Identifier: BSD-3-Clause */
/* See receive.h. */
#include "lcore/receive.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_prefetch.h>

#include "port/gso.h"

/* Headers of a frame this far ahead are fetched while the ones before it are parsed: parsing takes
 * some 50 ns, memory some 100 ns. */
#define PREFETCH_AHEAD 3

/* VLAN tags that may come on top of the MTU, as network devices allow. */
#define FREE_TAGS_BYTES 8

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

unsigned receive(struct worker *w, const struct worker_rx *rx, uint64_t now)
{
	struct rte_mbuf *pkts[WORKER_RX_BURST];
	unsigned n = rte_eth_rx_burst(rx->device, rx->queue, pkts, WORKER_RX_BURST);

	if (n)
		forward_burst(w, rx, pkts, admit_burst(w, rx, pkts, n), now);
	return n;
}

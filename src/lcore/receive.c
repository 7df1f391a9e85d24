/* SPDX-License-Identifier: BSD-3-Clause */
/* See receive.h. */
#include "lcore/receive.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_prefetch.h>

#include "port/gso.h"

static_assert(WORKER_RX_BURST <= MBUF_BURST, "a burst is looked at at once");

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

/** Make a frame one that can be looked at. Returns why it cannot be, or WORKER_DROPS. */
static enum worker_drop make_fit(struct worker *w, struct rte_mbuf **m)
{
	if (rte_pktmbuf_pkt_len(*m) < RTE_ETHER_HDR_LEN)
		return WORKER_DROP_RUNT;
	if (rte_pktmbuf_pkt_len(*m) > MBUF_FRAME_MAX)
		return WORKER_DROP_TOO_LONG;
	if (mbuf_make_own(m, &w->control->map))
		return WORKER_DROP_NO_BUFFER;
	return WORKER_DROPS;
}

/** Whether there is nothing to be said or done about a described frame, as mostly: it is
 * classified, not longer than one without tags may be, no super-packet, and has its checksum. */
static bool is_ordinary(struct rte_mbuf *m, uint16_t mtu)
{
	return !mbuf_private(m)->unclassified && m->pkt_len <= RTE_ETHER_HDR_LEN + (uint32_t)mtu &&
	       !(m->ol_flags & RTE_MBUF_F_RX_LRO) && !lacks_checksum(m);
}

/** Count a described frame if its headers do not tell what it is, and make it ready to go on.
 * Returns why it cannot, or WORKER_DROPS. */
static enum worker_drop admit(struct worker *w, const struct worker_rx *rx, struct rte_mbuf *m)
{
	const struct mbuf_private *priv = mbuf_private(m);

	if (is_ordinary(m, rx->mtu))
		return WORKER_DROPS;
	if (priv->unclassified)
		counter_add(&w->ports[rx->port].unclassified[priv->unclassified], 1);
	if (wire_length(&priv->packet) > longest_frame(&priv->packet, rx->mtu))
		return WORKER_DROP_TOO_LONG;
	if (priv->packet.gso_segs > GSO_SEGS_MAX)
		return WORKER_DROP_GSO_SEGMENTS;
	if (!gso_is_super(m) && lacks_checksum(m))
		mbuf_complete_checksum(m);
	return WORKER_DROPS;
}

/** What is not to go on. */
struct refused {
	struct rte_mbuf *pkts[WORKER_RX_BURST];
	unsigned n;
};

/** Sort a frame: on to @pkts[*@kept], or out for a @reason. */
static void sort(struct worker_port_counters *c, struct rte_mbuf *m, enum worker_drop reason,
		 struct rte_mbuf **pkts, unsigned *kept, struct refused *refused)
{
	if (reason == WORKER_DROPS) {
		pkts[(*kept)++] = m;
	} else {
		refused->pkts[refused->n++] = m;
		counter_add(&c->dropped[reason], 1);
	}
}

/** What of a burst is not there yet, all of it at once: memory takes some 100 ns however many ask.
 */
static void prefetch(struct rte_mbuf **pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		rte_prefetch0(rte_pktmbuf_mtod(pkts[i], void *));
		__builtin_prefetch(mbuf_private(pkts[i]), 1);
	}
}

/** Describe a burst; what cannot go on is freed. Returns how many are left, moved to the front. */
static unsigned admit_burst(struct worker *w, const struct worker_rx *rx, struct rte_mbuf **pkts,
			    unsigned n)
{
	struct worker_port_counters *c = &w->ports[rx->port];
	struct refused refused;
	unsigned fit = 0, kept = 0;
	uint64_t bytes = 0;

	refused.n = 0; /* alone: the rest is written as needed */
	prefetch(pkts, n);
	for (unsigned i = 0; i < n; i++) {
		enum worker_drop reason = make_fit(w, &pkts[i]);

		bytes += rte_pktmbuf_pkt_len(pkts[i]);
		sort(c, pkts[i], reason, pkts, &fit, &refused);
	}
	mbuf_describe_burst(pkts, fit, rx->describer, &w->control->map);
	for (unsigned i = 0; i < fit; i++)
		sort(c, pkts[i], admit(w, rx, pkts[i]), pkts, &kept, &refused);
	if (refused.n)
		rte_pktmbuf_free_bulk(refused.pkts, refused.n);
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

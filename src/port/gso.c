/* SPDX-License-Identifier: BSD-3-Clause */
/* See gso.h; the bytes are packet/segment.h's. */
#include "port/gso.h"

#include <rte_ethdev.h>

#include "packet/checksum.h"
#include "packet/parse.h"
#include "packet/segment.h"

#define IPV6_LEN 40 /* without extension headers */

static struct packet_cut cut_of(const struct cake_packet *p)
{
	return (struct packet_cut){
		.header = p->gso_header,
		.payload = p->len - p->gso_header,
		.gso_size = p->gso_size,
		.segs = p->gso_segs,
	};
}

/** Buffers for a frame of @len bytes, which are not written; NULL if there are not enough. */
static struct rte_mbuf *alloc_frame(const struct mbuf_map *map, uint32_t len)
{
	struct rte_mbuf *head = NULL, **end = &head;
	uint16_t n = 0;

	for (uint32_t left = len; left; n++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(map->mempool);

		if (!m) {
			rte_pktmbuf_free(head);
			return NULL;
		}
		m->data_len = (uint16_t)RTE_MIN(left, (uint32_t)MBUF_DATA_ROOM);
		left -= m->data_len;
		*end = m;
		end = &m->next;
		head->nb_segs = n + 1;
	}
	head->pkt_len = len;
	return head;
}

/** Segment @i is described as the super-packet is, but for what it has of its own. */
static void describe_segment(struct rte_mbuf *m, const struct mbuf_private *super, bool more,
			     const struct mbuf_map *map)
{
	struct mbuf_private *priv = mbuf_private(m);

	*priv = *super;
	priv->packet.handle = mbuf_to_handle(map, m);
	priv->packet.len = m->pkt_len;
	priv->packet.charge = m->nb_segs * map->element_bytes;
	priv->packet.gso_segs = 0;
	priv->packet.more = more;
	/* The ACK filter passes over segments, and the record is in the super-packet's buffer. */
	priv->packet.tcp = NULL;
}

static struct rte_mbuf *make_segment(const struct packet_frame *from,
				     const struct packet_headers *h, const struct packet_cut *cut,
				     uint32_t i, const struct mbuf_map *map)
{
	struct rte_mbuf *m = alloc_frame(map, packet_cut_len(cut, i));
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame to;

	if (!m)
		return NULL;
	to = mbuf_frame(m, segs);
	packet_cut_write(from, h, cut, i, &to);
	return m;
}

unsigned gso_cut(struct rte_mbuf *m, const struct mbuf_map *map, struct rte_mbuf **out)
{
	const struct mbuf_private *priv = mbuf_private(m);
	const struct packet_cut cut = cut_of(&priv->packet);
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = mbuf_frame(m, segs);
	struct packet_headers headers;

	packet_parse(&frame, PACKET_DEPTH_FULL, &headers);
	for (uint32_t i = 0; i < cut.segs; i++) {
		out[i] = make_segment(&frame, &headers, &cut, i, map);
		if (!out[i]) {
			rte_pktmbuf_free_bulk(out, i);
			return 0;
		}
		describe_segment(out[i], priv, i + 1 < cut.segs, map);
	}
	rte_pktmbuf_free(m);
	return cut.segs;
}

/** Devices know Ethernet, tags, one IP header with options, and TCP. */
static bool device_knows(const struct packet_headers *h)
{
	return h->network_offset == h->link_len &&
	       (h->l3 == PACKET_L3_IPV4 || h->transport_offset == h->network_offset + IPV6_LEN);
}

bool gso_offload(struct rte_mbuf *m, uint64_t flags, uint16_t port, uint16_t queue)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = mbuf_frame(m, segs);
	struct packet_headers h;

	packet_parse(&frame, PACKET_DEPTH_FULL, &h);
	if (!device_knows(&h) || !packet_prepare_checksum(&frame, h.l3, h.network_offset))
		return false;
	if (h.l3 == PACKET_L3_IPV4)
		m->ol_flags |= flags | RTE_MBUF_F_TX_IPV4;
	else
		m->ol_flags |= (flags & ~RTE_MBUF_F_TX_IP_CKSUM) | RTE_MBUF_F_TX_IPV6;
	m->l2_len = h.network_offset;
	m->l3_len = h.transport_offset - h.network_offset;
	m->l4_len = h.payload_offset - h.transport_offset;
	if (rte_eth_tx_prepare(port, queue, &m, 1) == 1)
		return true;
	m->ol_flags &= ~(flags | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6);
	return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See mbuf.h. */
#include "port/mbuf.h"

#include <errno.h>
#include <string.h>

#include <rte_ether.h>

#include "packet/checksum.h"
#include "packet/mark.h"
#include "packet/parse.h"
#include "packet/segment.h"

#define ADDRS_LEN (2 * RTE_ETHER_ADDR_LEN)
#define VLAN_LEN  sizeof(struct rte_vlan_hdr)

/** Only TCP directly in the frame's IP packet is cut; in a tunnel more headers would change. */
static void describe_super_packet(const struct rte_mbuf *m, const struct packet_headers *h,
				  struct cake_packet *p)
{
	struct packet_cut cut = packet_cut_plan(h, m->pkt_len, m->tso_segsz);

	if (cut.segs == 1 || h->flow_offset != h->network_offset)
		return;
	p->gso_segs = (uint16_t)RTE_MIN(cut.segs, (uint32_t)UINT16_MAX);
	p->gso_size = (uint16_t)cut.gso_size;
	p->gso_header = (uint16_t)cut.header;
}

static void read_headers_of_many(struct rte_mbuf *m, const struct packet_describer *d,
				 struct packet_headers *h)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	const struct packet_frame frame = mbuf_frame(m, segs);

	packet_parse(&frame, d->depth, h);
}

static void read_headers(struct rte_mbuf *m, const struct packet_describer *d,
			 struct packet_headers *h)
{
	if (m->nb_segs == 1)
		packet_parse_piece(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, m->pkt_len,
				   d->depth, h);
	else
		read_headers_of_many(m, d, h);
}

static const struct cake_tcp *read_tcp(struct rte_mbuf *m, const struct packet_describer *d,
				       const struct packet_view *view)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	const struct packet_frame frame = mbuf_frame(m, segs);

	return packet_describe_tcp(d, &frame, view, mbuf_tcp(m));
}

static void fill_private(struct rte_mbuf *m, const struct packet_describer *d,
			 const struct packet_view *view, const struct mbuf_map *map)
{
	struct mbuf_private *priv = mbuf_private(m);

	packet_summarize(d, view, m->pkt_len, mbuf_mark(m), &priv->packet);
	priv->packet.handle = mbuf_to_handle(map, m);
	priv->packet.charge = m->nb_segs * map->element_bytes;
	if (m->ol_flags & RTE_MBUF_F_RX_LRO)
		describe_super_packet(m, &view->headers, &priv->packet);
	if (d->tcp)
		priv->packet.tcp = read_tcp(m, d, view);
	priv->l3 = (uint8_t)view->headers.l3;
	priv->unclassified = (uint8_t)view->headers.unclassified;
	priv->network_offset = view->headers.network_offset;
	priv->shed_first = 0;
}

void mbuf_describe_burst(struct rte_mbuf **pkts, unsigned n, const struct packet_describer *d,
			 const struct mbuf_map *map)
{
	struct packet_view views[MBUF_BURST], *view = views;

	for (unsigned i = 0; i < n; i++)
		read_headers(pkts[i], d, &views[i].headers);
	packet_identify(d, views, n);
	for (unsigned i = 0; i < n; i++)
		fill_private(pkts[i], d, view++, map);
}

/** Whether all its buffers belong to this frame alone, and are of the pool. */
static bool is_own(const struct rte_mbuf *m, const struct mbuf_map *map)
{
	for (; m; m = m->next)
		if (m->pool != map->mempool || !RTE_MBUF_DIRECT(m) || rte_mbuf_refcnt_read(m) > 1)
			return false;
	return true;
}

/** VLAN tags that the driver took out. */
static unsigned stripped_tags(const struct rte_mbuf *m)
{
	return !!(m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) +
	       !!(m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED);
}

/** Whether @tags can be put in where the frame lies. */
static bool has_room(const struct rte_mbuf *m, unsigned tags)
{
	return rte_pktmbuf_headroom(m) >= tags * VLAN_LEN && m->data_len >= ADDRS_LEN;
}

static void put_tag(uint8_t *p, uint16_t ethertype, uint16_t tci)
{
	p[0] = (uint8_t)(ethertype >> 8);
	p[1] = (uint8_t)ethertype;
	p[2] = (uint8_t)(tci >> 8);
	p[3] = (uint8_t)tci;
}

/** Of two tags the inner one is a customer's. The outer one's ethertype is not handed on; where
 * devices take out two it is a provider's (IEEE 802.1ad). */
static void restore_tags(struct rte_mbuf *m, unsigned tags)
{
	uint8_t *p = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)(tags * VLAN_LEN));

	memmove(p, p + tags * VLAN_LEN, ADDRS_LEN);
	p += ADDRS_LEN;
	if (m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED) {
		put_tag(p, RTE_ETHER_TYPE_QINQ, m->vlan_tci_outer);
		p += VLAN_LEN;
	}
	if (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)
		put_tag(p, RTE_ETHER_TYPE_VLAN, m->vlan_tci);
	m->ol_flags &= ~(RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED);
}

int mbuf_copy_or_restore(struct rte_mbuf **m, const struct mbuf_map *map)
{
	unsigned tags = stripped_tags(*m);

	if (!is_own(*m, map) || (tags && !has_room(*m, tags)) || (*m)->nb_segs > MBUF_SEGS_MAX) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(*m, map->mempool, 0, UINT32_MAX);

		if (!copy)
			return -ENOMEM;
		rte_pktmbuf_free(*m);
		*m = copy;
	}
	if (tags)
		restore_tags(*m, tags);
	return 0;
}

void mbuf_free_bulk(struct rte_mbuf **pkts, unsigned n)
{
	unsigned alone = 0;

	for (unsigned i = 0; i < n; i++) {
		if (pkts[i]->nb_segs == 1)
			pkts[alone++] = pkts[i];
		else
			rte_pktmbuf_free(pkts[i]);
	}
	if (alone)
		rte_mempool_put_bulk(pkts[0]->pool, (void **)pkts, alone);
}

void mbuf_complete_checksum(struct rte_mbuf *m)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = mbuf_frame(m, segs);
	const struct mbuf_private *priv = mbuf_private(m);

	packet_complete_checksum(&frame, priv->l3, priv->network_offset);
}

void mbuf_set_ce(struct rte_mbuf *m)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = mbuf_frame(m, segs);
	const struct mbuf_private *priv = mbuf_private(m);

	packet_set_ce(&frame, priv->l3, priv->network_offset);
}

void mbuf_wash(struct rte_mbuf *m)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = mbuf_frame(m, segs);
	const struct mbuf_private *priv = mbuf_private(m);

	packet_wash(&frame, priv->l3, priv->network_offset);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See mbuf.h. */
#include "port/mbuf.h"

#include <rte_ether.h>

#include "packet/mark.h"

/** A frame as segments; @segs has room for MBUF_SEGS_MAX and must outlive the result. */
static struct packet_frame frame_of(struct rte_mbuf *m, struct packet_segment *segs)
{
	struct packet_frame f = {.segs = segs, .len = m->pkt_len};

	if (m->ol_flags & RTE_MBUF_F_RX_FDIR_ID)
		f.mark = m->hash.fdir.hi;

	for (; m && f.n_segs < MBUF_SEGS_MAX; m = m->next)
		segs[f.n_segs++] = (struct packet_segment){.data = rte_pktmbuf_mtod(m, uint8_t *),
							   .len = m->data_len};
	return f;
}

void mbuf_describe(struct rte_mbuf *m, const struct packet_describer *d, const struct mbuf_map *map)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = frame_of(m, segs);
	struct mbuf_private *priv = mbuf_private(m);
	struct packet_view view;

	packet_describe(d, &frame, &view, &priv->packet);
	priv->packet.handle = mbuf_to_handle(map, m);
	priv->packet.charge = m->nb_segs * map->element_bytes;
	if (d->tcp)
		priv->packet.tcp = packet_describe_tcp(d, &frame, &view, mbuf_tcp(m));
	priv->l3 = (uint8_t)view.headers.l3;
	priv->unclassified = (uint8_t)view.headers.unclassified;
	priv->network_offset = view.headers.network_offset;
}

int mbuf_restore_vlan(struct rte_mbuf **m)
{
	if (!((*m)->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED))
		return 0;
	return rte_vlan_insert(m);
}

void mbuf_set_ce(struct rte_mbuf *m)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = frame_of(m, segs);
	const struct mbuf_private *priv = mbuf_private(m);

	packet_set_ce(&frame, priv->l3, priv->network_offset);
}

void mbuf_wash(struct rte_mbuf *m)
{
	struct packet_segment segs[MBUF_SEGS_MAX];
	struct packet_frame frame = frame_of(m, segs);
	const struct mbuf_private *priv = mbuf_private(m);

	packet_wash(&frame, priv->l3, priv->network_offset);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IP inside IP: where the inner header is, for tunnels that do not hide it. 6in4, 4in6, IPIP, GRE
 * and VXLAN. Private to src/packet/.
 */
#ifndef GATEAU_PACKET_TUNNEL_H
#define GATEAU_PACKET_TUNNEL_H

#include "packet/packet.h"

/** UDP destination port of VXLAN. */
#define TUNNEL_VXLAN_PORT 4789

struct packet_tunnel {
	enum packet_l3 l3;              /* PACKET_L3_IPV4 or _IPV6; else there is no inner header */
	uint32_t network;               /* bytes from the frame's start to it */
	enum packet_unclassified fault; /* the tunnel's own headers are damaged */
};

/**
 * Look for an IP header behind the one whose fields are in @h. @off: the header that h->proto
 * names, or what it carries if that is UDP; @end: where the IP packet ends.
 */
void packet_tunnel_find(const struct packet_frame *f, const struct packet_headers *h, uint32_t off,
			uint32_t end, struct packet_tunnel *t);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See tunnel.h. A tunnel that carries something else than IP is left alone, as is one that cannot
 * be read by design (ESP): the outer header then tells its flow, which is all there is to know.
 */
#include "packet/tunnel.h"

#include <net/ethernet.h>
#include <netinet/in.h>

#include "packet/bytes.h"
#include "packet/link.h"

/* GRE (RFC 2784, RFC 2890): flags and version 2 bytes, protocol 2, and as flags say a checksum with
 * a reserved word, a key, a sequence number, 4 each. */
#define GRE_LEN      4
#define GRE_WORD     4
#define GRE_CHECKSUM 0x8000
#define GRE_KEY      0x2000
#define GRE_SEQUENCE 0x1000
#define GRE_OTHER    0x4007 /* source routing, never used; a version: PPTP's is 1, with PPP in it */

/* VXLAN (RFC 7348): flags 1 byte, reserved 3, network 3, reserved 1. */
#define VXLAN_LEN   8
#define VXLAN_VALID 0x08

static void find_by_ethertype(uint16_t ethertype, uint32_t off, struct packet_tunnel *t)
{
	if (ethertype == ETHERTYPE_IP)
		t->l3 = PACKET_L3_IPV4;
	else if (ethertype == ETHERTYPE_IPV6)
		t->l3 = PACKET_L3_IPV6;
	t->network = off;
}

/* An Ethernet frame in the tunnel. One of a kind nobody knows is no fault of the tunnel. */
static void find_in_ethernet(const struct packet_frame *f, uint32_t off, uint32_t end,
			     struct packet_tunnel *t)
{
	struct packet_link link;

	packet_link_read(f, off, end, PACKET_DEPTH_FULL, &link);
	if (link.fault == PACKET_CLASSIFIED)
		find_by_ethertype(link.ethertype, link.network, t);
	else if (link.fault == PACKET_TRUNCATED_LINK)
		t->fault = PACKET_TRUNCATED_TUNNEL;
	else if (link.fault == PACKET_TOO_MANY_TAGS || link.fault == PACKET_TOO_MANY_LABELS)
		t->fault = link.fault;
}

static void find_in_gre(const struct packet_frame *f, uint32_t off, uint32_t end,
			struct packet_tunnel *t)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, off, GRE_LEN, scratch);
	uint16_t flags, protocol;

	if (!p) {
		t->fault = PACKET_TRUNCATED_TUNNEL;
		return;
	}
	flags = load_be16(p);
	protocol = load_be16(p + 2);
	if (flags & GRE_OTHER)
		return;
	off += GRE_LEN;
	for (unsigned i = 0; i < 3; i++)
		if (flags & (const uint16_t[]){GRE_CHECKSUM, GRE_KEY, GRE_SEQUENCE}[i])
			off += GRE_WORD;
	if (protocol == ETH_P_TEB)
		find_in_ethernet(f, off, end, t);
	else
		find_by_ethertype(protocol, off, t);
}

static void find_in_vxlan(const struct packet_frame *f, uint32_t off, uint32_t end,
			  struct packet_tunnel *t)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, off, VXLAN_LEN, scratch);

	if (!p)
		t->fault = PACKET_TRUNCATED_TUNNEL;
	else if (p[0] & VXLAN_VALID)
		find_in_ethernet(f, off + VXLAN_LEN, end, t);
}

void packet_tunnel_find(const struct packet_frame *f, const struct packet_headers *h, uint32_t off,
			uint32_t end, struct packet_tunnel *t)
{
	*t = (struct packet_tunnel){.l3 = PACKET_L3_OTHER};
	if (h->fragment)
		return; /* later fragments do not have the inner header: the first is not told by it
			 */
	switch (h->proto) {
	case IPPROTO_IPIP:
		find_by_ethertype(ETHERTYPE_IP, off, t);
		break;
	case IPPROTO_IPV6:
		find_by_ethertype(ETHERTYPE_IPV6, off, t);
		break;
	case IPPROTO_GRE:
		find_in_gre(f, off, end, t);
		break;
	case IPPROTO_UDP:
		if (h->dport == TUNNEL_VXLAN_PORT)
			find_in_vxlan(f, off, end, t);
		break;
	}
}

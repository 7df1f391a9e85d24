/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a frame's headers, outermost first: Ethernet and tags, IP, transport.
 *
 * The ethertype alone says what a header is, as in Linux; an IP version that contradicts it is not
 * looked at. What identities are made of the fields is hash.c's business.
 */
#include "packet/parse.h"

#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>

#include "packet/bytes.h"

#define ETHER_ADDRS    12 /* two MAC addresses before the ethertype */
#define VLAN_LEN       4
#define VLAN_ID        0xfff
#define VLAN_PCP_SHIFT 13
#define IPV4_LEN       20 /* without options */
#define IPV6_LEN       40
#define UDP_LEN        8

#define IPV4_FRAGMENT 0x3fff /* more fragments, or an offset */
#define IPV6_LABEL    0xfffff

#define ND_FIRST 133 /* router solicitation */
#define ND_LAST  137 /* redirect */

static void note_tag(struct packet_headers *h, uint16_t tci)
{
	if (!h->n_tags) {
		h->vlan_tci = tci;
		h->vlan_id = tci & VLAN_ID;
		h->pcp = tci >> VLAN_PCP_SHIFT;
	} else if (h->n_tags == 1) {
		h->inner_vlan_id = tci & VLAN_ID;
	}
	h->n_tags++;
}

/* Ethernet and tags. */
static void parse_link(const struct packet_frame *f, struct packet_headers *h)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, ETHER_ADDRS, 2, scratch);
	uint32_t off = ETHER_HDR_LEN;

	if (!p) {
		h->link_len = f->len < ETHER_HDR_LEN ? f->len : ETHER_HDR_LEN;
		h->network_offset = h->link_len;
		return;
	}
	h->ethertype = load_be16(p);
	while (h->ethertype == ETHERTYPE_VLAN || h->ethertype == ETH_P_8021AD) {
		p = frame_read(f, off, VLAN_LEN, scratch);
		if (!p)
			break;
		note_tag(h, load_be16(p));
		h->ethertype = load_be16(p + 2);
		off += VLAN_LEN;
	}
	h->link_len = off;
	h->network_offset = off;
}

/* DSCP is read from a header of any length; ECN only from one that can be marked. */
static void parse_ds_field(const struct packet_frame *f, struct packet_headers *h)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, h->network_offset, 2, scratch);
	uint32_t fixed = h->l3 == PACKET_L3_IPV4 ? IPV4_LEN : IPV6_LEN;
	uint8_t ds;

	if (!p)
		return;
	ds = h->l3 == PACKET_L3_IPV4 ? p[1] : load_be16(p) >> 4;
	h->dscp = ds >> 2;
	if (frame_read(f, h->network_offset, fixed, scratch))
		h->ecn = ds & 3;
}

static void parse_transport(const struct packet_frame *f, struct packet_headers *h, uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p;

	if (h->fragment || (h->proto != IPPROTO_TCP && h->proto != IPPROTO_UDP))
		return;
	p = frame_read(f, off, 4, scratch);
	if (!p)
		return;
	h->sport = load_be16(p);
	h->dport = load_be16(p + 2);
	h->transport_offset = off;

	if (h->proto == IPPROTO_UDP) {
		h->payload_offset = off + UDP_LEN;
		return;
	}
	p = frame_read(f, off + 12, 1, scratch); /* data offset, in words of 4 bytes */
	if (p && p[0] >> 4 >= 5)
		h->payload_offset = off + (p[0] >> 4) * 4;
}

/*
 * Step over extension headers from @off; h->proto is the first one's number and becomes that of
 * the first header which is none, or cannot be read. Behind a fragment header nothing is read:
 * only the first fragment would have it. Returns the offset reached.
 */
static uint32_t parse_ipv6_extensions(const struct packet_frame *f, struct packet_headers *h,
				      uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];

	while (h->proto == IPPROTO_HOPOPTS || h->proto == IPPROTO_ROUTING ||
	       h->proto == IPPROTO_DSTOPTS || h->proto == IPPROTO_FRAGMENT) {
		const uint8_t *p = frame_read(f, off, 2, scratch);

		if (h->proto == IPPROTO_FRAGMENT)
			h->fragment = true;
		if (!p)
			break;
		h->proto = p[0];
		if (h->fragment)
			break;
		off += (p[1] + 1) * 8; /* length in words of 8 bytes, the first not counted */
	}
	return off;
}

static void find_neighbour_discovery(const struct packet_frame *f, struct packet_headers *h,
				     uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p;

	if (h->fragment || h->proto != IPPROTO_ICMPV6 || h->l3 != PACKET_L3_IPV6)
		return;
	p = frame_read(f, off, 1, scratch);
	h->nd = p && p[0] >= ND_FIRST && p[0] <= ND_LAST;
}

/* Returns whether there is a whole fixed header; if not, nothing is written. */
static bool parse_ipv6(const struct packet_frame *f, enum packet_depth depth,
		       struct packet_headers *h, uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV6_LEN, scratch);

	if (!p)
		return false;
	h->flow_l3 = PACKET_L3_IPV6;
	h->flow_offset = off;
	h->ethertype = ETHERTYPE_IPV6;
	h->flow_label = load_be32(p) & IPV6_LABEL;
	h->proto = p[6];
	h->addr_len = 16;
	memcpy(h->src, p + 8, 16);
	memcpy(h->dst, p + 24, 16);

	off = parse_ipv6_extensions(f, h, off + IPV6_LEN);
	parse_transport(f, h, off);
	if (depth == PACKET_DEPTH_FULL)
		find_neighbour_discovery(f, h, off);
	return true;
}

static void parse_ipv4(const struct packet_frame *f, enum packet_depth depth,
		       struct packet_headers *h, uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV4_LEN, scratch);
	uint32_t words = p ? p[0] & 15 : 0;

	if (words * 4 < IPV4_LEN)
		return;
	h->flow_l3 = PACKET_L3_IPV4;
	h->flow_offset = off;
	h->fragment = load_be16(p + 6) & IPV4_FRAGMENT;
	h->proto = p[9];
	h->addr_len = 4;
	memcpy(h->src, p + 12, 4);
	memcpy(h->dst, p + 16, 4);

	off += words * 4;
	if (h->proto == IPPROTO_IPV6 && !h->fragment && parse_ipv6(f, depth, h, off))
		return;
	parse_transport(f, h, off);
}

void packet_parse(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h)
{
	*h = (struct packet_headers){.l3 = PACKET_L3_OTHER};
	parse_link(f, h);
	switch (h->ethertype) {
	case ETHERTYPE_IP:
		h->l3 = PACKET_L3_IPV4;
		parse_ds_field(f, h);
		parse_ipv4(f, depth, h, h->network_offset);
		break;
	case ETHERTYPE_IPV6:
		h->l3 = PACKET_L3_IPV6;
		parse_ds_field(f, h);
		parse_ipv6(f, depth, h, h->network_offset);
		break;
	case ETHERTYPE_ARP:
		h->l3 = PACKET_L3_ARP;
		h->dscp = PACKET_DSCP_CONTROL;
		break;
	}
}

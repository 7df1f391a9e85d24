/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a frame's headers, outermost first: the link's (link.c), IP, transport, and again IP as
 * long as there is a tunnel (tunnel.c). What identities are made of the fields is hash.c's
 * business.
 *
 * Each header is read within the packet that its own header's length says there is, so that padding
 * is never taken for ports. The Linux depth does neither that nor look at IP's version: there, the
 * ethertype alone says what a header is.
 */
#include "packet/parse.h"

#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>

#include "packet/bytes.h"
#include "packet/link.h"
#include "packet/tunnel.h"

#define VLAN_ID        0xfff
#define VLAN_PCP_SHIFT 13

#define IPV4_LEN 20 /* without options */
#define IPV6_LEN 40
#define UDP_LEN  8

#define IPV4_FRAGMENT 0x3fff /* more fragments, or an offset */
#define IPV6_LABEL    0xfffff

#define ND_FIRST 133 /* router solicitation */
#define ND_LAST  137 /* redirect */

/* One frame being read. */
struct parse {
	const struct packet_frame *f;
	struct packet_headers *h;
	bool full;           /* PACKET_DEPTH_FULL */
	uint32_t at;         /* offset of the header that h->proto names */
	uint32_t end;        /* offset where the IP packet ends; may be more than is present */
	unsigned extensions; /* headers stepped over */
	uint8_t ds;          /* DS field of the IP header read last */
};

static const uint8_t *read_bytes(const struct parse *s, uint32_t off, uint32_t n,
				 uint8_t scratch[FRAME_READ_MAX])
{
	return frame_read_before(s->f, s->end, off, n, scratch);
}

/* The first fault is the outermost; those behind it may follow from it. */
static void note_fault(struct parse *s, enum packet_unclassified reason)
{
	if (!s->h->unclassified)
		s->h->unclassified = reason;
}

static void parse_link(struct parse *s)
{
	struct packet_headers *h = s->h;
	struct packet_link link;

	packet_link_read(s->f, 0, s->end, s->full ? PACKET_DEPTH_FULL : PACKET_DEPTH_LINUX, &link);
	h->unclassified = link.fault;
	h->link_len = link.tags_end;
	h->network_offset = link.network;
	h->ethertype = link.ethertype;
	h->n_tags = link.n_tags;
	h->vlan_tci = link.tci[0];
	h->vlan_id = link.tci[0] & VLAN_ID;
	h->pcp = link.tci[0] >> VLAN_PCP_SHIFT;
	h->inner_vlan_id = link.tci[1] & VLAN_ID;
}

/* A header whose addresses are the flow's until one further in is found. */
static void begin_flow(struct packet_headers *h, enum packet_l3 l3, uint32_t off)
{
	if (h->flow_l3) { /* a tunnel: forget the header around it */
		h->transport_offset = 0;
		h->payload_offset = 0;
		h->sport = 0;
		h->dport = 0;
		h->flow_label = 0;
		memset(h->src, 0, sizeof(h->src));
		memset(h->dst, 0, sizeof(h->dst));
	}
	h->flow_l3 = l3;
	h->flow_offset = off;
	h->ethertype = l3 == PACKET_L3_IPV4 ? ETHERTYPE_IP : ETHERTYPE_IPV6;
	h->addr_len = l3 == PACKET_L3_IPV4 ? 4 : 16;
}

/* The packet ends before @end, by its own header. */
static void end_packet(struct parse *s, uint32_t end)
{
	if (end < s->at) {
		note_fault(s, PACKET_BAD_IP_LENGTH);
		s->end = s->at;
	} else if (end > s->end) {
		note_fault(s, PACKET_TRUNCATED_IP);
	} else {
		s->end = end;
	}
}

/* The fixed header at @off. Returns what is wrong with it, and then has changed nothing. */
static enum packet_unclassified parse_ipv4(struct parse *s, uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = read_bytes(s, off, IPV4_LEN, scratch);
	struct packet_headers *h = s->h;
	uint32_t header = p ? (p[0] & 15) * 4 : 0;

	if (!p)
		return PACKET_TRUNCATED_IP;
	if (s->full && p[0] >> 4 != 4)
		return PACKET_BAD_IP_VERSION;
	if (header < IPV4_LEN)
		return PACKET_BAD_IP_HEADER_LENGTH;
	begin_flow(h, PACKET_L3_IPV4, off);
	h->fragment = load_be16(p + 6) & IPV4_FRAGMENT;
	h->proto = p[9];
	s->ds = p[1];
	memcpy(h->src, p + 12, 4);
	memcpy(h->dst, p + 16, 4);
	s->at = off + header;
	if (s->full && load_be16(p + 2)) /* 0: a super-packet too long for the field */
		end_packet(s, off + load_be16(p + 2));
	return PACKET_CLASSIFIED;
}

static enum packet_unclassified parse_ipv6(struct parse *s, uint32_t off)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = read_bytes(s, off, IPV6_LEN, scratch);
	struct packet_headers *h = s->h;

	if (!p)
		return PACKET_TRUNCATED_IP;
	if (s->full && p[0] >> 4 != 6)
		return PACKET_BAD_IP_VERSION;
	begin_flow(h, PACKET_L3_IPV6, off);
	h->flow_label = load_be32(p) & IPV6_LABEL;
	h->fragment = false;
	h->proto = p[6];
	s->ds = load_be16(p) >> 4;
	memcpy(h->src, p + 8, 16);
	memcpy(h->dst, p + 24, 16);
	s->at = off + IPV6_LEN;
	if (s->full && load_be16(p + 4)) /* 0: a jumbogram, or one that is empty */
		end_packet(s, s->at + load_be16(p + 4));
	return PACKET_CLASSIFIED;
}

static enum packet_unclassified parse_ip(struct parse *s, enum packet_l3 l3, uint32_t off)
{
	return l3 == PACKET_L3_IPV4 ? parse_ipv4(s, off) : parse_ipv6(s, off);
}

/* Authentication (AH) leaves what is behind it readable, in IPv4 as well. Mobility, HIP and shim6
 * headers carry messages of their own and are taken for protocols. */
static bool is_extension(const struct parse *s)
{
	uint8_t proto = s->h->proto;

	if (proto == IPPROTO_AH)
		return s->full && !s->h->fragment;
	return s->h->flow_l3 == PACKET_L3_IPV6 &&
	       (proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS ||
		proto == IPPROTO_FRAGMENT);
}

/*
 * Step over extension headers: h->proto becomes that of the first header which is none, or cannot
 * be read. Behind a fragment header nothing is read: only the first fragment would have it.
 */
static void parse_extensions(struct parse *s)
{
	uint8_t scratch[FRAME_READ_MAX];
	struct packet_headers *h = s->h;

	while (is_extension(s)) {
		const uint8_t *p = read_bytes(s, s->at, 2, scratch);
		bool words_of_4 = h->proto == IPPROTO_AH;

		h->fragment = h->proto == IPPROTO_FRAGMENT;
		if (!p || s->extensions == PACKET_EXTENSIONS_MAX) {
			note_fault(s, p ? PACKET_TOO_MANY_HEADERS : PACKET_TRUNCATED_EXTENSION);
			return;
		}
		s->extensions++;
		h->proto = p[0];
		if (h->fragment)
			return;
		/* AH counts words of 4 bytes, the first two not; the others 8, the first not. */
		s->at += words_of_4 ? (p[1] + 2) * 4 : (p[1] + 1) * 8;
	}
	if (s->at > s->end)
		note_fault(s, PACKET_TRUNCATED_EXTENSION);
}

static void parse_transport(struct parse *s)
{
	uint8_t scratch[FRAME_READ_MAX];
	struct packet_headers *h = s->h;
	const uint8_t *p;

	if (h->fragment || (h->proto != IPPROTO_TCP && h->proto != IPPROTO_UDP))
		return;
	p = read_bytes(s, s->at, 4, scratch);
	if (!p) {
		note_fault(s, PACKET_TRUNCATED_TRANSPORT);
		return;
	}
	h->sport = load_be16(p);
	h->dport = load_be16(p + 2);
	h->transport_offset = s->at;

	if (h->proto == IPPROTO_UDP) {
		h->payload_offset = s->at + UDP_LEN;
		return;
	}
	p = read_bytes(s, s->at + 12, 1, scratch); /* data offset, in words of 4 bytes */
	if (p && p[0] >> 4 >= 5)
		h->payload_offset = s->at + (p[0] >> 4) * 4;
}

static void parse_neighbour_discovery(struct parse *s)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p;

	if (!s->full || s->h->fragment || s->h->proto != IPPROTO_ICMPV6 ||
	    s->h->flow_l3 != PACKET_L3_IPV6)
		return;
	p = read_bytes(s, s->at, 1, scratch);
	s->h->nd = p && p[0] >= ND_FIRST && p[0] <= ND_LAST;
}

/* Behind a fixed IP header. */
static void parse_behind_ip(struct parse *s)
{
	parse_extensions(s);
	parse_transport(s);
}

/* Go on with the IP header in a tunnel. Returns whether there is one. */
static bool parse_tunnel(struct parse *s, unsigned depth)
{
	struct packet_headers *h = s->h;
	struct packet_tunnel t;

	if (h->proto == IPPROTO_TCP)
		return false; /* most packets */
	/* Linux CAKE looks into 6in4, once. */
	if (!s->full && (h->flow_l3 != PACKET_L3_IPV4 || h->proto != IPPROTO_IPV6))
		return false;
	packet_tunnel_find(s->f, h, h->proto == IPPROTO_UDP ? h->payload_offset : s->at, s->end,
			   &t);
	if (t.l3 && depth == PACKET_IP_HEADERS_MAX)
		t.fault = PACKET_TOO_MANY_HEADERS;
	if (t.l3 && !t.fault) {
		t.fault = parse_ip(s, t.l3, t.network);
		if (!t.fault) {
			parse_behind_ip(s);
			return true;
		}
		t.fault = t.fault == PACKET_TRUNCATED_IP ? PACKET_TRUNCATED_TUNNEL
							 : PACKET_BAD_TUNNEL;
	}
	if (t.fault)
		note_fault(s, t.fault);
	return false;
}

static void note_ds_field(struct packet_headers *h, uint8_t ds)
{
	h->dscp = ds >> 2;
	h->ecn = ds & 3;
}

/* Of a header that is none: Linux reads DSCP where two bytes are, ECN only where it can be set. */
static void parse_ds_field(struct parse *s)
{
	uint8_t scratch[FRAME_READ_MAX];
	struct packet_headers *h = s->h;
	const uint8_t *p = read_bytes(s, h->network_offset, 2, scratch);
	uint32_t fixed = h->l3 == PACKET_L3_IPV4 ? IPV4_LEN : IPV6_LEN;

	if (!p)
		return;
	note_ds_field(h, h->l3 == PACKET_L3_IPV4 ? p[1] : load_be16(p) >> 4);
	if (!read_bytes(s, h->network_offset, fixed, scratch))
		h->ecn = 0;
}

static void parse_network(struct parse *s, enum packet_l3 l3)
{
	struct packet_headers *h = s->h;
	enum packet_unclassified fault = parse_ip(s, l3, h->network_offset);

	if (fault)
		note_fault(s, fault);
	if (fault && s->full)
		return; /* no IP header: no DSCP to go by, and nothing to write to */
	h->l3 = l3;
	if (fault) {
		parse_ds_field(s);
		return;
	}
	note_ds_field(h, s->ds);
	parse_behind_ip(s);
	parse_neighbour_discovery(s);
	for (unsigned depth = 1; parse_tunnel(s, depth); depth++)
		;
}

void packet_parse(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h)
{
	struct parse s = {.f = f, .h = h, .full = depth == PACKET_DEPTH_FULL, .end = f->len};

	*h = (struct packet_headers){.l3 = PACKET_L3_OTHER};
	parse_link(&s);
	if (h->unclassified)
		return;
	switch (h->ethertype) {
	case ETHERTYPE_IP:
		parse_network(&s, PACKET_L3_IPV4);
		break;
	case ETHERTYPE_IPV6:
		parse_network(&s, PACKET_L3_IPV6);
		break;
	case ETHERTYPE_ARP:
		h->l3 = PACKET_L3_ARP;
		h->dscp = PACKET_DSCP_CONTROL;
		break;
	}
}

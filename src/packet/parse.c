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

#include "base/hot.h"
#include "packet/bytes.h"
#include "packet/link.h"
#include "packet/tunnel.h"

#define VLAN_ID        0xfff
#define VLAN_PCP_SHIFT 13

#define IPV4_LEN 20 /* without options */
#define IPV6_LEN 40
#define UDP_LEN  8
#define TCP_LEN  20 /* without options */

#define TCP_DATA_OFFSET 12 /* the byte whose upper half it is */

#define IPV4_PLAIN    0x45   /* version 4, header of 20 bytes */
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
static inline void begin_flow(struct packet_headers *h, enum packet_l3 l3, uint32_t off)
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

/* What the fixed IP header @p at @off says of the flow. Returns its DS field. */

static inline uint8_t note_ipv4(struct packet_headers *restrict h, const uint8_t *restrict p,
				uint32_t off)
{
	begin_flow(h, PACKET_L3_IPV4, off);
	h->fragment = load_be16(p + 6) & IPV4_FRAGMENT;
	h->proto = p[9];
	memcpy(h->src, p + 12, 4);
	memcpy(h->dst, p + 16, 4);
	return p[1];
}

static inline uint8_t note_ipv6(struct packet_headers *restrict h, const uint8_t *restrict p,
				uint32_t off)
{
	begin_flow(h, PACKET_L3_IPV6, off);
	h->flow_label = load_be32(p) & IPV6_LABEL;
	h->fragment = false;
	h->proto = p[6];
	memcpy(h->src, p + 8, 16);
	memcpy(h->dst, p + 24, 16);
	return load_be16(p) >> 4;
}

static inline void note_ports(struct packet_headers *restrict h, const uint8_t *restrict p,
			      uint32_t off)
{
	h->sport = load_be16(p);
	h->dport = load_be16(p + 2);
	h->transport_offset = off;
}

/* @words: TCP's data offset, in words of 4 bytes. */
static inline void note_tcp_payload(struct packet_headers *h, uint32_t off, uint8_t words)
{
	if (words >= TCP_LEN / 4)
		h->payload_offset = off + words * 4;
}

static inline void note_ds_field(struct packet_headers *h, uint8_t ds)
{
	h->dscp = ds >> 2;
	h->ecn = ds & 3;
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
	s->ds = note_ipv4(h, p, off);
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
	s->ds = note_ipv6(h, p, off);
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
	note_ports(h, p, s->at);
	if (h->proto == IPPROTO_UDP) {
		h->payload_offset = s->at + UDP_LEN;
		return;
	}
	p = read_bytes(s, s->at + TCP_DATA_OFFSET, 1, scratch);
	if (p)
		note_tcp_payload(h, s->at, p[0] >> 4);
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

/*
 * The plain frame, which nearly all are: no tags, IP without options or extensions, no fragment,
 * TCP or UDP, no tunnel; lengths that are right, and all headers in the first segment. Each header
 * lies where it does in all of these, and both depths read the same of it. The functions above come
 * to the same result, in some 370 instructions where these take 75.
 */

/* TCP or UDP of @len bytes, by its IP header; @room of them may be looked at. */
static inline bool is_plain_transport(uint8_t proto, const uint8_t *p, uint32_t len, uint32_t room)
{
	if (proto == IPPROTO_TCP)
		return len >= TCP_LEN && room >= TCP_LEN;
	return proto == IPPROTO_UDP && len >= UDP_LEN && room >= UDP_LEN &&
	       load_be16(p + 2) != TUNNEL_VXLAN_PORT;
}

static inline void note_plain(struct packet_headers *restrict h, enum packet_l3 l3, uint8_t ds,
			      const uint8_t *restrict p, uint32_t off)
{
	h->l3 = l3;
	h->link_len = LINK_HEADER_LEN;
	h->network_offset = LINK_HEADER_LEN;
	note_ds_field(h, ds);
	note_ports(h, p, off);
	if (h->proto == IPPROTO_UDP)
		h->payload_offset = off + UDP_LEN;
	else
		note_tcp_payload(h, off, p[TCP_DATA_OFFSET] >> 4);
}

/* @p: the frame, of which @n bytes are present; it has @len. */
HOT bool parse_plain_ipv4(const uint8_t *restrict p, uint32_t n, uint32_t len,
			  struct packet_headers *restrict h)
{
	const uint8_t *ip = p + LINK_HEADER_LEN;
	const uint32_t off = LINK_HEADER_LEN + IPV4_LEN;
	uint32_t total = load_be16(ip + 2);

	if (n < off + UDP_LEN || ip[0] != IPV4_PLAIN || load_be16(ip + 6) & IPV4_FRAGMENT ||
	    LINK_HEADER_LEN + total > len || total < IPV4_LEN ||
	    !is_plain_transport(ip[9], p + off, total - IPV4_LEN, n - off))
		return false;
	note_plain(h, PACKET_L3_IPV4, note_ipv4(h, ip, LINK_HEADER_LEN), p + off, off);
	return true;
}

HOT bool parse_plain_ipv6(const uint8_t *restrict p, uint32_t n, uint32_t len,
			  struct packet_headers *restrict h)
{
	const uint8_t *ip = p + LINK_HEADER_LEN;
	const uint32_t off = LINK_HEADER_LEN + IPV6_LEN;

	if (n < off + UDP_LEN || ip[0] >> 4 != 6 || off + load_be16(ip + 4) > len ||
	    !is_plain_transport(ip[6], p + off, load_be16(ip + 4), n - off))
		return false;
	note_plain(h, PACKET_L3_IPV6, note_ipv6(h, ip, LINK_HEADER_LEN), p + off, off);
	return true;
}

/* Returns whether it is one; else @h, which is zero, has not changed. */
HOT bool parse_plain(const uint8_t *p, uint32_t n, uint32_t len, struct packet_headers *h)
{
	if (n < LINK_HEADER_LEN + IPV4_LEN + UDP_LEN)
		return false;
	switch (load_be16(p + LINK_HEADER_LEN - 2)) {
	case ETHERTYPE_IP:
		return parse_plain_ipv4(p, n, len, h);
	case ETHERTYPE_IPV6:
		return parse_plain_ipv6(p, n, len, h);
	default:
		return false;
	}
}

/* Not a part of packet_parse(), whose plain frames need no stack. */
static __attribute__((noinline)) void
parse_general(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h)
{
	struct parse s = {.f = f, .h = h, .full = depth == PACKET_DEPTH_FULL, .end = f->len};

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

void packet_parse(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h)
{
	*h = (struct packet_headers){.l3 = PACKET_L3_OTHER};
	if (!f->n_segs || !parse_plain(f->segs[0].data, f->segs[0].len, f->len, h))
		parse_general(f, depth, h);
}

static __attribute__((noinline)) void parse_general_piece(uint8_t *data, uint32_t n, uint32_t len,
							  enum packet_depth depth,
							  struct packet_headers *h)
{
	const struct packet_segment seg = {.data = data, .len = n};
	const struct packet_frame frame = {.segs = &seg, .n_segs = 1, .len = len};

	parse_general(&frame, depth, h);
}

void packet_parse_piece(uint8_t *data, uint32_t n, uint32_t len, enum packet_depth depth,
			struct packet_headers *h)
{
	*h = (struct packet_headers){.l3 = PACKET_L3_OTHER};
	if (!parse_plain(data, n, len, h))
		parse_general_piece(data, n, len, depth, h);
}

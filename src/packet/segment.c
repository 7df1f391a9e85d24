/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every segment repeats the headers and carries gso_size bytes of payload, the last one what
 * remains. Which fields differ from segment to segment is the same as in any device that does TCP
 * segmentation offload: lengths, IPv4 identification, sequence number; FIN and PSH are the last
 * one's, CWR is the first one's (RFC 3168, section 6.1.2: it answers one ECE).
 */
#include "packet/segment.h"

#include <netinet/in.h>
#include <string.h>

#include "packet/bytes.h"
#include "packet/checksum.h"

/* Offsets of fields in their headers. */
#define IPV4_LENGTH  2
#define IPV4_ID      4
#define IPV4_CHECK   10
#define IPV4_SRC     12
#define IPV6_LENGTH  4
#define IPV6_SRC     8
#define TCP_SEQUENCE 4
#define TCP_FLAGS    13
#define TCP_CHECK    16

#define PPPOE_LENGTH 4

#define ETHERTYPE_LEN           2
#define ETHERTYPE_PPPOE_SESSION 0x8864
#define PPPOE_LEN               6 /* its length counts what is behind */
#define IPV6_LEN                40
#define TCP_LEN                 20 /* without options */

#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80

struct packet_cut packet_cut_plan(const struct packet_headers *h, uint32_t len, uint32_t gso_size)
{
	struct packet_cut whole = {.payload = len, .segs = 1};
	uint32_t payload;

	if (!gso_size || h->proto != IPPROTO_TCP || !h->payload_offset || len <= h->payload_offset)
		return whole;
	payload = len - h->payload_offset;
	if (payload <= gso_size)
		return whole;
	return (struct packet_cut){
		.header = h->payload_offset,
		.payload = payload,
		.gso_size = gso_size,
		.segs = (payload - 1) / gso_size + 1,
	};
}

uint32_t packet_cut_len(const struct packet_cut *cut, uint32_t i)
{
	if (i + 1 < cut->segs)
		return cut->header + cut->gso_size;
	return cut->header + cut->payload - (cut->segs - 1) * cut->gso_size;
}

/* Where a copy writes next. */
struct sink {
	const struct packet_segment *seg, *end;
	uint32_t at; /* in it */
	uint32_t written;
};

static void sink_put(struct sink *to, const uint8_t *data, uint32_t n)
{
	while (n && to->seg < to->end) {
		uint32_t room = to->seg->len - to->at;
		uint32_t now = n < room ? n : room;

		memcpy(to->seg->data + to->at, data, now);
		data += now;
		n -= now;
		to->at += now;
		to->written += now;
		if (to->at == to->seg->len) {
			to->seg++;
			to->at = 0;
		}
	}
}

/* As much as is present of @n bytes at @off. */
static void copy_range(const struct packet_frame *f, uint32_t off, uint32_t n, struct sink *to)
{
	for (uint32_t s = 0; s < f->n_segs && n; s++) {
		const struct packet_segment *seg = &f->segs[s];
		uint32_t here;

		if (off >= seg->len) {
			off -= seg->len;
			continue;
		}
		here = seg->len - off < n ? seg->len - off : n;
		sink_put(to, seg->data + off, here);
		n -= here;
		off = 0;
	}
}

static void store_be16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void store_be32(uint8_t *p, uint32_t v)
{
	store_be16(p, v >> 16);
	store_be16(p + 2, v);
}

/* The checksum of a sum goes to memory as it lies in a register: checksum.h. */
static void store_sum(uint8_t *p, uint64_t sum)
{
	uint16_t check = packet_sum_finish(sum);

	memcpy(p, &check, sizeof(check));
}

/* The header at @off becomes that of segment @i, of which @len bytes are the frame. */
static void rewrite_ipv4(const struct packet_frame *out, uint32_t off, uint32_t len, uint32_t i)
{
	uint8_t *ip = out->segs[0].data + off;
	uint32_t words = ip[0] & 15;

	store_be16(ip + IPV4_LENGTH, len - off);
	store_be16(ip + IPV4_ID, load_be16(ip + IPV4_ID) + i);
	memset(ip + IPV4_CHECK, 0, 2);
	store_sum(ip + IPV4_CHECK, packet_sum(out, off, words * 4));
}

static void rewrite_ip(const struct packet_frame *out, enum packet_l3 l3, uint32_t off,
		       uint32_t len, uint32_t i)
{
	if (l3 == PACKET_L3_IPV4)
		rewrite_ipv4(out, off, len, i);
	else if (l3 == PACKET_L3_IPV6)
		store_be16(out->segs[0].data + off + IPV6_LENGTH, len - off - IPV6_LEN);
}

/* If the header behind Ethernet and tags is PPPoE's. */
static void rewrite_pppoe(const struct packet_frame *out, uint32_t off, uint32_t len)
{
	uint8_t *pppoe = out->segs[0].data + off;

	if (load_be16(pppoe - ETHERTYPE_LEN) == ETHERTYPE_PPPOE_SESSION)
		store_be16(pppoe + PPPOE_LENGTH, len - off - PPPOE_LEN);
}

/* Of the pseudo-header: addresses, protocol, length. */
static uint64_t pseudo_header_sum(const struct packet_frame *out, const struct packet_headers *h,
				  uint32_t tcp_len)
{
	uint32_t addrs = h->flow_l3 == PACKET_L3_IPV4 ? IPV4_SRC : IPV6_SRC;

	return packet_sum(out, h->flow_offset + addrs, 2 * h->addr_len) + htons(IPPROTO_TCP) +
	       htons((uint16_t)tcp_len);
}

static void rewrite_tcp(const struct packet_frame *out, const struct packet_headers *h,
			const struct packet_cut *cut, uint32_t i, bool whole)
{
	uint8_t *tcp = out->segs[0].data + h->transport_offset;
	uint32_t tcp_len = packet_cut_len(cut, i) - h->transport_offset;

	store_be32(tcp + TCP_SEQUENCE, load_be32(tcp + TCP_SEQUENCE) + i * cut->gso_size);
	if (i > 0)
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
	if (i + 1 < cut->segs)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
	memset(tcp + TCP_CHECK, 0, 2);
	if (whole)
		store_sum(tcp + TCP_CHECK, pseudo_header_sum(out, h, tcp_len) +
						   packet_sum(out, h->transport_offset, tcp_len));
}

uint32_t packet_cut_write(const struct packet_frame *f, const struct packet_headers *h,
			  const struct packet_cut *cut, uint32_t i, const struct packet_frame *out)
{
	const uint32_t len = packet_cut_len(cut, i);
	struct sink to = {.seg = out->segs, .end = out->segs + out->n_segs};

	copy_range(f, 0, cut->header, &to);
	if (to.written == cut->header)
		copy_range(f, cut->header + i * cut->gso_size, len - cut->header, &to);
	if (cut->segs == 1)
		return to.written;

	rewrite_pppoe(out, h->link_len, len);
	if (h->flow_offset != h->network_offset)
		rewrite_ip(out, h->l3, h->network_offset, len, i);
	rewrite_ip(out, h->flow_l3, h->flow_offset, len, i);
	/* Parsing has read the IP headers, but the capture may end within TCP's. */
	if (to.written >= (uint32_t)h->transport_offset + TCP_LEN)
		rewrite_tcp(out, h, cut, i, to.written == len);
	return to.written;
}

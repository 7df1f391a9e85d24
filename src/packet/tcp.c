/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the bytes of IP and TCP headers to the record that the ACK filter compares.
 *
 * What makes an acknowledgement "pure" follows Linux: flags, options, and no payload by the
 * lengths in the headers, since a short frame is padded. What depends on the packet it is
 * compared with is cake/ackfilter.c's.
 */
#include "packet/tcp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "packet/bytes.h"

#define IPV4_LEN      20
#define IPV4_FRAGMENT 0x3fff /* more fragments, or an offset */
#define IPV6_LEN      40
#define TCP_LEN       20

/* Reserved bits and flags, as bytes 12 and 13 of the header in one number. */
#define FLAGS_ALL 0x0fff
#define FLAG_CWR  0x80
#define FLAG_ECE  0x40

#define OPTION_MD5     19
#define SACK_BASE_LEN  2 /* kind and length; blocks follow */
#define SACK_BLOCK_LEN 8

/* Where TCP lies, and how long IP says that it is with its payload. */
struct tcp_place {
	uint32_t offset;
	int32_t len; /* may be negative where IP's length is nonsense */
};

static bool find_in_ipv6(const struct packet_frame *f, uint32_t off, struct cake_tcp *out,
			 struct tcp_place *place)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV6_LEN, scratch);

	if (!p || p[0] >> 4 != 6 || p[6] != IPPROTO_TCP)
		return false;
	out->version = 6;
	memcpy(out->src, p + 8, 16);
	memcpy(out->dst, p + 24, 16);
	*place = (struct tcp_place){.offset = off + IPV6_LEN, .len = load_be16(p + 4)};
	return true;
}

static bool find_in_ipv4(const struct packet_frame *f, uint32_t off, enum packet_depth depth,
			 struct cake_tcp *out, struct tcp_place *place)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV4_LEN, scratch);
	uint32_t header = p ? (p[0] & 15) * 4 : 0;

	if (header < IPV4_LEN || p[0] >> 4 != 4)
		return false;
	if (load_be16(p + 6) & IPV4_FRAGMENT && depth != PACKET_DEPTH_LINUX)
		return false;
	if (p[9] == IPPROTO_IPV6)
		return find_in_ipv6(f, off + header, out, place);
	if (p[9] != IPPROTO_TCP)
		return false;
	out->version = 4;
	memcpy(out->src, p + 12, 4);
	memcpy(out->dst, p + 16, 4);
	*place = (struct tcp_place){.offset = off + header,
				    .len = (int32_t)(load_be16(p + 2) - header)};
	return true;
}

static void read_sack(struct cake_tcp *out, const uint8_t *block, unsigned len)
{
	for (; len >= SACK_BLOCK_LEN; len -= SACK_BLOCK_LEN, block += SACK_BLOCK_LEN)
		out->sack[out->sacks++] =
			(struct cake_sack){.start = load_be32(block), .end = load_be32(block + 4)};
}

/* Which options have been seen: of several of a kind the first one counts. */
struct options_seen {
	bool sack, timestamp;
};

/*
 * One option, @len bytes with kind and length. Returns whether a pure acknowledgement may carry
 * it: nothing that might mean something to the receiver, nor a second timestamp.
 */
static bool read_option(struct cake_tcp *out, struct options_seen *seen, const uint8_t *p,
			unsigned len)
{
	bool first;

	switch (p[0]) {
	case OPTION_MD5:
		return true;
	case TCPOPT_SACK:
		if (!seen->sack)
			read_sack(out, p + SACK_BASE_LEN, len - SACK_BASE_LEN);
		seen->sack = true;
		return len % SACK_BLOCK_LEN == SACK_BASE_LEN;
	case TCPOPT_TIMESTAMP:
		first = !seen->timestamp;
		seen->timestamp = true;
		if (!first || len != TCPOLEN_TIMESTAMP)
			return false;
		out->timestamp = true;
		out->tsval = load_be32(p + 2);
		out->tsecr = load_be32(p + 6);
		return true;
	default:
		return false;
	}
}

/* Returns whether a pure acknowledgement may carry them all. One that cannot be right, as of
 * length 1 or longer than the header, ends the list. */
static bool read_options(struct cake_tcp *out, const uint8_t *p, unsigned left)
{
	struct options_seen seen = {0};
	bool pure = true;
	unsigned len;

	for (; left && p[0] != TCPOPT_EOL; p += len, left -= len) {
		len = 1;
		if (p[0] == TCPOPT_NOP)
			continue;
		if (left < 2 || p[1] < 2 || p[1] > left)
			break;
		len = p[1];
		pure &= read_option(out, &seen, p, len);
	}
	return pure;
}

/* The fixed header, and how long all of it is; 0 if it is not there. */
static uint32_t read_fixed(const struct packet_frame *f, uint32_t off, struct cake_tcp *out)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, TCP_LEN, scratch);
	uint16_t flags;

	if (!p)
		return 0;
	flags = load_be16(p + 12) & FLAGS_ALL;
	out->sport = load_be16(p);
	out->dport = load_be16(p + 2);
	out->ack = load_be32(p + 8);
	out->ecn_flags = flags & (FLAG_CWR | FLAG_ECE);
	out->supersedes = (flags & (TH_ACK | TH_SYN)) == TH_ACK;
	out->pure = (flags & ~(FLAG_CWR | FLAG_ECE)) == TH_ACK;
	return (p[12] >> 4) * 4;
}

bool packet_read_tcp(const struct packet_frame *f, const struct packet_headers *h,
		     enum packet_depth depth, struct cake_tcp *out)
{
	uint8_t scratch[FRAME_READ_MAX];
	struct tcp_place place;
	const uint8_t *options;
	uint32_t header;

	*out = (struct cake_tcp){0};
	if (h->l3 == PACKET_L3_IPV4 && !find_in_ipv4(f, h->network_offset, depth, out, &place))
		return false;
	if (h->l3 == PACKET_L3_IPV6 && !find_in_ipv6(f, h->network_offset, out, &place))
		return false;
	if (!out->version)
		return false;
	header = read_fixed(f, place.offset, out);
	if (header < TCP_LEN)
		return false;
	options = frame_read(f, place.offset + TCP_LEN, header - TCP_LEN, scratch);
	if (!options)
		return false;
	out->pure &= read_options(out, options, header - TCP_LEN);
	out->pure &= place.len == (int32_t)header;
	return true;
}

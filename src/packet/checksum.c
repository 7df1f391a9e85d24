/* SPDX-License-Identifier: BSD-3-Clause */
/* See checksum.h. */
#include "packet/checksum.h"

#include <netinet/in.h>
#include <string.h>

#include "packet/bytes.h"

#define IPV4_LEN 20 /* without options */
#define IPV6_LEN 40

/*
 * Words of 32 bits are summed: the carries go to the upper half of the sum and come back when it is
 * folded. The order of bytes in a word does not matter as long as it is the same for all of them
 * and the result is written as it was read (RFC 1071, section 2).
 */
static uint64_t sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += word;
	}
	word = 0;
	memcpy(&word, p, n);
	return sum + word;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint64_t packet_sum(const struct packet_frame *f, uint32_t off, uint32_t n)
{
	uint64_t sum = 0;
	bool odd = false;

	for (uint32_t s = 0; s < f->n_segs && n; s++) {
		const struct packet_segment *seg = &f->segs[s];
		uint32_t here;
		uint64_t part;

		if (off >= seg->len) {
			off -= seg->len;
			continue;
		}
		here = seg->len - off < n ? seg->len - off : n;
		part = sum_bytes(seg->data + off, here);
		/* Behind an odd number of bytes first and second halves have changed places. */
		sum += odd ? __builtin_bswap16(fold(part)) : part;
		odd ^= here & 1;
		n -= here;
		off = 0;
	}
	return sum;
}

uint16_t packet_sum_finish(uint64_t sum)
{
	return (uint16_t)~fold(sum);
}

/* A transport packet, and what its pseudo-header is made of. */
struct transport {
	uint32_t off, len;
	uint32_t addrs_off, addrs_len; /* both addresses, in the IP header */
	uint8_t proto;
};

/* Returns whether there is a header that says so. */
static bool find_in_ipv4(const struct packet_frame *f, uint32_t off, struct transport *t)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV4_LEN, scratch);
	uint32_t header = p ? (p[0] & 15) * 4 : 0;

	if (header < IPV4_LEN || load_be16(p + 2) < header)
		return false;
	*t = (struct transport){
		.off = off + header,
		.len = load_be16(p + 2) - header,
		.addrs_off = off + 12,
		.addrs_len = 8,
		.proto = p[9],
	};
	return true;
}

static bool find_in_ipv6(const struct packet_frame *f, uint32_t off, struct transport *t)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read(f, off, IPV6_LEN, scratch);

	if (!p)
		return false;
	*t = (struct transport){
		.off = off + IPV6_LEN,
		.len = load_be16(p + 4),
		.addrs_off = off + 8,
		.addrs_len = 32,
		.proto = p[6],
	};
	while (t->proto == IPPROTO_HOPOPTS || t->proto == IPPROTO_ROUTING ||
	       t->proto == IPPROTO_DSTOPTS) {
		uint32_t header;

		p = frame_read(f, t->off, 2, scratch);
		header = p ? (p[1] + 1u) * 8 : 0;
		if (!header || header > t->len)
			return false;
		t->proto = p[0];
		t->off += header;
		t->len -= header;
	}
	return true;
}

/* Returns the offset of the checksum in its header, 0 = there is none to compute. */
static uint32_t checksum_offset(const struct packet_frame *f, const struct transport *t)
{
	uint32_t present = 0, off;

	for (uint32_t i = 0; i < f->n_segs; i++)
		present += f->segs[i].len;
	off = t->proto == IPPROTO_TCP ? 16 : t->proto == IPPROTO_UDP ? 6 : 0;
	return t->len >= off + 2 && t->off + t->len <= present ? off : 0;
}

/* Returns whether there is a TCP or UDP packet; @at is where its checksum is. */
static bool find_checksum(const struct packet_frame *f, enum packet_l3 l3, uint32_t network_offset,
			  struct transport *t, uint32_t *at)
{
	uint32_t off;

	if (!(l3 == PACKET_L3_IPV4 && find_in_ipv4(f, network_offset, t)) &&
	    !(l3 == PACKET_L3_IPV6 && find_in_ipv6(f, network_offset, t)))
		return false;
	off = checksum_offset(f, t);
	*at = t->off + off;
	return off;
}

/* Two bytes as they lie in a register, which may lie in different segments. */
static void write_checksum(const struct packet_frame *f, uint32_t at, uint16_t check)
{
	uint8_t bytes[2];

	memcpy(bytes, &check, sizeof(bytes));
	*frame_byte(f, at) = bytes[0];
	*frame_byte(f, at + 1) = bytes[1];
}

static uint64_t pseudo_header_sum(const struct packet_frame *f, const struct transport *t)
{
	return packet_sum(f, t->addrs_off, t->addrs_len) + htons(t->proto) +
	       htons((uint16_t)t->len);
}

bool packet_complete_checksum(const struct packet_frame *f, enum packet_l3 l3,
			      uint32_t network_offset)
{
	struct transport t;
	uint16_t check;
	uint32_t at;

	if (!find_checksum(f, l3, network_offset, &t, &at))
		return false;
	write_checksum(f, at, 0);
	check = packet_sum_finish(packet_sum(f, t.off, t.len) + pseudo_header_sum(f, &t));
	/* In UDP 0 means that there is none (RFC 768). */
	if (!check && t.proto == IPPROTO_UDP)
		check = 0xffff;
	write_checksum(f, at, check);
	return true;
}

bool packet_prepare_checksum(const struct packet_frame *f, enum packet_l3 l3,
			     uint32_t network_offset)
{
	struct transport t;
	uint32_t at;

	if (!find_checksum(f, l3, network_offset, &t, &at))
		return false;
	write_checksum(f, at, (uint16_t)~packet_sum_finish(pseudo_header_sum(f, &t)));
	return true;
}

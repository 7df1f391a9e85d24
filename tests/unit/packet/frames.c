/* SPDX-License-Identifier: BSD-3-Clause */
/* See frames.h. */
#include "frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void put_bytes(struct built_frame *b, const void *bytes, uint32_t n)
{
	assert_true(b->size + n <= FRAME_BYTES_MAX);
	memcpy(b->bytes + b->size, bytes, n);
	b->size += n;
}

void put_zeros(struct built_frame *b, uint32_t n)
{
	assert_true(b->size + n <= FRAME_BYTES_MAX);
	memset(b->bytes + b->size, 0, n);
	b->size += n;
}

void put_be16(struct built_frame *b, uint16_t v)
{
	put_bytes(b, (uint8_t[]){v >> 8, v & 0xff}, 2);
}

void put_be32(struct built_frame *b, uint32_t v)
{
	put_be16(b, v >> 16);
	put_be16(b, v & 0xffff);
}

void put_ethernet(struct built_frame *b, uint16_t ethertype)
{
	put_bytes(b, (uint8_t[]){0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01}, 12);
	put_be16(b, ethertype);
}

void put_tag(struct built_frame *b, uint16_t tci, uint16_t ethertype)
{
	put_be16(b, tci);
	put_be16(b, ethertype);
}

/* Session 0x1234; the length is not looked at. */
void put_pppoe(struct built_frame *b, uint16_t protocol)
{
	put_bytes(b, (uint8_t[]){0x11, 0x00, 0x12, 0x34, 0, 0}, 6);
	put_be16(b, protocol);
}

/* Traffic class 0, TTL 64. */
void put_label(struct built_frame *b, uint32_t label, bool bottom)
{
	put_be32(b, label << 12 | (uint32_t)bottom << 8 | 64);
}

static void note_ip(struct built_frame *b)
{
	assert_true(b->n_ips < sizeof(b->ips) / sizeof(b->ips[0]));
	b->ips[b->n_ips++] = b->size;
}

void put_ipv4(struct built_frame *b, uint8_t host, uint8_t proto)
{
	note_ip(b);
	put_bytes(b, (uint8_t[]){0x45, 0, 0, 0, 0, 0, 0, 0, 64, proto, 0, 0}, 12);
	put_bytes(b, (uint8_t[]){10, 0, 0, host, 10, 1, 0, host}, 8);
}

void put_ipv6(struct built_frame *b, uint8_t host, uint8_t next)
{
	note_ip(b);
	put_bytes(b, (uint8_t[]){0x60, 0, 0, 0, 0, 0, next, 255}, 8);
	put_bytes(b, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0}, 8);
	put_bytes(b, (uint8_t[]){0, 0, 0, 0, 0, 0, 0, host}, 8);
	put_bytes(b, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 0}, 8);
	put_bytes(b, (uint8_t[]){0, 0, 0, 0, 0, 0, 0, host}, 8);
}

void put_extension(struct built_frame *b, uint8_t next, unsigned words)
{
	put_bytes(b, (uint8_t[]){next, words - 1}, 2);
	put_zeros(b, 8 * words - 2);
}

void put_ah(struct built_frame *b, uint8_t next, unsigned icv)
{
	put_bytes(b, (uint8_t[]){next, (12 + icv) / 4 - 2}, 2);
	put_zeros(b, 10 + icv);
}

void put_fragment6(struct built_frame *b, uint8_t next, uint16_t offset, bool more)
{
	put_bytes(b, (uint8_t[]){next, 0}, 2);
	put_be16(b, offset << 3 | more);
	put_be32(b, 0xabcdef01);
}

void put_udp(struct built_frame *b, uint16_t sport, uint16_t dport)
{
	put_be16(b, sport);
	put_be16(b, dport);
	put_zeros(b, 4);
}

/* ACK; five words. */
void put_tcp(struct built_frame *b, uint16_t sport, uint16_t dport)
{
	put_be16(b, sport);
	put_be16(b, dport);
	put_zeros(b, 8);
	put_be16(b, 0x5010);
	put_zeros(b, 6);
}

void put_gre(struct built_frame *b, uint16_t flags, uint16_t protocol)
{
	put_be16(b, flags);
	put_be16(b, protocol);
}

void put_vxlan(struct built_frame *b)
{
	put_bytes(b, (uint8_t[]){0x08, 0, 0, 0, 0, 0, 42, 0}, 8);
}

void write_ds(uint8_t *ip, uint8_t ds)
{
	if (ip[0] >> 4 == 4) {
		ip[1] = ds;
		return;
	}
	ip[0] = 0x60 | ds >> 4;
	ip[1] = (uint8_t)(ds << 4) | (ip[1] & 0x0f);
}

void set_ds(struct built_frame *b, uint8_t ds)
{
	write_ds(b->bytes + b->ips[0], ds);
}

void write_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	ip[10] = ip[11] = 0;
	for (unsigned i = 0; i < 4u * (ip[0] & 15); i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	ip[10] = (uint8_t)(~sum >> 8);
	ip[11] = (uint8_t)~sum;
}

void frame_finish(struct built_frame *b)
{
	for (unsigned i = 0; i < b->n_ips; i++) {
		uint8_t *ip = b->bytes + b->ips[i];
		uint32_t len = b->size - b->ips[i];

		if (ip[0] >> 4 == 4) {
			ip[2] = len >> 8;
			ip[3] = len & 0xff;
			write_checksum(ip);
			continue;
		}
		ip[4] = (len - 40) >> 8;
		ip[5] = (len - 40) & 0xff;
	}
}

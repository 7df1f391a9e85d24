/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short way of packet_parse(), for plain frames, against the general one, which a frame takes
 * whose first segment ends within its Ethernet header: both read the same of any frame.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"
#include "packet/parse.h"
#include "samples.h"

static void build(struct built_frame *b, bool ipv6, uint8_t proto)
{
	*b = (struct built_frame){.size = 0};
	put_ethernet(b, ipv6 ? 0x86dd : 0x0800);
	if (ipv6)
		put_ipv6(b, 1, proto);
	else
		put_ipv4(b, 1, proto);
	if (proto == IPPROTO_TCP)
		put_tcp(b, 1024, 5001);
	else
		put_udp(b, 1024, 5001);
	put_vxlan(b); /* what it would be if the port were that */
	put_zeros(b, 10);
	frame_finish(b);
}

/* @bytes, of which @size are present, of a frame of @len; the first segment has @first. */
static struct packet_headers parse(enum packet_depth depth, uint8_t *bytes, uint32_t size,
				   uint32_t len, uint32_t first)
{
	const struct packet_segment segs[] = {{bytes, first}, {bytes + first, size - first}};
	const struct packet_frame frame = {.segs = segs, .n_segs = 2, .len = len};
	struct packet_headers h;

	memset(&h, 0, sizeof(h)); /* what lies between its fields */
	packet_parse(&frame, depth, &h);
	return h;
}

static void expect_same(uint8_t *bytes, uint32_t size, uint32_t len)
{
	for (enum packet_depth depth = PACKET_DEPTH_LINUX; depth <= PACKET_DEPTH_FULL; depth++) {
		struct packet_headers plain = parse(depth, bytes, size, len, size);
		struct packet_headers general =
			parse(depth, bytes, size, len, size < 13 ? size : 13);

		assert_memory_equal(&plain, &general, sizeof(plain));
		packet_parse_piece(bytes, size, len, depth, &plain);
		assert_memory_equal(&plain, &general, sizeof(plain));
	}
}

static void for_each_frame(void (*check)(struct built_frame *b))
{
	for (unsigned i = 0; i < 4; i++) {
		struct built_frame b;

		build(&b, i & 1, i & 2 ? IPPROTO_TCP : IPPROTO_UDP);
		check(&b);
	}
}

static void change_every_byte(struct built_frame *b)
{
	for (uint32_t at = 0; at < b->size; at++) {
		const uint8_t was = b->bytes[at];

		for (unsigned v = 0; v < 256; v++) {
			b->bytes[at] = (uint8_t)v;
			expect_same(b->bytes, b->size, b->size);
		}
		b->bytes[at] = was;
	}
}

static void any_byte_changed_reads_the_same(void **state)
{
	(void)state;
	for_each_frame(change_every_byte);
}

/* Two bytes at once: lengths and ports. */
static void change_every_word(struct built_frame *b)
{
	for (uint32_t at = 12; at + 2 <= b->size; at += 2) {
		uint8_t was[2];

		memcpy(was, &b->bytes[at], 2);
		for (unsigned v = 0; v < 65536; v++) {
			b->bytes[at] = (uint8_t)(v >> 8);
			b->bytes[at + 1] = (uint8_t)v;
			expect_same(b->bytes, b->size, b->size);
		}
		memcpy(&b->bytes[at], was, 2);
	}
}

static void any_word_changed_reads_the_same(void **state)
{
	(void)state;
	for_each_frame(change_every_word);
}

/* Bytes present, and bytes on the wire, each more and less than the headers say. */
static void cut_anywhere(struct built_frame *b)
{
	for (uint32_t size = 0; size <= b->size; size++)
		for (uint32_t len = 0; len <= b->size + 2; len++)
			expect_same(b->bytes, size, len);
}

static void any_length_reads_the_same(void **state)
{
	(void)state;
	for_each_frame(cut_anywhere);
}

/* A sanitizer sees that the short way reads no byte that is not there. */
static void cut_copies(struct built_frame *b)
{
	for (uint32_t size = 0; size <= b->size; size++) {
		struct frame_copy copy = frame_copy(b->bytes, size, size, 1);
		struct packet_headers h;

		copy.frame.len = b->size;
		packet_parse(&copy.frame, PACKET_DEPTH_FULL, &h);
		assert_int_equal(h.unclassified == PACKET_CLASSIFIED, h.transport_offset != 0);
		frame_copy_free(&copy);
	}
}

static void cut_frames_are_not_read_past(void **state)
{
	(void)state;
	for_each_frame(cut_copies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_byte_changed_reads_the_same),
		cmocka_unit_test(any_word_changed_reads_the_same),
		cmocka_unit_test(any_length_reads_the_same),
		cmocka_unit_test(cut_frames_are_not_read_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How super-packets are cut, and the bytes of what they are cut into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "packet/parse.h"
#include "packet/segment.h"
#include "samples.h"

#define HEADER 66 /* of SAMPLE_TCP4: 14 Ethernet, 20 IPv4, 32 TCP */

static struct packet_headers headers_of(enum sample_id id)
{
	struct frame_copy copy = frame_copy(samples[id].bytes, samples[id].size, 0, 64);
	struct packet_headers h;

	packet_parse(&copy.frame, PACKET_DEPTH_FULL, &h);
	frame_copy_free(&copy);
	return h;
}

static void expect_whole(enum sample_id id, uint32_t len, uint32_t gso_size)
{
	struct packet_headers h = headers_of(id);
	struct packet_cut cut = packet_cut_plan(&h, len, gso_size);

	assert_int_equal(cut.segs, 1);
	assert_int_equal(packet_cut_len(&cut, 0), len);
}

/* A frame of the golden captures: 2,862 - 66 = 2,796 = 1,448 + 1,348 bytes of payload. */
static void known_super_packet_is_cut_as_the_golden_table_has_it(void **state)
{
	struct packet_headers h = headers_of(SAMPLE_TCP4);
	struct packet_cut cut = packet_cut_plan(&h, 2862, 1448);

	(void)state;
	assert_int_equal(cut.segs, 2);
	assert_int_equal(packet_cut_len(&cut, 0), 1514);
	assert_int_equal(packet_cut_len(&cut, 1), 1414);
}

static void payload_of_one_segment_is_not_cut(void **state)
{
	struct packet_headers h = headers_of(SAMPLE_TCP4);
	struct packet_cut cut;

	(void)state;
	expect_whole(SAMPLE_TCP4, HEADER, 1448);
	expect_whole(SAMPLE_TCP4, HEADER + 1448, 1448);
	cut = packet_cut_plan(&h, HEADER + 1449, 1448);
	assert_int_equal(cut.segs, 2);
	assert_int_equal(packet_cut_len(&cut, 1), HEADER + 1);
}

static void lengths_add_up_to_the_payload_and_the_headers(void **state)
{
	struct packet_headers h = headers_of(SAMPLE_TCP4);

	(void)state;
	for (uint32_t payload = 1; payload <= 65535; payload++) {
		uint32_t len = HEADER + payload, sum = 0;
		struct packet_cut cut = packet_cut_plan(&h, len, 1448);

		for (uint32_t i = 0; i < cut.segs; i++) {
			uint32_t l = packet_cut_len(&cut, i);

			assert_true(l > HEADER && l <= HEADER + 1448);
			sum += l - HEADER;
		}
		assert_int_equal(sum, payload);
	}
}

static void only_tcp_is_cut(void **state)
{
	(void)state;
	expect_whole(SAMPLE_UDP4, 9000, 1448);
	expect_whole(SAMPLE_ICMP4, 9000, 1448);
	expect_whole(SAMPLE_FRAGMENT4_FIRST, 9000, 1448);
	expect_whole(SAMPLE_ARP, 9000, 1448);
}

static void a_flow_label_does_not_hide_tcp(void **state)
{
	struct packet_headers h = headers_of(SAMPLE_TCP6_LABEL);
	struct packet_cut cut = packet_cut_plan(&h, 9000, 1448);

	(void)state;
	/* 9,000 - 74 = 8,926 bytes of payload = 6 * 1,448 + 238 */
	assert_int_equal(cut.segs, 7);
	assert_int_equal(packet_cut_len(&cut, 6), 74 + 238);
}

static void without_a_size_nothing_is_cut(void **state)
{
	(void)state;
	expect_whole(SAMPLE_TCP4, 65535, 0);
}

/* Captures and runts may be shorter than their own headers say. */
static void a_frame_shorter_than_its_headers_is_not_cut(void **state)
{
	(void)state;
	expect_whole(SAMPLE_TCP4, HEADER - 1, 1);
}

/* The bytes. A super-packet is a sample's headers with FIN, PSH, CWR and ACK set and a payload
 * that says where it is. */

#define SUPER_MAX 70000
#define SEG_MAX   10000
#define TCP_FLAGS 13
#define FLAGS     0x99 /* CWR, ACK, PSH, FIN */

struct super {
	uint8_t bytes[SUPER_MAX];
	uint32_t len;
	struct packet_headers headers;
};

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static void make_super(struct super *s, enum sample_id id, uint32_t payload)
{
	const struct packet_headers *h = &samples[id].headers;
	struct packet_segment seg = {.data = s->bytes};
	struct packet_frame f = {.segs = &seg, .n_segs = 1};

	memcpy(s->bytes, samples[id].bytes, h->payload_offset);
	s->bytes[h->transport_offset + TCP_FLAGS] = FLAGS;
	memcpy(s->bytes + h->transport_offset + 4, "\xff\xff\xfc\x00", 4); /* wraps soon */
	for (uint32_t i = 0; i < payload; i++)
		s->bytes[h->payload_offset + i] = (uint8_t)(i * 31 + (i >> 8));
	s->len = h->payload_offset + payload;
	seg.len = f.len = s->len;
	packet_parse(&f, PACKET_DEPTH_FULL, &s->headers);
	assert_int_equal(s->headers.payload_offset, h->payload_offset);
}

/* Slow and plain: RFC 1071 over big-endian words. */
static uint32_t slow_sum(uint32_t sum, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sum += i & 1 ? p[i] : p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static void assert_checksums(const uint8_t *frame, const struct packet_headers *h, uint32_t len)
{
	uint32_t tcp_len = len - h->transport_offset;
	uint32_t sum = 6 + tcp_len;

	if (h->l3 == PACKET_L3_IPV4)
		assert_int_equal(
			slow_sum(0, frame + h->network_offset, (frame[h->network_offset] & 15) * 4),
			0xffff);
	sum = slow_sum(sum, h->src, h->addr_len);
	sum = slow_sum(sum, h->dst, h->addr_len);
	assert_int_equal(slow_sum(sum, frame + h->transport_offset, tcp_len), 0xffff);
}

/* Everything about segment @i but for the payload. */
static void assert_headers(const struct super *s, const uint8_t *seg, const struct packet_cut *cut,
			   uint32_t i)
{
	const struct packet_headers *h = &s->headers;
	const uint8_t *tcp = seg + h->transport_offset, *was = s->bytes + h->transport_offset;
	uint32_t len = packet_cut_len(cut, i);
	uint8_t flags = FLAGS;

	if (h->l3 == PACKET_L3_IPV4) {
		assert_int_equal(be16(seg + h->network_offset + 2), len - h->network_offset);
		assert_int_equal(be16(seg + h->network_offset + 4),
				 (uint16_t)(be16(s->bytes + h->network_offset + 4) + i));
	}
	if (h->flow_l3 == PACKET_L3_IPV6)
		assert_int_equal(be16(seg + h->flow_offset + 4), len - h->flow_offset - 40);
	assert_int_equal(be32(tcp + 4), (uint32_t)(be32(was + 4) + i * cut->gso_size));
	if (i + 1 < cut->segs)
		flags &= (uint8_t)~0x09; /* PSH, FIN */
	if (i)
		flags &= (uint8_t)~0x80; /* CWR */
	assert_int_equal(tcp[TCP_FLAGS], flags);
	/* the rest is repeated */
	assert_memory_equal(seg, s->bytes, h->network_offset);
	assert_memory_equal(tcp, was, 4);
	assert_memory_equal(tcp + 8, was + 8, 5);
	assert_memory_equal(tcp + 18, was + 18, cut->header - h->transport_offset - 18);
	assert_checksums(seg, h, len);
}

/* Cut @s, which lies in segments of @in bytes, into frames that lie in segments of @out. */
static void check_cut(const struct super *s, uint32_t gso_size, uint32_t in, uint32_t out)
{
	struct packet_cut cut = packet_cut_plan(&s->headers, s->len, gso_size);
	struct frame_copy from = frame_copy(s->bytes, s->len, in, in);
	static const uint8_t blank[SEG_MAX];

	assert_true(cut.segs > 1);
	for (uint32_t i = 0; i < cut.segs; i++) {
		uint32_t len = packet_cut_len(&cut, i), at = 0;
		struct frame_copy to = frame_copy(blank, len, out > len ? len : out, out);
		uint8_t seg[SEG_MAX];

		assert_int_equal(packet_cut_write(&from.frame, &s->headers, &cut, i, &to.frame),
				 len);
		for (uint32_t k = 0; k < to.frame.n_segs; k++) {
			memcpy(seg + at, to.segs[k].data, to.segs[k].len);
			at += to.segs[k].len;
		}
		assert_int_equal(at, len);
		assert_headers(s, seg, &cut, i);
		assert_memory_equal(seg + cut.header, s->bytes + cut.header + i * gso_size,
				    len - cut.header);
		frame_copy_free(&to);
	}
	frame_copy_free(&from);
}

static void every_segment_is_a_right_frame(void **state)
{
	static const enum sample_id ids[] = {SAMPLE_TCP4, SAMPLE_TCP4_OPTIONS, SAMPLE_TCP6_LABEL,
					     SAMPLE_6IN4};
	static struct super s;

	(void)state;
	for (unsigned k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
		make_super(&s, ids[k], 4345);
		check_cut(&s, 1448, SUPER_MAX, SEG_MAX);
		check_cut(&s, 1447, 2048, SEG_MAX);
		check_cut(&s, 1, 61, SEG_MAX);
		make_super(&s, ids[k], 65000);
		check_cut(&s, 8948, 2048, 2048);
		check_cut(&s, 536, 2047, 99);
	}
}

/* A tag in front of a sample. */
static void tags_are_repeated(void **state)
{
	static struct super s;
	struct packet_segment seg = {.data = s.bytes};
	struct packet_frame f = {.segs = &seg, .n_segs = 1};

	(void)state;
	make_super(&s, SAMPLE_TCP4, 5000);
	memmove(s.bytes + 16, s.bytes + 12, s.len - 12);
	memcpy(s.bytes + 12, "\x81\x00\x20\x05", 4);
	s.len += 4;
	seg.len = f.len = s.len;
	packet_parse(&f, PACKET_DEPTH_FULL, &s.headers);
	check_cut(&s, 1448, SUPER_MAX, SEG_MAX);
}

/* As tags_are_repeated(), with PPPoE's header, whose length is the segment's, too. */
static void pppoe_s_length_is_the_segment_s(void **state)
{
	static struct super s;
	struct packet_cut cut;
	uint8_t seg[SEG_MAX];
	struct packet_segment in = {.data = s.bytes}, room = {.data = seg, .len = sizeof(seg)};
	struct packet_frame f = {.segs = &in, .n_segs = 1}, out = {.segs = &room, .n_segs = 1};

	(void)state;
	make_super(&s, SAMPLE_TCP4, 2000);
	memmove(s.bytes + 22, s.bytes + 14, s.len - 14);
	memcpy(s.bytes + 12, "\x88\x64\x11\x00\x00\x07\xff\xff\x00\x21", 10);
	s.len += 8;
	in.len = f.len = s.len;
	s.headers.network_offset += 8;
	s.headers.flow_offset += 8;
	s.headers.transport_offset += 8;
	s.headers.payload_offset += 8;
	cut = packet_cut_plan(&s.headers, s.len, 1448);
	/* PPP's protocol number, 20 + 32 bytes of headers, payload */
	assert_int_equal(packet_cut_write(&f, &s.headers, &cut, 0, &out), 1522);
	assert_int_equal(be16(seg + 18), 2 + 52 + 1448);
	assert_checksums(seg, &s.headers, 1522);
	assert_int_equal(packet_cut_write(&f, &s.headers, &cut, 1, &out), 22 + 52 + 552);
	assert_int_equal(be16(seg + 18), 2 + 52 + 552);
}

static void what_is_no_super_packet_is_copied(void **state)
{
	const struct sample *sample = &samples[SAMPLE_UDP6];
	struct frame_copy from = frame_copy(sample->bytes, sample->size, 20, 3);
	struct packet_cut cut = packet_cut_plan(&sample->headers, sample->size, 1448);
	uint8_t bytes[256];
	struct packet_segment room = {.data = bytes, .len = sizeof(bytes)};
	struct packet_frame out = {.segs = &room, .n_segs = 1};

	(void)state;
	assert_int_equal(packet_cut_write(&from.frame, &sample->headers, &cut, 0, &out),
			 sample->size);
	assert_memory_equal(bytes, sample->bytes, sample->size);
	frame_copy_free(&from);
}

/* As in a capture with a snap length: what is there is written, and nothing else is read. */
static void a_capture_cut_short_gives_what_it_has(void **state)
{
	static struct super s;
	struct packet_cut cut;

	(void)state;
	make_super(&s, SAMPLE_TCP4, 3 * 1448);
	cut = packet_cut_plan(&s.headers, s.len, 1448);
	assert_int_equal(cut.segs, 3);
	for (uint32_t size = s.headers.transport_offset + 13; size < 3000; size++) {
		struct frame_copy from = frame_copy(s.bytes, size, size, 1);
		uint32_t header = size < HEADER ? size : HEADER;
		uint8_t bytes[2000];
		struct packet_segment room = {.data = bytes, .len = sizeof(bytes)};
		struct packet_frame out = {.segs = &room, .n_segs = 1};
		uint32_t n[3];

		from.frame.len = s.len;
		for (uint32_t i = 0; i < 3; i++) {
			bool tcp_whole = header >= s.headers.transport_offset + 20u;

			n[i] = packet_cut_write(&from.frame, &s.headers, &cut, i, &out);
			assert_int_equal(be16(bytes + 16), 1514 - 14);
			if (tcp_whole && n[i] < 1514)
				assert_int_equal(be16(bytes + s.headers.transport_offset + 16), 0);
			if (tcp_whole)
				assert_int_equal(bytes[s.headers.transport_offset + TCP_FLAGS] & 1,
						 i == 2);
		}
		assert_int_equal(n[0], size < 1514 ? size : 1514);
		assert_int_equal(n[1], size <= 1514                  ? header
				       : header + size - 1514 > 1514 ? 1514
								     : header + size - 1514);
		assert_int_equal(n[2], size <= 1514 + 1448 ? header : header + size - 1514 - 1448);
		frame_copy_free(&from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_super_packet_is_cut_as_the_golden_table_has_it),
		cmocka_unit_test(payload_of_one_segment_is_not_cut),
		cmocka_unit_test(lengths_add_up_to_the_payload_and_the_headers),
		cmocka_unit_test(only_tcp_is_cut),
		cmocka_unit_test(a_flow_label_does_not_hide_tcp),
		cmocka_unit_test(without_a_size_nothing_is_cut),
		cmocka_unit_test(a_frame_shorter_than_its_headers_is_not_cut),
		cmocka_unit_test(every_segment_is_a_right_frame),
		cmocka_unit_test(tags_are_repeated),
		cmocka_unit_test(pppoe_s_length_is_the_segment_s),
		cmocka_unit_test(what_is_no_super_packet_is_copied),
		cmocka_unit_test(a_capture_cut_short_gives_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

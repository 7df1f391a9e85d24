/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet/tcp: the record that the ACK filter compares; frames are built here, since what counts is
 * one byte of them or another. RFC 9293 (TCP), RFC 2018 (SACK), RFC 7323 (timestamps).
 */
#include "packet/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "packet/parse.h"
#include "samples.h"

#define LONGEST 256
#define ACK     0x10
#define ECE     0x40
#define CWR     0x80

/* A frame from 10.0.0.1:1234 to 10.0.0.2:80 as it is put together. */
struct bytes {
	uint8_t b[LONGEST];
	uint32_t len; /* of headers and payload, without padding */
};

static void put_be16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void add_tcp(struct bytes *f, uint8_t flags, const uint8_t *options, uint32_t n)
{
	uint8_t *p = f->b + f->len;

	put_be16(p, 1234);
	put_be16(p + 2, 80);
	memcpy(p + 8, "\x01\x02\x03\x04", 4); /* acknowledgement number */
	p[12] = (uint8_t)((5 + n / 4) << 4);
	p[13] = flags;
	if (n)
		memcpy(p + 20, options, n);
	f->len += 20 + n;
}

static struct bytes ipv4(uint8_t flags, const uint8_t *options, uint32_t n, uint32_t payload)
{
	struct bytes f = {.len = 14};
	uint8_t *ip = f.b + 14;

	put_be16(f.b + 12, 0x0800);
	ip[0] = 0x45;
	put_be16(ip + 2, 20 + 20 + n + payload);
	ip[9] = 6;
	memcpy(ip + 12, "\x0a\x00\x00\x01\x0a\x00\x00\x02", 8);
	f.len += 20;
	add_tcp(&f, flags, options, n);
	f.len += payload;
	return f;
}

static void add_ipv6(struct bytes *f, uint8_t next)
{
	uint8_t *ip = f->b + f->len;

	ip[0] = 0x60;
	put_be16(ip + 4, 20);
	ip[6] = next;
	memcpy(ip + 8, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
	memcpy(ip + 24, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02", 16);
	f->len += 40;
}

/* The frame as it lies in memory: padded to 60 bytes, in segments of @first and then @rest. */
static bool read_split(const struct bytes *f, uint32_t size, uint32_t first, uint32_t rest,
		       enum packet_depth depth, struct cake_tcp *out)
{
	struct frame_copy copy = frame_copy(f->b, size, first, rest);
	struct packet_headers h;
	bool is_tcp;

	packet_parse(&copy.frame, depth, &h);
	is_tcp = packet_read_tcp(&copy.frame, &h, depth, out);
	frame_copy_free(&copy);
	return is_tcp;
}

static bool read_whole(const struct bytes *f, struct cake_tcp *out)
{
	uint32_t size = f->len < 60 ? 60 : f->len;

	return read_split(f, size, size, 1, PACKET_DEPTH_FULL, out);
}

static void every_field_is_read_however_the_frame_is_split(void **state)
{
	static const uint8_t options[] = {1, 1, 8, 10, 0, 0, 0, 5,  0, 0, 0, 6,  1, 1, 5, 18,
					  0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40};
	struct bytes f = ipv4(ACK | ECE, options, sizeof(options), 0);

	(void)state;
	for (uint32_t first = 0; first <= f.len; first++) {
		struct cake_tcp tcp;

		assert_true(read_split(&f, f.len, first, 7, PACKET_DEPTH_FULL, &tcp));
		assert_int_equal(tcp.version, 4);
		assert_memory_equal(tcp.src, "\x0a\x00\x00\x01\0\0\0\0\0\0\0\0\0\0\0", 16);
		assert_memory_equal(tcp.dst, "\x0a\x00\x00\x02\0\0\0\0\0\0\0\0\0\0\0", 16);
		assert_int_equal(tcp.sport, 1234);
		assert_int_equal(tcp.dport, 80);
		assert_int_equal(tcp.ack, 0x01020304);
		assert_true(tcp.timestamp);
		assert_int_equal(tcp.tsval, 5);
		assert_int_equal(tcp.tsecr, 6);
		assert_int_equal(tcp.ecn_flags, ECE);
		assert_int_equal(tcp.sacks, 2);
		assert_int_equal(tcp.sack[0].start, 10);
		assert_int_equal(tcp.sack[1].end, 40);
		assert_true(tcp.supersedes);
		assert_true(tcp.pure);
	}
}

static void a_header_that_is_not_all_there_is_no_tcp(void **state)
{
	static const uint8_t options[] = {1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6};
	struct bytes f = ipv4(ACK, options, sizeof(options), 0);
	struct cake_tcp tcp;

	(void)state;
	for (uint32_t size = 14; size < f.len; size++)
		assert_false(read_split(&f, size, size, 1, PACKET_DEPTH_FULL, &tcp));
	f.b[14 + 20 + 12] = 4 << 4; /* a header of 16 bytes */
	assert_false(read_whole(&f, &tcp));
}

static void flags_tell_what_is_pure_and_what_supersedes(void **state)
{
	(void)state;
	for (unsigned flags = 0; flags < 256; flags++) {
		struct bytes f = ipv4((uint8_t)flags, NULL, 0, 0);
		struct cake_tcp tcp;

		assert_true(read_whole(&f, &tcp));
		/* FIN, SYN, RST, PSH, URG: none may be set */
		assert_int_equal(tcp.pure, (flags & 0x3f) == ACK);
		assert_int_equal(tcp.supersedes, (flags & 0x12) == ACK);
		assert_int_equal(tcp.ecn_flags, flags & (ECE | CWR));
	}
	for (unsigned reserved = 1; reserved < 16; reserved++) {
		struct bytes f = ipv4(ACK, NULL, 0, 0);
		struct cake_tcp tcp;

		f.b[14 + 20 + 12] |= (uint8_t)reserved;
		assert_true(read_whole(&f, &tcp));
		assert_false(tcp.pure);
		assert_true(tcp.supersedes);
	}
}

static void one_byte_of_payload_is_seen_and_padding_is_none(void **state)
{
	struct cake_tcp tcp;
	struct bytes f = ipv4(ACK, NULL, 0, 0);

	(void)state;
	assert_true(read_whole(&f, &tcp)); /* 54 bytes and 6 of padding */
	assert_true(tcp.pure);
	f = ipv4(ACK, NULL, 0, 1);
	assert_true(read_whole(&f, &tcp)); /* 55 bytes, padded likewise */
	assert_false(tcp.pure);
	put_be16(f.b + 16, 39); /* an IP length that ends in the TCP header */
	assert_true(read_whole(&f, &tcp));
	assert_false(tcp.pure);
}

static void options_are_known_or_make_the_packet_worth_keeping(void **state)
{
	static const struct {
		uint8_t bytes[24];
		uint32_t n;
		bool pure;
		unsigned sacks;
		bool timestamp;
	} lists[] = {
		{{1, 1, 1, 1}, 4, true, 0, false},
		{{0, 3, 4, 4}, 4, true, 0, false}, /* behind the end nothing counts */
		{{19, 18}, 20, true, 0, false},    /* MD5; then an end */
		{{5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1}, 12, true, 1, false},
		{{5, 2, 1, 1}, 4, true, 0, false},
		{{5, 11, 0, 0, 0, 1, 0, 0, 0, 2, 9, 1}, 12, false, 1, false}, /* 11 % 8 is 3 */
		/* the first SACK counts, empty as it is */
		{{5, 2, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2}, 12, true, 0, false},
		{{8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1}, 12, true, 0, true},
		{{8, 9, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1}, 12, false, 0, false},
		{{8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 8, 10, 0, 0, 0, 3, 0, 0, 0, 4},
		 20,
		 false,
		 0,
		 true},
		/* of length 0, 1, or longer than the header: the list ends */
		{{8, 1, 254, 2}, 4, true, 0, false},
		{{8, 0, 254, 2}, 4, true, 0, false},
		{{8, 10, 0, 0}, 4, true, 0, false},
		{{254, 5, 0, 0}, 4, true, 0, false},
		{{1, 1, 1, 254}, 4, true, 0, false}, /* a kind without a length */
		/* window scale, MSS, SACK permitted, fast open, unknown */
		{{3, 3, 7, 0}, 4, false, 0, false},
		{{2, 4, 5, 180}, 4, false, 0, false},
		{{4, 2, 1, 1}, 4, false, 0, false},
		{{34, 2, 1, 1}, 4, false, 0, false},
		{{200, 2, 1, 1}, 4, false, 0, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct bytes f = ipv4(ACK, lists[i].bytes, lists[i].n, 0);
		struct cake_tcp tcp;

		assert_true(read_whole(&f, &tcp));
		if (tcp.pure != lists[i].pure)
			print_error("list %u\n", i);
		assert_int_equal(tcp.pure, lists[i].pure);
		assert_int_equal(tcp.sacks, lists[i].sacks);
		assert_int_equal(tcp.timestamp, lists[i].timestamp);
	}
}

static void ipv6_and_6in4_are_looked_into(void **state)
{
	struct bytes f = {.len = 14}, tunnel = {.len = 14};
	struct cake_tcp direct, inner;

	(void)state;
	put_be16(f.b + 12, 0x86dd);
	add_ipv6(&f, 6);
	add_tcp(&f, ACK, NULL, 0);
	assert_true(read_whole(&f, &direct));
	assert_int_equal(direct.version, 6);
	assert_int_equal(direct.src[15], 1);
	assert_int_equal(direct.dst[15], 2);
	assert_true(direct.pure);

	put_be16(tunnel.b + 12, 0x0800);
	tunnel.b[14] = 0x45;
	put_be16(tunnel.b + 16, 80);
	tunnel.b[14 + 9] = 41;
	tunnel.len += 20;
	add_ipv6(&tunnel, 6);
	add_tcp(&tunnel, ACK, NULL, 0);
	assert_true(read_whole(&tunnel, &inner));
	assert_memory_equal(&inner, &direct, sizeof(inner));

	tunnel.b[14 + 20] = 0x50; /* no version of IP */
	assert_false(read_whole(&tunnel, &inner));
}

static void tcp_elsewhere_is_none(void **state)
{
	struct bytes f = {.len = 14};
	struct cake_tcp tcp;

	(void)state;
	put_be16(f.b + 12, 0x86dd); /* behind hop-by-hop options */
	add_ipv6(&f, 0);
	f.b[f.len] = 6;
	f.len += 8;
	add_tcp(&f, ACK, NULL, 0);
	assert_false(read_whole(&f, &tcp));

	f = ipv4(ACK, NULL, 0, 0);
	f.b[14 + 9] = 17;
	assert_false(read_whole(&f, &tcp));
	f = ipv4(ACK, NULL, 0, 0);
	f.b[14] = 0x65; /* version 6 by its header, 4 by the ethertype */
	assert_false(read_whole(&f, &tcp));
	assert_false(read_split(&f, 60, 60, 1, PACKET_DEPTH_LINUX, &tcp));
	f = ipv4(ACK, NULL, 0, 0);
	put_be16(f.b + 12, 0x0806);
	assert_false(read_whole(&f, &tcp));
}

static void a_fragment_is_tcp_to_linux_only(void **state)
{
	static const uint16_t fragments[] = {0x2000, 0x0001, 0x1fff};
	struct cake_tcp tcp;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bytes f = ipv4(ACK, NULL, 0, 0);

		put_be16(f.b + 14 + 6, fragments[i]);
		assert_false(read_split(&f, 60, 60, 1, PACKET_DEPTH_FULL, &tcp));
		assert_true(read_split(&f, 60, 60, 1, PACKET_DEPTH_LINUX, &tcp));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_read_however_the_frame_is_split),
		cmocka_unit_test(a_header_that_is_not_all_there_is_no_tcp),
		cmocka_unit_test(flags_tell_what_is_pure_and_what_supersedes),
		cmocka_unit_test(one_byte_of_payload_is_seen_and_padding_is_none),
		cmocka_unit_test(options_are_known_or_make_the_packet_worth_keeping),
		cmocka_unit_test(ipv6_and_6in4_are_looked_into),
		cmocka_unit_test(tcp_elsewhere_is_none),
		cmocka_unit_test(a_fragment_is_tcp_to_linux_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

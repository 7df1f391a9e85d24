/* SPDX-License-Identifier: BSD-3-Clause */
/* The Internet checksum, wherever the bytes lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/checksum.h"
#include "samples.h"

/* As it lies in memory. */
static uint16_t stored(uint16_t value)
{
	uint8_t bytes[2];

	memcpy(bytes, &value, 2);
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* RFC 1071, section 3: 0001 f203 f4f5 f6f7 add up to 2ddf0, folded ddf2. */
static void the_example_of_rfc_1071(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	struct frame_copy copy = frame_copy(bytes, sizeof(bytes), 8, 1);

	(void)state;
	assert_int_equal(stored(packet_sum_finish(packet_sum(&copy.frame, 0, 8))),
			 (uint16_t)~0xddf2);
	/* a last odd byte is a word's first half: 0001 f203 f4f5 f600 -> dcfb */
	assert_int_equal(stored(packet_sum_finish(packet_sum(&copy.frame, 0, 7))),
			 (uint16_t)~0xdcfb);
	frame_copy_free(&copy);
}

/* What was sent with a checksum adds up to ffff (RFC 1071, section 1). */
static void a_header_with_its_checksum_sums_to_zero(void **state)
{
	const struct sample *s = &samples[SAMPLE_TCP4];
	struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);

	(void)state;
	assert_int_equal(packet_sum_finish(packet_sum(&copy.frame, 14, 20)), 0);
	frame_copy_free(&copy);
}

static void where_segments_end_does_not_matter(void **state)
{
	const struct sample *s = &samples[SAMPLE_TCP6_LABEL];
	struct frame_copy whole = frame_copy(s->bytes, s->size, s->size, 1);

	(void)state;
	for (uint32_t first = 0; first <= s->size; first++) {
		for (uint32_t rest = 1; rest <= 5; rest++) {
			struct frame_copy copy = frame_copy(s->bytes, s->size, first, rest);

			for (uint32_t off = 0; off < s->size; off++)
				assert_int_equal(packet_sum_finish(packet_sum(&copy.frame, off,
									      s->size - off)),
						 packet_sum_finish(packet_sum(&whole.frame, off,
									      s->size - off)));
			frame_copy_free(&copy);
		}
	}
	frame_copy_free(&whole);
}

static uint32_t slow_sum(uint32_t sum, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sum += i & 1 ? p[i] : p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

/*
 * Complete the checksum of the transport packet at @off in a frame with a sample's headers, whose
 * IP packet is @padding shorter than the frame, wherever its segments end.
 */
static void check_completion(enum sample_id id, uint8_t *bytes, uint32_t size, uint32_t padding,
			     uint32_t off)
{
	const struct packet_headers *h = &samples[id].headers;
	uint32_t at = off + (h->proto == 6 ? 16 : 6), len = size - padding - off;

	if (h->l3 == PACKET_L3_IPV4) {
		bytes[16] = 0;
		bytes[17] = (uint8_t)(size - padding - 14);
	} else {
		bytes[18] = 0;
		bytes[19] = (uint8_t)(size - padding - 54);
	}
	for (uint32_t first = 0; first <= size; first++) {
		struct frame_copy copy = frame_copy(bytes, size, first, 7);
		uint8_t out[256];
		uint32_t n = 0, sum = h->proto + len;

		assert_true(packet_complete_checksum(&copy.frame, h->l3, 14));
		for (uint32_t i = 0; i < copy.frame.n_segs; i++) {
			memcpy(out + n, copy.segs[i].data, copy.segs[i].len);
			n += copy.segs[i].len;
		}
		sum = slow_sum(sum, h->src, h->addr_len);
		sum = slow_sum(sum, h->dst, h->addr_len);
		assert_int_equal(slow_sum(sum, out + off, len), 0xffff);
		/* and nothing else is written */
		memcpy(out + at, bytes + at, 2);
		assert_memory_equal(out, bytes, size);
		frame_copy_free(&copy);
	}
}

static void tcp_and_udp_are_completed_in_ipv4_and_ipv6(void **state)
{
	static const struct {
		enum sample_id id;
		uint32_t off;
	} cases[] = {{SAMPLE_TCP4, 34}, {SAMPLE_TCP4_OPTIONS, 38}, {SAMPLE_UDP4, 34},
		     {SAMPLE_UDP6, 54}, {SAMPLE_TCP6_LABEL, 54},   {SAMPLE_CHAIN6, 102}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sample *s = &samples[cases[i].id];
		uint8_t bytes[256] = {0};

		memcpy(bytes, s->bytes, s->size);
		memset(bytes + s->size, 0xa5, 3);
		/* an odd payload, then padding that is none of the packet's */
		check_completion(cases[i].id, bytes, s->size + 3, 0, cases[i].off);
		check_completion(cases[i].id, bytes, s->size + 3, 2, cases[i].off);
	}
}

/* RFC 768: a sum that comes to 0 is sent as ffff. */
static void a_udp_checksum_is_never_zero(void **state)
{
	const struct sample *s = &samples[SAMPLE_UDP4];
	uint32_t sum = 17 + 10;
	struct frame_copy copy;
	uint8_t bytes[64];

	(void)state;
	memcpy(bytes, s->bytes, 44);
	bytes[16] = 0;
	bytes[17] = 30; /* 20 + 8 + 2 */
	memset(bytes + 40, 0, 4);
	sum = slow_sum(sum, bytes + 26, 8);
	sum = slow_sum(sum, bytes + 34, 10);
	/* the payload makes it ffff, whose complement is 0 */
	bytes[42] = (uint8_t)((0xffff - sum) >> 8);
	bytes[43] = (uint8_t)(0xffff - sum);
	copy = frame_copy(bytes, 44, 44, 1);
	assert_true(packet_complete_checksum(&copy.frame, PACKET_L3_IPV4, 14));
	assert_int_equal(copy.segs[0].data[40] << 8 | copy.segs[0].data[41], 0xffff);
	frame_copy_free(&copy);
}

static void what_has_no_checksum_or_is_not_all_there_is_left_alone(void **state)
{
	static const enum sample_id ids[] = {SAMPLE_ICMP4, SAMPLE_6IN4, SAMPLE_FRAGMENT6,
					     SAMPLE_ARP, SAMPLE_LLDP};

	(void)state;
	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct sample *s = &samples[ids[i]];
		struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);

		assert_false(packet_complete_checksum(&copy.frame, s->headers.l3, 14));
		assert_memory_equal(copy.segs[0].data, s->bytes, s->size);
		frame_copy_free(&copy);
	}
	/* golden samples say that they are longer than they are here */
	for (uint32_t size = 0; size <= samples[SAMPLE_TCP4].size; size++) {
		const struct sample *s = &samples[SAMPLE_TCP4];
		struct frame_copy copy = frame_copy(s->bytes, size, size, 1);

		copy.frame.len = s->len;
		assert_false(packet_complete_checksum(&copy.frame, PACKET_L3_IPV4, 14));
		assert_memory_equal(copy.segs[0].data, s->bytes, size);
		frame_copy_free(&copy);
	}
}

/* With it in place, the sum over the packet alone is what the checksum is made of. */
static void a_device_s_share_is_the_pseudo_header(void **state)
{
	static const enum sample_id ids[] = {SAMPLE_TCP4_OPTIONS, SAMPLE_CHAIN6};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct sample *s = &samples[ids[i]];
		const struct packet_headers *h = &s->headers;
		struct frame_copy copy = frame_copy(s->bytes, s->size, 20, 3);
		uint32_t at = h->transport_offset + (h->proto == 6 ? 16 : 6), sum;
		uint8_t out[256];
		uint32_t n = 0;

		sum = h->proto + s->size - h->transport_offset;
		sum = slow_sum(sum, h->src, h->addr_len);
		sum = slow_sum(sum, h->dst, h->addr_len);
		assert_true(packet_prepare_checksum(&copy.frame, h->l3, 14));
		for (uint32_t k = 0; k < copy.frame.n_segs; k++) {
			memcpy(out + n, copy.segs[k].data, copy.segs[k].len);
			n += copy.segs[k].len;
		}
		assert_int_equal(out[at] << 8 | out[at + 1], sum);
		frame_copy_free(&copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_rfc_1071),
		cmocka_unit_test(a_header_with_its_checksum_sums_to_zero),
		cmocka_unit_test(where_segments_end_does_not_matter),
		cmocka_unit_test(tcp_and_udp_are_completed_in_ipv4_and_ipv6),
		cmocka_unit_test(a_udp_checksum_is_never_zero),
		cmocka_unit_test(a_device_s_share_is_the_pseudo_header),
		cmocka_unit_test(what_has_no_checksum_or_is_not_all_there_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

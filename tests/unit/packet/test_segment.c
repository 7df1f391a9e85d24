/* SPDX-License-Identifier: BSD-3-Clause */
/* How super-packets are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "packet/segment.h"
#include "samples.h"

#define HEADER 66 /* of SAMPLE_TCP4: 14 Ethernet, 20 IPv4, 32 TCP */

static void expect_whole(enum sample_id id, uint32_t len, uint32_t gso_size)
{
	struct packet_cut cut = packet_cut_plan(&samples[id].headers, len, gso_size);

	assert_int_equal(cut.segs, 1);
	assert_int_equal(packet_cut_len(&cut, 0), len);
}

/* A frame of the golden captures: 2,862 - 66 = 2,796 = 1,448 + 1,348 bytes of payload. */
static void known_super_packet_is_cut_as_the_golden_table_has_it(void **state)
{
	struct packet_cut cut = packet_cut_plan(&samples[SAMPLE_TCP4].headers, 2862, 1448);

	(void)state;
	assert_int_equal(cut.segs, 2);
	assert_int_equal(packet_cut_len(&cut, 0), 1514);
	assert_int_equal(packet_cut_len(&cut, 1), 1414);
}

static void payload_of_one_segment_is_not_cut(void **state)
{
	struct packet_cut cut;

	(void)state;
	expect_whole(SAMPLE_TCP4, HEADER, 1448);
	expect_whole(SAMPLE_TCP4, HEADER + 1448, 1448);
	cut = packet_cut_plan(&samples[SAMPLE_TCP4].headers, HEADER + 1449, 1448);
	assert_int_equal(cut.segs, 2);
	assert_int_equal(packet_cut_len(&cut, 1), HEADER + 1);
}

static void lengths_add_up_to_the_payload_and_the_headers(void **state)
{
	(void)state;
	for (uint32_t payload = 1; payload <= 65535; payload++) {
		uint32_t len = HEADER + payload, sum = 0;
		struct packet_cut cut = packet_cut_plan(&samples[SAMPLE_TCP4].headers, len, 1448);

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
	struct packet_cut cut = packet_cut_plan(&samples[SAMPLE_TCP6_LABEL].headers, 9000, 1448);

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* CE and washing: every value of the DS field, any layout of segments, and what is left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"
#include "packet/mark.h"
#include "samples.h"

#define IP      14 /* network offset of the untagged samples */
#define V4_SIZE 42
#define V6_SIZE 62
#define LONGEST 128

typedef bool (*change)(const struct packet_frame *, enum packet_l3, uint16_t);

/* RFC 3168: ECT(0) and ECT(1) become CE; Not-ECT may not, CE is already. */
static uint8_t with_ce(uint8_t ds)
{
	return ds & 3 ? ds | 3 : ds;
}

static uint8_t without_dscp(uint8_t ds)
{
	return ds & 3;
}

static const struct {
	change run;
	uint8_t (*expected)(uint8_t ds);
} changes[] = {
	{packet_set_ce, with_ce},
	{packet_wash, without_dscp},
};

static void write_ds_and_checksum(uint8_t *ip, uint8_t ds)
{
	write_ds(ip, ds);
	if (ip[0] >> 4 == 4)
		write_checksum(ip);
}

/* Change a copy of @before laid out in segments; it must then read as @after, every byte of it. */
static void expect_change(change run, enum packet_l3 l3, uint16_t network_offset,
			  const uint8_t *before, const uint8_t *after, uint32_t size,
			  uint32_t first, uint32_t rest)
{
	struct frame_copy copy = frame_copy(before, size, first, rest);
	bool changed = run(&copy.frame, l3, network_offset);
	uint32_t off = 0;

	assert_int_equal(changed, memcmp(before, after, size) != 0);
	for (uint32_t i = 0; i < copy.frame.n_segs; i++) {
		if (copy.segs[i].len)
			assert_memory_equal(copy.segs[i].data, after + off, copy.segs[i].len);
		off += copy.segs[i].len;
	}
	assert_int_equal(off, size);
	frame_copy_free(&copy);
}

/* Both changes of a frame whose IP header is at @ip, for every value of the DS field. */
static void expect_all_values(enum packet_l3 l3, const uint8_t *frame, uint32_t size, uint16_t ip,
			      uint32_t first, uint32_t rest)
{
	uint8_t before[LONGEST], after[LONGEST];

	memcpy(before, frame, size);
	for (unsigned ds = 0; ds < 256; ds++) {
		write_ds_and_checksum(before + ip, ds);
		memcpy(after, before, size);
		for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
			write_ds_and_checksum(after + ip, changes[i].expected(ds));
			expect_change(changes[i].run, l3, ip, before, after, size, first, rest);
		}
	}
}

static void every_ipv4_value_changes_as_a_full_checksum_says(void **state)
{
	const struct sample *options = &samples[SAMPLE_TCP4_OPTIONS];

	(void)state;
	expect_all_values(PACKET_L3_IPV4, samples[SAMPLE_UDP4].bytes, V4_SIZE, IP, V4_SIZE, 1);
	expect_all_values(PACKET_L3_IPV4, options->bytes, options->size, IP, options->size, 1);
}

static void every_ipv6_value_changes_and_the_flow_label_stays(void **state)
{
	uint8_t frame[V6_SIZE];

	(void)state;
	memcpy(frame, samples[SAMPLE_UDP6].bytes, V6_SIZE);
	frame[IP + 1] |= 0x0a; /* flow label 0xabbcc */
	frame[IP + 2] = 0xbb;
	frame[IP + 3] = 0xcc;
	expect_all_values(PACKET_L3_IPV6, frame, V6_SIZE, IP, V6_SIZE, 1);
}

static void a_header_in_any_two_segments_changes_alike(void **state)
{
	(void)state;
	for (uint32_t cut = 0; cut <= V4_SIZE; cut++)
		expect_all_values(PACKET_L3_IPV4, samples[SAMPLE_UDP4].bytes, V4_SIZE, IP, cut,
				  V4_SIZE);
	for (uint32_t cut = 0; cut <= V6_SIZE; cut++)
		expect_all_values(PACKET_L3_IPV6, samples[SAMPLE_UDP6].bytes, V6_SIZE, IP, cut,
				  V6_SIZE);
}

static void a_header_in_one_byte_segments_changes_alike(void **state)
{
	(void)state;
	expect_all_values(PACKET_L3_IPV4, samples[SAMPLE_UDP4].bytes, V4_SIZE, IP, 1, 1);
	expect_all_values(PACKET_L3_IPV6, samples[SAMPLE_UDP6].bytes, V6_SIZE, IP, 1, 1);
}

static void headers_behind_tags_change_alike(void **state)
{
	const struct sample *tagged = &samples[SAMPLE_UDP4_TAGGED_TWICE];

	(void)state;
	expect_all_values(PACKET_L3_IPV4, tagged->bytes, tagged->size, 22, tagged->size, 1);
}

/* The identification field takes the checksum through all its values, 0x0000 among them. */
static void the_update_is_right_for_every_checksum(void **state)
{
	uint8_t before[V4_SIZE], after[V4_SIZE];
	unsigned zeros = 0;

	(void)state;
	memcpy(before, samples[SAMPLE_UDP4].bytes, V4_SIZE);
	for (unsigned id = 0; id < 65536; id++) {
		before[IP + 4] = id >> 8;
		before[IP + 5] = id & 0xff;
		write_ds_and_checksum(before + IP, 46 << 2 | 1);
		memcpy(after, before, V4_SIZE);
		write_ds_and_checksum(after + IP, 46 << 2 | 3);
		zeros += !after[IP + 10] && !after[IP + 11];
		expect_change(packet_set_ce, PACKET_L3_IPV4, IP, before, after, V4_SIZE, V4_SIZE,
			      1);
	}
	assert_true(zeros > 0);
}

/* Marking must not make a damaged header look sound: off by one before, off by one after. */
static void a_wrong_checksum_stays_wrong(void **state)
{
	uint8_t before[V4_SIZE], after[V4_SIZE];

	(void)state;
	memcpy(before, samples[SAMPLE_UDP4].bytes, V4_SIZE);
	write_ds_and_checksum(before + IP, 1);
	memcpy(after, before, V4_SIZE);
	write_ds_and_checksum(after + IP, 3);
	before[IP + 11]++;
	after[IP + 11]++;
	expect_change(packet_set_ce, PACKET_L3_IPV4, IP, before, after, V4_SIZE, V4_SIZE, 1);
}

static void frames_without_ip_are_left_alone(void **state)
{
	uint8_t bytes[V4_SIZE];

	(void)state;
	memset(bytes, 0xaa, sizeof(bytes)); /* would be ECT(0) with a DSCP in any reading */
	bytes[IP] = 0x45;
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		expect_change(changes[i].run, PACKET_L3_ARP, IP, bytes, bytes, V4_SIZE, V4_SIZE, 1);
		expect_change(changes[i].run, PACKET_L3_OTHER, IP, bytes, bytes, V4_SIZE, V4_SIZE,
			      1);
	}
}

/* Also where the ethertype says IP: of the 256 first bytes 0x45 to 0x4f begin an IPv4 header, and
 * 0x60 to 0x6f one of IPv6. */
static void what_is_no_header_is_left_alone(void **state)
{
	uint8_t bytes[V6_SIZE];
	unsigned changed[2] = {0};

	(void)state;
	for (unsigned first = 0; first < 256; first++) {
		static const enum packet_l3 l3[2] = {PACKET_L3_IPV4, PACKET_L3_IPV6};

		for (unsigned i = 0; i < 2; i++) {
			struct frame_copy copy;

			memset(bytes, 0xaa, sizeof(bytes));
			bytes[IP] = first;
			copy = frame_copy(bytes, V6_SIZE, V6_SIZE, 1);
			if (packet_set_ce(&copy.frame, l3[i], IP))
				changed[i]++;
			else
				assert_memory_equal(copy.segs[0].data, bytes, V6_SIZE);
			frame_copy_free(&copy);
		}
	}
	assert_int_equal(changed[0], 11);
	assert_int_equal(changed[1], 16);
}

/* Before the end of the addresses, behind 20 and 40 bytes. */
static void headers_cut_short_are_left_alone(void **state)
{
	uint8_t bytes[V6_SIZE];

	(void)state;
	memset(bytes, 0xaa, sizeof(bytes));
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		bytes[IP] = 0x45;
		for (uint32_t size = 0; size < IP + 20; size++)
			expect_change(changes[i].run, PACKET_L3_IPV4, IP, bytes, bytes, size, size,
				      1);
		bytes[IP] = 0x6a;
		for (uint32_t size = 0; size < IP + 40; size++)
			expect_change(changes[i].run, PACKET_L3_IPV6, IP, bytes, bytes, size, size,
				      1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ipv4_value_changes_as_a_full_checksum_says),
		cmocka_unit_test(every_ipv6_value_changes_and_the_flow_label_stays),
		cmocka_unit_test(a_header_in_any_two_segments_changes_alike),
		cmocka_unit_test(a_header_in_one_byte_segments_changes_alike),
		cmocka_unit_test(headers_behind_tags_change_alike),
		cmocka_unit_test(the_update_is_right_for_every_checksum),
		cmocka_unit_test(a_wrong_checksum_stays_wrong),
		cmocka_unit_test(frames_without_ip_are_left_alone),
		cmocka_unit_test(what_is_no_header_is_left_alone),
		cmocka_unit_test(headers_cut_short_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/adjust: overhead, mpu, ATM, PTM and unsplit super-packets.
 *
 * tc-cake(8), "OVERHEAD COMPENSATION PARAMETERS". With overhead set, the frame's bytes before the
 * network header (14, with one VLAN tag 18) are taken off first.
 */
#include "cake/adjust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

struct link {
	bool overhead_set;
	int32_t overhead;
	uint32_t mpu;
	enum cake_atm atm;
};

/* The frame as it is, and the network layer's bytes plus @overhead. */
#define RAW(mpu_, atm_)                      \
	(struct link)                        \
	{                                    \
		.mpu = (mpu_), .atm = (atm_) \
	}
#define OVER(overhead_, mpu_, atm_)                                                         \
	(struct link)                                                                       \
	{                                                                                   \
		.overhead_set = true, .overhead = (overhead_), .mpu = (mpu_), .atm = (atm_) \
	}

static void init(struct adjust *a, struct link link)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);

	p.overhead_set = link.overhead_set;
	p.overhead = link.overhead;
	p.mpu = link.mpu;
	p.atm = link.atm;
	adjust_init(a, &p);
}

static uint32_t adjusted(struct link link, uint32_t len, uint16_t network_offset)
{
	struct cake_packet p = kit_packet(0, len, 1);
	struct adjust a;

	p.network_offset = network_offset;
	init(&a, link);
	return adjust_length(&a, &p);
}

static void lengths_follow_the_links_framing(void **state)
{
	static const struct {
		struct link link;
		uint32_t len, offset, adjusted;
	} samples[] = {
		/* raw: the frame as it is */
		{RAW(0, CAKE_NOATM), 60, 14, 60},
		{RAW(0, CAKE_NOATM), 1514, 14, 1514},
		{RAW(0, CAKE_NOATM), 1518, 18, 1518},
		{RAW(84, CAKE_NOATM), 60, 14, 84},
		{RAW(84, CAKE_NOATM), 85, 14, 85},
		/* overhead 0: the network layer's bytes */
		{OVER(0, 0, CAKE_NOATM), 60, 14, 46},
		{OVER(0, 0, CAKE_NOATM), 1514, 14, 1500},
		{OVER(0, 0, CAKE_NOATM), 1518, 18, 1500},
		{OVER(0, 0, CAKE_NOATM), 1522, 22, 1500},
		/* ethernet: 14 + 4 FCS, mpu 64; with preamble and gap: 38, mpu 84 */
		{OVER(18, 64, CAKE_NOATM), 60, 14, 64},
		{OVER(18, 64, CAKE_NOATM), 61, 14, 65},
		{OVER(18, 64, CAKE_NOATM), 1514, 14, 1518},
		{OVER(38, 84, CAKE_NOATM), 60, 14, 84},
		{OVER(38, 84, CAKE_NOATM), 42, 14, 84},
		{OVER(38, 84, CAKE_NOATM), 1514, 14, 1538},
		/* negative; below 0 the mpu rules, and without one it is 1 */
		{OVER(-4, 0, CAKE_NOATM), 60, 14, 42},
		{OVER(-4, 0, CAKE_NOATM), 1514, 14, 1496},
		{OVER(-64, 0, CAKE_NOATM), 60, 14, 1},
		{OVER(-64, 20, CAKE_NOATM), 60, 14, 20},
		{OVER(-64, 0, CAKE_ATM), 60, 14, 53}, /* 1 byte is a cell */
		/* ATM: 90 bytes are 2 cells of 53; 1544 / 48 = 32.2, 33 cells; 48 fit in one */
		{OVER(44, 0, CAKE_ATM), 60, 14, 106},
		{OVER(44, 0, CAKE_ATM), 1514, 14, 1749},
		{OVER(2, 0, CAKE_ATM), 60, 14, 53},
		{OVER(3, 0, CAKE_ATM), 60, 14, 106},
		{OVER(0, 96, CAKE_ATM), 60, 14, 106}, /* mpu before cells */
		{RAW(0, CAKE_ATM), 1514, 14, 1696},   /* 31.5: 32 cells */
		{RAW(0, CAKE_ATM), 65535, 14, 72398}, /* 1365.3: 1366 */
		/* PTM: one byte for each 64 begun: 1514 / 64 = 23.7, 1530 / 64 = 23.9 */
		{RAW(0, CAKE_PTM), 1514, 14, 1538},
		{RAW(0, CAKE_PTM), 64, 14, 65},
		{RAW(0, CAKE_PTM), 65, 14, 67},
		{OVER(30, 0, CAKE_PTM), 1514, 14, 1554},
		/* the extremes of the range */
		{OVER(256, 256, CAKE_NOATM), 60, 14, 302},
		{OVER(-64, 256, CAKE_NOATM), 60, 14, 256},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		uint32_t got = adjusted(samples[i].link, samples[i].len, samples[i].offset);

		if (got != samples[i].adjusted)
			print_error("sample %u\n", i);
		assert_int_equal(got, samples[i].adjusted);
	}
}

/* tc-cake(8), "raw": words behind it "operate relative to the reported packet size". */
static void overhead_behind_raw_is_added_to_the_frame_s_own_length(void **state)
{
	(void)state;
	assert_int_equal(adjusted((struct link){.overhead_set = false, .overhead = 4}, 60, 14),
			 60 + 4);
}

/* 3 segments of 54 + 1000 bytes and one of 54 + 500; whole: 54 + 3500. */
static struct cake_packet super_packet(void)
{
	struct cake_packet p = kit_packet(0, 3554, 1);

	p.gso_segs = 4;
	p.gso_size = 1000;
	p.gso_header = 54;
	return p;
}

static void an_unsplit_super_packet_costs_what_its_segments_do(void **state)
{
	static const struct {
		struct link link;
		uint32_t adjusted;
	} samples[] = {
		{RAW(0, CAKE_NOATM), 3 * 1054 + 554},
		{OVER(38, 84, CAKE_NOATM), 3 * 1078 + 578},
		{OVER(38, 256, CAKE_NOATM), 3 * 1078 + 578},
		{RAW(0, CAKE_ATM), (3 * 22 + 12) * 53}, /* 21.96, 11.5 */
		{RAW(0, CAKE_PTM), 3 * 1071 + 563},     /* 16.5, 8.7 */
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cake_packet p = super_packet();
		struct adjust a;

		init(&a, samples[i].link);
		assert_int_equal(adjust_length(&a, &p), samples[i].adjusted);
	}
}

static void the_largest_super_packet_over_atm_keeps_its_bytes(void **state)
{
	struct cake_packet p = kit_packet(0, 65535, 1);
	struct adjust a;

	(void)state;
	p.gso_segs = 46; /* 65,481 bytes of payload: 45 x 1448 and 321 */
	p.gso_size = 1448;
	p.gso_header = 54;
	init(&a, RAW(0, CAKE_ATM));
	/* 1502 / 48 = 31.3: 32 cells; 54 + 321 = 375 / 48 = 7.8: 8 cells */
	assert_int_equal(adjust_length(&a, &p), (45 * 32 + 8) * 53);
}

static void what_is_out_of_all_proportion_does_not_wrap(void **state)
{
	struct cake_packet p = kit_packet(0, UINT32_MAX, 1);
	struct adjust a;

	(void)state;
	init(&a, OVER(256, 0, CAKE_ATM));
	assert_int_equal(adjust_length(&a, &p), ADJUST_MAX);
	p.gso_segs = UINT16_MAX; /* x 72 kB are 4.7 x 10^9 */
	p.gso_size = UINT16_MAX;
	p.gso_header = 54;
	assert_int_equal(adjust_length(&a, &p), ADJUST_MAX);
	/* 65,534 cells of 7 and one: (54 + 1 + 256 - 14) / 48 = 6.2 */
	p.gso_size = 1;
	p.len = 54 + UINT16_MAX;
	assert_int_equal(adjust_length(&a, &p), 65535 * 7 * 53);
}

static void one_segment_is_an_ordinary_packet(void **state)
{
	struct cake_packet p = super_packet();
	struct adjust a;

	(void)state;
	init(&a, RAW(0, CAKE_NOATM));
	p.gso_segs = 1;
	assert_int_equal(adjust_length(&a, &p), 3554);
	p.gso_segs = 0;
	assert_int_equal(adjust_length(&a, &p), 3554);
}

static void ranges_of_sizes_are_remembered(void **state)
{
	struct cake_packet small = kit_packet(0, 60, 1);
	struct cake_packet big = kit_packet(1, 1514, 1);
	struct cake_packet super = super_packet();
	struct adjust a;

	(void)state;
	init(&a, OVER(18, 64, CAKE_NOATM));
	assert_true(a.min_network > a.max_network); /* nothing seen */
	adjust_length(&a, &small);
	assert_int_equal(a.min_network, 46);
	assert_int_equal(a.max_network, 46);
	assert_int_equal(a.min_adjusted, 64);
	assert_int_equal(a.max_adjusted, 64);
	adjust_length(&a, &super); /* by segment: 1054 and 554 */
	assert_int_equal(a.max_network, 1040);
	assert_int_equal(a.max_adjusted, 1058);
	adjust_length(&a, &big);
	assert_int_equal(a.min_network, 46);
	assert_int_equal(a.max_network, 1500);
	assert_int_equal(a.min_adjusted, 64);
	assert_int_equal(a.max_adjusted, 1518);
}

/* Take the ranges of @one into those of @sum. */
static void merge(struct adjust *sum, const struct adjust *one)
{
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b)  ((a) > (b) ? (a) : (b))
	sum->min_network = LEAST(sum->min_network, one->min_network);
	sum->max_network = MOST(sum->max_network, one->max_network);
	sum->min_adjusted = LEAST(sum->min_adjusted, one->min_adjusted);
	sum->max_adjusted = MOST(sum->max_adjusted, one->max_adjusted);
}

/* The ranges of @sum with one frame more, which is the first of an adjust of its own. */
static void note(struct adjust *sum, struct link link, uint32_t len, uint16_t offset)
{
	struct cake_packet frame = {.len = len, .network_offset = offset};
	struct adjust own;

	init(&own, link);
	adjust_length(&own, &frame);
	assert_int_equal(own.min_network, own.max_network);
	assert_int_equal(own.min_adjusted, own.max_adjusted);
	merge(sum, &own);
}

static struct link any_link(struct prng *rng)
{
	return (struct link){
		.overhead_set = prng_u32(rng) & 1,
		.overhead = CAKE_OVERHEAD_MIN +
			    (int32_t)(prng_u32(rng) % (CAKE_OVERHEAD_MAX - CAKE_OVERHEAD_MIN + 1)),
		.mpu = prng_u32(rng) & 1 ? prng_u32(rng) % (CAKE_MPU_MAX + 1) : 0,
		.atm = prng_u32(rng) % (CAKE_PTM + 1),
	};
}

static struct cake_packet any_packet(struct prng *rng)
{
	static const uint32_t up_to[] = {100, 300, 1514, 9014, 65535, UINT32_MAX};
	uint32_t len = 1 + prng_u32(rng) % up_to[prng_u32(rng) % COUNT(up_to)];
	struct cake_packet p = {
		.len = len,
		.network_offset = prng_u32(rng) % 4 ? 14 : prng_u32(rng) % 200,
	};

	if (len > 1514 && len <= 65535 && prng_u32(rng) & 1) {
		p.gso_header = 54 + prng_u32(rng) % 20;
		p.gso_size = 500 + prng_u32(rng) % 1000;
		p.gso_segs = (len - p.gso_header + p.gso_size - 1) / p.gso_size;
	}
	return p;
}

/* What takes only new extremes into the ranges must come to what taking every frame does. */
static void ranges_are_those_of_all_frames(void **state)
{
	struct prng rng = prng_xorshift32(1);

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct link link = any_link(&rng);
		struct adjust a, all;

		init(&a, link);
		init(&all, link);
		for (unsigned k = 0; k < 50; k++) {
			struct cake_packet p = any_packet(&rng);
			uint32_t last = p.len;

			adjust_length(&a, &p);
			if (p.gso_segs > 1) {
				note(&all, link, p.gso_size + p.gso_header, p.network_offset);
				last -= p.gso_size * (p.gso_segs - 1);
			}
			note(&all, link, last, p.network_offset);
			assert_int_equal(a.min_network, all.min_network);
			assert_int_equal(a.max_network, all.max_network);
			assert_int_equal(a.min_adjusted, all.min_adjusted);
			assert_int_equal(a.max_adjusted, all.max_adjusted);
		}
	}
}

static void a_frame_that_ends_before_its_network_header_has_no_network_bytes(void **state)
{
	struct cake_packet runt = kit_packet(0, 14, 1);
	struct adjust a;

	(void)state;
	runt.network_offset = 18;
	init(&a, OVER(38, 84, CAKE_NOATM));
	assert_int_equal(adjust_length(&a, &runt), 84);
	assert_int_equal(a.min_network, 0);
	assert_int_equal(a.max_network, 0);
}

/* EWMA of offset << 16 with a weight of 1/256: the first step is 14 x 65536 / 256 = 3584. */
static void the_network_offset_is_averaged(void **state)
{
	struct cake_packet p = kit_packet(0, 60, 1);
	struct adjust a;

	(void)state;
	init(&a, RAW(0, CAKE_NOATM));
	adjust_length(&a, &p);
	assert_int_equal(a.avg_offset, 3584);
	adjust_length(&a, &p);
	assert_int_equal(a.avg_offset, 3584 - 14 + 3584);
	for (unsigned i = 0; i < 10000; i++)
		adjust_length(&a, &p);
	assert_int_equal(a.avg_offset >> 16, 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_follow_the_links_framing),
		cmocka_unit_test(overhead_behind_raw_is_added_to_the_frame_s_own_length),
		cmocka_unit_test(an_unsplit_super_packet_costs_what_its_segments_do),
		cmocka_unit_test(the_largest_super_packet_over_atm_keeps_its_bytes),
		cmocka_unit_test(what_is_out_of_all_proportion_does_not_wrap),
		cmocka_unit_test(one_segment_is_an_ordinary_packet),
		cmocka_unit_test(ranges_of_sizes_are_remembered),
		cmocka_unit_test(ranges_are_those_of_all_frames),
		cmocka_unit_test(a_frame_that_ends_before_its_network_header_has_no_network_bytes),
		cmocka_unit_test(the_network_offset_is_averaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

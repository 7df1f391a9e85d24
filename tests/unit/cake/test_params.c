/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/params: what is accepted, what is filled in, and what follows from the rate.
 *
 * tc-cake(8) for defaults; thresholds, quanta and the memory limit are Linux's sch_cake's.
 */
#include "cake/params.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

static void defaults_are_tcs(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	assert_int_equal(p.bandwidth_bps, 0);
	assert_int_equal(p.rtt_ns, 100 * NS_PER_MS);
	assert_int_equal(p.profile, CAKE_PROFILE_GATEAU);
	assert_int_equal(p.diffserv, CAKE_DIFFSERV3);
	assert_int_equal(p.flowmode, CAKE_TRIPLE_ISOLATE);
	assert_int_equal(p.flows, 1024);
	assert_int_equal(p.max_frame, 1514);
	assert_int_equal(p.memlimit, 0);
	assert_int_equal(p.fwmark, 0);
	assert_int_equal(p.mpu, 0);
	assert_int_equal(p.atm, CAKE_NOATM);
	assert_false(p.overhead_set);
	assert_false(p.wash);
	assert_false(p.ingress);
	assert_true(p.split_gso);
	assert_int_equal(params_resolve(&p), 0);
	assert_int_equal(p.target_ns, 5 * NS_PER_MS);
}

static void target_follows_rtt_and_neither_is_below_a_microsecond(void **state)
{
	static const struct {
		uint64_t rtt_ns, target_ns;
		uint64_t resolved_rtt_ns, resolved_target_ns;
	} samples[] = {
		{50 * NS_PER_MS, 0, 50 * NS_PER_MS, 2500 * NS_PER_US}, /* rtt / 20 */
		{50 * NS_PER_MS, NS_PER_MS, 50 * NS_PER_MS, NS_PER_MS},
		{20 * NS_PER_US, 0, 20 * NS_PER_US, NS_PER_US},
		{19 * NS_PER_US, 0, 19 * NS_PER_US, NS_PER_US}, /* 950 ns */
		{1, 1, NS_PER_US, NS_PER_US},
		{0, 0, NS_PER_US, NS_PER_US},
		{NS_PER_MS, 2 * NS_PER_MS, NS_PER_MS, 2 * NS_PER_MS}, /* above the rtt: taken */
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cake_params p;

		cake_params_default(&p);
		p.rtt_ns = samples[i].rtt_ns;
		p.target_ns = samples[i].target_ns;
		assert_int_equal(params_resolve(&p), 0);
		assert_int_equal(p.rtt_ns, samples[i].resolved_rtt_ns);
		assert_int_equal(p.target_ns, samples[i].resolved_target_ns);
	}
}

/* tc sends rtt and target as whole microseconds: 13,848 us / 20 = 692.4 us is 692 us there. */
static void linux_profile_counts_rtt_and_target_in_whole_microseconds(void **state)
{
	static const struct {
		uint64_t rtt_ns;
		uint64_t linux_rtt_ns, linux_target_ns;
		uint64_t gateau_rtt_ns, gateau_target_ns;
	} samples[] = {
		{13848000, 13848000, 692000, 13848000, 692400},
		{39000, 39000, 1000, 39000, 1950},
		{100999, 100000, 5000, 100999, 5049},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cake_params p;

		cake_params_default(&p);
		p.rtt_ns = samples[i].rtt_ns;
		assert_int_equal(params_resolve(&p), 0);
		assert_int_equal(p.rtt_ns, samples[i].gateau_rtt_ns);
		assert_int_equal(p.target_ns, samples[i].gateau_target_ns);

		cake_params_default(&p);
		p.profile = CAKE_PROFILE_LINUX;
		p.rtt_ns = samples[i].rtt_ns;
		assert_int_equal(params_resolve(&p), 0);
		assert_int_equal(p.rtt_ns, samples[i].linux_rtt_ns);
		assert_int_equal(p.target_ns, samples[i].linux_target_ns);
	}
}

static void catching_up_defaults_to_a_millisecond_or_two_frames(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);

	(void)state;
	/* 2 x 1514 x 8 us; at 100 mbit 0.24 ms; unlimited 0 */
	assert_int_equal(params_catch_up(&p, 125000), 24224000);
	assert_int_equal(params_catch_up(&p, 12500000), NS_PER_MS);
	assert_int_equal(params_catch_up(&p, 0), NS_PER_MS);
	p.catch_up_ns = 10000;
	assert_int_equal(params_catch_up(&p, 125000), 10000);
}

/* Each row sets one field; the others are the defaults. */
static void each_range_is_checked_at_both_ends(void **state)
{
	struct cake_params base, p;

	(void)state;
	cake_params_default(&base);
#define CHECK(assignment, result)                             \
	do {                                                  \
		p = base;                                     \
		assignment;                                   \
		assert_int_equal(params_resolve(&p), result); \
	} while (0)
	CHECK(p.bandwidth_bps = 7, -EINVAL); /* less than a byte per second */
	CHECK(p.bandwidth_bps = 8, 0);
	CHECK(p.bandwidth_bps = 400000000000, 0);
	CHECK(p.flows = 4, -EINVAL);
	CHECK(p.flows = 8, 0);
	CHECK(p.flows = 0, -EINVAL);
	CHECK(p.flows = 1000, -EINVAL);
	CHECK(p.flows = 131072, 0);
	CHECK(p.flows = 262144, -EINVAL);
	CHECK(p.overhead = -65, -EINVAL);
	CHECK(p.overhead = -64, 0);
	CHECK(p.overhead = 256, 0);
	CHECK(p.overhead = 257, -EINVAL);
	CHECK(p.mpu = 256, 0);
	CHECK(p.mpu = 257, -EINVAL);
	CHECK(p.max_frame = 63, -EINVAL);
	CHECK(p.max_frame = 64, 0);
	CHECK(p.max_frame = 65535, 0);
	CHECK(p.max_frame = 65536, -EINVAL);
	CHECK(p.min_charge = 63, -EINVAL);
	CHECK(p.min_charge = 64, 0);
	CHECK(p.min_charge = 0, -EINVAL);
	CHECK(p.profile = CAKE_PROFILE_LINUX + 1, -EINVAL);
	CHECK(p.diffserv = CAKE_DIFFSERV8 + 1, -EINVAL);
	CHECK(p.flowmode = CAKE_TRIPLE_ISOLATE + 1, -EINVAL);
	CHECK(p.atm = CAKE_PTM + 1, -EINVAL);
	CHECK(p.burst = 65535, 0);
	CHECK(p.burst = 65536, -EINVAL);
#undef CHECK
}

/* The slab has up to 2^32 - 1 descriptors: those queued, the one too many, and a burst dropped. */
static void a_memory_limit_of_more_packets_than_can_be_numbered_is_refused(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	p.min_charge = 64;
	p.memlimit = 64ull * (UINT32_MAX - CAKE_BURST_MAX) - 1;
	assert_int_equal(params_resolve(&p), 0);
	p.memlimit++;
	assert_int_equal(params_resolve(&p), -EINVAL);
	p.memlimit--;
	p.burst = CAKE_BURST_MAX + 1;
	assert_int_equal(params_resolve(&p), -EINVAL);
	p.memlimit = 64ull << 32;
	assert_int_equal(params_resolve(&p), -EINVAL);
	p.memlimit = UINT64_MAX;
	assert_int_equal(params_resolve(&p), -EINVAL);
}

static void a_refused_parameter_creates_nothing(void **state)
{
	struct prng rng = prng_constant(0, 0);
	struct cake *c = NULL;
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	p.flows = 7;
	assert_int_equal(cake_create(&c, &p, &rng), -EINVAL);
	assert_null(c);
	cake_destroy(NULL);
}

static void thresholds_are_fractions_of_the_rate(void **state)
{
	/* 100 mbit/s; 7/8 of the last, rounded down each time */
	static const uint64_t eighths[] = {12500000, 10937500, 9570312, 8374023,
					   7327270,  6411361,  5609940, 4908697};
	const uint64_t rate = 12500000;

	(void)state;
	assert_int_equal(params_tin_rate(CAKE_BESTEFFORT, 0, rate), rate);
	for (unsigned tin = 0; tin < 8; tin++) {
		assert_int_equal(params_tin_rate(CAKE_PRECEDENCE, tin, rate), eighths[tin]);
		assert_int_equal(params_tin_rate(CAKE_DIFFSERV8, tin, rate), eighths[tin]);
	}
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV3, 0, rate), rate);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV3, 1, rate), rate / 16);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV3, 2, rate), rate / 4);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV4, 0, rate), rate);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV4, 1, rate), rate / 16);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV4, 2, rate), rate / 2);
	assert_int_equal(params_tin_rate(CAKE_DIFFSERV4, 3, rate), rate / 4);
}

static void quanta_of_tins_are_as_in_linux(void **state)
{
	static const uint32_t eighths[] = {256, 224, 196, 171, 149, 130, 113, 98};
	static const uint32_t diffserv3[] = {1024, 64, 256};
	static const uint32_t diffserv4[] = {1024, 64, 512, 256};

	(void)state;
	assert_int_equal(params_tin_quantum(CAKE_BESTEFFORT, 0), 65535);
	for (unsigned tin = 0; tin < 8; tin++) {
		assert_int_equal(params_tin_quantum(CAKE_PRECEDENCE, tin), eighths[tin]);
		assert_int_equal(params_tin_quantum(CAKE_DIFFSERV8, tin), eighths[tin]);
	}
	for (unsigned tin = 0; tin < 3; tin++)
		assert_int_equal(params_tin_quantum(CAKE_DIFFSERV3, tin), diffserv3[tin]);
	for (unsigned tin = 0; tin < 4; tin++)
		assert_int_equal(params_tin_quantum(CAKE_DIFFSERV4, tin), diffserv4[tin]);
}

#define MEMORY_FLOOR 4194304  /* 4 MiB */
#define MEMORY_CAP   15503360 /* 10240 x 1514 */

static void the_memory_limit_is_four_intervals_and_beyond_the_cap_one(void **state)
{
	static const struct {
		uint64_t bandwidth_bps, rtt_ns, memlimit;
		uint64_t as_linux, as_gateau;
	} samples[] = {
		{1000000, 100 * NS_PER_MS, 0, MEMORY_FLOOR, MEMORY_FLOOR}, /* 50,000 */
		/* 83,886,080 bit/s x 0.4 s = 4 MiB exactly; 24 bit/s more are one byte more */
		{83886080, 100 * NS_PER_MS, 0, MEMORY_FLOOR, MEMORY_FLOOR},
		{83886104, 100 * NS_PER_MS, 0, MEMORY_FLOOR + 1, MEMORY_FLOOR + 1},
		{100000000, 100 * NS_PER_MS, 0, 5000000, 5000000},
		{100000000, 200 * NS_PER_MS, 0, 10000000, 10000000},
		{100000000, 199999999, 0, 9999950, 9999999},             /* Linux: whole us */
		{310067200, 100 * NS_PER_MS, 0, MEMORY_CAP, MEMORY_CAP}, /* x 0.05 s = the cap */
		{310067180, 100 * NS_PER_MS, 0, MEMORY_CAP - 2, MEMORY_CAP - 2},
		{1000000000, 100 * NS_PER_MS, 0, MEMORY_CAP, MEMORY_CAP},
		/* x 0.1 s = the cap, and 8 bit/s x 10 more a byte more */
		{1240268800, 100 * NS_PER_MS, 0, MEMORY_CAP, MEMORY_CAP},
		{1240268880, 100 * NS_PER_MS, 0, MEMORY_CAP, MEMORY_CAP + 1},
		{25000000000, 100 * NS_PER_MS, 0, MEMORY_CAP, 312500000},
		/* 2^32 bytes/s x 1 s; 20,000,000,000 bytes less 4 x 2^32 */
		{34359738368, NS_PER_S, 0, MEMORY_FLOOR, 4294967296},
		{400000000000, 100 * NS_PER_MS, 0, MEMORY_CAP, 5000000000},
		{400000000000, 1000 * NS_PER_S, 0, MEMORY_CAP, 50000000000000},
		{1000000000, 1000 * NS_PER_S, 4 << 20, 4 << 20, 4 << 20},
		/* x 0.4 s = 2^32 bytes: Linux keeps the low 32 bits, 0 and 5,000,000 */
		{85899345920, 100 * NS_PER_MS, 0, MEMORY_FLOOR, 1073741824},
		{85999345920, 100 * NS_PER_MS, 0, 5000000, 1074991824},
		{0, 100 * NS_PER_MS, 0, MEMORY_CAP, MEMORY_CAP},
		/* what is configured counts, above the cap and below the floor, too */
		{0, 100 * NS_PER_MS, 1, 1, 1},
		{100000000, 100 * NS_PER_MS, 65536, 65536, 65536},
		{100000000, 100 * NS_PER_MS, 1ull << 30, 1ull << 30, 1ull << 30},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cake_params p;

		cake_params_default(&p);
		p.bandwidth_bps = samples[i].bandwidth_bps;
		p.rtt_ns = samples[i].rtt_ns;
		p.memlimit = samples[i].memlimit;
		p.profile = CAKE_PROFILE_LINUX;
		assert_int_equal(cake_memory_limit(&p), samples[i].as_linux);
		p.profile = CAKE_PROFILE_GATEAU;
		assert_int_equal(cake_memory_limit(&p), samples[i].as_gateau);
	}
}

/* The slab is made once: for the highest limit that an estimate can bring about. */
static void a_limit_that_follows_the_rate_stays_within_what_was_made(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);

	(void)state;
	assert_int_equal(cake_memory_limit(&p), MEMORY_FLOOR);
	p.autorate_ingress = true;
	assert_int_equal(cake_memory_limit(&p), MEMORY_CAP);
	assert_int_equal(params_memory_limit(&p, 125000), MEMORY_FLOOR);
	assert_int_equal(params_memory_limit(&p, 12500000), 5000000);
	assert_int_equal(params_memory_limit(&p, 3125000000), MEMORY_CAP);
	assert_int_equal(params_memory_limit(&p, 0), MEMORY_CAP);
	p.bandwidth_bps = 10000000000; /* 125 MB in 100 ms */
	assert_int_equal(cake_memory_limit(&p), 125000000);
	assert_int_equal(params_memory_limit(&p, 3125000000), 125000000);
	p.memlimit = 100000;
	assert_int_equal(cake_memory_limit(&p), 100000);
	assert_int_equal(params_memory_limit(&p, 12500000), 100000);
}

/* A limit is exceeded by the packet after the last that fits: that one must have room, too. */
static void the_slab_holds_all_that_fit_and_one_more(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	p.min_charge = 1000;
	p.memlimit = 10000;
	assert_int_equal(params_max_packets(&p), 11);
	p.memlimit = 9999;
	assert_int_equal(params_max_packets(&p), 10);
	p.memlimit = 1;
	assert_int_equal(params_max_packets(&p), 1);
}

/*
 * What is allocated: descriptors of 32 bytes; flows of 64 with a tag of 4 and a number in the tree
 * of 8, which has for 1,024 more flows 128 + 16 + 0 more nodes, as 2 and 4 nodes are one line;
 * hosts of 4 + 2.
 */
static void memory_follows_tins_flows_and_limit(void **state)
{
	struct cake_params p;
	uint64_t base;

	(void)state;
	cake_params_default(&p);
	p.diffserv = CAKE_BESTEFFORT;
	p.flowmode = CAKE_FLOWS;
	p.memlimit = 768 * 1000;
	base = cake_footprint(&p);
	p.memlimit += 768;
	assert_int_equal(cake_footprint(&p), base + 32);
	p.memlimit -= 768;
	p.flows = 2048;
	assert_int_equal(cake_footprint(&p), base + 1024 * (64 + 4 + 8) + (128 + 16) * 8);
	p.flows = 1024;
	p.flowmode = CAKE_DUAL_SRCHOST;
	assert_int_equal(cake_footprint(&p), base + 1024 * 6);
	p.flowmode = CAKE_TRIPLE_ISOLATE;
	assert_int_equal(cake_footprint(&p), base + 2 * 1024 * 6);
	p.flows = 8;
	p.memlimit = 768;
	p.flowmode = CAKE_FLOWS;
	assert_true(cake_footprint(&p) < 16384); /* thousands of instances fit */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_tcs),
		cmocka_unit_test(linux_profile_counts_rtt_and_target_in_whole_microseconds),
		cmocka_unit_test(target_follows_rtt_and_neither_is_below_a_microsecond),
		cmocka_unit_test(catching_up_defaults_to_a_millisecond_or_two_frames),
		cmocka_unit_test(each_range_is_checked_at_both_ends),
		cmocka_unit_test(a_memory_limit_of_more_packets_than_can_be_numbered_is_refused),
		cmocka_unit_test(a_refused_parameter_creates_nothing),
		cmocka_unit_test(thresholds_are_fractions_of_the_rate),
		cmocka_unit_test(quanta_of_tins_are_as_in_linux),
		cmocka_unit_test(the_memory_limit_is_four_intervals_and_beyond_the_cap_one),
		cmocka_unit_test(a_limit_that_follows_the_rate_stays_within_what_was_made),
		cmocka_unit_test(the_slab_holds_all_that_fit_and_one_more),
		cmocka_unit_test(memory_follows_tins_flows_and_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

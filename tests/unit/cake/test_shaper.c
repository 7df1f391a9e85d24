/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/shaper: rates in fixed point, the deficit on time, the failsafe, the tins' schedules.
 *
 * The fixed point of a rate of r bytes/s is floor(10^9 * 2^34 / max(64, r)), halved (rounding down)
 * until it is below 2^34, with one off the shift of 34 for each halving.
 */
#include "cake/shaper.h"

#include <gateau/cake_stats.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

static void rates_become_ns_per_byte_in_fixed_point(void **state)
{
	static const struct {
		uint64_t bits_per_s;
		uint64_t ns_per_byte;
		unsigned shift;
		uint64_t frame_ns; /* of 1514 bytes */
	} samples[] = {
		/* 64 B/s: 15,625,000 ns/byte < 2^24, hence x 2^10; 1514 x 15,625,000 */
		{512, 15625000ull << 10, 10, 23656250000},
		/* 350 B/s: 10^9 / 350 = 2,857,142.86 < 2^22, hence x 2^12; 4,325,714,285.7 */
		{2800, 11702857142, 12, 4325714285},
		/* 125,000 B/s: 8,000 ns/byte < 2^13, hence x 2^21; 1514 x 8,000 */
		{1000000, 8000ull << 21, 21, 12112000},
		/* 1.25e9 B/s: 0.8 x 2^34 = 13,743,895,347.2; 1514 x 0.8 = 1,211.2 */
		{10000000000, 13743895347, 34, 1211},
		/* 5e10 B/s: 0.02 x 2^34 = 343,597,383.7; 1514 x 0.02 = 30.28 */
		{400000000000, 343597383, 34, 30},
		/* 2^32 bit/s = 2^29 B/s: 10^9 x 2^5 = 32e9 >= 2^34, one halving; 2,820.04 */
		{1ull << 32, 16000000000, 33, 2820},
		/* 2^32 B/s: 10^9 x 2^2; 1514 x 10^9 / 2^32 = 352.5 */
		{8ull << 32, 4000000000, 34, 352},
		/* below 64 B/s: as 64 B/s */
		{8, 15625000ull << 10, 10, 23656250000},
		/* unlimited: everything lasts no time */
		{0, 0, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct rate r = rate_from_bytes(samples[i].bits_per_s / 8, false);

		assert_int_equal(r.bytes_per_s, samples[i].bits_per_s / 8);
		assert_int_equal(r.ns_per_byte, samples[i].ns_per_byte);
		assert_int_equal(r.shift, samples[i].shift);
		assert_int_equal(rate_duration(&r, 1514), samples[i].frame_ns);
	}
}

/*
 * Up to 10^9 B/s the mantissa has 34 bits, so a duration is short by less than one part in 2^33;
 * above, a 34-bit fraction of a ns per byte is lost, less than 1 ns for any length. Rounding down
 * costs less than 1 ns more. It is never too long.
 */
static void durations_are_exact_to_one_part_in_2_to_33(void **state)
{
	struct prng rng = prng_xorshift32(2);

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t wide = (uint64_t)prng_u32(&rng) << 32 | prng_u32(&rng);
		uint64_t bytes_per_s = 64 + (wide >> 28 >> prng_u32(&rng) % 36);
		uint64_t len = prng_u32(&rng) % 72399; /* 65,535 bytes in ATM cells: 72,398 */
		struct rate r = rate_from_bytes(bytes_per_s, false);
		uint64_t exact = len * NS_PER_S / bytes_per_s;
		uint64_t got = rate_duration(&r, len);

		assert_true(got <= exact);
		assert_true(exact - got <= 2 + (exact >> 33));
	}
}

/*
 * 60 bytes at 100 gbit/s are 4.8 ns. As Linux, 4 ns each; exactly, a million of them are 4.8 ms,
 * less the 5 parts in 10^10 that 0.08 x 2^34 = 1,374,389,534.72 loses.
 */
static void an_exact_rate_keeps_what_rounding_leaves(void **state)
{
	struct rate exact = rate_from_bytes(12500000000, true);
	struct rate rounded = rate_from_bytes(12500000000, false);
	static const uint64_t steps[] = {4, 5, 5, 5, 4, 5}; /* 4.8 9.6 14.4 19.2 23.99 28.8 */
	uint64_t exact_ns = 0, rounded_ns = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t duration = rate_spend(&exact, 60);

		if (i < COUNT(steps))
			assert_int_equal(duration, steps[i]);
		exact_ns += duration;
		rounded_ns += rate_spend(&rounded, 60);
	}
	assert_int_equal(rounded_ns, 4000000);
	assert_int_equal(exact_ns, 4799999);
}

static void it_blocks_only_while_both_clocks_are_ahead(void **state)
{
	(void)state;
	assert_true(shaper_blocks(&(struct shaper){.next = 11, .failsafe = 11}, 10));
	assert_false(shaper_blocks(&(struct shaper){.next = 10, .failsafe = 11}, 10));
	assert_false(shaper_blocks(&(struct shaper){.next = 11, .failsafe = 10}, 10));
	assert_int_equal(shaper_wake(&(struct shaper){.next = 11, .failsafe = 12}), 11);
	assert_int_equal(shaper_wake(&(struct shaper){.next = 12, .failsafe = 11}), 11);
}

static void idle_time_gives_no_credit_and_forgives_no_debt(void **state)
{
	struct shaper s = {.next = 100, .failsafe = 150};

	(void)state;
	shaper_restart(&s, 99);
	assert_int_equal(s.next, 100); /* the last packet's time is not over */
	assert_int_equal(s.failsafe, 150);
	shaper_restart(&s, 100);
	assert_int_equal(s.failsafe, 150);
	shaper_restart(&s, 101);
	assert_int_equal(s.next, 101);
	assert_int_equal(s.failsafe, 101);
}

/* Drops have put `next` ahead of all times here; the failsafe rules. */
static void idle_time_is_no_credit_for_the_failsafe(void **state)
{
	struct shaper s = {.next = 1000, .failsafe = 100, .catch_up = 50};
	struct shaper as_linux = {.next = 1000, .failsafe = 100, .catch_up = UINT64_MAX};

	(void)state;
	shaper_restart(&s, 99);
	assert_int_equal(s.failsafe, 100);
	shaper_restart(&s, 900);
	assert_int_equal(s.failsafe, 900);
	assert_int_equal(s.next, 1000); /* the debt stays */
	shaper_restart(&as_linux, 900);
	assert_int_equal(as_linux.failsafe, 100);
}

static void a_stall_holds_the_failsafe_too(void **state)
{
	struct shaper s = {.next = 1000, .failsafe = 100, .catch_up = 50};

	(void)state;
	assert_int_equal(shaper_limit_catch_up(&s, 150), 0);
	assert_int_equal(shaper_limit_catch_up(&s, 170), 20);
	assert_int_equal(s.failsafe, 120);
	assert_int_equal(s.next, 1000);
}

static void the_failsafe_pays_half_more_and_not_for_drops(void **state)
{
	struct shaper s = {.rate = rate_from_bytes(125000, false), .next = T0, .failsafe = T0};

	(void)state;
	shaper_charge(&s, 1000, true); /* 1 mbit/s: 8 us a byte */
	assert_int_equal(s.next, T0 + 8 * NS_PER_MS);
	assert_int_equal(s.failsafe, T0 + 12 * NS_PER_MS);
	shaper_charge(&s, 500, false);
	assert_int_equal(s.next, T0 + 12 * NS_PER_MS);
	assert_int_equal(s.failsafe, T0 + 12 * NS_PER_MS);
}

/* Every third packet is sent, two are dropped at the shaper's expense: the failsafe alone rules. */
static void heavy_ingress_drops_leave_two_thirds_of_the_rate(void **state)
{
	struct shaper s = {.rate = rate_from_bytes(125000, false), .next = T0, .failsafe = T0};
	uint64_t now = T0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		if (shaper_blocks(&s, now))
			now = shaper_wake(&s);
		shaper_charge(&s, 1000, false);
		shaper_charge(&s, 1000, false);
		shaper_charge(&s, 1000, true);
	}
	/* 1000 packets of 8 ms at 2/3 of the rate; the last one's time is not over yet. */
	assert_int_equal(now - T0, 999 * 12 * NS_PER_MS);
}

static void an_unlimited_shaper_never_blocks(void **state)
{
	struct shaper s = {.rate = rate_from_bytes(0, false), .next = T0, .failsafe = T0};

	(void)state;
	shaper_charge(&s, UINT32_MAX, true);
	assert_false(shaper_blocks(&s, T0));
}

static void a_tin_behind_time_advances_else_it_is_due_after_the_packet(void **state)
{
	struct rate r = rate_from_bytes(125000, false);
	static const struct {
		uint64_t next, then;
	} samples[] = {
		/* the packet, 1 ms long, is sent at 10 ms */
		{2 * NS_PER_MS, 3 * NS_PER_MS}, /* behind: catches up slowly */
		{10 * NS_PER_MS - 1, 11 * NS_PER_MS - 1}, {10 * NS_PER_MS, 11 * NS_PER_MS},
		{10 * NS_PER_MS + 1, 11 * NS_PER_MS}, /* ahead by less than the packet */
		{11 * NS_PER_MS - 1, 11 * NS_PER_MS},     {11 * NS_PER_MS, 11 * NS_PER_MS},
		{12 * NS_PER_MS, 12 * NS_PER_MS}, /* ahead by more: stays */
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		uint64_t next = samples[i].next;

		tin_schedule_charge(&next, &r, 125, 10 * NS_PER_MS);
		assert_int_equal(next, samples[i].then);
	}
}

static void a_stall_is_made_up_for_up_to_the_limit(void **state)
{
	struct shaper s = {.next = T0, .failsafe = T0 + 5, .catch_up = NS_PER_MS};

	(void)state;
	assert_int_equal(shaper_limit_catch_up(&s, T0 + NS_PER_MS), 0);
	assert_int_equal(s.next, T0);
	assert_int_equal(shaper_limit_catch_up(&s, T0 + NS_PER_MS + 3), 3);
	assert_int_equal(s.next, T0 + 3);
	assert_int_equal(s.failsafe, T0 + 5); /* later already */
	assert_int_equal(shaper_limit_catch_up(&s, T0 + 3600 * NS_PER_S), 3599999 * NS_PER_MS - 3);
	assert_int_equal(s.next, T0 + 3599999 * NS_PER_MS);
	assert_int_equal(s.failsafe, s.next);
	assert_int_equal(shaper_limit_catch_up(&s, T0 + 3600 * NS_PER_S), 0); /* given up once */
}

static void as_linux_a_stall_is_made_up_for_in_full(void **state)
{
	struct shaper s = {.next = T0, .failsafe = T0, .catch_up = UINT64_MAX};

	(void)state;
	assert_int_equal(shaper_limit_catch_up(&s, T0 + 3600 * NS_PER_S), 0);
	assert_int_equal(s.next, T0);
}

/* Departure times of back-to-back frames, seen through the instance. */
static void frames_leave_exactly_at_the_rate(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 1000000);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v;
	uint64_t now = T0;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		kit_enqueue(c, kit_packet(i, 1514, 1 + i % 4), T0);
	for (unsigned i = 0; i < 5; i++) { /* 5 x 12.1 ms: the AQM has no reason to drop yet */
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
		assert_int_equal(cake_dequeue(c, &v, 1, now), 0);
		assert_int_equal(cake_next_time(c), now + 12112000); /* 1514 x 8 us */
		assert_int_equal(cake_dequeue(c, &v, 1, now + 12112000 - 1), 0);
		now = cake_next_time(c);
	}
	cake_destroy(c);
}

static void the_last_packets_debt_is_kept_over_idle_time(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 1000000);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_stats stats;
	struct cake_verdict v;

	(void)state;
	kit_enqueue(c, kit_packet(0, 1514, 1), T0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	kit_enqueue(c, kit_packet(1, 1514, 1), T0 + 1); /* arrives while the link is busy */
	assert_int_equal(cake_next_time(c), T0 + 12112000);
	cake_stats_get(c, &stats);
	assert_int_equal(stats.overlimits, 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 12112000 - 1), 0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 12112000), 1);

	/* An hour later there is one frame's time to pay again, not more and not less. */
	kit_enqueue(c, kit_packet(2, 1514, 1), T0 + 3600 * NS_PER_S);
	kit_enqueue(c, kit_packet(3, 1514, 1), T0 + 3600 * NS_PER_S);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 3600 * NS_PER_S), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 3600 * NS_PER_S), 0);
	assert_int_equal(cake_next_time(c), T0 + 3600 * NS_PER_S + 12112000);
	cake_destroy(c);
}

/* At 10 mbit/s a 1000-byte frame lasts 0.8 ms. After a stall of 1 s 1250 frames are overdue. */
static unsigned sent_at_once_after_a_stall(enum cake_profile profile, struct cake_stats *stats)
{
	enum { FRAMES = 2000 };
	struct cake_params p = kit_params(profile, 10000000);
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	static struct cake_verdict v[FRAMES];
	unsigned sent;
	struct cake *c;

	p.catch_up_ns = 2 * NS_PER_MS;
	p.rtt_ns = 10 * NS_PER_S; /* no signal meanwhile */
	p.target_ns = 5 * NS_PER_S;
	c = kit_create(&p, &rng);
	for (unsigned i = 0; i < FRAMES; i++)
		kit_enqueue(c, kit_packet(i, 1000, 1), T0);
	sent = cake_dequeue(c, v, FRAMES, T0 + NS_PER_S);
	cake_stats_get(c, stats);
	cake_destroy(c);
	return sent;
}

static void a_stalled_queue_sends_a_bounded_burst_and_counts_it(void **state)
{
	struct cake_stats stats;

	(void)state;
	/* From 2 ms ago, each 0.8 ms: at -2.0, -1.2, -0.4; the next is due at +0.4. */
	assert_int_equal(sent_at_once_after_a_stall(CAKE_PROFILE_GATEAU, &stats), 3);
	assert_int_equal(stats.catch_ups, 1);
	assert_int_equal(stats.catch_up_ns, 998 * NS_PER_MS);

	/* 1 s / 0.8 ms = 1250 that are over by now, and the one that begins now. */
	assert_int_equal(sent_at_once_after_a_stall(CAKE_PROFILE_LINUX, &stats), 1251);
	assert_int_equal(stats.catch_ups, 0);
	assert_int_equal(stats.catch_up_ns, 0);
}

/*
 * 10 mbit/s, 1250 frames of 1000 bytes a second; Best Effort and Voice, whose threshold is a
 * quarter, always have packets. Returns how many of Voice were sent in the 400 ms that follow.
 */
static unsigned voice_frames_in_400_ms(uint64_t stall)
{
	enum { FRAMES = 1500 };
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 10000000);
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	uint64_t now = T0, end;
	unsigned by_tin[3] = {0};
	struct cake_verdict v;
	struct cake *c;

	p.rtt_ns = 10 * NS_PER_S; /* no signal meanwhile */
	p.target_ns = 5 * NS_PER_S;
	c = kit_create(&p, &rng);
	for (uint32_t i = 0; i < 2 * FRAMES; i++) {
		struct cake_packet frame = kit_packet(i, 1000, 1 + i % 2);

		frame.dscp = i % 2 ? 46 : 0;
		kit_enqueue(c, frame, T0);
	}
	for (end = T0 + 100 * NS_PER_MS; now < end; now = cake_next_time(c))
		while (cake_dequeue(c, &v, 1, now))
			;
	now += stall;
	for (end = now + 400 * NS_PER_MS; now < end; now = cake_next_time(c))
		while (cake_dequeue(c, &v, 1, now))
			by_tin[v.tin]++;
	cake_destroy(c);
	assert_in_range(by_tin[0] + by_tin[2], 499, 505); /* 400 ms, and 1 ms of the stall */
	return by_tin[2];
}

static void a_stall_gives_no_tin_more_than_its_share(void **state)
{
	(void)state;
	/* A quarter of 500, give or take what is due at the ends and 1 ms of catching up. */
	assert_in_range(voice_frames_in_400_ms(0), 123, 128);
	assert_in_range(voice_frames_in_400_ms(NS_PER_S), 123, 128);
	assert_in_range(voice_frames_in_400_ms(3600 * NS_PER_S), 123, 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_become_ns_per_byte_in_fixed_point),
		cmocka_unit_test(durations_are_exact_to_one_part_in_2_to_33),
		cmocka_unit_test(an_exact_rate_keeps_what_rounding_leaves),
		cmocka_unit_test(it_blocks_only_while_both_clocks_are_ahead),
		cmocka_unit_test(idle_time_gives_no_credit_and_forgives_no_debt),
		cmocka_unit_test(idle_time_is_no_credit_for_the_failsafe),
		cmocka_unit_test(a_stall_holds_the_failsafe_too),
		cmocka_unit_test(the_failsafe_pays_half_more_and_not_for_drops),
		cmocka_unit_test(heavy_ingress_drops_leave_two_thirds_of_the_rate),
		cmocka_unit_test(an_unlimited_shaper_never_blocks),
		cmocka_unit_test(a_tin_behind_time_advances_else_it_is_due_after_the_packet),
		cmocka_unit_test(a_stall_is_made_up_for_up_to_the_limit),
		cmocka_unit_test(as_linux_a_stall_is_made_up_for_in_full),
		cmocka_unit_test(frames_leave_exactly_at_the_rate),
		cmocka_unit_test(the_last_packets_debt_is_kept_over_idle_time),
		cmocka_unit_test(a_stall_gives_no_tin_more_than_its_share),
		cmocka_unit_test(a_stalled_queue_sends_a_bounded_burst_and_counts_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

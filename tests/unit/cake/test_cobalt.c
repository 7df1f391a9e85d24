/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/cobalt: CoDel's control law and back-off, BLUE's steps, and when a slot is at rest.
 *
 * RFC 8289 for the control law (interval / sqrt(count)); the oddities are Linux's sch_cake's.
 * Interval 100 ms and target 5 ms unless said otherwise. Probabilities are 0.32 fixed point.
 */
#include "cake/cobalt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kit.h"

#define INTERVAL (100 * NS_PER_MS)
#define TARGET   (5 * NS_PER_MS)
#define OVER     (TARGET + 1) /* a sojourn above the target */

#define P_UP   (1u << 24) /* 1/256 */
#define P_DOWN (1u << 20) /* 1/4096 */

static const struct cobalt_config as_linux = {
	.target = TARGET,
	.interval = INTERVAL,
	.p_max = UINT32_MAX,
	.interval32 = true,
};

static const struct cobalt_config as_gateau = {
	.target = TARGET,
	.interval = INTERVAL,
	.p_max = COBALT_P_QUARTER,
	.fade = true,
	.stride = true,
};

/* Judged with dice that never let BLUE drop; the signal, if any, is a drop. */
static enum cobalt_verdict judge(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now,
				 uint64_t sojourn)
{
	struct prng rng = prng_constant(UINT32_MAX, 0);
	bool ce;

	return cobalt_judge(v, cfg, now, sojourn, 0, false, &rng, &ce);
}

/* A slot in the middle of an episode: @count signals given, the next one due at @drop_next. */
static struct cobalt signalled(uint32_t count, uint64_t drop_next)
{
	struct cobalt v = {0};

	judge(&v, &as_linux, T0, OVER);
	while (v.count < count)
		judge(&v, &as_linux, v.drop_next, OVER);
	v.drop_next = drop_next;
	return v;
}

/*
 * One Newton step from count n - 1 errs by 1.5 x (1 / 2n)^2: 0.16 % at 16, where the table ends.
 * Half a per mille from 32 on leaves room for what fixed point loses at a million.
 */
static void assert_near_inv_sqrt(uint32_t got, uint32_t count)
{
	double exact = 4294967296.0 / sqrt(count);
	double allowed = count < 32 ? 0.002 : 0.0005;

	if (fabs(got - exact) > exact * allowed)
		print_error("count %u: %u, exact %f\n", count, got, exact);
	assert_true(fabs(got - exact) <= exact * allowed);
}

static void the_inverse_square_root_is_close_up_and_down_to_a_million(void **state)
{
	enum { MILLION = 1000000 };
	struct cobalt v = {0};

	(void)state;
	judge(&v, &as_linux, T0, OVER);
	for (uint32_t count = 2; count <= MILLION; count++) {
		assert_int_equal(judge(&v, &as_linux, v.drop_next, OVER), COBALT_CODEL);
		assert_int_equal(v.count, count);
		assert_near_inv_sqrt(v.rec_inv_sqrt, count);
	}
	for (uint32_t count = MILLION - 1; count > 0; count--) {
		cobalt_empty(&v, &as_linux, v.drop_next);
		assert_int_equal(v.count, count);
		assert_near_inv_sqrt(v.rec_inv_sqrt, count);
	}
}

static void small_counts_have_linuxs_values(void **state)
{
	static const uint32_t values[16] = {
		UINT32_MAX, UINT32_MAX, 3037000500, 2479700525, 2147483647, 1920767767,
		1753413056, 1623345051, 1518500250, 1431655765, 1358187914, 1294981364,
		1239850263, 1191209601, 1147878294, 1108955788,
	};
	struct cobalt v = signalled(16, T0);

	(void)state;
	/* One Newton step from the 15th: exact is 2^30. */
	assert_true(v.rec_inv_sqrt <= 1u << 30 && v.rec_inv_sqrt > (1u << 30) - (1u << 22));
	for (uint32_t count = 16; count-- > 0;) {
		cobalt_empty(&v, &as_linux, v.drop_next);
		assert_int_equal(v.count, count);
		assert_int_equal(v.rec_inv_sqrt, values[count]);
	}
}

static void signals_come_an_interval_over_the_root_of_their_number_apart(void **state)
{
	/* 100 ms x 1/sqrt(n), n = 2..5; 1 ns lost where the root is rounded down */
	static const uint64_t gaps[] = {70710678, 57735026, 49999999, 44721359};
	struct cobalt v = signalled(1, T0);

	(void)state;
	for (unsigned i = 0; i < COUNT(gaps); i++) {
		uint64_t before = v.drop_next;

		assert_int_equal(judge(&v, &as_linux, before - 1, OVER), COBALT_PASS);
		assert_int_equal(judge(&v, &as_linux, before, OVER), COBALT_CODEL);
		assert_int_equal(v.drop_next - before, gaps[i]);
	}
}

/* Linux: the root is 0 until computed, so control(now) = now for a slot that never signalled. */
static void a_slot_that_never_signalled_gets_no_grace(void **state)
{
	struct cobalt v = {0};

	(void)state;
	assert_int_equal(judge(&v, &as_linux, T0, OVER), COBALT_PASS);
	assert_true(v.dropping);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.drop_next, T0);
	assert_int_equal(judge(&v, &as_linux, T0, OVER), COBALT_CODEL);
}

static void later_episodes_start_after_the_remembered_counts_interval(void **state)
{
	struct cobalt v = signalled(4, T0 + NS_PER_S);

	(void)state;
	v.dropping = false;
	assert_int_equal(judge(&v, &as_linux, T0, OVER), COBALT_PASS);
	assert_int_equal(v.drop_next, T0 + 49999999); /* interval / sqrt(4) */
	assert_int_equal(judge(&v, &as_linux, T0 + 49999998, OVER), COBALT_PASS);
	assert_int_equal(judge(&v, &as_linux, T0 + 49999999, OVER), COBALT_CODEL);
}

static void a_count_decayed_to_zero_gives_the_full_interval_again(void **state)
{
	struct cobalt v = signalled(2, T0);

	(void)state;
	judge(&v, &as_linux, T0, 0);            /* 1 */
	judge(&v, &as_linux, T0 + INTERVAL, 0); /* 0; the timeout runs from here */
	assert_int_equal(v.count, 0);
	assert_int_equal(v.drop_next, T0 + 2 * INTERVAL);
	assert_int_equal(judge(&v, &as_linux, T0 + INTERVAL + 1, OVER), COBALT_PASS);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.drop_next, T0 + INTERVAL + 1 + 99999999); /* root 2^32 - 1 */
}

/* Linux: a timeout that has passed counts as a schedule that is late. */
static void a_slot_idle_beyond_its_timeout_gets_no_grace_either(void **state)
{
	struct cobalt v = signalled(1, T0);

	(void)state;
	cobalt_empty(&v, &as_linux, T0); /* 0 */
	v.drop_next = T0;                /* the timeout's end */
	assert_int_equal(judge(&v, &as_linux, T0 + 1, OVER), COBALT_PASS);
	assert_int_equal(v.drop_next, T0 + 1);
	assert_int_equal(judge(&v, &as_linux, T0 + 1, OVER), COBALT_CODEL);
}

static void over_means_above_target_and_four_frames_and_two_per_bulk_flow(void **state)
{
	static const struct {
		uint64_t mtu_time;
		uint32_t bulk_flows;
		uint64_t limit; /* the longest sojourn that is not over */
	} samples[] = {
		{0, 0, TARGET},
		{NS_PER_MS, 0, TARGET},
		{1250 * NS_PER_US, 0, TARGET},     /* 4 frames: 5 ms */
		{2 * NS_PER_MS, 0, 8 * NS_PER_MS}, /* 4 frames */
		{2 * NS_PER_MS, 2, 8 * NS_PER_MS},
		{2 * NS_PER_MS, 3, 12 * NS_PER_MS}, /* 2 frames of 3 flows */
		{2 * NS_PER_MS, 1024, 4096 * NS_PER_MS},
		{23656250000, 1024, 2048 * 23656250000}, /* 512 bit/s: 13 hours */
	};
	struct prng rng = prng_constant(0, 0);
	bool ce;

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cobalt_config cfg = as_linux;
		struct cobalt v = {0};

		cfg.mtu_time = samples[i].mtu_time;
		cobalt_judge(&v, &cfg, T0, samples[i].limit, samples[i].bulk_flows, false, &rng,
			     &ce);
		assert_false(v.dropping);
		cobalt_judge(&v, &cfg, T0, samples[i].limit + 1, samples[i].bulk_flows, false, &rng,
			     &ce);
		assert_true(v.dropping);
	}
}

static void a_packet_in_time_ends_the_episode(void **state)
{
	struct cobalt v = signalled(3, T0 + NS_PER_MS);

	(void)state;
	assert_int_equal(judge(&v, &as_linux, T0, TARGET), COBALT_PASS);
	assert_false(v.dropping);
	assert_int_equal(v.count, 3); /* not due: remembered */
}

static void backing_off_catches_up_in_one_call(void **state)
{
	struct cobalt v = signalled(5, T0);

	(void)state;
	/* Due at 0; then 4: +50 ms, 3: +57.7 ms (107.7), 2: +70.7 ms (178.4), 1: +100 ms. */
	assert_int_equal(judge(&v, &as_linux, T0 + 150 * NS_PER_MS, 0), COBALT_PASS);
	assert_int_equal(v.count, 2);
	assert_int_equal(v.drop_next, T0 + 49999999 + 57735026 + 70710678);
}

static void backing_off_after_hours_ends_at_zero_with_a_new_timeout(void **state)
{
	static const uint64_t jumps[] = {1ull << 32, 3600 * NS_PER_S, 1000000 * NS_PER_S};

	(void)state;
	for (unsigned i = 0; i < COUNT(jumps); i++) {
		struct cobalt v = signalled(100, T0);
		uint64_t now = T0 + jumps[i];

		/* 100 signals are at most 100 ms x 2 sqrt(100) = 2 s back, and 2^32 ns are 4.3 s */
		judge(&v, &as_linux, now, 0);
		assert_int_equal(v.count, 0);
		assert_int_equal(v.drop_next, now + INTERVAL);
		assert_false(cobalt_at_rest(&v, now + INTERVAL - 1));
		assert_true(cobalt_at_rest(&v, now + INTERVAL));
	}
}

static void every_packet_without_a_count_renews_the_activity_timeout(void **state)
{
	struct cobalt v = {0};

	(void)state;
	judge(&v, &as_linux, T0, 0);
	assert_int_equal(v.drop_next, T0 + INTERVAL);
	judge(&v, &as_linux, T0 + NS_PER_MS, TARGET);
	assert_int_equal(v.drop_next, T0 + NS_PER_MS + INTERVAL);
	assert_int_equal(v.count, 0);
}

/* Linux: drop_next := now if the schedule is late and nothing was dropped. */
static void a_late_schedule_is_brought_to_now_unless_something_was_dropped(void **state)
{
	struct prng rng = prng_constant(UINT32_MAX, 0);
	struct cobalt v;
	bool ce;

	(void)state;
	/* A mark is no drop: two signals late (70 ms after the first), the rest is forgiven. */
	v = signalled(1, T0);
	cobalt_judge(&v, &as_linux, T0 + NS_PER_S, OVER, 0, true, &rng, &ce);
	assert_true(ce);
	assert_int_equal(v.drop_next, T0 + NS_PER_S);
	/* A drop: the lateness stays. */
	v = signalled(1, T0);
	assert_int_equal(judge(&v, &as_linux, T0 + NS_PER_S, OVER), COBALT_CODEL);
	assert_int_equal(v.drop_next, T0 + 70710678);
	/* A mark in time: the next signal is an interval away. */
	v = signalled(1, T0);
	cobalt_judge(&v, &as_linux, T0, OVER, 0, true, &rng, &ce);
	assert_int_equal(v.drop_next, T0 + 70710678);
}

static void capable_packets_are_marked_in_place_of_dropping(void **state)
{
	struct prng rng = prng_constant(UINT32_MAX, 0);
	struct cobalt v = signalled(1, T0);
	bool ce = false;

	(void)state;
	assert_int_equal(cobalt_judge(&v, &as_linux, T0, OVER, 0, true, &rng, &ce), COBALT_PASS);
	assert_true(ce);
	assert_int_equal(v.count, 2);
	assert_int_equal(cobalt_judge(&v, &as_linux, T0, OVER, 0, true, &rng, &ce), COBALT_PASS);
	assert_false(ce); /* not due */
}

static void the_count_does_not_wrap(void **state)
{
	struct cobalt v = signalled(16, T0);

	(void)state;
	v.count = UINT32_MAX;
	v.rec_inv_sqrt = 65536; /* 2^32 / sqrt(2^32) */
	assert_int_equal(judge(&v, &as_linux, T0, OVER), COBALT_CODEL);
	assert_int_equal(v.count, UINT32_MAX);
	assert_in_range(v.rec_inv_sqrt, 65470, 65602); /* within a thousandth */
}

/* 512 bit/s: the interval is twice 1.5 frames of 23.66 s, 70.97 s, more than 2^32 ns. */
static void long_intervals_are_cut_to_32_bits_as_linux_only(void **state)
{
	struct cobalt_config cfg = as_linux;
	struct cobalt v = signalled(3, T0);

	(void)state;
	cfg.interval = 70968750000;
	judge(&v, &cfg, T0, OVER);
	/* count 4, half of 70,968,750,000 - 16 x 2^32 = 2,249,273,264 */
	assert_int_equal(v.drop_next, T0 + 1124636631);

	v = signalled(3, T0);
	cfg.interval32 = false;
	judge(&v, &cfg, T0, OVER);
	assert_int_equal(v.drop_next,
			 T0 + 35484374983); /* x (2^31 - 1) / 2^32: 16.5 short of half */

	/* The activity timeout is whole in both. */
	v = (struct cobalt){0};
	cfg.interval32 = true;
	judge(&v, &cfg, T0, 0);
	assert_int_equal(v.drop_next, T0 + 70968750000);
}

/* As tin_set_rate() has it at 5 s and, as to other planets, at 1,000 s: half at four signals. */
static void as_gateau_long_intervals_are_kept_in_full(void **state)
{
	static const uint64_t intervals[] = {5 * NS_PER_S, 1000 * NS_PER_S};

	(void)state;
	for (unsigned i = 0; i < COUNT(intervals); i++) {
		struct cobalt_config cfg = as_gateau;
		struct cobalt v = signalled(3, T0);

		cfg.interval = intervals[i];
		cfg.target = intervals[i] / 20;
		judge(&v, &cfg, T0, cfg.target + 1);
		assert_int_equal(v.count, 4);
		/* x (2^31 - 1) / 2^32 */
		assert_int_equal(v.drop_next, T0 + intervals[i] / 2 - 1 - (intervals[i] >> 32));
		/* the 0 that comes of it stays the flow's for a whole one */
		judge(&v, &cfg, T0 + 10 * intervals[i], 0);
		assert_int_equal(v.count, 0);
		assert_int_equal(v.drop_next, T0 + 11 * intervals[i]);
	}
}

/*
 * From n signals back to m it takes the sum of interval / sqrt(k), 2 interval (sqrt(n) - sqrt(m)).
 * From 2^24: to (4,096 - 500)^2 in 100 s, to 0 in 819 s. From 2^32 to 0 it is 13,107 s, which one
 * at a time, as in Linux, would be 2^32 steps in one call.
 */
static void as_gateau_backing_off_from_many_signals_keeps_their_schedule(void **state)
{
	struct cobalt v = {.count = UINT32_MAX, .rec_inv_sqrt = 65536, .drop_next = T0};

	(void)state;
	judge(&v, &as_gateau, T0 + 5 * 3600 * NS_PER_S, 0);
	assert_int_equal(v.count, 0);
	for (uint64_t s = 1; s <= 1000; s += 111) {
		double root = 4096 - s * 5.0;
		double expected = root > 0 ? root * root : 0;

		v = (struct cobalt){.count = 1 << 24, .rec_inv_sqrt = 1 << 20, .drop_next = T0};
		judge(&v, &as_gateau, T0 + s * NS_PER_S, 0);
		/* a root of 20 bits has 8 of its square; near the end little is left of much */
		assert_true(fabs(v.count - expected) <= expected / 50 + (1 << 24) / 4096.0);
	}
}

static void an_interval_of_exactly_2_to_32_ns_ends_all_the_same(void **state)
{
	struct cobalt_config cfg = as_linux;
	struct cobalt v = signalled(1000, T0);

	(void)state;
	cfg.interval = 1ull << 32; /* cut to 0: back-off makes no way in time */
	judge(&v, &cfg, T0, 0);
	assert_int_equal(v.count, 0);
	assert_int_equal(v.drop_next, T0 + (1ull << 32));
}

/* BLUE */

static void overflows_raise_blue_once_per_target(void **state)
{
	struct cobalt v = {0};

	(void)state;
	cobalt_overflow(&v, &as_linux, T0);
	assert_int_equal(v.p_drop, P_UP);
	assert_int_equal(v.blue_timer, T0);
	cobalt_overflow(&v, &as_linux, T0 + TARGET);
	assert_int_equal(v.p_drop, P_UP);
	cobalt_overflow(&v, &as_linux, T0 + TARGET + 1);
	assert_int_equal(v.p_drop, 2 * P_UP);
	assert_int_equal(v.blue_timer, T0 + TARGET + 1);
}

static void overflows_start_codel_at_once(void **state)
{
	struct cobalt v = {0};

	(void)state;
	cobalt_overflow(&v, &as_linux, T0);
	assert_true(v.dropping);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.drop_next, T0);
	v = signalled(7, T0 + NS_PER_S);
	v.dropping = false;
	cobalt_overflow(&v, &as_linux, T0 + 1);
	assert_true(v.dropping);
	assert_int_equal(v.count, 7);
	assert_int_equal(v.drop_next, T0 + 1);
}

static uint32_t p_after_overflows(const struct cobalt_config *cfg, unsigned n)
{
	struct cobalt v = {0};

	for (unsigned i = 0; i < n; i++)
		cobalt_overflow(&v, cfg, T0 + i * (TARGET + 1));
	return v.p_drop;
}

static void as_linux_blue_reaches_certainty_in_256_steps(void **state)
{
	(void)state;
	assert_int_equal(p_after_overflows(&as_linux, 255), 255 * P_UP);
	assert_int_equal(p_after_overflows(&as_linux, 256), UINT32_MAX);
	assert_int_equal(p_after_overflows(&as_linux, 300), UINT32_MAX);
}

static void as_gateau_blue_stops_at_a_quarter(void **state)
{
	(void)state;
	assert_int_equal(p_after_overflows(&as_gateau, 63), 63 * P_UP);
	assert_int_equal(p_after_overflows(&as_gateau, 64), 1u << 30); /* 64/256 */
	assert_int_equal(p_after_overflows(&as_gateau, 300), 1u << 30);
}

static void as_linux_empty_queues_lower_blue_once_per_target(void **state)
{
	struct cobalt v = {.p_drop = 2 * P_DOWN + 1, .blue_timer = T0};

	(void)state;
	cobalt_empty(&v, &as_linux, T0 + TARGET);
	assert_int_equal(v.p_drop, 2 * P_DOWN + 1);
	cobalt_empty(&v, &as_linux, T0 + TARGET + 1);
	assert_int_equal(v.p_drop, P_DOWN + 1);
	assert_int_equal(v.blue_timer, T0 + TARGET + 1);
	cobalt_empty(&v, &as_linux, T0 + 3600 * NS_PER_S); /* one step, whatever the time */
	assert_int_equal(v.p_drop, 1);
	cobalt_empty(&v, &as_linux, T0 + 3601 * NS_PER_S);
	assert_int_equal(v.p_drop, 0);
	cobalt_empty(&v, &as_linux, T0 + 3602 * NS_PER_S);
	assert_int_equal(v.p_drop, 0);
	assert_int_equal(v.blue_timer, T0 + 3601 * NS_PER_S);
}

static void as_linux_certainty_takes_4096_empty_queues_to_end(void **state)
{
	struct cobalt v = {.p_drop = UINT32_MAX};

	(void)state;
	for (unsigned i = 1; i <= 4096; i++) {
		assert_true(v.p_drop > 0);
		cobalt_empty(&v, &as_linux, T0 + i * (TARGET + 1));
	}
	assert_int_equal(v.p_drop, 0);
}

static void as_linux_time_alone_does_not_lower_blue(void **state)
{
	struct cobalt v = {.p_drop = P_UP, .blue_timer = T0};

	(void)state;
	judge(&v, &as_linux, T0 + 3600 * NS_PER_S, 0);
	assert_int_equal(v.p_drop, P_UP);
}

/*
 * Halved, less 1/4096, for each 2 x target: 1/4 = 1024/4096 is after one step 511, then
 * 254.5, 126.25, 62.1, 30.1, 14.0, 6.0, 2.0, 0.004 and 0.
 */
static void as_gateau_blue_fades_in_ten_steps_of_two_targets(void **state)
{
	struct cobalt v = {.p_drop = COBALT_P_QUARTER, .blue_timer = T0};

	(void)state;
	judge(&v, &as_gateau, T0 + 2 * TARGET, 0);
	assert_int_equal(v.p_drop, COBALT_P_QUARTER);
	judge(&v, &as_gateau, T0 + 2 * TARGET + 1, 0);
	assert_int_equal(v.p_drop, 511 * P_DOWN);
	judge(&v, &as_gateau, T0 + 6 * TARGET + 1, 0); /* two steps at once */
	assert_int_equal(v.p_drop, (511 / 4. - 1.5) * P_DOWN);
	judge(&v, &as_gateau, T0 + 18 * TARGET + 1, 0);
	assert_true(v.p_drop > 0);
	judge(&v, &as_gateau, T0 + 20 * TARGET + 1, 0);
	assert_int_equal(v.p_drop, 0);
}

static void as_gateau_hours_without_service_leave_nothing_of_blue(void **state)
{
	struct cobalt v = {.p_drop = COBALT_P_QUARTER, .blue_timer = T0};

	(void)state;
	assert_int_equal(judge(&v, &as_gateau, T0 + 3600 * NS_PER_S, 0), COBALT_PASS);
	assert_int_equal(v.p_drop, 0);
}

static void as_gateau_an_overflow_after_a_rest_starts_blue_anew(void **state)
{
	struct cobalt v = {.p_drop = COBALT_P_QUARTER, .blue_timer = T0};

	(void)state;
	cobalt_overflow(&v, &as_gateau, T0 + 3600 * NS_PER_S);
	assert_int_equal(v.p_drop, P_UP);
	/* A shorter rest: one halving, then the step of this overflow. */
	v = (struct cobalt){.p_drop = COBALT_P_QUARTER, .blue_timer = T0};
	cobalt_overflow(&v, &as_gateau, T0 + 2 * TARGET + 1);
	assert_int_equal(v.p_drop, 511 * P_DOWN + P_UP);
	assert_int_equal(v.blue_timer, T0 + 2 * TARGET + 1);
}

static void as_gateau_an_empty_queue_halves_blue(void **state)
{
	struct cobalt v = {.p_drop = COBALT_P_QUARTER, .blue_timer = T0};

	(void)state;
	cobalt_empty(&v, &as_gateau, T0 + TARGET);
	assert_int_equal(v.p_drop, COBALT_P_QUARTER);
	cobalt_empty(&v, &as_gateau, T0 + TARGET + 1);
	assert_int_equal(v.p_drop, 511 * P_DOWN);
	assert_int_equal(v.blue_timer, T0 + TARGET + 1);
}

static void blue_drops_when_the_dice_are_below_its_probability(void **state)
{
	struct cobalt v = {.p_drop = P_UP, .blue_timer = T0};
	struct prng below = prng_constant(P_UP - 1, 0);
	struct prng equal = prng_constant(P_UP, 0);
	bool ce;

	(void)state;
	assert_int_equal(cobalt_judge(&v, &as_linux, T0, 0, 0, true, &below, &ce), COBALT_BLUE);
	assert_false(ce);
	assert_int_equal(cobalt_judge(&v, &as_linux, T0, 0, 0, true, &equal, &ce), COBALT_PASS);
}

static void blue_may_drop_a_packet_that_was_just_marked(void **state)
{
	struct cobalt v = signalled(1, T0);
	struct prng rng = prng_constant(0, 0);
	bool ce;

	(void)state;
	v.p_drop = P_UP;
	v.blue_timer = T0;
	assert_int_equal(cobalt_judge(&v, &as_linux, T0, OVER, 0, true, &rng, &ce), COBALT_BLUE);
	assert_true(ce);
}

static void dice_are_thrown_only_when_blue_has_a_say(void **state)
{
	struct prng rng = prng_xorshift32(7);
	struct prng untouched = rng;
	struct cobalt v = {0};
	bool ce;

	(void)state;
	cobalt_judge(&v, &as_linux, T0, 0, 0, false, &rng, &ce); /* p_drop is 0 */
	assert_int_equal(rng.u32, untouched.u32);
	v = signalled(1, T0);
	v.p_drop = 1;
	cobalt_judge(&v, &as_linux, T0, OVER, 0, false, &rng, &ce); /* CoDel drops */
	assert_int_equal(rng.u32, untouched.u32);
	cobalt_judge(&v, &as_linux, T0, OVER, 0, false, &rng, &ce);
	assert_int_equal(rng.u32, prng_u32(&untouched)); /* once */
}

static void an_empty_queue_takes_back_one_signal_if_it_is_due(void **state)
{
	struct cobalt v = signalled(5, T0);

	(void)state;
	cobalt_empty(&v, &as_linux, T0 - 1);
	assert_false(v.dropping);
	assert_int_equal(v.count, 5);
	cobalt_empty(&v, &as_linux, T0 + 3600 * NS_PER_S);
	assert_int_equal(v.count, 4);
	assert_int_equal(v.drop_next, T0 + 49999999);
}

static void a_slot_is_at_rest_when_nothing_is_remembered(void **state)
{
	(void)state;
	assert_true(cobalt_at_rest(&(struct cobalt){.drop_next = T0}, T0));
	assert_false(cobalt_at_rest(&(struct cobalt){.drop_next = T0 + 1}, T0));
	assert_false(cobalt_at_rest(&(struct cobalt){.count = 1}, T0));
	assert_false(cobalt_at_rest(&(struct cobalt){.p_drop = 1}, T0));
}

/* The common cases */

/* A state such as years of any use could leave; one in two has nothing to remember. */
static struct cobalt any_state(struct prng *rng)
{
	struct cobalt v = {
		.drop_next = T0 + (int32_t)prng_u32(rng),
		.blue_timer = T0 + (int32_t)prng_u32(rng),
		.rec_inv_sqrt = prng_u32(rng) % 4 ? prng_u32(rng) : 0,
		.dropping = prng_u32(rng) & 1,
	};

	if (prng_u32(rng) & 1)
		return v;
	v.count = prng_u32(rng) & 1 ? prng_u32(rng) % 1000 : 0;
	v.p_drop = prng_u32(rng) & 1 ? prng_u32(rng) : 0;
	return v;
}

static void assert_same(const struct cobalt *a, const struct cobalt *b)
{
	assert_memory_equal(a, b, sizeof(*a)); /* packed: no padding */
}

/* Sojourns around the target and its multiples by frames, bulk flows included. */
static void passing_is_judging_where_there_is_nothing_to_judge(void **state)
{
	struct prng rng = prng_xorshift32(1);
	unsigned passed = 0, left = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		struct cobalt_config cfg = prng_u32(&rng) & 1 ? as_linux : as_gateau;
		struct cobalt before = any_state(&rng), quick = before, full = before;
		uint64_t sojourn = prng_u32(&rng) % 8 ? prng_u32(&rng) % (2 * TARGET)
						      : TARGET + prng_u32(&rng) % 3 - 1;
		bool capable = prng_u32(&rng) & 1, ce = true;
		struct prng dice = rng;

		cfg.mtu_time = prng_u32(&rng) % NS_PER_MS;
		if (!cobalt_pass(&quick, &cfg, T0, sojourn)) {
			assert_same(&quick, &before);
			left++;
			continue;
		}
		assert_int_equal(cobalt_judge(&full, &cfg, T0, sojourn, prng_u32(&rng) % 100,
					      capable, &dice, &ce),
				 COBALT_PASS);
		assert_false(ce);
		assert_same(&quick, &full);
		passed++;
		assert_true(before.count == 0 && before.p_drop == 0);
	}
	assert_true(passed > 50000 && left > 50000);
}

/* The dice of a packet that passes are the next one's. */
static void passing_throws_no_dice(void **state)
{
	struct prng dice = prng_xorshift32(1);
	struct cobalt v = {0};
	uint32_t before = dice.u32;
	bool ce;

	(void)state;
	assert_int_equal(cobalt_judge(&v, &as_gateau, T0, TARGET, 0, false, &dice, &ce),
			 COBALT_PASS);
	assert_int_equal(dice.u32, before);
	assert_true(cobalt_pass(&v, &as_gateau, T0, TARGET));
	assert_false(cobalt_pass(&v, &as_gateau, T0, TARGET + 1));
}

static void staying_calm_is_being_empty_with_nothing_to_take_back(void **state)
{
	struct prng rng = prng_xorshift32(2);
	unsigned calm = 0, left = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		const struct cobalt_config *cfg = prng_u32(&rng) & 1 ? &as_linux : &as_gateau;
		struct cobalt before = any_state(&rng), quick = before, full = before;

		if (!cobalt_stay_calm(&quick)) {
			assert_same(&quick, &before);
			left++;
			continue;
		}
		cobalt_empty(&full, cfg, T0);
		assert_same(&quick, &full);
		calm++;
	}
	assert_true(calm > 50000 && left > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_inverse_square_root_is_close_up_and_down_to_a_million),
		cmocka_unit_test(small_counts_have_linuxs_values),
		cmocka_unit_test(signals_come_an_interval_over_the_root_of_their_number_apart),
		cmocka_unit_test(a_slot_that_never_signalled_gets_no_grace),
		cmocka_unit_test(later_episodes_start_after_the_remembered_counts_interval),
		cmocka_unit_test(a_count_decayed_to_zero_gives_the_full_interval_again),
		cmocka_unit_test(a_slot_idle_beyond_its_timeout_gets_no_grace_either),
		cmocka_unit_test(over_means_above_target_and_four_frames_and_two_per_bulk_flow),
		cmocka_unit_test(a_packet_in_time_ends_the_episode),
		cmocka_unit_test(backing_off_catches_up_in_one_call),
		cmocka_unit_test(backing_off_after_hours_ends_at_zero_with_a_new_timeout),
		cmocka_unit_test(every_packet_without_a_count_renews_the_activity_timeout),
		cmocka_unit_test(a_late_schedule_is_brought_to_now_unless_something_was_dropped),
		cmocka_unit_test(capable_packets_are_marked_in_place_of_dropping),
		cmocka_unit_test(the_count_does_not_wrap),
		cmocka_unit_test(long_intervals_are_cut_to_32_bits_as_linux_only),
		cmocka_unit_test(as_gateau_long_intervals_are_kept_in_full),
		cmocka_unit_test(as_gateau_backing_off_from_many_signals_keeps_their_schedule),
		cmocka_unit_test(an_interval_of_exactly_2_to_32_ns_ends_all_the_same),
		cmocka_unit_test(overflows_raise_blue_once_per_target),
		cmocka_unit_test(overflows_start_codel_at_once),
		cmocka_unit_test(as_linux_blue_reaches_certainty_in_256_steps),
		cmocka_unit_test(as_gateau_blue_stops_at_a_quarter),
		cmocka_unit_test(as_linux_empty_queues_lower_blue_once_per_target),
		cmocka_unit_test(as_linux_certainty_takes_4096_empty_queues_to_end),
		cmocka_unit_test(as_linux_time_alone_does_not_lower_blue),
		cmocka_unit_test(as_gateau_blue_fades_in_ten_steps_of_two_targets),
		cmocka_unit_test(as_gateau_hours_without_service_leave_nothing_of_blue),
		cmocka_unit_test(as_gateau_an_overflow_after_a_rest_starts_blue_anew),
		cmocka_unit_test(as_gateau_an_empty_queue_halves_blue),
		cmocka_unit_test(blue_drops_when_the_dice_are_below_its_probability),
		cmocka_unit_test(blue_may_drop_a_packet_that_was_just_marked),
		cmocka_unit_test(dice_are_thrown_only_when_blue_has_a_say),
		cmocka_unit_test(an_empty_queue_takes_back_one_signal_if_it_is_due),
		cmocka_unit_test(a_slot_is_at_rest_when_nothing_is_remembered),
		cmocka_unit_test(passing_is_judging_where_there_is_nothing_to_judge),
		cmocka_unit_test(passing_throws_no_dice),
		cmocka_unit_test(staying_calm_is_being_empty_with_nothing_to_take_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

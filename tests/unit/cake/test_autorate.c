/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/autorate: bytes over time between the ends of bursts, and when a rate comes of it.
 *
 * Averages move by 1/4 towards a larger sample and by 1/256 towards a smaller one; the rate is
 * 15/16 of the peak.
 */
#include "cake/autorate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kit.h"

static struct autorate started(uint64_t bytes_per_s, bool as_linux)
{
	struct autorate a;

	autorate_init(&a, bytes_per_s, as_linux);
	return a;
}

/* Arrivals of @bytes in pairs, @gap ns apart on average, for @time ns: where all gaps are equal
 * none is above the average. Returns the last rate given, 0 = none. */
static uint64_t feed(struct autorate *a, uint64_t bytes, uint64_t gap, uint64_t from, uint64_t time)
{
	uint64_t rate, last = 0;

	for (uint64_t now = from; now < from + time; now += 2 * gap) {
		if (autorate_arrival(a, bytes, now, &rate))
			last = rate;
		if (autorate_arrival(a, bytes, now + gap / 2, &rate))
			last = rate;
	}
	return last;
}

static void a_steady_stream_is_estimated_as_what_it_is(void **state)
{
	(void)state;
	for (int as_linux = 0; as_linux <= 1; as_linux++) {
		struct autorate a = started(1000000, as_linux);
		/* 1,000 bytes a ms, 30 s: 30,000 steps of 1/4 or 1/256 */
		uint64_t rate = feed(&a, 1000, NS_PER_MS, T0, 30 * NS_PER_S);

		/* an EWMA of integers stops 256 short at most */
		assert_in_range(a.peak, 1000000 - 256, 1000000 + 256);
		assert_in_range(rate, (1000000 - 256) / 16 * 15, (1000000 + 256) / 16 * 15 + 15);
	}
}

static void it_rises_by_quarters_and_falls_by_256ths(void **state)
{
	struct autorate a = started(1000000, false);
	uint64_t rate;

	(void)state;
	assert_false(autorate_arrival(&a, 1000, T0, &rate)); /* begins the first burst */
	/* 2,000 bytes in 1 ms: 2 MB/s; 1,000,000 - 250,000 + 500,000 */
	assert_true(autorate_arrival(&a, 2000, T0 + NS_PER_MS, &rate));
	assert_int_equal(a.peak, 1250000);
	assert_int_equal(rate, 1171875); /* x 15 / 16 */
	/* 1 MB/s for a longer gap: 1,250,000 - 4,882 + 3,906 */
	assert_false(autorate_arrival(&a, 2000, T0 + 3 * NS_PER_MS, &rate)); /* within 250 ms */
	assert_int_equal(a.peak, 1249024);
}

/* Ten frames at once every 10 ms are 1 MB/s; within a burst nothing is estimated. */
static void a_burst_is_one_sample(void **state)
{
	struct autorate a = started(1000000, false);
	uint64_t rate, now = T0;

	(void)state;
	for (unsigned burst = 0; burst < 1000; burst++, now += 10 * NS_PER_MS)
		for (unsigned i = 0; i < 10; i++)
			autorate_arrival(&a, 1000, now, &rate);
	assert_in_range(a.peak, 990000, 1010000);
}

static void the_rate_changes_every_quarter_of_a_second_at_most(void **state)
{
	struct autorate a = started(1000000, false);
	uint64_t rate;
	unsigned changes = 0;

	(void)state;
	/* gaps of 1 and 3 ms: each of the latter ends a burst */
	for (uint64_t ms = 0; ms < 1000; ms += 4) {
		changes += autorate_arrival(&a, 1000, T0 + ms * NS_PER_MS, &rate);
		changes += autorate_arrival(&a, 1000, T0 + (ms + 1) * NS_PER_MS, &rate);
	}
	assert_int_equal(changes, 4); /* at 1, 252, 504 and 756 ms */
}

static void the_next_change_is_after_more_than_a_quarter_of_a_second(void **state)
{
	struct autorate a = started(1000000, false), b;
	uint64_t rate, changed = T0 + NS_PER_MS;

	(void)state;
	autorate_arrival(&a, 1000, T0, &rate);
	assert_true(autorate_arrival(&a, 1000, changed, &rate));
	b = a;
	assert_false(autorate_arrival(&a, 1000, changed + NS_PER_S / 4, &rate));
	assert_true(autorate_arrival(&b, 1000, changed + NS_PER_S / 4 + 1, &rate));
}

static void linux_changes_it_at_every_burst_s_end(void **state)
{
	struct autorate a = started(1000000, true);
	uint64_t rate;

	(void)state;
	/* the first window lasts since 0: 1 byte/s; 1,000,000 - 3,906 */
	assert_true(autorate_arrival(&a, 1000, T0, &rate));
	assert_int_equal(a.peak, 996094);
	/* the average gap began with 1/4 of 1 s and is still above 1 ms */
	assert_false(autorate_arrival(&a, 1000, T0 + NS_PER_MS, &rate));
	assert_true(autorate_arrival(&a, 1000, T0 + 400 * NS_PER_MS, &rate));
	assert_true(autorate_arrival(&a, 1000, T0 + 800 * NS_PER_MS, &rate));
}

static void without_a_bandwidth_the_first_estimate_counts_in_full(void **state)
{
	struct autorate a = started(0, false);
	uint64_t rate;

	(void)state;
	assert_false(autorate_arrival(&a, 1000, T0, &rate));
	assert_true(autorate_arrival(&a, 1600, T0 + NS_PER_MS, &rate));
	assert_int_equal(a.peak, 1600000);
	assert_int_equal(rate, 1500000);
}

static void a_trickle_leaves_the_slowest_rate_and_no_unlimited_one(void **state)
{
	struct autorate a = started(0, false);
	struct autorate as_linux = started(0, true);

	(void)state;
	/* a byte a minute */
	assert_int_equal(feed(&a, 1, 60 * NS_PER_S, T0, 3600 * NS_PER_S), 64);
	assert_int_equal(feed(&as_linux, 1, 60 * NS_PER_S, T0, 3600 * NS_PER_S), 0);
}

/* 400 Gbit/s for a second in one window: 5 x 10^10 bytes x 10^9 are more than 2^64. */
static void a_window_of_many_bytes_is_counted_in_full(void **state)
{
	struct autorate a = started(50000000000, false);
	uint64_t rate;

	(void)state;
	autorate_arrival(&a, 1000, T0, &rate);
	assert_true(autorate_arrival(&a, 50000000000, T0 + NS_PER_S, &rate));
	assert_int_equal(a.peak, 50000000000);

	a = started(50000000000, true);
	autorate_arrival(&a, 1000, T0, &rate);
	a.window_begin = T0;
	a.window_bytes = 0;
	assert_true(autorate_arrival(&a, 50000000000, T0 + NS_PER_S, &rate));
	/* 5 x 10^19 - 2 x 2^64, of which there are 10^9 ns; the first estimate was 1 byte/s */
	assert_int_equal(a.peak, 49804687500 - (49804687500 >> 8) + (13106511852 >> 8));
}

/* 2^40 bytes at one time and a frame 1 ns later seem to be 2^40 x 10^9 bytes/s. */
static void a_rate_that_no_link_has_is_the_fastest_there_is(void **state)
{
	struct autorate a = started(0, false);
	uint64_t rate;

	(void)state;
	autorate_arrival(&a, 1000, T0, &rate);
	assert_false(autorate_arrival(&a, 1ull << 40, T0, &rate));
	assert_true(autorate_arrival(&a, 1000, T0 + 1, &rate));
	assert_int_equal(a.peak, 1ull << 60);
	assert_int_equal(rate, 15ull << 56);
}

static void a_pause_of_hours_is_no_less_than_one_of_a_second(void **state)
{
	static const uint64_t pauses[] = {NS_PER_S, 1ull << 32, 18000 * NS_PER_S};

	(void)state;
	for (unsigned i = 0; i < COUNT(pauses); i++) {
		struct autorate a = started(1000000, false);
		uint64_t rate, estimate = 1000 * NS_PER_S / pauses[i];

		autorate_arrival(&a, 1000, T0, &rate);
		assert_true(autorate_arrival(&a, 1000, T0 + pauses[i], &rate));
		assert_int_equal(a.avg_gap, NS_PER_S / 4);
		/* 1,000, 232 or 0 bytes/s */
		assert_int_equal(a.peak, 1000000 - 3906 + (estimate >> 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_steady_stream_is_estimated_as_what_it_is),
		cmocka_unit_test(it_rises_by_quarters_and_falls_by_256ths),
		cmocka_unit_test(a_burst_is_one_sample),
		cmocka_unit_test(the_rate_changes_every_quarter_of_a_second_at_most),
		cmocka_unit_test(the_next_change_is_after_more_than_a_quarter_of_a_second),
		cmocka_unit_test(linux_changes_it_at_every_burst_s_end),
		cmocka_unit_test(without_a_bandwidth_the_first_estimate_counts_in_full),
		cmocka_unit_test(a_trickle_leaves_the_slowest_rate_and_no_unlimited_one),
		cmocka_unit_test(a_window_of_many_bytes_is_counted_in_full),
		cmocka_unit_test(a_rate_that_no_link_has_is_the_fastest_there_is),
		cmocka_unit_test(a_pause_of_hours_is_no_less_than_one_of_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

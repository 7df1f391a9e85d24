/* SPDX-License-Identifier: BSD-3-Clause */
/* A device's counter, from a source that wraps where it is told to and may be reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "port/nic_counter.h"

#define S UINT64_C(1000000000)

/** A NIC with one counter, which is read once a second. */
struct source {
	uint64_t mask;
	uint64_t shows;
	struct nic_counter c;
};

static struct source source_of(unsigned bits, uint64_t shows)
{
	struct source s = {.mask = UINT64_MAX >> (64 - bits), .shows = shows};

	nic_counter_begin(&s.c, shows);
	return s;
}

static void count(struct source *s, uint64_t packets)
{
	s->shows = (s->shows + packets) & s->mask;
	nic_counter_read(&s->c, s->shows, nic_counter_most(S));
}

static void what_was_there_at_the_start_does_not_count(void **state)
{
	struct source s = source_of(64, 12345);

	(void)state;
	count(&s, 0);
	assert_int_equal(s.c.total, 0);
	count(&s, 7);
	assert_int_equal(s.c.total, 7);
}

static void a_wrap_is_seen_at_each_width(void **state)
{
	static const uint8_t bits[] = {32, 36, 40, 48, 64};

	(void)state;
	for (unsigned i = 0; i < sizeof(bits); i++) {
		const uint64_t last = UINT64_MAX >> (64 - bits[i]);
		struct source s = source_of(bits[i], last - 1);

		count(&s, 1); /* shows 2^bits - 1 */
		assert_int_equal(s.c.total, 1);
		count(&s, 1); /* shows 0 */
		assert_int_equal(s.shows, 0);
		assert_int_equal(s.c.total, 2);
		count(&s, 5);
		assert_int_equal(s.c.total, 7);
	}
}

static void wraps_at_full_rate_lose_nothing(void **state)
{
	struct source s = source_of(32, UINT32_MAX);

	(void)state;
	/* The most that 400 Gbit/s brings in a second, 20 times: 12e9 packets, two to three wraps.
	 */
	for (unsigned i = 0; i < 20; i++)
		count(&s, NIC_COUNTER_PACKETS_PER_S);
	assert_int_equal(s.c.total, UINT64_C(20) * NIC_COUNTER_PACKETS_PER_S);
}

static void a_reset_starts_from_zero_and_the_total_does_not_fall(void **state)
{
	struct source s = source_of(64, 0);

	(void)state;
	count(&s, 1000000);
	s.shows = 0;
	count(&s, 40);
	assert_int_equal(s.c.total, 1000040);
	s.shows = 0;
	count(&s, 0);
	assert_int_equal(s.c.total, 1000040);
}

/* 2^32 + 2^31 is wider than 32 bits, and further from 2^36's end than a second can bring. */
static void a_reset_of_a_high_counter_is_no_wrap(void **state)
{
	const uint64_t high = (UINT64_C(1) << 32) + (UINT64_C(1) << 31);
	struct source s = source_of(40, 0);

	(void)state;
	s.c.last = s.shows = high;
	s.shows = 0;
	count(&s, 3);
	assert_int_equal(s.c.total, 3);
}

/* Just past 2^32 a counter of 40 bits is not one of 32 that wraps: 2^32 + 9, then 5 is a reset. */
static void a_width_that_was_exceeded_is_none(void **state)
{
	struct source s = source_of(40, (UINT64_C(1) << 32) - 1);

	(void)state;
	count(&s, 10);
	assert_int_equal(s.c.total, 10);
	s.shows = 0;
	count(&s, 5);
	assert_int_equal(s.c.total, 15);
}

/* The documented limit: taken for a wrap, by less than what a second can bring too much. */
static void a_reset_close_to_the_end_errs_by_less_than_most(void **state)
{
	const uint64_t short_of_end = 1000;
	struct source s = source_of(32, (UINT64_C(1) << 32) - short_of_end);

	(void)state;
	s.shows = 0;
	count(&s, 2);
	assert_int_equal(s.c.total, short_of_end + 2);
	assert_true(s.c.total <= nic_counter_most(S));
}

/* It was not read for long: half of the range decides. */
static void without_a_bound_a_fall_by_more_than_half_is_a_wrap(void **state)
{
	struct nic_counter c = {0};

	(void)state;
	nic_counter_begin(&c, UINT32_MAX - 9);
	nic_counter_read(&c, 90, UINT64_MAX);
	assert_int_equal(c.total, 100);
	nic_counter_begin(&c, 1000000);
	nic_counter_read(&c, 90, UINT64_MAX);
	assert_int_equal(c.total, 190);
}

/* 3.5 s * 600e6/s = 2.1e9 < 2^31 = 2.147e9 */
static void readings_3_5_s_apart_see_each_wrap_of_32_bits(void **state)
{
	(void)state;
	assert_true(nic_counter_most(7 * S / 2) < UINT64_C(1) << 31);
	assert_true(nic_counter_most(S) >= NIC_COUNTER_PACKETS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_there_at_the_start_does_not_count),
		cmocka_unit_test(a_wrap_is_seen_at_each_width),
		cmocka_unit_test(wraps_at_full_rate_lose_nothing),
		cmocka_unit_test(a_reset_starts_from_zero_and_the_total_does_not_fall),
		cmocka_unit_test(a_reset_of_a_high_counter_is_no_wrap),
		cmocka_unit_test(a_width_that_was_exceeded_is_none),
		cmocka_unit_test(a_reset_close_to_the_end_errs_by_less_than_most),
		cmocka_unit_test(without_a_bound_a_fall_by_more_than_half_is_a_wrap),
		cmocka_unit_test(readings_3_5_s_apart_see_each_wrap_of_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

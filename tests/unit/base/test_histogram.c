/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles against sorted numbers, and where buckets begin and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/histogram.h"
#include "base/prng.h"

static struct histogram h;

static int empty(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	return 0;
}

static void an_empty_one_has_no_numbers(void **state)
{
	(void)state;
	assert_int_equal(histogram_quantile(&h, 500), 0);
	assert_int_equal(h.min, 0);
	assert_int_equal(h.max, 0);
}

/* Of 1..200: rank ceil(200 * 0.5) = 100, ceil(200 * 0.95) = 190, ceil(200 * 0.99) = 198. */
static void numbers_below_256_are_exact(void **state)
{
	(void)state;
	for (uint64_t v = 200; v > 0; v--)
		histogram_add(&h, v);
	assert_int_equal(histogram_quantile(&h, 1), 1);
	assert_int_equal(histogram_quantile(&h, 500), 100);
	assert_int_equal(histogram_quantile(&h, 950), 190);
	assert_int_equal(histogram_quantile(&h, 990), 198);
	assert_int_equal(histogram_quantile(&h, 1000), 200);
	assert_int_equal(h.n, 200);
}

/* Of three, the second is the median and the third every quantile above 2/3. */
static void ranks_are_rounded_up(void **state)
{
	(void)state;
	histogram_add(&h, 10);
	histogram_add(&h, 20);
	histogram_add(&h, 30);
	assert_int_equal(histogram_quantile(&h, 333), 10);
	assert_int_equal(histogram_quantile(&h, 334), 20);
	assert_int_equal(histogram_quantile(&h, 666), 20);
	assert_int_equal(histogram_quantile(&h, 667), 30);
}

static void assert_close(uint64_t got, uint64_t want)
{
	uint64_t off = got > want ? got - want : want - got;

	if (off > (long double)want * HISTOGRAM_ERROR)
		fail_msg("%ju for %ju", (uintmax_t)got, (uintmax_t)want);
}

/* The number in question lies between two others, so that min and max do not help. */
static void every_power_of_two_keeps_the_error(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (int step = -1; step <= 1; step++) {
			uint64_t v = (1ull << bit) + (uint64_t)step;

			empty(NULL);
			histogram_add(&h, 0);
			histogram_add(&h, v);
			histogram_add(&h, UINT64_MAX);
			assert_close(histogram_quantile(&h, 500), v);
		}
	}
}

static void both_ends_are_exact(void **state)
{
	(void)state;
	histogram_add(&h, 123456789);
	histogram_add(&h, 987654321);
	histogram_add(&h, 987654320);
	assert_int_equal(histogram_quantile(&h, 0), 123456789);
	assert_int_equal(histogram_quantile(&h, 1000), 987654321);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Numbers of all magnitudes: 32 random bits, shifted right by 0 to 31. */
static void quantiles_are_those_of_the_sorted_numbers(void **state)
{
	enum { N = 5000 };
	static uint64_t sorted[N];
	struct prng rng = prng_xorshift32(1);

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		sorted[i] = (uint64_t)prng_u32(&rng) << 10 >> (prng_u32(&rng) & 31);
		histogram_add(&h, sorted[i]);
	}
	qsort(sorted, N, sizeof(*sorted), ascending);
	assert_int_equal(h.min, sorted[0]);
	assert_int_equal(h.max, sorted[N - 1]);
	for (unsigned permille = 1; permille <= 1000; permille++)
		assert_close(histogram_quantile(&h, permille), sorted[N * permille / 1000 - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_one_has_no_numbers, empty),
		cmocka_unit_test_setup(numbers_below_256_are_exact, empty),
		cmocka_unit_test_setup(ranks_are_rounded_up, empty),
		cmocka_unit_test_setup(every_power_of_two_keeps_the_error, empty),
		cmocka_unit_test_setup(both_ends_are_exact, empty),
		cmocka_unit_test_setup(quantiles_are_those_of_the_sorted_numbers, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

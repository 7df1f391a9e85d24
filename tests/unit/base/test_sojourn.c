/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting times: which bucket a time is in, and nothing lost between counting and reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sojourn.h"

/** The bucket that the only packet, which waited for @ns, is in. */
static unsigned bucket_of(uint64_t ns)
{
	struct sojourn_count count = {0};
	struct sojourn s;
	unsigned bucket = 0;

	sojourn_add(&count, ns);
	sojourn_get(&s, &count);
	assert_int_equal(sojourn_packets(&s), 1);
	assert_int_equal(s.sum_ns, ns);
	while (!s.counts[bucket])
		bucket++;
	return bucket;
}

static void a_bucket_ends_below_its_bound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SOJOURN_BUCKETS - 1; i++) {
		const uint64_t bound = sojourn_bound_ns(i);

		assert_int_equal(bucket_of(bound - 1), i);
		assert_int_equal(bucket_of(bound), i + 1);
	}
	assert_int_equal(bucket_of(0), 0);
	assert_int_equal(bucket_of(INT64_MAX), SOJOURN_BUCKETS - 1);
}

static void bounds_are_from_a_microsecond_to_17_seconds(void **state)
{
	(void)state;
	assert_int_equal(sojourn_bound_ns(0), 1024);
	assert_int_equal(sojourn_bound_ns(SOJOURN_BUCKETS - 2), 17179869184);
	assert_true(sojourn_bound_ns(SOJOURN_BUCKETS - 1) == UINT64_MAX);
}

static void queues_are_added_up(void **state)
{
	struct sojourn_count a = {0}, b = {0};
	struct sojourn sum = {0}, s;

	(void)state;
	sojourn_add(&a, 100);
	sojourn_add(&a, 5000);
	sojourn_add(&b, 6000);
	sojourn_get(&s, &a);
	sojourn_merge(&sum, &s);
	sojourn_get(&s, &b);
	sojourn_merge(&sum, &s);
	assert_int_equal(sum.counts[0], 1);
	assert_int_equal(sum.counts[3], 2); /* 4,096 to 8,191 ns */
	assert_int_equal(sum.sum_ns, 11100);
	assert_int_equal(sojourn_packets(&sum), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_ends_below_its_bound),
		cmocka_unit_test(bounds_are_from_a_microsecond_to_17_seconds),
		cmocka_unit_test(queues_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

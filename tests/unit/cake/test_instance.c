/* SPDX-License-Identifier: BSD-3-Clause */
/* cake/instance: rates and limits that change while packets are queued. */
#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

/* 1000 bytes last 8 ms at 1 mbit/s, 0.8 ms at 10 mbit/s. */
static void a_new_rate_holds_from_the_next_packet_on(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	struct cake_verdict v;
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.target_ns = 500 * NS_PER_MS; /* no signal meanwhile */
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 4; i++)
		kit_enqueue(c, kit_packet(i, 1000, 1), T0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	assert_int_equal(cake_set_bandwidth(c, 10000000, T0 + NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), T0 + NS_PER_MS); /* ask again */
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), T0 + 8 * NS_PER_MS); /* the first is still on its way */
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 8 * NS_PER_MS), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 8 * NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), T0 + 8800 * NS_PER_US);
	assert_int_equal(cake_set_bandwidth(c, 0, T0 + 8800 * NS_PER_US), 0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 8800 * NS_PER_US), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 8800 * NS_PER_US), 1);
	assert_int_equal(v.handle, 3);
	assert_int_equal(cake_set_bandwidth(c, 7, T0 + 8800 * NS_PER_US), -EINVAL);
	cake_stats_get(c, &s);
	assert_int_equal(s.tins[0].threshold_rate, 0);
	cake_destroy(c);
}

/* tc's weights on an unlimited link: 1024 for Best Effort, 256 for Voice, so 4 frames of 5. */
static void a_link_made_unlimited_is_shared_by_weight_from_then_on(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	uint64_t now = T0;
	unsigned best_effort = 0;
	struct cake_verdict v;
	struct cake *c;

	(void)state;
	p.target_ns = 500 * NS_PER_S;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 300; i++) {
		struct cake_packet packet = kit_packet(i, 1000, 1 + i % 2);

		packet.dscp = i % 2 ? 46 : 0;
		kit_enqueue(c, packet, now);
	}
	for (unsigned i = 0; i < 100; i++, now += 8 * NS_PER_MS)
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
	assert_int_equal(cake_set_bandwidth(c, 0, now), 0);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
		best_effort += v.tin == 0;
	}
	assert_in_range(best_effort, 39, 41);
	cake_destroy(c);
}

/* Packets of 60 bytes are charged 768. */
static void a_new_memory_limit_holds_at_once(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	struct cake_verdict v;
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.memlimit = 10 * 768;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 10; i++)
		kit_enqueue(c, kit_packet(i, 60, 1), T0);
	assert_int_equal(cake_set_memlimit(c, 8 * 768 + 767, T0), 0);
	assert_int_equal(cake_backlog(c), 8);
	for (uint32_t i = 0; i < 2; i++) { /* the oldest */
		assert_int_equal(cake_take_drops(c, &v, 1), 1);
		assert_int_equal(v.handle, i);
		assert_int_equal(v.decision, CAKE_DROP_OVERFLOW);
	}
	assert_int_equal(cake_take_drops(c, &v, 1), 0);
	assert_int_equal(cake_set_bandwidth(c, 2000000, T0), 0); /* another rate: the limit stays */
	cake_stats_get(c, &s);
	assert_int_equal(s.memory_limit, 8 * 768 + 767);
	assert_int_equal(cake_set_memlimit(c, 10 * 768 + 1, T0), -ENOSPC);
	assert_int_equal(cake_set_memlimit(c, 0, T0), 0);
	cake_stats_get(c, &s);
	assert_int_equal(s.memory_limit, 10 * 768);
	cake_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_rate_holds_from_the_next_packet_on),
		cmocka_unit_test(a_link_made_unlimited_is_shared_by_weight_from_then_on),
		cmocka_unit_test(a_new_memory_limit_holds_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

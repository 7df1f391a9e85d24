/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share/level, share/clock and share/equal from inside: parts by weight and demand, lines that are
 * too old, slots that never overlap, and cake_mq's count of active queues.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kit.h"
#include "share/state.h"

#define RATE   1000000ull /* bytes/s */
#define QUEUES 4

static struct prng rng;

struct group {
	struct share *share;
	struct cake *cakes[QUEUES];
	struct share_queue *queues[QUEUES];
	struct share_view view;
};

static struct group g;

static void create(enum share_mode mode, enum share_weight weight)
{
	struct share_params sp = {
		.bytes_per_s = RATE,
		.queues = QUEUES,
		.max_frame = 1514,
		.mode = mode,
		.weight = weight,
		.now = T0,
	};
	struct cake_params cp = kit_params(CAKE_PROFILE_GATEAU, RATE * 8);

	g = (struct group){0};
	cp.slots = mode == SHARE_DEMAND;
	assert_int_equal(share_create(&g.share, &sp), 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		g.cakes[i] = kit_create(&cp, &rng);
		assert_int_equal(share_queue_create(&g.queues[i], g.share, i, g.cakes[i]), 0);
	}
}

static int setup_demand(void **state)
{
	(void)state;
	create(SHARE_DEMAND, SHARE_BY_FLOWS);
	return 0;
}

static int setup_equal(void **state)
{
	(void)state;
	create(SHARE_EQUAL, SHARE_BY_FLOWS);
	return 0;
}

static int teardown(void **state)
{
	struct cake_verdict out;

	(void)state;
	for (unsigned i = 0; i < QUEUES; i++) {
		share_queue_destroy(g.queues[i]);
		cake_purge(g.cakes[i]);
		while (cake_take_drops(g.cakes[i], &out, 1))
			;
		cake_destroy(g.cakes[i]);
	}
	share_destroy(g.share);
	return 0;
}

static void say(unsigned i, uint64_t stamp, uint64_t demand, unsigned weight, bool limited)
{
	struct share_line *l = &g.share->lines[i];

	l->stamp = stamp;
	l->demand = demand;
	l->weight = weight * 16;
	l->limited = limited;
}

/** What queue 0, which is idle, would get at @now. */
static uint64_t part_of_queue_0(uint64_t now)
{
	g.view = (struct share_view){0};
	g.queues[0]->last_sync = now; /* its line stays as it is */
	level_sync(g.queues[0], &g.view, now);
	return g.queues[0]->fair;
}

static void a_queue_expects_an_equal_part_before_it_has_looked(void **state)
{
	(void)state;
	assert_int_equal(g.queues[3]->fair, RATE / QUEUES);
}

static void an_idle_port_is_all_its_own(void **state)
{
	(void)state;
	assert_int_equal(part_of_queue_0(T0 + NS_PER_S), RATE);
}

static void those_held_back_share_by_weight(void **state)
{
	const uint64_t now = T0 + NS_PER_S;

	(void)state;
	say(1, now, RATE / 2, 2, true);
	say(2, now, RATE / 2, 5, true);
	assert_int_equal(part_of_queue_0(now), RATE / 8);
	assert_int_equal(g.view.active, 2);
}

static void those_that_use_less_than_their_part_leave_the_rest(void **state)
{
	const uint64_t now = T0 + NS_PER_S;

	(void)state;
	say(1, now, RATE, 1, true);
	say(2, now, RATE / 10, 1, false);
	say(3, now, RATE / 5, 1, false);
	assert_int_equal(part_of_queue_0(now), (RATE - RATE / 10 - RATE / 5) / 2);
}

/* 0.3 of the rate is less than a third, but not than a quarter, which it is with queue 0. */
static void the_level_rises_until_all_is_given(void **state)
{
	const uint64_t now = T0 + NS_PER_S;

	(void)state;
	say(1, now, RATE, 1, true);
	say(2, now, RATE * 3 / 10, 1, false);
	say(3, now, RATE * 34 / 100, 1, false);
	part_of_queue_0(now);
	assert_int_equal(g.view.left, RATE - RATE * 3 / 10 - RATE * 34 / 100);
	assert_int_equal(g.view.weights, 16);
}

static void a_queue_that_does_not_run_holds_nothing_back(void **state)
{
	const uint64_t now = T0 + NS_PER_S;

	(void)state;
	say(1, now - 2400 * NS_PER_US, RATE / 2, 1, true);
	assert_int_equal(part_of_queue_0(now), RATE / 2);
	say(1, now - 2600 * NS_PER_US, RATE / 2, 1, true);
	assert_int_equal(part_of_queue_0(now), RATE);
}

static void a_queue_that_has_not_run_for_a_millisecond_uses_nothing(void **state)
{
	const uint64_t now = T0 + NS_PER_S;

	(void)state;
	say(1, now - 900 * NS_PER_US, RATE / 4, 1, false);
	assert_int_equal(part_of_queue_0(now), RATE * 3 / 4);
	say(1, now - 1100 * NS_PER_US, RATE / 4, 1, false);
	assert_int_equal(part_of_queue_0(now), RATE);
}

/* Seven flows are backlogged, but only two of them are let in. */
static void a_queue_weighs_what_it_serves_not_what_it_holds(void **state)
{
	uint64_t now = T0;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned n = 0; n < 4; n++)
			kit_enqueue(g.cakes[0], kit_packet(i, 1514, 1), T0);
	share_set_parties(g.queues[0], 7);
	for (unsigned looks = 0; looks < 100; looks++)
		level_sync(g.queues[0], &g.view, now += 250 * NS_PER_US);
	assert_int_equal(g.share->lines[0].weight, 7 * 16);
	share_set_parties(g.queues[0], 0);
	for (unsigned looks = 0; looks < 200; looks++)
		level_sync(g.queues[0], &g.view, now += 250 * NS_PER_US);
	assert_in_range(g.share->lines[0].weight, 16, 2 * 16);
}

/* Tins follow by an eighth per look, and not for less than an eighth. */
static void the_tins_part_follows_slowly(void **state)
{
	uint64_t now = T0 + NS_PER_S;
	unsigned looks = 0;

	(void)state;
	part_of_queue_0(now);
	assert_int_equal(g.queues[0]->counters.share_bytes_s, RATE / 4 + RATE * 3 / 4 / 8);
	while (g.queues[0]->counters.share_bytes_s < RATE) {
		now += 250 * NS_PER_US;
		part_of_queue_0(now);
		assert_true(++looks < 50);
	}
	assert_in_range(looks, 10, 30);
	assert_in_range(g.queues[0]->counters.share_changes, 5, 15);
}

static void and_at_once_to_less_than_a_half(void **state)
{
	uint64_t now = T0 + NS_PER_S;

	(void)state;
	for (unsigned i = 1; i < QUEUES; i++)
		say(i, now, RATE / 4, 5, true);
	part_of_queue_0(now);
	assert_int_equal(g.queues[0]->counters.share_bytes_s, RATE / 16);
	assert_int_equal(g.queues[0]->counters.share_changes, 1);
}

/* The clock */

static void slots_follow_each_other_without_a_gap(void **state)
{
	struct share_clock c = {.end = T0};

	(void)state;
	assert_int_equal(clock_reserve(&c, 100, T0), T0);
	assert_int_equal(clock_reserve(&c, 50, T0), T0 + 100);
	clock_settle(&c, -30);
	assert_int_equal(clock_reserve(&c, 50, T0), T0 + 120);
	clock_settle(&c, 30);
	assert_int_equal(clock_read(&c), T0 + 200);
}

static void idle_time_before_what_is_asked_for_is_lost(void **state)
{
	struct share_clock c = {.end = T0};

	(void)state;
	assert_int_equal(clock_reserve(&c, 100, T0), T0);
	assert_int_equal(clock_reserve(&c, 100, T0 - 1), T0 + 100);
	assert_int_equal(clock_reserve(&c, 100, T0 + NS_PER_S), T0 + NS_PER_S);
}

/* cake_mq: "equal" */

static unsigned run_equal(unsigned i, uint64_t now)
{
	struct share_counters counters;
	struct cake_verdict out[8];

	share_dequeue(g.queues[i], &g.view, out, 8, now);
	share_counters_get(g.queues[i], &counters);
	assert_int_equal(counters.reservations, 0);
	return counters.active_queues;
}

static void a_queue_counts_who_has_packets_or_sent_some_since_it_looked(void **state)
{
	struct share_counters counters;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		kit_enqueue(g.cakes[1], kit_packet(i, 1514, 1), T0);
	kit_enqueue(g.cakes[2], kit_packet(9, 1514, 1), T0);
	assert_int_equal(run_equal(1, T0), 1); /* nobody else has said anything */
	assert_int_equal(run_equal(2, T0), 2); /* sends its only packet now */
	assert_int_equal(run_equal(0, T0 + 1), 3);
	share_counters_get(g.queues[0], &counters);
	assert_int_equal(counters.share_bytes_s, RATE / 3);

	/* 200 us later queue 2 has neither; within them nobody looks. */
	assert_int_equal(run_equal(0, T0 + 200 * NS_PER_US), 3);
	assert_int_equal(run_equal(0, T0 + 200 * NS_PER_US + 1), 2);
	share_counters_get(g.queues[0], &counters);
	assert_int_equal(counters.syncs, 2);
	assert_int_equal(counters.share_changes, 2);
	assert_int_equal(run_equal(0, T0 + 401 * NS_PER_US), 2);
	share_counters_get(g.queues[0], &counters);
	assert_int_equal(counters.syncs, 3);
	assert_int_equal(counters.share_changes, 2);
}

static void each_runs_at_its_part_of_the_rate(void **state)
{
	(void)state;
	kit_enqueue(g.cakes[1], kit_packet(0, 1514, 1), T0);
	kit_enqueue(g.cakes[1], kit_packet(1, 1514, 1), T0);
	run_equal(1, T0);
	run_equal(0, T0 + 1);
	kit_enqueue(g.cakes[0], kit_packet(0, 1514, 1), T0 + 1);
	assert_int_equal(g.queues[0]->counters.share_bytes_s, RATE / 2);
	run_equal(0, T0 + 2);
	kit_enqueue(g.cakes[0], kit_packet(1, 1514, 1), T0 + 2);
	run_equal(0, T0 + 3);
	/* 1,514 bytes at 500 kB/s. */
	assert_int_equal(share_next_time(g.queues[0]), T0 + 1 + 3028 * NS_PER_US);
}

static void parameters_out_of_their_range_are_refused(void **state)
{
	static const struct share_params bad[] = {
		{.bytes_per_s = 0, .queues = 1, .max_frame = 1514},
		{.bytes_per_s = 1, .queues = 0, .max_frame = 1514},
		{.bytes_per_s = 1, .queues = SHARE_QUEUES_MAX + 1, .max_frame = 1514},
		{.bytes_per_s = 1, .queues = 1, .max_frame = 0},
	};
	struct share_queue *q;
	struct share *s;

	(void)state;
	for (unsigned i = 0; i < COUNT(bad); i++)
		assert_int_equal(share_create(&s, &bad[i]), -EINVAL);
	assert_int_equal(share_queue_create(&q, g.share, QUEUES, g.cakes[0]), -EINVAL);
}

int main(void)
{
#define DEMAND(name) cmocka_unit_test_setup_teardown(name, setup_demand, teardown)
#define EQUAL(name)  cmocka_unit_test_setup_teardown(name, setup_equal, teardown)
	const struct CMUnitTest tests[] = {
		DEMAND(a_queue_expects_an_equal_part_before_it_has_looked),
		DEMAND(an_idle_port_is_all_its_own),
		DEMAND(those_held_back_share_by_weight),
		DEMAND(those_that_use_less_than_their_part_leave_the_rest),
		DEMAND(the_level_rises_until_all_is_given),
		DEMAND(a_queue_that_does_not_run_holds_nothing_back),
		DEMAND(a_queue_that_has_not_run_for_a_millisecond_uses_nothing),
		DEMAND(a_queue_weighs_what_it_serves_not_what_it_holds),
		DEMAND(the_tins_part_follows_slowly),
		DEMAND(and_at_once_to_less_than_a_half),
		cmocka_unit_test(slots_follow_each_other_without_a_gap),
		cmocka_unit_test(idle_time_before_what_is_asked_for_is_lost),
		EQUAL(a_queue_counts_who_has_packets_or_sent_some_since_it_looked),
		EQUAL(each_runs_at_its_part_of_the_rate),
		EQUAL(parameters_out_of_their_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

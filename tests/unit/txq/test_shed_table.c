/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a receiving lcore knows of flows, and what it does with packets that are ahead of V. V is
 * set by hand here; tests/unit/txq/test_shed.c has a holder that finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "txq/shed_table.h"

#define START_NS 1000000000ull
#define MS       1000000ull

static struct shed *shed;
static struct shed_table *table;

static int create(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p); /* three tins, triple isolation */
	assert_int_equal(shed_create(&shed, &p), 0);
	assert_int_equal(shed_table_create(&table, shed, 0), 0);
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	shed_table_destroy(table);
	shed_destroy(shed);
	return 0;
}

static struct cake_packet packet(uint32_t flow)
{
	return (struct cake_packet){.flow_hash = flow * 0x85ebca6bu + 1, .len = 100};
}

static struct shed_view look(unsigned tin, uint64_t now)
{
	struct shed_view view = {0};

	shed_look(shed, tin, now, &view);
	return view;
}

/** @tin is overloaded from @now on: its flows may have @speed bytes per us each. */
static void overload(unsigned tin, uint64_t now, uint64_t speed, double admit)
{
	struct shed_view view = look(tin, now);

	shed_publish(shed, tin,
		     &(struct shed_values){.on = true,
					   .v0 = view.v,
					   .t0 = now,
					   .speed = speed * ((1ull << 32) / 1000),
					   .began = shed_tag(view.v),
					   .admit = (uint32_t)(admit * UINT32_MAX)});
}

/** Go on with the line, which a reader trusts for 100 us. */
static void republish(unsigned tin, uint64_t now, uint64_t speed)
{
	struct shed_view view = look(tin, now);

	shed_publish(shed, tin,
		     &(struct shed_values){.on = true,
					   .v0 = view.v,
					   .t0 = now,
					   .speed = speed * ((1ull << 32) / 1000),
					   .began = view.began,
					   .tol = view.tol,
					   .admit = view.admit});
}

static enum shed_verdict judge(uint32_t flow, unsigned tin, uint64_t now, enum shed_first *first)
{
	struct cake_packet p = packet(flow);

	assert_true(shed_begin(table, false, now));
	return shed_judge(table, &p, tin, p.len, first);
}

/** Flows 0..@n-1 send 100 times, 10 ms apart. Returns when that is over. */
static uint64_t seen_before(unsigned n, unsigned tin)
{
	uint64_t now = START_NS;

	for (unsigned i = 0; i < 100; i++, now += 10 * MS) {
		for (uint32_t flow = 0; flow < n; flow++) {
			struct cake_packet p = packet(flow);

			assert_false(shed_begin(table, false, now));
			if (shed_samples(table))
				shed_note(table, &p, tin);
		}
	}
	return now;
}

static void v_goes_on_for_100_us_without_the_holder(void **state)
{
	(void)state;
	overload(0, START_NS, 1000, 1);
	assert_int_equal(shed_tag(look(0, START_NS + 50000).v) - shed_tag(look(0, START_NS).v),
			 50000);
	assert_int_equal(look(0, START_NS + 100000).v, look(0, START_NS + 5 * MS).v);
	/* An lcore whose clock is behind. */
	assert_int_equal(look(0, START_NS - 10).v, look(0, START_NS).v);
}

static void a_line_being_written_leaves_the_reader_what_it_had(void **state)
{
	struct shed_view view = look(0, START_NS), before = view;

	(void)state;
	overload(0, START_NS, 1000, 1);
	atomic_fetch_add(&shed->lines[0].version, 1);
	shed_look(shed, 0, START_NS, &view);
	assert_memory_equal(&view, &before, sizeof(view));
	atomic_fetch_add(&shed->lines[0].version, 1);
	shed_look(shed, 0, START_NS, &view);
	assert_true(view.on);
}

static void tags_compare_across_their_end(void **state)
{
	(void)state;
	assert_int_equal(shed_ahead(5, SHED_TAG_MASK - 4), 10);
	assert_int_equal(shed_ahead(SHED_TAG_MASK - 4, 5), -10);
	assert_int_equal(shed_ahead(0, 0), 0);
	/* Too far ahead to be true: it was left behind by a whole turn. */
	assert_true(shed_ahead(SHED_AHEAD_MAX + 1, 0) < 0);
}

/* 100 bytes every 100 us are what V grows by; the flow sends ten times as much. */
static void a_flow_gets_what_v_grows_by(void **state)
{
	unsigned passed = 0;
	enum shed_first first;

	(void)state;
	overload(0, START_NS, 1, 1);
	for (uint64_t us = 0; us < 100000; us += 10) {
		if (us % 50 == 0)
			republish(0, START_NS + us * 1000, 1);
		passed += judge(1, 0, START_NS + us * 1000, &first) == SHED_PASS;
	}
	assert_in_range(passed, 999, 1001);
}

/* And so at half of it, with all the others ten times above it. */
static void a_flow_below_its_share_loses_nothing(void **state)
{
	unsigned lost = 0, sent = 0;
	enum shed_first first;

	(void)state;
	overload(0, START_NS, 1, 1);
	for (uint64_t us = 0; us < 100000; us += 10) {
		if (us % 50 == 0)
			republish(0, START_NS + us * 1000, 1);
		for (uint32_t flow = 1; flow < 50; flow++)
			judge(flow, 0, START_NS + us * 1000, &first);
		if (us % 200)
			continue;
		sent++;
		lost += judge(1000, 0, START_NS + us * 1000, &first) != SHED_PASS;
	}
	assert_int_equal(sent, 500);
	assert_int_equal(lost, 0);
}

static void new_flows_pass_with_a_probability_and_are_marked_once(void **state)
{
	unsigned passed = 0, opened = 0;
	enum shed_first first;

	(void)state;
	overload(0, START_NS, 0, 0.25);
	for (uint32_t flow = 0; flow < 4000; flow++) {
		passed += judge(flow, 0, START_NS, &first) == SHED_PASS;
		opened += first == SHED_FIRST_NEW;
	}
	/* 4 standard deviations of sqrt(4000 * 0.25 * 0.75) = 27 */
	assert_in_range(passed, 1000 - 108, 1000 + 108);
	assert_int_equal(opened, passed);
}

static void flows_that_were_there_before_are_known(void **state)
{
	uint64_t now = seen_before(201, 0);
	enum shed_first first;

	(void)state;
	overload(0, now, 0, 0);
	for (uint32_t flow = 0; flow < 201; flow++) {
		assert_int_equal(judge(flow, 0, now, &first), SHED_PASS);
		assert_int_equal(first, SHED_FIRST_KNOWN);
		/* That was all that V has granted. */
		assert_int_equal(judge(flow, 0, now, &first), SHED_DROP);
	}
	assert_int_equal(judge(1000, 0, now, &first), SHED_DROP);
}

/* 20,001 flows for 16,384 entries: nearly all are taken by known flows, and kept. */
/* Each a burst, always in the same order, as many as would be noted one in: each is noted. */
static void flows_that_come_in_turn_are_all_known(void **state)
{
	enum shed_first first;
	uint64_t now = seen_before(8, 0);

	(void)state;
	overload(0, now, 1, 0);
	for (uint32_t flow = 0; flow < 8; flow++) {
		assert_int_equal(judge(flow, 0, now, &first), SHED_PASS);
		assert_int_equal(first, SHED_FIRST_KNOWN);
	}
}

static void known_flows_are_not_replaced_for_two_seconds(void **state)
{
	uint64_t now = seen_before(20001, 0), later = now + SHED_KNOWN_NS + 20 * MS;
	unsigned passed = 0;
	enum shed_first first;

	(void)state;
	overload(0, now, 0, 1);
	for (uint32_t flow = 100000; flow < 101000; flow++)
		passed += judge(flow, 0, now, &first) == SHED_PASS;
	assert_true(passed < 990);
	assert_int_equal(counter_get(shed_collisions(table)), 1000 - passed);
	shed_publish_idle(shed, 0, look(0, now).v, now);
	overload(0, later, 0, 1);
	for (uint32_t flow = 200000; flow < 201000; flow++)
		assert_int_equal(judge(flow, 0, later, &first), SHED_PASS);
	assert_int_equal(counter_get(shed_collisions(table)), 1000 - passed);
}

static void half_of_the_ring_is_for_known_flows(void **state)
{
	uint64_t now = seen_before(201, 0);
	struct cake_packet known = packet(7), unknown = packet(1000);
	enum shed_first first;

	(void)state;
	assert_true(shed_begin(table, true, now));
	assert_int_equal(shed_judge(table, &known, 0, known.len, &first), SHED_PASS);
	assert_int_equal(shed_judge(table, &unknown, 0, unknown.len, &first), SHED_FULL);
	overload(0, now, 1, 1);
	assert_true(shed_begin(table, true, now));
	assert_int_equal(shed_judge(table, &known, 0, known.len, &first), SHED_DROP);
	assert_int_equal(shed_judge(table, &unknown, 0, unknown.len, &first), SHED_FULL);
	assert_int_equal(first, SHED_FIRST_NOT);
}

static void a_table_that_knows_nobody_keeps_nothing(void **state)
{
	(void)state;
	assert_false(shed_begin(table, true, START_NS));
}

static void a_tin_that_is_not_overloaded_passes_all(void **state)
{
	enum shed_first first;

	(void)state;
	overload(1, START_NS, 0, 0);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(judge(1, 2, START_NS, &first), SHED_PASS);
		assert_int_equal(judge(1, 1, START_NS, &first), SHED_DROP);
	}
}

static void what_is_refused_is_reported_by_tin(void **state)
{
	(void)state;
	shed_refused(table, 2, 100);
	shed_refused(table, 2, 50);
	assert_int_equal(counter_get(&shed->reports[0].bytes[2]), 150);
	assert_int_equal(counter_get(&shed->reports[0].bytes[1]), 0);
}

static void memory_is_128_bytes_a_flow(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	assert_in_range(shed_table_footprint(p.flows), 1024 * 128, 1024 * 128 + 1024);
}

int main(void)
{
#define TABLE_TEST(f) cmocka_unit_test_setup_teardown(f, create, destroy)
	const struct CMUnitTest tests[] = {
		TABLE_TEST(v_goes_on_for_100_us_without_the_holder),
		TABLE_TEST(a_line_being_written_leaves_the_reader_what_it_had),
		TABLE_TEST(tags_compare_across_their_end),
		TABLE_TEST(a_flow_gets_what_v_grows_by),
		TABLE_TEST(a_flow_below_its_share_loses_nothing),
		TABLE_TEST(new_flows_pass_with_a_probability_and_are_marked_once),
		TABLE_TEST(flows_that_were_there_before_are_known),
		TABLE_TEST(flows_that_come_in_turn_are_all_known),
		TABLE_TEST(known_flows_are_not_replaced_for_two_seconds),
		TABLE_TEST(half_of_the_ring_is_for_known_flows),
		TABLE_TEST(a_table_that_knows_nobody_keeps_nothing),
		TABLE_TEST(a_tin_that_is_not_overloaded_passes_all),
		TABLE_TEST(what_is_refused_is_reported_by_tin),
		TABLE_TEST(memory_is_128_bytes_a_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

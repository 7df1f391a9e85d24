/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instance that shares its rate: slots on a clock it does not own, a part of the rate that its
 * tins go by, and what it says of its load.
 *
 * At 8 gbit a byte takes 1 ns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake_stats.h>

#include "cake/state.h"
#include "kit.h"

#define BYTE_PER_NS 8000000000ull
#define LEN         1000

static struct prng rng;

static struct cake *create(enum cake_diffserv diffserv, enum cake_flowmode flowmode)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, BYTE_PER_NS);

	rng = prng_constant(1u << 31, 1u << 15);
	p.diffserv = diffserv;
	p.flowmode = flowmode;
	p.slots = true;
	return kit_create(&p, &rng);
}

static void fill(struct cake *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kit_enqueue(c, kit_packet(i, LEN, 1), T0);
}

static void destroy(struct cake *c)
{
	struct cake_verdict out;

	cake_purge(c);
	while (cake_take_drops(c, &out, 1))
		;
	cake_destroy(c);
}

/** Packets that leave up to @until, ns after T0, if it is asked whenever it says. */
static unsigned sent_until(struct cake *c, uint64_t until)
{
	struct cake_verdict out[64];
	unsigned n = 0;

	for (uint64_t now = T0; now <= T0 + until;) {
		uint64_t next;

		n += cake_dequeue(c, out, COUNT(out), now);
		next = cake_next_time(c);
		if (next == CAKE_NEVER)
			break;
		now = next > now ? next : now + 1;
	}
	return n;
}

static void nothing_leaves_without_a_slot_or_before_it(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);
	struct cake_verdict out;

	(void)state;
	assert_false(cake_wants_slot(c));
	fill(c, 10);
	assert_true(cake_wants_slot(c));
	assert_int_equal(cake_dequeue(c, &out, 1, T0), 0);
	assert_int_equal(cake_next_time(c), CAKE_NEVER);

	cake_give_slot(c, T0 + 500, T0 + 2500);
	assert_false(cake_wants_slot(c));
	assert_int_equal(cake_dequeue(c, &out, 1, T0), 0);
	assert_int_equal(cake_next_time(c), T0 + 500);
	assert_int_equal(cake_dequeue(c, &out, 1, T0 + 500), 1);
	destroy(c);
}

static void a_slot_takes_packets_rounded_to_the_nearest(void **state)
{
	static const struct {
		uint64_t slot;
		unsigned packets;
	} cases[] = {{3000, 3}, {3499, 3}, {3500, 4}, {3999, 4}, {500, 1}, {499, 0}};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

		fill(c, 10);
		cake_give_slot(c, T0, T0 + cases[i].slot);
		assert_int_equal(sent_until(c, NS_PER_MS), cases[i].packets);
		assert_true(cake_wants_slot(c));
		assert_int_equal(cake_slot_left(c),
				 (int64_t)cases[i].slot - LEN * cases[i].packets);
		destroy(c);
	}
}

/* The mean of what waits counts, so a lone small packet has room where a full one has none. */
static void the_rounding_follows_what_waits(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

	(void)state;
	kit_enqueue(c, kit_packet(0, 60, 1), T0);
	cake_give_slot(c, T0, T0 + 60);
	assert_false(cake_wants_slot(c));
	kit_enqueue(c, kit_packet(1, 1514, 1), T0);
	assert_true(cake_wants_slot(c)); /* a half of 787 is more than 60 */
	destroy(c);
}

static void what_was_used_too_much_is_taken_off_the_next_slot(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

	(void)state;
	fill(c, 10);
	cake_give_slot(c, T0, T0 + 1600);
	assert_int_equal(sent_until(c, NS_PER_US * 2), 2);
	cake_give_slot(c, T0 + 10000, T0 + 11600);
	assert_int_equal(cake_slot_left(c), 1200);
	assert_int_equal(sent_until(c, 10399), 0);
	assert_int_equal(sent_until(c, 12000), 1);
	destroy(c);
}

static void what_was_left_is_added(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

	(void)state;
	fill(c, 10);
	cake_give_slot(c, T0, T0 + 1400);
	assert_int_equal(sent_until(c, NS_PER_US * 2), 1);
	cake_give_slot(c, T0 + 10000, T0 + 11600);
	assert_int_equal(sent_until(c, 12000), 2);
	destroy(c);
}

static void an_ended_slot_leaves_nothing_and_owes_nothing(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

	(void)state;
	fill(c, 10);
	cake_give_slot(c, T0, T0 + 1600);
	assert_int_equal(sent_until(c, NS_PER_US * 2), 2);
	cake_end_slot(c);
	assert_int_equal(cake_slot_left(c), 0);
	cake_give_slot(c, T0 + 10000, T0 + 12000);
	assert_int_equal(sent_until(c, 13000), 2);
	destroy(c);
}

static void a_slot_that_follows_at_once_is_more_of_the_same(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);

	(void)state;
	fill(c, 10);
	cake_give_slot(c, T0, T0 + 1400);
	assert_int_equal(sent_until(c, 999), 1);
	cake_give_slot(c, T0 + 1400, T0 + 3000);
	/* It need not wait for 1400: the rate allows it at 1000. */
	assert_int_equal(sent_until(c, 1000), 1);
	destroy(c);
}

/* A caller that comes late finds its slot: that time was taken off the clock. */
static void a_slot_is_good_after_its_end(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_FLOWS);
	struct cake_verdict out[8];

	(void)state;
	fill(c, 10);
	cake_give_slot(c, T0, T0 + 3000);
	assert_int_equal(cake_dequeue(c, out, 8, T0 + NS_PER_MS), 3);
	destroy(c);
}

/* 60 bytes at 10 gbit take 47.99.. ns: rounded down each, slots would hold 2 % too much. */
static void slots_add_up_in_the_linux_profile_too(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 10 * BYTE_PER_NS / 8);
	struct cake *c;

	(void)state;
	p.slots = true;
	p.diffserv = CAKE_BESTEFFORT;
	c = kit_create(&p, &rng);
	for (unsigned i = 0; i < 2000; i++)
		kit_enqueue(c, kit_packet(i, 60, 1), T0);
	cake_give_slot(c, T0, T0 + 48000);
	assert_in_range(sent_until(c, NS_PER_MS), 1000, 1001);
	destroy(c);
}

/* Parts of the rate */

static struct cake_packet in_tin(unsigned order, uint32_t flow)
{
	struct cake_packet p = kit_packet(flow, LEN, flow);

	p.priority_tin = order;
	return p;
}

static void a_part_is_set_for_the_tins_in_use_and_then_for_others(void **state)
{
	struct cake *c = create(CAKE_DIFFSERV4, CAKE_FLOWS);
	struct tin *best_effort = &c->tins[0], *bulk = &c->tins[1], *video = &c->tins[2];

	(void)state;
	kit_enqueue(c, in_tin(2, 1), T0);
	kit_enqueue(c, in_tin(1, 2), T0);
	assert_true(cake_set_share(c, 1000000));
	assert_int_equal(best_effort->rate.bytes_per_s, 1000000);
	assert_int_equal(bulk->rate.bytes_per_s, 1000000 / 16);
	assert_int_equal(video->rate.bytes_per_s, 1000000000 / 2);
	kit_enqueue(c, in_tin(3, 3), T0);
	assert_int_equal(video->rate.bytes_per_s, 1000000 / 2);

	assert_false(cake_set_share(c, 1000000));
	assert_true(cake_set_share(c, 0));
	assert_int_equal(best_effort->rate.bytes_per_s, 1000000000);
	assert_int_equal(c->shaper.rate.bytes_per_s, 1000000000);
	destroy(c);
}

static void a_part_changes_neither_queues_nor_deficits_nor_schedules(void **state)
{
	struct cake *c = create(CAKE_DIFFSERV3, CAKE_TRIPLE_ISOLATE);
	struct flow_table table, *now = &c->tins[0].table;
	struct cake_verdict out[8];
	struct flow *before;
	struct shaper shaper;
	size_t size;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		kit_enqueue(c, in_tin(1 + i % 3, 1 + i % 10), T0);
	cake_give_slot(c, T0, T0 + 20000);
	assert_int_equal(cake_dequeue(c, out, 8, T0 + 8000), 8);

	size = now->n * sizeof(*before);
	before = test_malloc(size);
	memcpy(before, now->flows, size);
	table = *now;
	shaper = c->shaper;
	assert_true(cake_set_share(c, 500000000));
	assert_memory_equal(before, now->flows, size);
	assert_memory_equal(table.lists, now->lists, sizeof(table.lists));
	assert_int_equal(c->shaper.next, shaper.next);
	assert_int_equal(c->shaper.slot.end, shaper.slot.end);
	assert_int_equal(c->shaper.rate.bytes_per_s, shaper.rate.bytes_per_s);
	assert_int_equal(cake_backlog(c), 92);
	test_free(before);
	destroy(c);
}

/* Above 50 mbit a flow's quantum is a frame whatever the part. */
static void packets_leave_in_the_same_order_whatever_the_part(void **state)
{
	struct cake *with = create(CAKE_BESTEFFORT, CAKE_FLOWS);
	struct cake *without = create(CAKE_BESTEFFORT, CAKE_FLOWS);
	struct cake_verdict a, b;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		kit_enqueue(with, kit_packet(i, 60 + i * 37 % 1400, 1 + i % 7), T0);
		kit_enqueue(without, kit_packet(i, 60 + i * 37 % 1400, 1 + i % 7), T0);
	}
	cake_give_slot(with, T0, T0 + NS_PER_MS);
	cake_give_slot(without, T0, T0 + NS_PER_MS);
	for (unsigned i = 0; i < 400; i++) {
		cake_set_share(with, 10000000 + i % 5 * 100000000);
		assert_int_equal(cake_dequeue(with, &a, 1, T0 + NS_PER_MS), 1);
		assert_int_equal(cake_dequeue(without, &b, 1, T0 + NS_PER_MS), 1);
		assert_int_equal(a.handle, b.handle);
	}
	destroy(with);
	destroy(without);
}

static void an_unlimited_instance_has_no_part(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct cake *c = kit_create(&p, &rng);

	(void)state;
	assert_false(cake_set_share(c, 1000));
	assert_false(cake_wants_slot(c));
	cake_destroy(c);
}

/* What it says of its load */

static void the_load_counts_hosts_that_have_bulk_flows(void **state)
{
	struct cake *c = create(CAKE_BESTEFFORT, CAKE_DUAL_SRCHOST);
	struct cake_load load;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		struct cake_packet p = kit_packet(i, LEN, 1 + i % 6);

		p.src_hash = 100 + i % 6 % 3; /* three hosts of two flows each */
		kit_enqueue(c, p, T0);
	}
	cake_load_get(c, &load);
	assert_int_equal(load.packets, 60);
	assert_int_equal(load.bytes, 60 * LEN);
	assert_int_equal(load.adj_bytes, 60 * LEN);
	assert_int_equal(load.sparse_flows, 6);
	assert_int_equal(load.src_hosts, 0); /* none has used up its first turn */

	cake_give_slot(c, T0, T0 + 30 * LEN);
	sent_until(c, NS_PER_MS);
	cake_load_get(c, &load);
	assert_int_equal(load.bulk_flows, 6);
	assert_int_equal(load.src_hosts, 3);
	assert_int_equal(load.dst_hosts, 0);

	cake_purge(c);
	cake_load_get(c, &load);
	assert_int_equal(load.src_hosts, 0);
	assert_int_equal(load.adj_bytes, 0);
	destroy(c);
}

static void the_load_has_lengths_as_charged(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, BYTE_PER_NS);
	struct cake_load load;
	struct cake *c;

	(void)state;
	p.overhead_set = true;
	p.overhead = 38;
	p.mpu = 84;
	c = kit_create(&p, &rng);
	kit_enqueue(c, kit_packet(0, 60, 1), T0);
	kit_enqueue(c, kit_packet(1, 1514, 1), T0);
	cake_load_get(c, &load);
	assert_int_equal(load.bytes, 60 + 1514);
	assert_int_equal(load.adj_bytes, 84 + 1500 + 38);
	destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_leaves_without_a_slot_or_before_it),
		cmocka_unit_test(a_slot_takes_packets_rounded_to_the_nearest),
		cmocka_unit_test(the_rounding_follows_what_waits),
		cmocka_unit_test(what_was_used_too_much_is_taken_off_the_next_slot),
		cmocka_unit_test(what_was_left_is_added),
		cmocka_unit_test(an_ended_slot_leaves_nothing_and_owes_nothing),
		cmocka_unit_test(a_slot_that_follows_at_once_is_more_of_the_same),
		cmocka_unit_test(a_slot_is_good_after_its_end),
		cmocka_unit_test(slots_add_up_in_the_linux_profile_too),
		cmocka_unit_test(a_part_is_set_for_the_tins_in_use_and_then_for_others),
		cmocka_unit_test(a_part_changes_neither_queues_nor_deficits_nor_schedules),
		cmocka_unit_test(packets_leave_in_the_same_order_whatever_the_part),
		cmocka_unit_test(an_unlimited_instance_has_no_part),
		cmocka_unit_test(the_load_counts_hosts_that_have_bulk_flows),
		cmocka_unit_test(the_load_has_lengths_as_charged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

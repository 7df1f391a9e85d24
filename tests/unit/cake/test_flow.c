/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/flow: the 8-way lookup and the lists of active slots.
 *
 * With 64 slots a hash's own way is its low 6 bits and its set the 8 slots that share the upper 3.
 */
#include "cake/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SLOTS 64

/* Hashes with own way @way that differ above it. */
#define HASH(n, way) ((n)*0x10000u + (way))

static int setup(void **state)
{
	static struct flow_table table;

	*state = &table;
	return flow_table_init(&table, SLOTS);
}

static int teardown(void **state)
{
	flow_table_fini(*state);
	return 0;
}

static void occupy(struct flow_table *t, uint16_t slot, uint32_t tag)
{
	t->tags[slot] = tag;
	t->flows[slot].set = CAKE_SET_SPARSE;
}

static void assert_lookup(struct flow_table *t, uint32_t hash, enum flow_hit hit, uint16_t slot)
{
	uint16_t got;

	assert_int_equal(flow_lookup(t, hash, &got), hit);
	assert_int_equal(got, slot);
	assert_int_equal(t->tags[got], hash);
}

static void an_unknown_flow_takes_its_own_way(void **state)
{
	struct flow_table *t = *state;

	assert_lookup(t, HASH(1, 13), FLOW_MISS, 13);
}

static void a_flow_in_use_is_hit_directly(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 13, HASH(1, 13));
	assert_lookup(t, HASH(1, 13), FLOW_HIT_DIRECT, 13);
}

static void an_idle_slot_with_the_right_tag_is_hit_but_not_directly(void **state)
{
	struct flow_table *t = *state;

	t->tags[13] = HASH(1, 13);
	assert_lookup(t, HASH(1, 13), FLOW_HIT_OWN_WAY, 13);
}

static void a_taken_way_sends_the_flow_to_the_next_idle_one_wrapping_in_its_set(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 13, HASH(1, 13));
	assert_lookup(t, HASH(2, 13), FLOW_MISS, 14);
	occupy(t, 14, HASH(2, 13));
	assert_lookup(t, HASH(3, 13), FLOW_MISS, 15);
	occupy(t, 15, HASH(3, 13));
	assert_lookup(t, HASH(4, 13), FLOW_MISS, 8); /* not 16: another set */
	occupy(t, 8, HASH(4, 13));

	assert_lookup(t, HASH(2, 13), FLOW_HIT_INDIRECT, 14);
	assert_lookup(t, HASH(4, 13), FLOW_HIT_INDIRECT, 8);
}

static void a_tag_found_in_another_way_wins_over_an_idle_own_way(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 12, HASH(2, 10));
	assert_lookup(t, HASH(2, 10), FLOW_HIT_INDIRECT, 12);
	t->flows[12].set = CAKE_SET_NONE; /* idle: still this flow's */
	assert_lookup(t, HASH(2, 10), FLOW_HIT_INDIRECT, 12);
}

static void decaying_slots_are_not_idle(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 13, HASH(1, 13));
	t->flows[13].set = CAKE_SET_DECAYING;
	assert_lookup(t, HASH(1, 13), FLOW_HIT_DIRECT, 13);
	assert_lookup(t, HASH(2, 13), FLOW_MISS, 14);
}

static void a_full_set_collides_in_the_own_way_and_takes_its_tag(void **state)
{
	struct flow_table *t = *state;

	for (uint16_t way = 8; way < 16; way++)
		occupy(t, way, HASH(way, way));
	assert_lookup(t, HASH(99, 13), FLOW_COLLISION, 13);
	assert_lookup(t, HASH(99, 13), FLOW_HIT_DIRECT, 13);
	/* The flow that lost its tag collides in turn. */
	assert_lookup(t, HASH(13, 13), FLOW_COLLISION, 13);
	/* Neighbouring sets are untouched. */
	assert_lookup(t, HASH(1, 7), FLOW_MISS, 7);
	assert_lookup(t, HASH(1, 16), FLOW_MISS, 16);
}

static void a_hash_of_zero_is_a_hash_like_any_other(void **state)
{
	struct flow_table *t = *state;

	assert_lookup(t, 0, FLOW_HIT_OWN_WAY, 0); /* all tags are 0 at first */
	t->flows[0].set = CAKE_SET_SPARSE;
	assert_lookup(t, 0, FLOW_HIT_DIRECT, 0);
}

static void the_smallest_and_the_largest_table_stay_within_their_slots(void **state)
{
	static const uint32_t sizes[] = {CAKE_FLOWS_MIN, CAKE_FLOWS_MAX};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct flow_table t;
		uint16_t slot;

		assert_int_equal(flow_table_init(&t, sizes[i]), 0);
		assert_int_equal((uintptr_t)t.flows % 64, 0);
		assert_int_equal((uintptr_t)t.tags % 64, 0);
		assert_int_equal(flow_lookup(&t, UINT32_MAX, &slot), FLOW_MISS);
		assert_int_equal(slot, sizes[i] - 1);
		flow_move_to_tail(&t, slot, FLOWS_DECAYING);
		assert_int_equal(flow_list_first(&t, FLOWS_DECAYING), sizes[i] - 1);
		t.flows[slot].set = CAKE_SET_SPARSE;
		assert_int_equal(flow_lookup(&t, UINT32_MAX >> 1, &slot), FLOW_MISS);
		assert_int_equal(slot, sizes[i] - 8); /* wrapped */
		flow_table_fini(&t);
	}
}

/* Head to tail; the links back must agree. */
static void assert_list(const struct flow_table *t, enum flow_list list, unsigned n,
			const uint16_t *slots)
{
	uint16_t at = flow_list_head(t, list);

	assert_int_equal(flow_list_empty(t, list), n == 0);
	if (n)
		assert_int_equal(flow_list_first(t, list), slots[0]);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(t->flows[at].next, slots[i]);
		assert_int_equal(t->flows[slots[i]].prev, at);
		at = slots[i];
	}
	assert_int_equal(t->flows[at].next, flow_list_head(t, list));
	assert_int_equal(t->flows[flow_list_head(t, list)].prev, at);
}

#define LIST(...)                                                                \
	sizeof((uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t), (const uint16_t[]) \
	{                                                                        \
		__VA_ARGS__                                                      \
	}

static void slots_join_a_list_at_its_tail(void **state)
{
	struct flow_table *t = *state;

	flow_move_to_tail(t, 3, FLOWS_NEW);
	flow_move_to_tail(t, 1, FLOWS_NEW);
	flow_move_to_tail(t, 2, FLOWS_NEW);
	assert_list(t, FLOWS_NEW, LIST(3, 1, 2));
	assert_list(t, FLOWS_OLD, 0, NULL);
	assert_list(t, FLOWS_DECAYING, 0, NULL);
}

static void moving_takes_a_slot_out_of_where_it_was(void **state)
{
	struct flow_table *t = *state;

	for (uint16_t slot = 0; slot < 4; slot++)
		flow_move_to_tail(t, slot, FLOWS_NEW);
	flow_move_to_tail(t, 1, FLOWS_OLD);
	flow_move_to_tail(t, 0, FLOWS_OLD);
	flow_move_to_tail(t, 3, FLOWS_DECAYING);
	assert_list(t, FLOWS_NEW, LIST(2));
	assert_list(t, FLOWS_OLD, LIST(1, 0));
	assert_list(t, FLOWS_DECAYING, LIST(3));
	flow_move_to_tail(t, 2, FLOWS_OLD);
	assert_list(t, FLOWS_NEW, 0, NULL);
	assert_list(t, FLOWS_OLD, LIST(1, 0, 2));
}

static void moving_within_a_list_rotates_it(void **state)
{
	struct flow_table *t = *state;

	flow_move_to_tail(t, 5, FLOWS_OLD);
	flow_move_to_tail(t, 5, FLOWS_OLD); /* alone */
	assert_list(t, FLOWS_OLD, LIST(5));
	flow_move_to_tail(t, 6, FLOWS_OLD);
	flow_move_to_tail(t, 7, FLOWS_OLD);
	flow_move_to_tail(t, 5, FLOWS_OLD);
	assert_list(t, FLOWS_OLD, LIST(6, 7, 5));
	flow_move_to_tail(t, 5, FLOWS_OLD); /* already the tail */
	assert_list(t, FLOWS_OLD, LIST(6, 7, 5));
}

static void unlinking_twice_is_harmless(void **state)
{
	struct flow_table *t = *state;

	flow_move_to_tail(t, 1, FLOWS_OLD);
	flow_move_to_tail(t, 2, FLOWS_OLD);
	flow_move_to_tail(t, 3, FLOWS_OLD);
	flow_unlink(t, 2);
	flow_unlink(t, 2);
	flow_unlink(t, 9); /* never linked */
	assert_list(t, FLOWS_OLD, LIST(1, 3));
	flow_move_to_tail(t, 2, FLOWS_NEW);
	assert_list(t, FLOWS_NEW, LIST(2));
}

static void reset_forgets_tags_states_and_lists(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 13, HASH(1, 13));
	t->flows[13].cobalt.count = 7;
	t->flows[13].deficit = -5;
	flow_move_to_tail(t, 13, FLOWS_OLD);
	flow_table_reset(t);
	assert_list(t, FLOWS_OLD, 0, NULL);
	assert_int_equal(t->flows[13].set, CAKE_SET_NONE);
	assert_int_equal(t->flows[13].cobalt.count, 0);
	assert_int_equal(t->flows[13].deficit, 0);
	assert_int_equal(t->flows[13].queue.head, SLAB_NONE);
	assert_lookup(t, HASH(1, 13), FLOW_MISS, 13);
	flow_move_to_tail(t, 13, FLOWS_NEW);
	assert_list(t, FLOWS_NEW, LIST(13));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_unknown_flow_takes_its_own_way),
		TEST(a_flow_in_use_is_hit_directly),
		TEST(an_idle_slot_with_the_right_tag_is_hit_but_not_directly),
		TEST(a_taken_way_sends_the_flow_to_the_next_idle_one_wrapping_in_its_set),
		TEST(a_tag_found_in_another_way_wins_over_an_idle_own_way),
		TEST(decaying_slots_are_not_idle),
		TEST(a_full_set_collides_in_the_own_way_and_takes_its_tag),
		TEST(a_hash_of_zero_is_a_hash_like_any_other),
		cmocka_unit_test(the_smallest_and_the_largest_table_stay_within_their_slots),
		TEST(slots_join_a_list_at_its_tail),
		TEST(moving_takes_a_slot_out_of_where_it_was),
		TEST(moving_within_a_list_rotates_it),
		TEST(unlinking_twice_is_harmless),
		TEST(reset_forgets_tags_states_and_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

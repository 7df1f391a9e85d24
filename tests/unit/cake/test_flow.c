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
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

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

static void occupy(struct flow_table *t, uint32_t slot, uint32_t tag)
{
	t->tags[slot] = tag;
	t->flows[slot].set = CAKE_SET_SPARSE;
}

static void assert_lookup(struct flow_table *t, uint32_t hash, enum flow_hit hit, uint32_t slot)
{
	uint32_t got;

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

	for (uint32_t way = 8; way < 16; way++)
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

/* lookup(), way by way: where @hash goes, without a change to @t. */
static enum flow_hit way_by_way(const struct flow_table *t, uint32_t hash, uint32_t *slot)
{
	uint32_t own = hash % SLOTS, set = own / FLOW_WAYS * FLOW_WAYS;

	*slot = own;
	if (t->tags[own] == hash)
		return t->flows[own].set ? FLOW_HIT_DIRECT : FLOW_HIT_OWN_WAY;
	for (uint32_t i = 1; i < FLOW_WAYS; i++) {
		*slot = set + (own + i) % FLOW_WAYS;
		if (t->tags[*slot] == hash)
			return FLOW_HIT_INDIRECT;
	}
	for (uint32_t i = 0; i < FLOW_WAYS; i++) {
		*slot = set + (own + i) % FLOW_WAYS;
		if (t->flows[*slot].set == CAKE_SET_NONE)
			return FLOW_MISS;
	}
	*slot = own;
	return FLOW_COLLISION;
}

/* Few tags, so that sets have the same one twice, and states that come and go. */
static void any_lookup_ends_where_looking_way_by_way_does(void **state)
{
	struct flow_table *t = *state;
	struct prng rng = prng_xorshift32(2);
	unsigned ends[FLOW_COLLISION + 1] = {0};

	for (unsigned step = 0; step < 200000; step++) {
		uint32_t hash = HASH(prng_u32(&rng) % 5, prng_u32(&rng) % 16) +
				(prng_u32(&rng) % 8 ? 0 : 1u << 31);
		enum flow_hit hit;
		const uint32_t *ways;
		uint32_t slot;

		t->flows[prng_u32(&rng) % 16].set =
			prng_u32(&rng) % 16 ? CAKE_SET_DECAYING : CAKE_SET_NONE;
		if (prng_u32(&rng) % 16 == 0)
			t->tags[prng_u32(&rng) % 16] = hash;
		ways = &t->tags[hash & (SLOTS - 1) & ~(FLOW_WAYS - 1u)];
		assert_int_equal(flow_ways_tagged(ways, hash),
				 flow_ways_tagged_portable(ways, hash));
		hit = way_by_way(t, hash, &slot);
		assert_lookup(t, hash, hit, slot);
		ends[hit]++;
	}
	for (unsigned i = 0; i < COUNT(ends); i++)
		assert_true(ends[i] > 100);
}

static void the_smallest_and_the_largest_table_stay_within_their_slots(void **state)
{
	static const uint32_t sizes[] = {CAKE_FLOWS_MIN, CAKE_FLOWS_MAX};

	(void)state;
	for (unsigned i = 0; i < COUNT(sizes); i++) {
		struct flow_table t;
		uint32_t slot;

		assert_int_equal(flow_table_init(&t, sizes[i]), 0);
		assert_int_equal((uintptr_t)t.flows % 64, 0);
		assert_int_equal((uintptr_t)t.tags % 64, 0);
		assert_int_equal(flow_lookup(&t, UINT32_MAX, &slot), FLOW_MISS);
		assert_int_equal(slot, sizes[i] - 1);
		flow_append(&t, FLOWS_DECAYING, slot);
		assert_int_equal(flow_first(&t, FLOWS_DECAYING), sizes[i] - 1);
		t.flows[slot].set = CAKE_SET_SPARSE;
		assert_int_equal(flow_lookup(&t, UINT32_MAX >> 1, &slot), FLOW_MISS);
		assert_int_equal(slot, sizes[i] - 8); /* wrapped */
		flow_table_fini(&t);
	}
}

/* Hashes that are the same in their low 16 bits have slots of their own. */
static void slots_beyond_65535_are_told_apart(void **state)
{
	struct flow_table t;
	uint32_t slot;

	(void)state;
	assert_int_equal(flow_table_init(&t, CAKE_FLOWS_MAX), 0);
	occupy(&t, 0x1234, 0x1234);
	occupy(&t, 0x11234, 0x11234);
	assert_int_equal(flow_lookup(&t, 0x11234, &slot), FLOW_HIT_DIRECT);
	assert_int_equal(slot, 0x11234);
	assert_int_equal(flow_lookup(&t, 0x1234, &slot), FLOW_HIT_DIRECT);
	assert_int_equal(slot, 0x1234);
	flow_append(&t, FLOWS_NEW, 0x1234);
	flow_append(&t, FLOWS_NEW, 0x11234);
	flow_move_first(&t, FLOWS_NEW, FLOWS_OLD);
	assert_int_equal(flow_first(&t, FLOWS_NEW), 0x11234);
	assert_int_equal(flow_first(&t, FLOWS_OLD), 0x1234);
	flow_table_fini(&t);
}

/* First to last; the links back must agree. */
static void assert_list(const struct flow_table *t, enum flow_list list, unsigned n,
			const uint32_t *slots)
{
	assert_int_equal(flow_first(t, list), n ? slots[0] : FLOW_NONE);
	if (n)
		assert_int_equal(t->lists[list].last, slots[n - 1]);
	for (unsigned i = 0; i + 1 < n; i++) {
		assert_int_equal(t->flows[slots[i]].next, slots[i + 1]);
		assert_int_equal(t->flows[slots[i + 1]].prev, slots[i]);
	}
}

#define LIST(...)                                                                \
	sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[]) \
	{                                                                        \
		__VA_ARGS__                                                      \
	}

/* @n slots from @first on, in order. */
static void append_all(struct flow_table *t, enum flow_list list, uint32_t first, uint32_t n)
{
	for (uint32_t slot = first; slot < first + n; slot++)
		flow_append(t, list, slot);
}

static void slots_join_a_list_at_its_end(void **state)
{
	struct flow_table *t = *state;

	assert_list(t, FLOWS_NEW, 0, NULL);
	flow_append(t, FLOWS_NEW, 3);
	assert_list(t, FLOWS_NEW, LIST(3));
	flow_append(t, FLOWS_NEW, 1);
	assert_list(t, FLOWS_NEW, LIST(3, 1));
	flow_append(t, FLOWS_NEW, 2);
	assert_list(t, FLOWS_NEW, LIST(3, 1, 2));
	assert_list(t, FLOWS_OLD, 0, NULL);
	assert_list(t, FLOWS_DECAYING, 0, NULL);
}

static void slots_leave_a_list_from_anywhere(void **state)
{
	struct flow_table *t = *state;

	append_all(t, FLOWS_OLD, 1, 5);
	flow_remove(t, FLOWS_OLD, 3);
	assert_list(t, FLOWS_OLD, LIST(1, 2, 4, 5));
	flow_remove(t, FLOWS_OLD, 1); /* the first */
	assert_list(t, FLOWS_OLD, LIST(2, 4, 5));
	flow_remove_first(t, FLOWS_OLD);
	assert_list(t, FLOWS_OLD, LIST(4, 5));
	flow_append(t, FLOWS_OLD, 2);
	flow_remove(t, FLOWS_OLD, 2); /* the last */
	assert_list(t, FLOWS_OLD, LIST(4, 5));
	flow_remove(t, FLOWS_OLD, 5); /* the last */
	assert_list(t, FLOWS_OLD, LIST(4));
	flow_remove(t, FLOWS_OLD, 4); /* the only one */
	assert_list(t, FLOWS_OLD, 0, NULL);
	flow_append(t, FLOWS_OLD, 3);
	assert_list(t, FLOWS_OLD, LIST(3));
	flow_remove_first(t, FLOWS_OLD);
	assert_list(t, FLOWS_OLD, 0, NULL);
}

static void the_first_moves_to_the_end_of_another_list(void **state)
{
	struct flow_table *t = *state;

	append_all(t, FLOWS_NEW, 0, 4);
	flow_move_first(t, FLOWS_NEW, FLOWS_OLD);
	flow_move_first(t, FLOWS_NEW, FLOWS_OLD);
	flow_move_first(t, FLOWS_NEW, FLOWS_DECAYING);
	assert_list(t, FLOWS_NEW, LIST(3));
	assert_list(t, FLOWS_OLD, LIST(0, 1));
	assert_list(t, FLOWS_DECAYING, LIST(2));
	flow_move_first(t, FLOWS_NEW, FLOWS_OLD); /* the only one */
	assert_list(t, FLOWS_NEW, 0, NULL);
	assert_list(t, FLOWS_OLD, LIST(0, 1, 3));
}

static void rotating_takes_the_first_to_the_end(void **state)
{
	struct flow_table *t = *state;

	flow_append(t, FLOWS_OLD, 5);
	flow_rotate(t, FLOWS_OLD); /* alone */
	assert_list(t, FLOWS_OLD, LIST(5));
	append_all(t, FLOWS_OLD, 6, 2);
	flow_rotate(t, FLOWS_OLD);
	assert_list(t, FLOWS_OLD, LIST(6, 7, 5));
	flow_append(t, FLOWS_OLD, 9); /* behind what was moved last */
	assert_list(t, FLOWS_OLD, LIST(6, 7, 5, 9));
	flow_remove(t, FLOWS_OLD, 5);
	flow_rotate(t, FLOWS_OLD);
	assert_list(t, FLOWS_OLD, LIST(7, 9, 6));
}

/* The lists as arrays, for the test below. */
struct model {
	uint32_t slots[FLOW_LISTS][SLOTS];
	unsigned n[FLOW_LISTS];
};

static uint32_t model_take(struct model *m, enum flow_list list, unsigned at)
{
	uint32_t *slots = m->slots[list], taken = slots[at];

	m->n[list]--;
	memmove(&slots[at], &slots[at + 1], (m->n[list] - at) * sizeof(*slots));
	return taken;
}

static void model_append(struct model *m, enum flow_list list, uint32_t slot)
{
	m->slots[list][m->n[list]++] = slot;
}

static void any_sequence_of_changes_leaves_the_lists_an_array_would(void **state)
{
	struct flow_table *t = *state;
	struct prng rng = prng_xorshift32(1);
	uint32_t free_slot = 0; /* those below are in a list, or were */
	struct model m = {0};

	for (unsigned step = 0; step < 100000; step++) {
		enum flow_list list = prng_u32(&rng) % FLOW_LISTS;
		enum flow_list to = prng_u32(&rng) % FLOW_LISTS;
		unsigned what = prng_u32(&rng) % 3;

		if (what == 0 && free_slot < SLOTS) {
			model_append(&m, list, free_slot);
			flow_append(t, list, free_slot++);
		} else if (what == 1 && m.n[list]) {
			uint32_t slot = model_take(&m, list, prng_u32(&rng) % m.n[list]);

			flow_remove(t, list, slot);
			model_append(&m, to, slot);
			flow_append(t, to, slot);
		} else if (m.n[list]) {
			model_append(&m, to, model_take(&m, list, 0));
			if (to == list)
				flow_rotate(t, list);
			else
				flow_move_first(t, list, to);
		}
		for (unsigned i = 0; i < FLOW_LISTS; i++)
			assert_list(t, i, m.n[i], m.slots[i]);
	}
	assert_int_equal(free_slot, SLOTS);
}

static void reset_forgets_tags_states_and_lists_but_not_drops(void **state)
{
	struct flow_table *t = *state;

	occupy(t, 13, HASH(1, 13));
	t->flows[13].cobalt.count = 7;
	t->flows[13].deficit = -5;
	t->flows[13].drops = 3;
	append_all(t, FLOWS_OLD, 12, 2);
	flow_append(t, FLOWS_DECAYING, 9);
	flow_table_reset(t);
	for (unsigned list = 0; list < FLOW_LISTS; list++)
		assert_list(t, list, 0, NULL);
	assert_int_equal(t->flows[13].set, CAKE_SET_NONE);
	assert_int_equal(t->flows[13].cobalt.count, 0);
	assert_int_equal(t->flows[13].deficit, 0);
	assert_int_equal(t->flows[13].drops, 3); /* a counter */
	assert_int_equal(t->flows[13].queue.head, SLAB_NONE);
	assert_lookup(t, HASH(1, 13), FLOW_MISS, 13);
	flow_append(t, FLOWS_NEW, 13);
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
		TEST(any_lookup_ends_where_looking_way_by_way_does),
		cmocka_unit_test(the_smallest_and_the_largest_table_stay_within_their_slots),
		cmocka_unit_test(slots_beyond_65535_are_told_apart),
		TEST(slots_join_a_list_at_its_end),
		TEST(slots_leave_a_list_from_anywhere),
		TEST(the_first_moves_to_the_end_of_another_list),
		TEST(rotating_takes_the_first_to_the_end),
		TEST(any_sequence_of_changes_leaves_the_lists_an_array_would),
		TEST(reset_forgets_tags_states_and_lists_but_not_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

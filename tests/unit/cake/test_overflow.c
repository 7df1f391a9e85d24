/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/overflow: the fattest flow of all tins, against a scan of every flow.
 *
 * Ties go to the lowest tin, then to the lowest slot.
 */
#include "cake/overflow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "cake/tin.h"
#include "kit.h"

#define MAX_TINS 8

struct world {
	struct overflow overflow;
	struct tin tins[MAX_TINS];
	unsigned n_tins;
	uint32_t flows;
};

static void world_init(struct world *w, unsigned n_tins, uint32_t flows)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);

	p.flows = flows;
	p.flowmode = CAKE_FLOWS;
	w->n_tins = n_tins;
	w->flows = flows;
	for (unsigned i = 0; i < n_tins; i++)
		assert_int_equal(tin_init(&w->tins[i], &p), 0);
	assert_int_equal(overflow_init(&w->overflow, n_tins, flows), 0);
}

static void world_fini(struct world *w)
{
	overflow_fini(&w->overflow);
	for (unsigned i = 0; i < w->n_tins; i++)
		tin_fini(&w->tins[i]);
}

static uint64_t *backlog(struct world *w, unsigned tin, uint16_t slot)
{
	return &w->tins[tin].table.flows[slot].backlog;
}

/* The instance tells of a change after it has happened. */
static void set_backlog(struct world *w, unsigned tin, uint16_t slot, uint64_t bytes)
{
	uint64_t before = *backlog(w, tin, slot);

	*backlog(w, tin, slot) = bytes;
	if (bytes > before)
		overflow_grown(&w->overflow, w->tins, tin, slot);
	else
		overflow_shrunk(&w->overflow, w->tins, tin, slot);
}

static struct overflow_entry scan(struct world *w)
{
	struct overflow_entry fattest = {0, 0};

	for (unsigned tin = 0; tin < w->n_tins; tin++)
		for (uint16_t slot = 0; slot < w->flows; slot++)
			if (*backlog(w, tin, slot) > *backlog(w, fattest.tin, fattest.slot))
				fattest = (struct overflow_entry){tin, slot};
	return fattest;
}

static void assert_fattest(struct world *w, unsigned tin, uint16_t slot)
{
	struct overflow_entry got = overflow_fattest(&w->overflow, w->tins);

	assert_int_equal(got.tin, tin);
	assert_int_equal(got.slot, slot);
}

static void the_fattest_is_found_in_any_tin(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 3, 8);
	set_backlog(&w, 0, 7, 1000);
	set_backlog(&w, 2, 3, 1001);
	assert_fattest(&w, 2, 3);
	set_backlog(&w, 1, 0, 1002);
	assert_fattest(&w, 1, 0);
	set_backlog(&w, 1, 0, 0);
	assert_fattest(&w, 2, 3);
	set_backlog(&w, 2, 3, 999);
	assert_fattest(&w, 0, 7);
	world_fini(&w);
}

static void ties_go_to_the_lowest_tin_then_the_lowest_slot(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 2, 8);
	set_backlog(&w, 1, 0, 500);
	set_backlog(&w, 0, 6, 500);
	set_backlog(&w, 0, 5, 500);
	assert_fattest(&w, 0, 5);
	set_backlog(&w, 0, 5, 499);
	assert_fattest(&w, 0, 6);
	set_backlog(&w, 0, 6, 499);
	assert_fattest(&w, 1, 0);
	set_backlog(&w, 0, 2, 500); /* grows to equal the root: lower, so above it */
	assert_fattest(&w, 0, 2);
	world_fini(&w);
}

/* Few distinct sizes, so that ties abound; the heap is checked after every change. */
static void the_heap_agrees_with_a_scan_over_random_changes(void **state)
{
	static const struct {
		unsigned tins;
		uint32_t flows, sizes, steps;
	} worlds[] = {
		{1, 8, 3, 20000},    {3, 8, 5, 20000},       {8, 16, 1000, 20000},
		{3, 1024, 40, 2000}, {8, 64, 100000, 10000},
	};
	struct prng rng = prng_xorshift32(3);

	(void)state;
	for (unsigned i = 0; i < COUNT(worlds); i++) {
		struct world w;

		world_init(&w, worlds[i].tins, worlds[i].flows);
		for (unsigned step = 0; step < worlds[i].steps; step++) {
			unsigned tin = prng_u32(&rng) % w.n_tins;
			uint16_t slot = prng_u32(&rng) % w.flows;
			struct overflow_entry expected;

			/* Half of the time what overflow does: the fattest shrinks. */
			if (prng_u32(&rng) & 1) {
				expected = scan(&w);
				tin = expected.tin;
				slot = expected.slot;
			}
			set_backlog(&w, tin, slot, prng_u32(&rng) % worlds[i].sizes);
			expected = scan(&w);
			assert_fattest(&w, expected.tin, expected.slot);
		}
		world_fini(&w);
	}
}

static void positions_and_entries_stay_each_others_inverse(void **state)
{
	struct prng rng = prng_xorshift32(4);
	struct world w;

	(void)state;
	world_init(&w, 3, 32);
	overflow_fattest(&w.overflow, w.tins);
	for (unsigned step = 0; step < 5000; step++)
		set_backlog(&w, prng_u32(&rng) % 3, prng_u32(&rng) % 32, prng_u32(&rng) % 100);
	for (uint32_t i = 0; i < w.overflow.n; i++) {
		struct overflow_entry e = w.overflow.heap[i];

		assert_int_equal(w.overflow.position[e.tin * 32 + e.slot], i);
	}
	world_fini(&w);
}

static void changes_cost_nothing_until_the_first_overflow(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1, 8);
	set_backlog(&w, 0, 7, 100);
	assert_int_equal(w.overflow.position[7], 7); /* not sifted */
	assert_fattest(&w, 0, 7);                    /* built now */
	assert_int_equal(w.overflow.position[7], 0);
	set_backlog(&w, 0, 6, 200);
	assert_int_equal(w.overflow.position[6], 0); /* kept from now on */
	world_fini(&w);
}

static void after_65535_packets_without_a_drop_the_heap_is_left_alone(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1, 8);
	assert_fattest(&w, 0, 0);
	for (unsigned i = 0; i < 65534; i++)
		overflow_sent(&w.overflow);
	set_backlog(&w, 0, 7, 100);
	assert_int_equal(w.overflow.position[7], 0); /* still kept */
	overflow_sent(&w.overflow);
	set_backlog(&w, 0, 3, 200);
	assert_int_not_equal(w.overflow.position[3], 0);
	overflow_sent(&w.overflow); /* does not wrap */
	assert_int_equal(w.overflow.countdown, 0);
	set_backlog(&w, 0, 7, 50);
	assert_fattest(&w, 0, 3); /* built anew */
	world_fini(&w);
}

static void every_drop_starts_the_countdown_again(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 1, 8);
	overflow_fattest(&w.overflow, w.tins);
	for (unsigned i = 0; i < 65534; i++)
		overflow_sent(&w.overflow);
	overflow_fattest(&w.overflow, w.tins);
	assert_int_equal(w.overflow.countdown, 65535);
	world_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fattest_is_found_in_any_tin),
		cmocka_unit_test(ties_go_to_the_lowest_tin_then_the_lowest_slot),
		cmocka_unit_test(the_heap_agrees_with_a_scan_over_random_changes),
		cmocka_unit_test(positions_and_entries_stay_each_others_inverse),
		cmocka_unit_test(changes_cost_nothing_until_the_first_overflow),
		cmocka_unit_test(after_65535_packets_without_a_drop_the_heap_is_left_alone),
		cmocka_unit_test(every_drop_starts_the_countdown_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

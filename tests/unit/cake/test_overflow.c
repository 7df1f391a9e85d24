/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/overflow: bytes by flow, and the fattest flow, against a scan of every flow.
 *
 * Flows are numbered from tin to tin. Ties go to the lowest number.
 */
#include "cake/overflow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit.h"
#include "base/prng.h"
#include "kit.h"

struct world {
	struct overflow overflow;
	uint64_t *bytes; /* by flow: what the tree should know */
	uint32_t n;
};

static void world_init(struct world *w, uint32_t n)
{
	w->n = n;
	w->bytes = calloc(n, sizeof(*w->bytes));
	assert_non_null(w->bytes);
	assert_int_equal(overflow_init(&w->overflow, n), 0);
}

static void world_fini(struct world *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		assert_int_equal(overflow_bytes(&w->overflow, i), w->bytes[i]);
	overflow_fini(&w->overflow);
	free(w->bytes);
}

static void set_bytes(struct world *w, uint32_t i, uint64_t bytes)
{
	uint64_t now = w->bytes[i];

	if (bytes > now)
		overflow_grown(&w->overflow, i, bytes - now);
	else
		overflow_shrunk(&w->overflow, i, now - bytes);
	w->bytes[i] = bytes;
	assert_int_equal(overflow_bytes(&w->overflow, i), bytes);
}

/* The number of the fattest. */
static uint32_t scan(const struct world *w)
{
	uint32_t fattest = 0;

	for (uint32_t i = 1; i < w->n; i++)
		if (w->bytes[i] > w->bytes[fattest])
			fattest = i;
	return fattest;
}

static void assert_fattest(struct world *w, uint32_t i)
{
	assert_int_equal(overflow_fattest(&w->overflow), i);
}

static void the_fattest_is_found_in_any_line(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 3 * 8);
	set_bytes(&w, 7, 1000);
	set_bytes(&w, 19, 1001);
	assert_fattest(&w, 19);
	set_bytes(&w, 8, 1002);
	assert_fattest(&w, 8);
	set_bytes(&w, 8, 0);
	assert_fattest(&w, 19);
	set_bytes(&w, 19, 999);
	assert_fattest(&w, 7);
	world_fini(&w);
}

static void ties_go_to_the_lowest_number(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 2 * 8);
	assert_fattest(&w, 0); /* all are empty */
	set_bytes(&w, 8, 500);
	set_bytes(&w, 6, 500);
	set_bytes(&w, 5, 500);
	assert_fattest(&w, 5);
	set_bytes(&w, 5, 499);
	assert_fattest(&w, 6);
	set_bytes(&w, 6, 499);
	assert_fattest(&w, 8);
	set_bytes(&w, 2, 500); /* grows to equal the fattest: lower, so before it */
	assert_fattest(&w, 2);
	world_fini(&w);
}

/* 2^44 - 1 bytes fit a leaf; 2^32 and one byte are more than 2^32. */
static void sizes_beyond_32_bits_are_compared_in_full(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 8192);
	set_bytes(&w, 3005, 1ull << 32);
	set_bytes(&w, 4006, (1ull << 32) + 1);
	set_bytes(&w, 0, UINT32_MAX);
	assert_fattest(&w, 4006);
	set_bytes(&w, 8191, (1ull << 44) - 1);
	assert_fattest(&w, 8191);
	set_bytes(&w, 8191, 0);
	assert_fattest(&w, 4006);
	world_fini(&w);
}

/* One change. Half of the time what overflow does: the fattest shrinks. */
static void change(struct world *w, uint32_t sizes, struct prng *rng)
{
	uint32_t i = prng_u32(rng) & 1 ? scan(w) : prng_u32(rng) % w->n;

	set_bytes(w, i, prng_u32(rng) % sizes);
}

/*
 * Few distinct sizes, so that ties abound; the fattest and every node are checked after every
 * change. Leaves from one line, which has no nodes, to the most: 1, 2, 3, 8 and 64 lines, levels
 * that end within a line (24, 168, 3,072 and 28,672 leaves) and such that do not.
 */
static void the_tree_agrees_with_a_scan_over_random_changes(void **state)
{
	static const struct {
		uint32_t flows, sizes, steps;
	} worlds[] = {
		{8, 3, 20000},      {16, 3, 20000},   {24, 5, 20000},    {64, 5, 20000},
		{128, 1000, 20000}, {168, 10, 10000}, {512, 10, 5000},   {512, 100000, 5000},
		{1024, 40, 2000},   {3072, 40, 2000}, {4096, 40, 1000},  {7 * 4096, 40, 200},
		{131072, 40, 100},  {524288, 40, 50}, {1048576, 40, 50},
	};
	struct prng rng = prng_xorshift32(3);

	(void)state;
	for (unsigned i = 0; i < COUNT(worlds); i++) {
		struct world w;

		world_init(&w, worlds[i].flows);
		for (uint32_t k = 0; k < w.n; k++) /* before the tree is kept */
			set_bytes(&w, k, prng_u32(&rng) % worlds[i].sizes);
		for (unsigned step = 0; step < worlds[i].steps; step++) {
			assert_fattest(&w, scan(&w));
			change(&w, worlds[i].sizes, &rng);
			audit_overflow(&w.overflow);
		}
		world_fini(&w);
	}
}

/* The last of all flows has the number whose bits are all set. */
static void the_last_flow_of_the_largest_instance_is_found(void **state)
{
	const uint32_t last = CAKE_MAX_TINS * CAKE_FLOWS_MAX - 1;
	struct world w;

	(void)state;
	world_init(&w, last + 1);
	set_bytes(&w, last, 1);
	assert_fattest(&w, last);
	set_bytes(&w, last, 0);
	assert_fattest(&w, 0);
	set_bytes(&w, last - 1, 1);
	set_bytes(&w, last, 2);
	assert_fattest(&w, last);
	world_fini(&w);
}

/* A node above the leaves, of the lowest level: of flows 8 * @i to 8 * @i + 7. */
static uint64_t node(const struct world *w, uint32_t i)
{
	return w->overflow.keys[w->overflow.start[1] + i];
}

static uint64_t leaf(const struct world *w, uint32_t i)
{
	return w->overflow.keys[i];
}

static void changes_touch_no_node_until_the_first_overflow(void **state)
{
	uint64_t *before;
	struct prng rng = prng_xorshift32(4);
	struct world w;
	size_t nodes;

	(void)state;
	world_init(&w, 1024);
	nodes = overflow_footprint(1024) / sizeof(*before) - w.n;
	before = malloc(nodes * sizeof(*before));
	assert_non_null(before);
	memcpy(before, &w.overflow.keys[w.n], nodes * sizeof(*before));
	for (unsigned step = 0; step < 5000; step++)
		change(&w, 100, &rng);
	assert_memory_equal(before, &w.overflow.keys[w.n], nodes * sizeof(*before));
	free(before);

	set_bytes(&w, 13, 100);
	overflow_fattest(&w.overflow); /* built now */
	assert_int_equal(node(&w, 1), leaf(&w, 13));
	set_bytes(&w, 14, 200);
	assert_int_equal(node(&w, 1), leaf(&w, 14)); /* kept from now on */
	set_bytes(&w, 14, 0);
	assert_int_equal(node(&w, 1), leaf(&w, 13));
	world_fini(&w);
}

static void after_65535_packets_without_a_drop_the_tree_is_left_alone(void **state)
{
	struct world w;
	uint64_t stale;

	(void)state;
	world_init(&w, 64);
	assert_fattest(&w, 0);
	for (unsigned i = 0; i < 65534; i++)
		overflow_sent(&w.overflow);
	set_bytes(&w, 7, 100);
	stale = leaf(&w, 7);
	assert_int_equal(node(&w, 0), stale); /* still kept */
	overflow_sent(&w.overflow);
	set_bytes(&w, 3, 200);
	assert_int_equal(node(&w, 0), stale);
	overflow_sent(&w.overflow); /* does not wrap */
	assert_int_equal(w.overflow.countdown, 0);
	set_bytes(&w, 7, 50);
	assert_int_equal(node(&w, 0), stale);
	assert_fattest(&w, 3); /* built anew */
	audit_overflow(&w.overflow);
	world_fini(&w);
}

static void every_drop_starts_the_countdown_again(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 8);
	overflow_fattest(&w.overflow);
	for (unsigned i = 0; i < 65534; i++)
		overflow_sent(&w.overflow);
	overflow_fattest(&w.overflow);
	assert_int_equal(w.overflow.countdown, 65535);
	world_fini(&w);
}

/* Levels of a tree over 8, 16, ... leaves, each of an eighth, and lines of eight numbers. */
static void memory_is_a_seventh_more_than_the_leaves_and_a_line_per_level(void **state)
{
	static const struct {
		uint32_t flows, numbers;
	} samples[] = {
		{8, 8},
		{16, 16 + 8},
		{24, 24 + 8},
		{64, 64 + 8},
		{512, 512 + 64 + 8},
		{1024, 1024 + 128 + 16 + 8},
		{4096, 4096 + 512 + 64 + 8},
		{1048576, 1048576 + 131072 + 16384 + 2048 + 256 + 32 + 8},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct overflow o;

		assert_int_equal(overflow_footprint(samples[i].flows),
				 samples[i].numbers * sizeof(uint64_t));
		assert_int_equal(overflow_init(&o, samples[i].flows), 0);
		assert_int_equal((uintptr_t)o.keys % 64, 0);
		assert_true(o.levels <= OVERFLOW_LEVELS_MAX);
		for (unsigned level = 0; level <= o.levels; level++)
			assert_int_equal(o.start[level] % OVERFLOW_WAYS, 0);
		overflow_fini(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fattest_is_found_in_any_line),
		cmocka_unit_test(ties_go_to_the_lowest_number),
		cmocka_unit_test(sizes_beyond_32_bits_are_compared_in_full),
		cmocka_unit_test(the_tree_agrees_with_a_scan_over_random_changes),
		cmocka_unit_test(the_last_flow_of_the_largest_instance_is_found),
		cmocka_unit_test(changes_touch_no_node_until_the_first_overflow),
		cmocka_unit_test(after_65535_packets_without_a_drop_the_tree_is_left_alone),
		cmocka_unit_test(every_drop_starts_the_countdown_again),
		cmocka_unit_test(memory_is_a_seventh_more_than_the_leaves_and_a_line_per_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/host: finding a host's entry, taking one over, sharing one, and counts that saturate.
 *
 * With 64 entries a hash's own entry is its low 6 bits and its set the 8 that share the upper 3.
 */
#include "cake/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kit.h"

#define ENTRIES 64

/* Hashes with own entry @entry that differ above it. */
#define HASH(n, entry) ((n)*0x10000u + (entry))

static struct host_table table;

static int setup(void **state)
{
	(void)state;
	return host_table_init(&table, ENTRIES);
}

static int teardown(void **state)
{
	(void)state;
	host_table_fini(&table);
	return 0;
}

static void assert_entry(uint32_t hash, uint16_t entry)
{
	assert_int_equal(host_lookup(&table, hash), entry);
	assert_int_equal(table.tags[entry], hash);
}

static void put(uint16_t entry, uint32_t tag, uint16_t bulk_flows)
{
	table.tags[entry] = tag;
	table.bulk_flows[entry] = bulk_flows;
}

static void fill(uint16_t first, uint16_t last)
{
	for (uint16_t i = first; i <= last; i++)
		put(i, HASH(100 + i, i), 1);
}

static void a_new_host_takes_its_own_entry(void **state)
{
	(void)state;
	assert_entry(HASH(1, 21), 21);
}

static void a_known_host_is_found_wherever_it_is_in_its_set(void **state)
{
	(void)state;
	put(18, HASH(1, 21), 2);
	assert_entry(HASH(1, 21), 18);
	table.bulk_flows[18] = 0; /* no longer counted, still known */
	assert_entry(HASH(1, 21), 18);
}

static void the_entry_nearest_the_own_one_is_found_first(void **state)
{
	(void)state;
	table.tags[23] = HASH(1, 21);
	table.tags[17] = HASH(1, 21);
	assert_entry(HASH(1, 21), 23);
}

static void entries_without_bulk_flows_are_taken_over_wrapping_in_the_set(void **state)
{
	(void)state;
	fill(21, 23);
	assert_entry(HASH(1, 21), 16); /* not 24: another set */
	table.bulk_flows[16] = 1;
	table.bulk_flows[22] = 0;
	assert_entry(HASH(2, 21), 22);
}

static void a_full_set_is_shared_in_the_own_entry(void **state)
{
	(void)state;
	fill(16, 23);
	table.bulk_flows[21] = 5;
	assert_entry(HASH(1, 21), 21);
	assert_int_equal(table.bulk_flows[21], 5); /* counted together from now on */
	assert_int_equal(table.tags[15], 0);
	assert_int_equal(table.tags[24], 0);
}

/* Whether the host became busy, resp. idle, is what the tin's number of busy hosts follows. */
static void counts_say_when_a_host_becomes_busy_and_idle(void **state)
{
	(void)state;
	assert_true(host_inc(&table, 5));
	assert_false(host_inc(&table, 5));
	assert_true(host_inc(&table, 6)); /* another */
	assert_false(host_dec(&table, 5));
	assert_true(host_dec(&table, 5));
	assert_false(host_dec(&table, 5)); /* it was */
	assert_int_equal(table.bulk_flows[5], 0);
	assert_int_equal(table.bulk_flows[6], 1);
	assert_true(host_inc(&table, 5));
}

static void counts_stop_at_zero_and_at_the_tables_size(void **state)
{
	(void)state;
	host_dec(&table, 9);
	assert_int_equal(table.bulk_flows[9], 0);
	for (unsigned i = 1; i <= ENTRIES; i++) {
		host_inc(&table, 9);
		assert_int_equal(table.bulk_flows[9], i);
	}
	host_inc(&table, 9);
	assert_int_equal(table.bulk_flows[9], ENTRIES);
	host_dec(&table, 9);
	assert_int_equal(table.bulk_flows[9], ENTRIES - 1);
	assert_int_equal(table.bulk_flows[8] + table.bulk_flows[10], 0);
}

/* All flows of the largest table are one host's: 65,535 is what 16 bits hold. */
static void counts_of_the_largest_table_stop_at_65535(void **state)
{
	struct host_table t;

	(void)state;
	assert_int_equal(host_table_init(&t, CAKE_FLOWS_MAX), 0);
	for (uint32_t i = 1; i <= CAKE_FLOWS_MAX; i++) {
		assert_int_equal(host_inc(&t, 65535), i == 1);
		assert_int_equal(t.bulk_flows[65535], i < 65535 ? i : 65535);
	}
	for (uint32_t i = 1; i <= CAKE_FLOWS_MAX; i++) {
		assert_int_equal(host_dec(&t, 65535), i == 65535);
		assert_int_equal(t.bulk_flows[65535], i < 65535 ? 65535 - i : 0);
	}
	assert_int_equal(t.bulk_flows[65534], 0);
	host_table_fini(&t);
}

static void there_are_as_many_entries_as_flows_but_65536_at_most(void **state)
{
	static const struct {
		uint32_t flows, entries;
	} samples[] = {
		{8, 8}, {1024, 1024}, {32768, 32768}, {65536, 65536}, {131072, 65536},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		uint32_t last = samples[i].entries - 1;
		struct host_table t;

		assert_int_equal(host_table_init(&t, samples[i].flows), 0);
		assert_int_equal(t.mask, last);
		assert_int_equal(host_table_footprint(samples[i].flows),
				 samples[i].entries * (4 + 2));
		assert_int_equal(host_lookup(&t, UINT32_MAX), last);
		host_inc(&t, last);
		assert_int_equal(host_lookup(&t, UINT32_MAX >> 1), last & ~7u); /* wrapped */
		assert_int_equal(host_lookup(&t, samples[i].entries), 0);       /* own entry 0 */
		host_table_reset(&t);
		assert_int_equal(t.tags[0] | t.tags[last] | t.bulk_flows[last], 0);
		host_table_fini(&t);
		assert_null(t.tags);
	}
}

static void lookups_never_leave_the_smallest_table(void **state)
{
	struct host_table t;

	(void)state;
	assert_int_equal(host_table_init(&t, 8), 0);
	for (uint32_t hash = 0; hash < 1000; hash++) {
		uint16_t entry = host_lookup(&t, hash * 2654435761u);

		assert_true(entry < 8);
		host_inc(&t, entry);
	}
	host_table_fini(&t);
}

/* What the modes without host isolation have. */
static void a_table_without_entries_may_be_reset(void **state)
{
	struct host_table t = {0};

	(void)state;
	host_table_reset(&t);
	host_table_fini(&t);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_new_host_takes_its_own_entry),
		TEST(a_known_host_is_found_wherever_it_is_in_its_set),
		TEST(the_entry_nearest_the_own_one_is_found_first),
		TEST(entries_without_bulk_flows_are_taken_over_wrapping_in_the_set),
		TEST(a_full_set_is_shared_in_the_own_entry),
		TEST(counts_say_when_a_host_becomes_busy_and_idle),
		TEST(counts_stop_at_zero_and_at_the_tables_size),
		cmocka_unit_test(counts_of_the_largest_table_stop_at_65535),
		cmocka_unit_test(there_are_as_many_entries_as_flows_but_65536_at_most),
		cmocka_unit_test(lookups_never_leave_the_smallest_table),
		cmocka_unit_test(a_table_without_entries_may_be_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

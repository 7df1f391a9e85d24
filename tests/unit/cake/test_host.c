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
#include <string.h>

#include <cmocka.h>

#define MASK 63

/* Hashes with own entry @entry that differ above it. */
#define HASH(n, entry) ((n)*0x10000u + (entry))

static struct host table[MASK + 1];

static int setup(void **state)
{
	(void)state;
	memset(table, 0, sizeof(table));
	return 0;
}

static void assert_entry(uint32_t hash, uint16_t entry)
{
	assert_int_equal(host_lookup(table, MASK, hash), entry);
	assert_int_equal(table[entry].tag, hash);
}

static void fill(uint16_t first, uint16_t last)
{
	for (uint16_t i = first; i <= last; i++)
		table[i] = (struct host){.tag = HASH(100 + i, i), .bulk_flows = 1};
}

static void a_new_host_takes_its_own_entry(void **state)
{
	(void)state;
	assert_entry(HASH(1, 21), 21);
}

static void a_known_host_is_found_wherever_it_is_in_its_set(void **state)
{
	(void)state;
	table[18] = (struct host){.tag = HASH(1, 21), .bulk_flows = 2};
	assert_entry(HASH(1, 21), 18);
	table[18].bulk_flows = 0; /* no longer counted, still known */
	assert_entry(HASH(1, 21), 18);
}

static void the_entry_nearest_the_own_one_is_found_first(void **state)
{
	(void)state;
	table[23].tag = HASH(1, 21);
	table[17].tag = HASH(1, 21);
	assert_entry(HASH(1, 21), 23);
}

static void entries_without_bulk_flows_are_taken_over_wrapping_in_the_set(void **state)
{
	(void)state;
	fill(21, 23);
	assert_entry(HASH(1, 21), 16); /* not 24: another set */
	table[16].bulk_flows = 1;
	table[22].bulk_flows = 0;
	assert_entry(HASH(2, 21), 22);
}

static void a_full_set_is_shared_in_the_own_entry(void **state)
{
	(void)state;
	fill(16, 23);
	table[21].bulk_flows = 5;
	assert_entry(HASH(1, 21), 21);
	assert_int_equal(table[21].bulk_flows, 5); /* counted together from now on */
	assert_int_equal(table[15].tag, 0);
	assert_int_equal(table[24].tag, 0);
}

static void counts_stop_at_zero_and_at_the_tables_size(void **state)
{
	struct host h = {.bulk_flows = 0};

	(void)state;
	host_dec(&h);
	assert_int_equal(h.bulk_flows, 0);
	for (unsigned i = 1; i <= 1024; i++) {
		host_inc(&h, 1023);
		assert_int_equal(h.bulk_flows, i);
	}
	host_inc(&h, 1023);
	assert_int_equal(h.bulk_flows, 1024);
	host_dec(&h);
	assert_int_equal(h.bulk_flows, 1023);
}

static void lookups_never_leave_the_smallest_table(void **state)
{
	(void)state;
	for (uint32_t hash = 0; hash < 1000; hash++)
		assert_true(host_lookup(table, 7, hash * 2654435761u) < 8);
	assert_int_equal(table[8].tag, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		TEST(a_new_host_takes_its_own_entry),
		TEST(a_known_host_is_found_wherever_it_is_in_its_set),
		TEST(the_entry_nearest_the_own_one_is_found_first),
		TEST(entries_without_bulk_flows_are_taken_over_wrapping_in_the_set),
		TEST(a_full_set_is_shared_in_the_own_entry),
		TEST(counts_stop_at_zero_and_at_the_tables_size),
		TEST(lookups_never_leave_the_smallest_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

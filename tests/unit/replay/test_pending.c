/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles are used again, and what was kept of a packet stays until it is removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/pending.h"

/* More than the table has room for at first. */
#define MANY 3000

static void packets_stay_what_they_were_while_the_table_grows(void **state)
{
	struct pending_table t;
	uint32_t handles[MANY];

	(void)state;
	pending_init(&t);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(pending_add(&t, &(struct pending){.idx = i}, &handles[i]), 0);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(t.packets[handles[i]].idx, i);
	pending_free(&t);
}

static void the_table_is_as_large_as_the_most_packets_at_once(void **state)
{
	struct pending_table t;
	uint32_t handles[10];

	(void)state;
	pending_init(&t);
	for (unsigned round = 0; round < MANY; round++) {
		for (unsigned i = 0; i < 10; i++)
			assert_int_equal(pending_add(&t, &(struct pending){0}, &handles[i]), 0);
		for (unsigned i = 0; i < 10; i++)
			pending_remove(&t, handles[i]);
	}
	assert_true(t.n <= 1024);
	pending_free(&t);
}

/* Both ends are seen by the sanitizer. */
static void held_bytes_are_freed_with_the_packet_or_the_table(void **state)
{
	struct pending_table t;
	uint32_t removed, left;

	(void)state;
	pending_init(&t);
	assert_int_equal(
		pending_add(&t, &(struct pending){.held = calloc(1, sizeof(struct held_frame))},
			    &removed),
		0);
	assert_int_equal(
		pending_add(&t, &(struct pending){.held = calloc(1, sizeof(struct held_frame))},
			    &left),
		0);
	assert_int_not_equal(removed, left);
	pending_remove(&t, removed);
	assert_null(t.packets[removed].held);
	assert_non_null(t.packets[left].held);
	pending_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_stay_what_they_were_while_the_table_grows),
		cmocka_unit_test(the_table_is_as_large_as_the_most_packets_at_once),
		cmocka_unit_test(held_bytes_are_freed_with_the_packet_or_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

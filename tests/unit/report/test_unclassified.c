/* SPDX-License-Identifier: BSD-3-Clause */
/* Unclassified frames: every reason for programs, those that occurred for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/unclassified.h"

static void assert_text(const uint64_t *counts, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_unclassified_text(f, counts);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void people_read_what_occurred(void **state)
{
	uint64_t counts[PACKET_UNCLASSIFIED_REASONS] = {0};

	(void)state;
	assert_text(counts, "");
	counts[PACKET_TRUNCATED_TUNNEL] = 1;
	assert_text(counts, " unclassified: truncated-tunnel 1\n");
	counts[PACKET_UNKNOWN_ETHERTYPE] = 4294967296;
	assert_text(counts, " unclassified: unknown-ethertype 4294967296, truncated-tunnel 1\n");
}

/* Names are what programs look for: all there, all different, none of what is classified. */
static void programs_find_every_reason(void **state)
{
	uint64_t counts[PACKET_UNCLASSIFIED_REASONS];
	json_t *o;

	(void)state;
	for (unsigned r = 0; r < PACKET_UNCLASSIFIED_REASONS; r++)
		counts[r] = 100 + r;
	o = report_unclassified_json(counts);
	assert_int_equal(json_object_size(o), PACKET_UNCLASSIFIED_REASONS - 1);
	for (unsigned r = 1; r < PACKET_UNCLASSIFIED_REASONS; r++)
		assert_int_equal(
			json_integer_value(json_object_get(o, packet_unclassified_name(r))),
			100 + r);
	assert_null(json_object_get(o, packet_unclassified_name(PACKET_CLASSIFIED)));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(people_read_what_occurred),
		cmocka_unit_test(programs_find_every_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

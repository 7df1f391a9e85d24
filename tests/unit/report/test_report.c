/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics in tc's words: order of tins and rows, units, rounding, JSON keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

/* Two tins of a diffserv3 instance, told apart by their numbers. */
static struct cake_stats example(void)
{
	struct cake_stats s = {
		.bytes = 5000,
		.packets = 10,
		.drops = 3,
		.overlimits = 7,
		.backlog = 1514,
		.qlen = 1,
		.memory_used = 9216,
		.memory_limit = 4194304,
		.capacity_estimate = 2500000,
		.min_network_size = 46,
		.max_network_size = 1500,
		.min_adj_size = 84,
		.max_adj_size = 1538,
		.avg_hdr_offset = 14,
		.tin_cnt = 3,
	};

	s.decisions[CAKE_DROP_CODEL] = 2;
	s.decisions[CAKE_DROP_BLUE] = 1;
	s.tins[0] = (struct cake_tin_stats){.threshold_rate = 2500000, .avg_delay_us = 999};
	s.tins[1] = (struct cake_tin_stats){.threshold_rate = 156250, .avg_delay_us = 14534};
	s.tins[2] = (struct cake_tin_stats){
		.threshold_rate = 625000, .avg_delay_us = 1234567, .backlog_bytes = 1514};
	return s;
}

static char *text_of(const struct cake_stats *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	report_cake_text(f, s, CAKE_DIFFSERV3);
	fclose(f);
	return text;
}

/* Whether a line of @text begins with @name and has these cells. */
static void assert_row(const char *text, const char *name, const char *cells[3])
{
	const char *line = strstr(text, name);

	assert_non_null(line);
	line += strlen(name);
	for (unsigned i = 0; i < 3; i++) {
		line += strspn(line, " ");
		assert_memory_equal(line, cells[i], strlen(cells[i]));
		line += strlen(cells[i]);
		assert_non_null(strchr(" \n", *line));
	}
}

static void bulk_is_the_first_column(void **state)
{
	struct cake_stats s = example();
	char *text = text_of(&s);

	(void)state;
	assert_true(strstr(text, "Bulk") < strstr(text, "Best Effort"));
	assert_true(strstr(text, "Best Effort") < strstr(text, "Voice"));
	/* bytes/s times 8 */
	assert_row(text, "thresh", (const char *[]){"1250kbit", "20mbit", "5mbit"});
	free(text);
}

static void times_have_three_digits(void **state)
{
	struct cake_stats s = example();
	char *text = text_of(&s);

	(void)state;
	assert_row(text, "av_delay", (const char *[]){"14.5ms", "999us", "1.23s"});
	assert_row(text, "backlog  ", (const char *[]){"0b", "0b", "1514b"});
	free(text);
}

static void drops_are_told_by_reason(void **state)
{
	struct cake_stats s = example();
	char *text;

	(void)state;
	s.catch_ups = 4;
	s.catch_up_ns = 12500000;
	text = text_of(&s);
	assert_non_null(strstr(text, "\n drops: overflow 0 codel 2 blue 1 ack_filter 0 purge 0; "
				     "catch-ups 4, 12.5ms given up\n"));
	free(text);
}

static void json_has_tcs_keys_in_bytes_and_microseconds(void **state)
{
	struct cake_stats s = example();
	json_t *o = report_cake_json(&s, CAKE_DIFFSERV3);
	json_t *tins = json_object_get(o, "tins");
	json_t *bulk = json_array_get(tins, 0);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(o, "capacity_estimate")), 2500000);
	assert_int_equal(json_integer_value(json_object_get(o, "memory_limit")), 4194304);
	assert_int_equal(json_array_size(tins), 3);
	assert_int_equal(json_integer_value(json_object_get(bulk, "threshold_rate")), 156250);
	assert_int_equal(json_integer_value(json_object_get(bulk, "avg_delay_us")), 14534);
	json_decref(o);
}

static void drops_by_reason_add_up(void **state)
{
	struct cake_stats s = example();
	json_t *o = report_cake_json(&s, CAKE_DIFFSERV3);
	json_int_t sum = 0;
	const char *reason;
	json_t *n;

	(void)state;
	json_object_foreach (json_object_get(o, "drops_by_reason"), reason, n) {
		assert_true(strlen(reason) > 0);
		sum += json_integer_value(n);
	}
	assert_int_equal(sum, json_integer_value(json_object_get(o, "drops")));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bulk_is_the_first_column),
		cmocka_unit_test(times_have_three_digits),
		cmocka_unit_test(drops_are_told_by_reason),
		cmocka_unit_test(json_has_tcs_keys_in_bytes_and_microseconds),
		cmocka_unit_test(drops_by_reason_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

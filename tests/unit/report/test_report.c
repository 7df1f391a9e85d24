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

/* One hour of 60-byte frames at 100 Gbit/s: 5.4 x 10^11 packets, 3.2 x 10^13 bytes. */
static struct cake_stats large_example(void)
{
	const uint64_t packets = 535714285714, bytes = 32142857142857;
	struct cake_stats s = example();

	s.bytes = bytes;
	s.packets = packets;
	s.drops = packets;
	s.overlimits = packets;
	s.catch_ups = packets;
	s.backlog = s.memory_used = s.memory_limit = 17179869184; /* 16 GiB */
	s.capacity_estimate = 1ull << 32;
	s.decisions[CAKE_DROP_ACK] = packets;
	s.tins[0] = s.tins[2] = (struct cake_tin_stats){0};
	s.tins[1] = (struct cake_tin_stats){
		.threshold_rate = 50000000000,
		.sent_bytes = bytes,
		.sent_packets = packets,
		.backlog_bytes = 17179869184,
		.target_us = 50000000, /* of an rtt of 1,000 s */
		.interval_us = 1000000000,
		.peak_delay_us = 18000000000,
		.avg_delay_us = 18000000000,
		.base_delay_us = 18000000000,
		.drops = packets,
		.ecn_mark = packets,
		.ack_drops = packets,
		.way_indirect_hits = packets,
		.way_misses = packets,
		.way_collisions = packets,
	};
	return s;
}

static void text_has_numbers_beyond_32_bits(void **state)
{
	static const char *const rows[][3] = {
		{"\n  thresh", "400gbit", "unlimited"}, {"\n  target", "50s", "0us"},
		{"\n  interval", "1000s", "0us"},       {"\n  pk_delay", "18000s", "0us"},
		{"\n  av_delay", "18000s", "0us"},      {"\n  sp_delay", "18000s", "0us"},
		{"\n  backlog", "17179869184b", "0b"},  {"\n  pkts", "535714285714", "0"},
		{"\n  bytes", "32142857142857", "0"},   {"\n  way_inds", "535714285714", "0"},
		{"\n  way_miss", "535714285714", "0"},  {"\n  way_cols", "535714285714", "0"},
		{"\n  drops", "535714285714", "0"},     {"\n  marks", "535714285714", "0"},
		{"\n  ack_drop", "535714285714", "0"},
	};
	struct cake_stats s = large_example();
	char *text = text_of(&s);

	(void)state;
	assert_non_null(strstr(text, " Sent 32142857142857 bytes 535714285714 pkt (dropped "
				     "535714285714, overlimits 535714285714)\n"));
	assert_non_null(strstr(text, "ack_filter 535714285714"));
	assert_non_null(strstr(text, "catch-ups 535714285714"));
	assert_non_null(strstr(text, "\n backlog 17179869184b 1p\n"));
	assert_non_null(strstr(text, "\n memory used: 17179869184b of 17179869184b\n"));
	assert_non_null(strstr(text, "\n capacity estimate: 32gibit\n"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_row(text, rows[i][0], (const char *[]){rows[i][1], rows[i][2], rows[i][2]});
	free(text);
}

static void json_has_numbers_beyond_32_bits(void **state)
{
	static const char *const large[] = {"bytes", "packets", "drops", "overlimits", "catch_ups"};
	struct cake_stats s = large_example();
	json_t *o = report_cake_json(&s, CAKE_DIFFSERV3), *n;
	json_t *bulk = json_array_get(json_object_get(o, "tins"), 0);
	unsigned beyond = 0;
	const char *key;

	(void)state;
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		assert_true(json_integer_value(json_object_get(o, large[i])) >= 535714285714);
	assert_int_equal(json_integer_value(json_object_get(o, "memory_limit")), 17179869184);
	assert_int_equal(json_integer_value(json_object_get(o, "capacity_estimate")), 1ll << 32);
	assert_int_equal(json_integer_value(json_object_get(bulk, "sent_bytes")), 32142857142857);
	assert_int_equal(json_integer_value(json_object_get(bulk, "avg_delay_us")), 18000000000);
	json_object_foreach (bulk, key, n)
		beyond += json_integer_value(n) >> 32 != 0;
	assert_int_equal(beyond, 13); /* all of large_example()'s but target and interval */
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
		cmocka_unit_test(text_has_numbers_beyond_32_bits),
		cmocka_unit_test(json_has_numbers_beyond_32_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

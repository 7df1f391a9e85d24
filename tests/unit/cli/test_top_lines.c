/* SPDX-License-Identifier: BSD-3-Clause */
/* The screen of `gateau top`: rates of two answers, and what finds room on terminals of any size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/top_lines.h"
#include "cli/top_rates.h"

#define SECOND UINT64_C(1000000000)

/** A tin that has counted @n of everything, waits of 4 to 8 us, and queues 1,000 bytes. */
static json_t *tin(const char *name, json_int_t n)
{
	return json_pack("{s:s, s:I, s:I, s:i, s:I, s:I, s:i, s:i, s:[i, i, i, I, i]}", "name",
			 name, "sent_bytes", 1000 * n, "sent_packets", n, "backlog_bytes", 1000,
			 "drops", n / 10, "ecn_mark", n / 100, "sparse_flows", 12, "bulk_flows",
			 345, "sojourn_counts", 0, 0, 0, n, 0);
}

static json_t *tins(unsigned n, json_int_t count)
{
	json_t *array = json_array();
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "Tin %u", i);
		json_array_append_new(array, tin(name, count));
	}
	return array;
}

/** What a port's sum and its queues have in common. */
static json_t *cake(unsigned n_tins, json_int_t n)
{
	return json_pack("{s:I, s:I, s:i, s:I, s:i, s:o}", "tx_bytes", 125 * n, "tx_packets", n,
			 "backlog", 5000, "drops", n / 10, "ecn_marked", 7, "tins",
			 tins(n_tins, n));
}

static json_t *queues(unsigned n, unsigned n_tins, json_int_t count)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *q = cake(n_tins, count);

		json_object_set_new(q, "queue", json_integer(i));
		json_object_set_new(q, "cpu", json_integer(i % 8));
		json_object_set_new(q, "share", json_pack("{s:I}", "share_rate", (json_int_t)1250));
		json_array_append_new(array, q);
	}
	return array;
}

static json_t *port(const char *name, unsigned n_queues, unsigned n_tins, json_int_t n)
{
	json_t *p = cake(n_tins, n);

	json_object_set_new(p, "port", json_string(name));
	json_object_set_new(p, "link", json_string("up"));
	json_object_set_new(p, "rx_bytes", json_integer(1250 * n));
	json_object_set_new(p, "rx_packets", json_integer(2 * n));
	json_object_set_new(p, "options", json_pack("{s:I}", "bandwidth", (json_int_t)125000000));
	json_object_set_new(p, "other_drops", json_pack("{s:I, s:I}", "shed", n, "defer", n));
	json_object_set_new(p, "queues", queues(n_queues, n_tins, n));
	return p;
}

/** What a gateaud says that has run for @s seconds and counted @n. */
static json_t *answer(unsigned s, json_int_t n, unsigned n_queues, unsigned n_tins)
{
	json_t *lcores = json_array();

	for (unsigned i = 0; i < 8; i++)
		json_array_append_new(lcores, json_pack("{s:i, s:I}", "cpu", i, "busy_cycles",
							(json_int_t)(s * SECOND / 4)));
	return json_pack("{s:I, s:i, s:[i, i, i, i], s:{s:I}, s:o, s:[o, o]}", "uptime_ns",
			 (json_int_t)(s * SECOND), "generation", 3, "sojourn_bounds_ns", 1024, 2048,
			 4096, 8192, "clock", "hz", (json_int_t)SECOND, "lcores", lcores, "ports",
			 port("wan", n_queues, n_tins, n), port("lan", 1, 3, n));
}

static struct top_screen screen;
static json_t *now, *before;
static struct top_data data;
static struct top_view view;

/** Two answers, two seconds apart: 2,000 more of everything. */
static void answers(unsigned n_queues, unsigned n_tins)
{
	before = answer(10, 1000, n_queues, n_tins);
	now = answer(12, 3000, n_queues, n_tins);
	data = (struct top_data){.now = now, .before = before};
	view = (struct top_view){.queue = -1};
}

static int forget(void **state)
{
	(void)state;
	json_decref(now);
	json_decref(before);
	now = before = NULL;
	return 0;
}

static void render(unsigned rows, unsigned columns)
{
	screen.rows = rows;
	screen.columns = columns;
	top_lines(&screen, &data, &view);
	assert_true(screen.used <= rows);
	for (unsigned i = 0; i < screen.used; i++)
		assert_true(strlen(screen.lines[i]) <= columns);
}

/** The line that begins with @head; the test fails if there is none. */
static const char *line_of(const char *head)
{
	for (unsigned i = 0; i < screen.used; i++)
		if (!strncmp(screen.lines[i], head, strlen(head)))
			return screen.lines[i];
	print_error("no line \"%s...\"\n", head);
	fail();
	return NULL;
}

static bool shows(const char *words)
{
	for (unsigned i = 0; i < screen.used; i++)
		if (strstr(screen.lines[i], words))
			return true;
	return false;
}

static void rates_are_of_the_time_between_two_answers(void **state)
{
	(void)state;
	answers(2, 3);
	render(24, 80);
	assert_string_equal(line_of("gateau top"),
			    "gateau top - port wan (1 of 2), up 12s, generation 3");
	/* 2,000 * 1,250 bytes in 2 s */
	assert_string_equal(line_of("in "), "in   10mbit, 2k packets/s");
	assert_string_equal(line_of("out "), "out  1mbit of 1gbit, 1k packets/s");
	assert_string_equal(line_of("drop "), "drop 100 packets/s in the scheduler, 2k elsewhere");
	assert_string_equal(line_of("Tin 0"),
			    "Tin 0          8mbit     1k    <8us    <8us      1kb "
			    "    100      10   12  345");
	assert_string_equal(
		line_of("CPU 0"),
		"CPU 0    25%  CPU 1    25%  CPU 2    25%  CPU 3    25%  CPU 4    25%  ");
}

static void without_an_earlier_answer_rates_are_0(void **state)
{
	(void)state;
	answers(2, 3);
	data.before = NULL;
	render(24, 80);
	assert_string_equal(line_of("in "), "in   0bit, 0 packets/s");
}

static void all_of_a_port_fits_a_screen_of_24_lines(void **state)
{
	(void)state;
	answers(4, 8);
	render(24, 80);
	assert_true(shows("Tin 7"));
	assert_true(shows("CPU 7"));
	assert_true(shows("> all"));
	assert_string_equal(screen.lines[23], "q quit  arrows port and queue  ? help");
	for (unsigned i = 0; i < screen.used; i++)
		assert_true(strlen(screen.lines[i]) < 80); /* nothing was cut */
}

static void the_chosen_queue_is_always_among_those_shown(void **state)
{
	(void)state;
	answers(64, 8);
	for (int i = 0; i < 64; i++) {
		char mark[16];

		view.queue = i;
		render(24, 80);
		snprintf(mark, sizeof(mark), "> %d CPU %d", i, i % 8);
		assert_true(shows(mark));
		assert_true(shows("CPU 7  "));
	}
	view.queue = -1;
	render(100, 80);
	assert_true(shows("  63 CPU 7"));
}

static void a_chosen_queue_has_its_own_tins(void **state)
{
	json_t *q;

	(void)state;
	answers(2, 3);
	q = json_array_get(
		json_object_get(json_array_get(json_object_get(now, "ports"), 0), "queues"), 1);
	json_object_set_new(json_array_get(json_object_get(q, "tins"), 0), "bulk_flows",
			    json_integer(777));
	render(24, 80);
	assert_false(shows("777"));
	view.queue = 1;
	render(24, 80);
	assert_true(shows("777"));
}

static void choosing_goes_round(void **state)
{
	(void)state;
	answers(2, 3);
	top_next_queue(&data, &view, -1);
	assert_int_equal(view.queue, 1);
	top_next_queue(&data, &view, 1);
	assert_int_equal(view.queue, -1);
	top_next_port(&data, &view, -1);
	assert_int_equal(view.port, 1);
	top_next_port(&data, &view, 1);
	assert_int_equal(view.port, 0);
}

static void what_was_chosen_and_is_gone_is_left(void **state)
{
	(void)state;
	answers(2, 3);
	view = (struct top_view){.port = 5, .queue = 9};
	render(24, 80);
	assert_int_equal(view.port, 0);
	assert_int_equal(view.queue, -1);
}

static void no_answer_is_told_above_the_last_one(void **state)
{
	(void)state;
	answers(2, 3);
	data.trouble = "control socket /x: Connection refused";
	render(24, 80);
	assert_string_equal(line_of("NO ANSWER"),
			    "NO ANSWER, trying again: control socket /x: Connection refused");
	assert_true(shows("Tin 0"));
	data.now = data.before = NULL;
	render(24, 80);
	assert_true(shows("NO ANSWER"));
}

static void any_size_will_do(void **state)
{
	(void)state;
	answers(64, 8);
	for (unsigned rows = 0; rows < 70; rows++)
		for (unsigned columns = 0; columns < 240; columns += 7)
			render(rows, columns);
	render(60, 200);
	assert_true(shows("  30 CPU 6"));
	view.help = true;
	for (unsigned rows = 0; rows < 30; rows++)
		render(rows, 80);
	assert_true(shows("left, right, Tab"));
}

static void numbers_have_three_digits(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},        {999.4, "999"},   {999.5, "1k"}, {1234, "1.23k"},
		{99950, "100k"}, {123456, "123k"}, {1e9, "1g"},   {4.5e11, "450g"},
	};
	char buf[TOP_CELL_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(top_format(buf, cases[i].value, ""), cases[i].text);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, forget)
	const struct CMUnitTest tests[] = {
		TEST(rates_are_of_the_time_between_two_answers),
		TEST(without_an_earlier_answer_rates_are_0),
		TEST(all_of_a_port_fits_a_screen_of_24_lines),
		TEST(the_chosen_queue_is_always_among_those_shown),
		TEST(a_chosen_queue_has_its_own_tins),
		TEST(choosing_goes_round),
		TEST(what_was_chosen_and_is_gone_is_left),
		TEST(no_answer_is_told_above_the_last_one),
		TEST(any_size_will_do),
		TEST(numbers_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

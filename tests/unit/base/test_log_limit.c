/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said and what is hidden, in virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include <cmocka.h>

#include "base/log_limit.h"

#define WINDOW LOG_LIMIT_WINDOW_NS
#define SEC    UINT64_C(1000000000)

static struct log_limiter l;
static const char link_down, link_up, kinds[LOG_LIMIT_KINDS + 2];

static int empty(void **state)
{
	(void)state;
	memset(&l, 0, sizeof(l));
	return 0;
}

/** How many of @n messages of @kind at @now are said. */
static unsigned say(const void *kind, unsigned n, uint64_t now)
{
	unsigned said = 0;

	for (unsigned i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "number %u", i);
		said += log_limit_pass(&l, kind, LOG_WARNING, text, now);
	}
	return said;
}

static void the_first_ten_are_said(void **state)
{
	(void)state;
	assert_int_equal(say(&link_down, LOG_LIMIT_BURST, SEC), LOG_LIMIT_BURST);
	assert_int_equal(say(&link_down, 1, SEC), 0);
	assert_int_equal(say(&link_down, 1, SEC + WINDOW - 1), 0);
}

static void kinds_do_not_hide_each_other(void **state)
{
	(void)state;
	say(&link_down, 100, SEC);
	assert_int_equal(say(&link_up, 100, SEC), LOG_LIMIT_BURST);
}

static void a_window_ends_with_the_last_one_and_how_many(void **state)
{
	struct log_window w;

	(void)state;
	say(&link_down, 100, SEC);
	assert_false(log_limit_end(&l, SEC + WINDOW - 1, &w));
	assert_true(log_limit_end(&l, SEC + WINDOW, &w));
	assert_int_equal(w.hidden, 100 - LOG_LIMIT_BURST);
	assert_string_equal(w.last, "number 99");
	assert_int_equal(w.priority, LOG_WARNING);
	assert_false(log_limit_end(&l, SEC + WINDOW, &w));
}

/* Of 1,000 a second for 60 s: ten at the beginning of each 5 s, and one at the end. */
static void a_flood_is_a_dozen_lines_in_each_window(void **state)
{
	struct log_window w;
	unsigned said = 0, ends = 0, hidden = 0;

	(void)state;
	for (uint64_t now = 0; now < 60 * SEC; now += SEC / 1000) {
		while (log_limit_end(&l, now, &w)) {
			ends++;
			hidden += w.hidden;
		}
		said += say(&link_down, 1, now);
	}
	assert_int_equal(said, 12 * LOG_LIMIT_BURST);
	assert_true(log_limit_end(&l, UINT64_MAX, &w));
	assert_int_equal(ends + 1, 12);
	assert_int_equal(said + hidden + w.hidden, 60 * 1000);
}

static void what_is_rare_is_never_hidden(void **state)
{
	struct log_window w;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(say(&link_down, 1, i * WINDOW / LOG_LIMIT_BURST), 1);
		assert_false(log_limit_end(&l, i * WINDOW / LOG_LIMIT_BURST, &w));
	}
}

/* Those beyond the table are limited together, and told. */
static void more_kinds_than_there_is_room_for_are_bounded(void **state)
{
	struct log_window w;
	unsigned said = 0, hidden = 0;

	(void)state;
	for (unsigned round = 0; round < 50; round++)
		for (unsigned k = 0; k < sizeof(kinds); k++)
			said += say(&kinds[k], 1, SEC);
	assert_int_equal(said, LOG_LIMIT_KINDS * LOG_LIMIT_BURST);
	while (log_limit_end(&l, UINT64_MAX, &w))
		hidden += w.hidden;
	assert_int_equal(said + hidden, 50 * sizeof(kinds));
}

static void windows_that_are_over_make_room(void **state)
{
	struct log_window w;

	(void)state;
	for (unsigned k = 0; k < sizeof(kinds); k++) {
		log_limit_end(&l, k * WINDOW, &w);
		assert_int_equal(say(&kinds[k], 20, k * WINDOW), LOG_LIMIT_BURST);
	}
}

static void a_long_one_is_cut(void **state)
{
	char text[2 * LOG_LIMIT_TEXT];
	struct log_window w;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i <= LOG_LIMIT_BURST; i++)
		log_limit_pass(&l, &link_up, LOG_ERR, text, 0);
	assert_true(log_limit_end(&l, WINDOW, &w));
	assert_int_equal(strlen(w.last), LOG_LIMIT_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_ten_are_said, empty),
		cmocka_unit_test_setup(kinds_do_not_hide_each_other, empty),
		cmocka_unit_test_setup(a_window_ends_with_the_last_one_and_how_many, empty),
		cmocka_unit_test_setup(a_flood_is_a_dozen_lines_in_each_window, empty),
		cmocka_unit_test_setup(what_is_rare_is_never_hidden, empty),
		cmocka_unit_test_setup(more_kinds_than_there_is_room_for_are_bounded, empty),
		cmocka_unit_test_setup(windows_that_are_over_make_room, empty),
		cmocka_unit_test_setup(a_long_one_is_cut, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

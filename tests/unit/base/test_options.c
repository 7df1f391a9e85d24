/* SPDX-License-Identifier: BSD-3-Clause */
/* base/options: a command line read by a table, and the table as --help prints it. */
#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX 8

enum { FILE_NAME, JSON, RATE, N_OPTIONS };

static const struct options_entry table[] = {
	[FILE_NAME] = {.name = "config", .letter = 'c', .value = "FILE", .help = "what to read"},
	[JSON] = {.name = "json", .letter = 'j', .help = "one line,\nand another"},
	[RATE] = {.name = "link-rate", .value = "RATE", .help = "no letter"},
	{0},
};

/* A command line, as options_parse() left it, and what it found. */
struct line {
	char *argv[WORDS_MAX + 1];
	int argc, first;
	const char *given[N_OPTIONS];
	char err[OPTIONS_ERROR_MAX];
};

#define PARSE(...) parse((const char *[]){"name", __VA_ARGS__, NULL})

static struct line parse(const char *const *words)
{
	struct line l = {0};

	while (words[l.argc]) {
		l.argv[l.argc] = (char *)(uintptr_t)words[l.argc];
		l.argc++;
	}
	l.first = options_parse(table, l.argc, l.argv, l.given, l.err);
	return l;
}

static void long_and_short_names_mean_the_same(void **state)
{
	struct line words = PARSE("--config", "a", "--json"), letters = PARSE("-jc", "a");

	(void)state;
	assert_int_equal(words.first, 4);
	assert_int_equal(letters.first, 3);
	for (int i = 0; i < 2; i++) {
		const char **given = i ? letters.given : words.given;

		assert_string_equal(given[FILE_NAME], "a");
		assert_string_equal(given[JSON], "");
		assert_null(given[RATE]);
	}
}

static void a_value_may_be_joined_and_the_last_one_counts(void **state)
{
	struct line l = PARSE("--link-rate=1gbit", "-ca", "-c", "b", "--link-rate=");

	(void)state;
	assert_string_equal(l.given[FILE_NAME], "b");
	assert_string_equal(l.given[RATE], "");
}

static void operands_come_last_in_their_order(void **state)
{
	struct line l = PARSE("one", "-j", "two", "--", "-c");

	(void)state;
	assert_int_equal(l.argc - l.first, 3);
	assert_string_equal(l.argv[l.first], "one");
	assert_string_equal(l.argv[l.first + 1], "two");
	assert_string_equal(l.argv[l.first + 2], "-c");
	assert_null(l.given[FILE_NAME]);
}

static void a_line_without_options_gives_none(void **state)
{
	struct line l = PARSE("-");

	(void)state;
	assert_int_equal(l.first, 1);
	for (int i = 0; i < N_OPTIONS; i++)
		assert_null(l.given[i]);
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	assert_string_equal(PARSE("--frob").err, "unknown option --frob");
	assert_string_equal(PARSE("-jx", "a").err, "unknown option -x");
	assert_string_equal(PARSE("--config").err, "--config needs a value");
	assert_string_equal(PARSE("-jc").err, "-c needs a value");
	assert_string_equal(PARSE("--json=yes").err, "--json=yes: takes no value");
	assert_int_equal(PARSE("--frob").first, -1);
}

static void without_a_table_every_option_is_unknown(void **state)
{
	char name[] = "name", option[] = "-j", operand[] = "a", err[OPTIONS_ERROR_MAX];

	(void)state;
	assert_int_equal(options_parse(NULL, 2, (char *[]){name, operand, NULL}, NULL, err), 1);
	assert_int_equal(options_parse(NULL, 2, (char *[]){name, option, NULL}, NULL, err), -1);
	assert_string_equal(err, "unknown option -j");
}

static void help_has_two_columns(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	options_print(out, table, 2);
	fclose(out);
	assert_string_equal(text, "  -c, --config FILE     what to read\n"
				  "  -j, --json            one line,\n"
				  "                        and another\n"
				  "      --link-rate RATE  no letter\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_and_short_names_mean_the_same),
		cmocka_unit_test(a_value_may_be_joined_and_the_last_one_counts),
		cmocka_unit_test(operands_come_last_in_their_order),
		cmocka_unit_test(a_line_without_options_gives_none),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(without_a_table_every_option_is_unknown),
		cmocka_unit_test(help_has_two_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

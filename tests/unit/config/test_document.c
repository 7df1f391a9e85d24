/* SPDX-License-Identifier: BSD-3-Clause */
/* config/document: reading, finding a path's line again, and what a message looks like. */
#include "config/document.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

static const char text[] = "\n"                                        /* line 1 */
			   "{ \"a\": 1, \"b\":\n"                      /* 2 */
			   "  [10, \"x,]}\\\"\",\n"                    /* 3 */
			   "   { \"c\": { \"}{\": [[],\n"              /* 4 */
			   "     [true, null,\n"                       /* 5 */
			   "      -1.5e3]] } } ],\n"                   /* 6 */
			   "  \"d.e\": 0, \"d\": { \"e\": 0,\n"        /* 7 */
			   "  \"\\u0066\\t\": {}, \"g\\\"h\": \"i\"\n" /* 8 */
			   "  }, \"b2\"\n"                             /* 9 */
			   "  : false }\n";

static void paths_lead_to_the_line_of_their_key_or_element(void **state)
{
	static const struct {
		const char *path;
		unsigned line;
	} samples[] = {
		{"", 2},
		{"a", 2},
		{"b", 2},
		{"b[0]", 3},
		{"b[1]", 3},
		{"b[2]", 4},
		{"b[2].c", 4},
		{"b[2].c.}{", 4},
		{"b[2].c.}{[0]", 4},
		{"b[2].c.}{[1]", 5},
		{"b[2].c.}{[1][1]", 5},
		{"b[2].c.}{[1][2]", 6},
		{"d.e", 7},   /* the first of two that read alike */
		{"d.f\t", 8}, /* written with escapes */
		{"d.g\"h", 8},
		{"b2", 9}, /* not taken for "b" */
		{"de", 0}, /* nor is this "e" in "d" */
		{"c", 0},
		{"b[3]", 0},
		{"b[x]", 0},
		{"b.c", 0},
		{"a[0]", 0},
		{"a.a", 0},
		{"d.e.f", 0},
		{"[0]", 0},
	};
	struct config_document doc;
	struct config_error err;

	(void)state;
	assert_int_equal(config_document_parse("t", text, strlen(text), &doc, &err), 0);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		unsigned line = config_document_line(&doc, samples[i].path);

		if (line != samples[i].line)
			print_error("%s: line %u\n", samples[i].path, line);
		assert_int_equal(line, samples[i].line);
	}
	config_document_close(&doc);
}

static void a_fault_of_what_is_missing_is_shown_where_it_is_missing(void **state)
{
	struct config_document doc;
	struct config_error err;

	(void)state;
	assert_int_equal(config_document_parse("t", text, strlen(text), &doc, &err), 0);
	assert_int_equal(config_fault(&doc, "b[2].c.x", &err, "missing"), -EINVAL);
	assert_string_equal(err.text, "t:4: b[2].c.x: missing");
	config_fault(&doc, "b[7].c.x", &err, "missing");
	assert_string_equal(err.text, "t:2: b[7].c.x: missing");
	config_fault(&doc, "nothing", &err, "no %s, %d", "such key", 1);
	assert_string_equal(err.text, "t:2: nothing: no such key, 1");
	config_fault(&doc, "", &err, "all wrong");
	assert_string_equal(err.text, "t:2: all wrong");
	config_document_close(&doc);
}

static void a_message_too_long_ends_in_dots(void **state)
{
	char long_text[2 * sizeof(((struct config_error *)0)->text)];
	struct config_document doc;
	struct config_error err;

	(void)state;
	memset(long_text, 'm', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = 0;
	assert_int_equal(config_document_parse("t", "{}", 2, &doc, &err), 0);
	config_fault(&doc, "", &err, "%s", long_text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_string_equal(err.text + strlen(err.text) - 4, "m...");
	config_fault(&doc, long_text, &err, "too long a path");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	config_document_close(&doc);
}

static void bytes_behind_the_value_and_nul_bytes_are_errors(void **state)
{
	struct config_document doc;
	struct config_error err;

	(void)state;
	assert_int_equal(config_document_parse("t", "{}\0{}", 5, &doc, &err), -EINVAL);
	/* behind a number, where jansson passes over it: 84 and then the 8th byte of line 2 */
	assert_int_equal(config_document_parse("t", "{\n \"a\":84\0, \"b\": 1}", 19, &doc, &err),
			 -EINVAL);
	assert_string_equal(err.text, "t:2:8: a NUL byte");
	assert_int_equal(config_document_parse("t", "{\"a\\u0000b\": 1}", 15, &doc, &err), -EINVAL);
	assert_int_equal(config_document_parse("t", "{\"\xff\": 1}", 8, &doc, &err), -EINVAL);
	for (const char *c = err.text; *c; c++)
		assert_in_range(*c, 0x20, 0x7e);
	assert_int_equal(config_document_parse("t", "", 0, &doc, &err), -EINVAL);
}

static void deep_nesting_is_refused_not_followed(void **state)
{
	size_t depth = 100000;
	char *deep = malloc(depth);
	struct config_document doc;
	struct config_error err;

	(void)state;
	assert_non_null(deep);
	memset(deep, '[', depth);
	assert_int_equal(config_document_parse("t", deep, depth, &doc, &err), -EINVAL);
	free(deep);
}

static void files_are_read_whole(void **state)
{
	char path[] = "test_document.XXXXXX";
	const size_t padding = 20000; /* several growths of the buffer */
	struct config_document doc;
	struct config_error err;
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(f);
	fprintf(f, "%*s{\n\"a\": 1}", (int)padding, "");
	fclose(f);
	assert_int_equal(config_document_load(path, &doc, &err), 0);
	unlink(path);
	assert_int_equal(doc.len, padding + strlen("{\n\"a\": 1}"));
	assert_string_equal(doc.name, path);
	assert_int_equal(config_document_line(&doc, "a"), 2);
	config_document_close(&doc);
}

static void what_cannot_be_read_says_why(void **state)
{
	struct config_document doc;
	struct config_error err;

	(void)state;
	assert_int_equal(config_document_load("no/such/file", &doc, &err), -ENOENT);
	assert_string_equal(err.text, "no/such/file: No such file or directory");
	assert_int_equal(config_document_load("/", &doc, &err), -EISDIR);
	assert_string_equal(err.text, "/: Is a directory");
	assert_int_equal(config_document_load("/dev/zero", &doc, &err), -EFBIG);
	assert_string_equal(err.text, "/dev/zero: File too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_lead_to_the_line_of_their_key_or_element),
		cmocka_unit_test(a_fault_of_what_is_missing_is_shown_where_it_is_missing),
		cmocka_unit_test(a_message_too_long_ends_in_dots),
		cmocka_unit_test(bytes_behind_the_value_and_nul_bytes_are_errors),
		cmocka_unit_test(deep_nesting_is_refused_not_followed),
		cmocka_unit_test(files_are_read_whole),
		cmocka_unit_test(what_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

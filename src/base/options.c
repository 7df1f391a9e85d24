/* SPDX-License-Identifier: BSD-3-Clause */
/* getopt_long(3) with tables of our own; see options.h. */
#include "base/options.h"

#include <getopt.h>
#include <stdbool.h>
#include <string.h>

/* What getopt_long() returns for the first entry: no letter and none of its own answers. */
#define FIRST_CODE 256

/** Write getopt's two descriptions of @table. Returns the number of entries. */
static int describe(const struct options_entry *table, struct option names[OPTIONS_MAX + 1],
		    char letters[2 * OPTIONS_MAX + 2])
{
	int n = 0;

	*letters++ = ':'; /* a missing value is told from an unknown option */
	for (; table && table[n].name; n++) {
		int has_value = table[n].value ? required_argument : no_argument;

		names[n] = (struct option){table[n].name, has_value, NULL, FIRST_CODE + n};
		if (table[n].letter)
			*letters++ = table[n].letter;
		if (table[n].letter && has_value)
			*letters++ = ':';
	}
	names[n] = (struct option){0};
	*letters = 0;
	return n;
}

/** The entry that getopt's answer @code stands for; -1 for none. */
static int entry_of(const struct options_entry *table, int n, int code)
{
	if (code >= FIRST_CODE)
		return code - FIRST_CODE;
	for (int i = 0; i < n; i++) {
		if (table[i].letter == code)
			return i;
	}
	return -1;
}

/** What getopt did not like: a letter, maybe out of several in a word, or the word. */
static void say_fault(char err[OPTIONS_ERROR_MAX], int code, char **argv)
{
	const char letter[] = {'-', (char)optopt, 0};
	const char *what = optopt > 0 && optopt < FIRST_CODE ? letter : argv[optind - 1];

	if (code == ':')
		snprintf(err, OPTIONS_ERROR_MAX, "%s needs a value", what);
	else if (optopt >= FIRST_CODE)
		snprintf(err, OPTIONS_ERROR_MAX, "%s: takes no value", what);
	else
		snprintf(err, OPTIONS_ERROR_MAX, "unknown option %s", what);
}

int options_parse(const struct options_entry *table, int argc, char **argv, const char **given,
		  char err[OPTIONS_ERROR_MAX])
{
	struct option names[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 2];
	int n = describe(table, names, letters), code;

	for (int i = 0; i < n; i++)
		given[i] = NULL;
	opterr = 0;
	optind = 0; /* from the start, also the second time */
	while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		int i = entry_of(table, n, code);

		if (i < 0) {
			say_fault(err, code, argv);
			return -1;
		}
		given[i] = optarg ? optarg : "";
	}
	return optind;
}

/* Printing */

static int left_width(const struct options_entry *e)
{
	return (int)(strlen(e->name) + (e->value ? 1 + strlen(e->value) : 0));
}

static void print_entry(FILE *out, const struct options_entry *e, int indent, bool letters,
			int width)
{
	int left = indent + (letters ? 4 : 0) + 2 + width + 2;
	const char *line = e->help;

	fprintf(out, "%*s", indent, "");
	if (letters && e->letter)
		fprintf(out, "-%c, ", e->letter);
	else if (letters)
		fprintf(out, "    ");
	fprintf(out, "--%s%s%s%*s", e->name, e->value ? " " : "", e->value ? e->value : "",
		width - left_width(e) + 2, "");
	for (const char *end; (end = strchr(line, '\n')); line = end + 1)
		fprintf(out, "%.*s\n%*s", (int)(end - line), line, left, "");
	fprintf(out, "%s\n", line);
}

void options_print(FILE *out, const struct options_entry *table, int indent)
{
	bool letters = false;
	int width = 0;

	for (const struct options_entry *e = table; e->name; e++) {
		letters |= e->letter != 0;
		if (left_width(e) > width)
			width = left_width(e);
	}
	for (const struct options_entry *e = table; e->name; e++)
		print_entry(out, e, indent, letters, width);
}

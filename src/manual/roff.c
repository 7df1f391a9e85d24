/* SPDX-License-Identifier: BSD-3-Clause */
/* See roff.h; the characters are those of groff_man_style(7), "Portability". */
#include "manual/roff.h"

#include <ctype.h>
#include <string.h>

#define BOLD   "\\fB"
#define ITALIC "\\fI"
#define ROMAN  "\\fR"

static void put_character(FILE *out, char c)
{
	static const char special[] = "\\-'`~^";
	static const char *const names[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ti", "\\(ha"};
	const char *at = c ? strchr(special, c) : NULL;

	if (at)
		fputs(names[at - special], out);
	else
		fputc(c, out);
}

static void put_text(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		put_character(out, text[i]);
}

void roff_words(FILE *out, const char *text, size_t length)
{
	bool bold = false;

	if (length && *text == '.')
		fputs("\\&", out); /* at the beginning of a line it would be a request */
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '`') {
			put_character(out, text[i]);
			continue;
		}
		bold = !bold;
		fputs(bold ? BOLD : ROMAN, out);
	}
}

static const char *end_of_line(const char *text)
{
	return text + strcspn(text, "\n");
}

void roff_lines(FILE *out, const char *text)
{
	for (const char *end; *text; text = end + (*end == '\n')) {
		end = end_of_line(text);
		roff_words(out, text, (size_t)(end - text));
		fputc('\n', out);
	}
}

void roff_paragraphs(FILE *out, const char *text)
{
	bool example = false;

	for (const char *end; *text; text = end + (*end == '\n')) {
		end = end_of_line(text);
		if (example != (*text == ' ')) {
			fputs(example ? ".EE\n.RE\n" : ".RS 4\n.EX\n", out);
			example = !example;
		}
		if (end == text) {
			fputs(".PP\n", out);
			continue;
		}
		roff_words(out, text, (size_t)(end - text));
		fputc('\n', out);
	}
	if (example)
		fputs(".EE\n.RE\n", out);
}

void roff_usage(FILE *out, const char *usage)
{
	while (*usage) {
		size_t length = strcspn(usage, " []|.,=");

		if (!length) {
			put_character(out, *usage++);
			continue;
		}
		fputs(isupper((unsigned char)*usage) ? ITALIC : BOLD, out);
		put_text(out, usage, length);
		fputs(ROMAN, out);
		usage += length;
	}
}

void roff_options(FILE *out, const struct options_entry *table)
{
	for (const struct options_entry *e = table; e->name; e++) {
		fputs(".TP\n", out);
		if (e->letter)
			fprintf(out, BOLD "\\-%c" ROMAN ", ", e->letter);
		fputs(BOLD "\\-\\-", out);
		put_text(out, e->name, strlen(e->name));
		fputs(ROMAN, out);
		if (e->value) {
			fputs(" " ITALIC, out);
			put_text(out, e->value, strlen(e->value));
			fputs(ROMAN, out);
		}
		fputc('\n', out);
		roff_lines(out, e->help);
	}
}

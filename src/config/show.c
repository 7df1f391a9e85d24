/* SPDX-License-Identifier: BSD-3-Clause */
/* Showing what is set; see show.h. */
#include "config/show.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/prefix.h"
#include "config/schema.h"

static void format_span(const char *field, char *buf, size_t size)
{
	const struct packet_span *span = (const struct packet_span *)(const void *)field;

	if (span->first == span->last)
		snprintf(buf, size, "%u", span->first);
	else
		snprintf(buf, size, "%u-%u", span->first, span->last);
}

/* Room for any format_value(). */
#define VALUE_MAX (PREFIX_TEXT_MAX > UNITS_FORMAT_MAX ? PREFIX_TEXT_MAX : UNITS_FORMAT_MAX)

static const char *format_number(const struct schema_key *key, int64_t n, char *buf, size_t size)
{
	const char *word = NULL;

	if (key->type == SCHEMA_CHOICE)
		word = schema_word(key, (int)n);
	else if (key->type == SCHEMA_INTEGER)
		word = schema_preset_word(key, n);
	else if (key->type == SCHEMA_RATE && !n)
		word = "unlimited";
	return word ? word : schema_number_text(key, n, buf, size);
}

static const char *format_value(const struct schema_key *key, const char *field, char *buf,
				size_t size)
{
	switch (key->type) {
	case SCHEMA_SPAN:
		format_span(field, buf, size);
		return buf;
	case SCHEMA_PREFIX:
		return prefix_format((const struct packet_prefix *)field, buf, size);
	default:
		return format_number(key, schema_load(key, field), buf, size);
	}
}

/* A bool's name says that it is on, most words say which key they belong to; numbers do not. */
static bool shows_name(const struct schema_key *key)
{
	return key->type == SCHEMA_CHOICE ? key->named : key->type != SCHEMA_RATE;
}

static bool is_set(const struct schema_key *key, const char *in, const char *initial)
{
	if (key->set_field)
		return in[key->set_field];
	if (key->type == SCHEMA_FRAMING && ((const struct config_scheduler *)in)->cake.overhead_set)
		return true; /* 0 is something else than raw */
	return key->always_shown || memcmp(in + key->field, initial + key->field, key->width) != 0;
}

static void append(char *buf, size_t size, const char *word)
{
	strlcat(buf, *buf ? " " : "", size);
	strlcat(buf, word, size);
}

static void append_key(const struct schema_key *key, const char *field, char *buf, size_t size)
{
	char text[VALUE_MAX];

	if (key->type == SCHEMA_BOOL && !schema_load(key, field))
		append(buf, size, "no");
	if (shows_name(key))
		append(buf, size, key->name);
	if (key->type != SCHEMA_BOOL)
		append(buf, size, format_value(key, field, text, sizeof(text)));
}

char *config_show_scheduler(const struct config_scheduler *s, char *buf, size_t size)
{
	const char *in = (const char *)s;
	struct config_scheduler initial;

	config_scheduler_default(&initial);
	*buf = 0;
	for (const struct schema_key *key = schema_scheduler; key->name; key++) {
		if (!key->width || key->members || !is_set(key, in, (const char *)&initial))
			continue;
		if (key->type == SCHEMA_FRAMING && !s->cake.overhead_set)
			append(buf, size, "raw");
		append_key(key, in + key->field, buf, size);
	}
	return buf;
}

/* What a rule asks for comes first in the table, then mark and tin. */
static void append_asked(const struct packet_rule *rule, char *buf, size_t size)
{
	static const struct packet_rule initial;
	const char *in = (const char *)rule;

	for (const struct schema_key *key = schema_rule; strcmp(key->name, "mark") != 0; key++) {
		if (is_set(key, in, (const char *)&initial))
			append_key(key, in + key->field, buf, size);
	}
}

char *config_show_rule(const struct config_scheduler *s, unsigned at, char *buf, size_t size)
{
	const struct packet_rule *rule = &s->rules[at];
	uint32_t mask = s->cake.fwmark, place = rule->tin;
	char mark[32];

	*buf = 0;
	append_asked(rule, buf, size);
	append(buf, size, "->");
	if (rule->mark_set) {
		snprintf(mark, sizeof(mark), "mark %#x,", rule->mark);
		append(buf, size, mark);
		place = rule->mark ? (rule->mark & mask) >> __builtin_ctz(mask) : 0;
	}
	append(buf, size, "tin");
	append(buf, size,
	       place ? cake_tin_name(s->cake.diffserv, cake_tin_order(s->cake.diffserv, place - 1))
		     : "by DSCP");
	return buf;
}

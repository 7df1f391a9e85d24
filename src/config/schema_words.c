/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking keys up, and the words that messages and documentation take from the table; see schema.h.
 */
#include "config/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/framing.h"

const struct schema_key *schema_find(const struct schema_key *keys, const char *name)
{
	for (const struct schema_key *k = keys; k->name; k++) {
		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

/* Signed if the key's range is. */
int64_t schema_load(const struct schema_key *key, const char *field)
{
	uint64_t n = 0;
	unsigned unused = 64 - 8 * (unsigned)key->width;

	memcpy(&n, field, key->width); /* little-endian, as every platform DPDK runs on */
	return key->min < 0 ? (int64_t)(n << unused) >> unused : (int64_t)n;
}

const char *schema_word(const struct schema_key *key, int value)
{
	for (const struct schema_choice *c = key->choices; c->word; c++) {
		if (c->value == value)
			return c->word;
	}
	return NULL;
}

const char *schema_preset_word(const struct schema_key *key, int64_t value)
{
	for (const struct schema_preset *p = key->presets; p && p->word; p++) {
		if (p->value == value)
			return p->word;
	}
	return NULL;
}

const char *schema_apply_word(enum schema_apply apply)
{
	static const char *const words[] = {
		[SCHEMA_RESTART] = "restart",
		[SCHEMA_LIVE] = "live",
		[SCHEMA_REQUEUE] = "re-queue",
		[SCHEMA_REOPEN] = "reopen",
	};

	return words[apply];
}

const char *schema_noun(const struct schema_key *key)
{
	static const char *const nouns[] = {
		[SCHEMA_BOOL] = "a boolean",
		[SCHEMA_INTEGER] = "an integer",
		[SCHEMA_STRING] = "a string",
		[SCHEMA_CHOICE] = "a word",
		[SCHEMA_RATE] = "a rate",
		[SCHEMA_TIME] = "a time",
		[SCHEMA_SIZE] = "a size",
		[SCHEMA_INTEGERS] = "an array of integers",
		[SCHEMA_OBJECT] = "an object",
		[SCHEMA_OBJECTS] = "an array of objects",
		[SCHEMA_BITS] = "an integer or a string like \"0xff\"",
		[SCHEMA_SPAN] = "an integer or a range",
		[SCHEMA_PREFIX] = "an IPv4 or IPv6 prefix",
		[SCHEMA_FRAMING] = "an integer or words",
	};

	return key->noun ? key->noun : nouns[key->type];
}

char *schema_number_text(const struct schema_key *key, int64_t n, char *buf, size_t size)
{
	switch (key->type) {
	case SCHEMA_RATE:
		return units_format_rate(buf, size, (uint64_t)n);
	case SCHEMA_TIME:
		return units_format_time(buf, size, (uint64_t)n);
	case SCHEMA_SIZE:
		return units_format_size(buf, size, (uint64_t)n);
	case SCHEMA_BITS:
		snprintf(buf, size, "%#" PRIx64, n);
		return buf;
	default:
		snprintf(buf, size, "%" PRId64, n);
		return buf;
	}
}

static void range_text(const struct schema_key *key, char *buf, size_t size)
{
	char min[UNITS_FORMAT_MAX], max[UNITS_FORMAT_MAX], unit[UNITS_FORMAT_MAX];

	schema_number_text(key, key->min, min, sizeof(min));
	if (key->min == key->max) {
		strlcpy(buf, min, size);
		return;
	}
	schema_number_text(key, key->max, max, sizeof(max));
	schema_number_text(key, key->unit, unit, sizeof(unit));
	snprintf(buf, size, "%s..%s%s%s%s%s%s", min, max, key->unit ? ", a multiple of " : "",
		 key->unit ? unit : "", key->power_of_2 ? ", a power of 2" : "",
		 key->zero ? ", " : "", key->zero ? key->zero : "");
}

static void append_word(char *buf, const char *word, size_t size)
{
	strlcat(buf, *buf ? ", \"" : "\"", size);
	strlcat(buf, word, size);
	strlcat(buf, "\"", size);
}

static void choices_text(const struct schema_key *key, char *buf, size_t size)
{
	*buf = 0;
	for (const struct schema_choice *c = key->choices; c->word; c++)
		append_word(buf, c->word, size);
}

static void number_text(const struct schema_key *key, char *buf, size_t size)
{
	range_text(key, buf, size);
	for (const struct schema_preset *p = key->presets; p && p->word; p++)
		append_word(buf, p->word, size);
}

static void framing_text(const struct schema_key *key, char *buf, size_t size)
{
	range_text(key, buf, size);
	for (const struct framing_word *w = framing_words; w->word; w++)
		append_word(buf, w->word, size);
}

char *schema_accepts_text(const struct schema_key *key, char *buf, size_t size)
{
	char range[SCHEMA_TEXT_MAX];

	switch (key->type) {
	case SCHEMA_BOOL:
		strlcpy(buf, key->refusal ? "false" : "true, false", size);
		break;
	case SCHEMA_CHOICE:
		choices_text(key, buf, size);
		break;
	case SCHEMA_INTEGERS:
		range_text(key, range, sizeof(range));
		snprintf(buf, size, "%u..%u integers of %s", key->entries_min, key->entries_max,
			 range);
		break;
	case SCHEMA_OBJECTS:
		snprintf(buf, size, "%u..%u objects", key->entries_min, key->entries_max);
		break;
	case SCHEMA_OBJECT:
	case SCHEMA_STRING:
	case SCHEMA_PREFIX:
		*buf = 0;
		break;
	case SCHEMA_FRAMING:
		framing_text(key, buf, size);
		break;
	case SCHEMA_SPAN:
		range_text(key, buf, size);
		append_word(buf, "FIRST-LAST", size);
		break;
	default:
		number_text(key, buf, size);
	}
	return buf;
}

const char *schema_unit(const struct schema_key *key)
{
	switch (key->type) {
	case SCHEMA_RATE:
		return "bit/s";
	case SCHEMA_TIME:
		return "seconds";
	case SCHEMA_SIZE:
	case SCHEMA_FRAMING:
		return "bytes";
	default:
		return key->quantity ? key->quantity : "";
	}
}

/** The first word that shows what else there is than the default. */
static const char *example_word(const struct schema_key *key)
{
	const char *example = "";

	for (const struct schema_choice *c = key->choices; c->word; c++) {
		example = c->word;
		if (key->initial && strncmp(key->initial + 1, c->word, strlen(c->word)) != 0)
			break;
	}
	return example;
}

/** The first of the examples, which are JSON texts: strings and arrays may hold commas. */
static int first_length(const char *examples)
{
	char closing = *examples == '"' ? '"' : *examples == '[' ? ']' : 0;

	if (closing)
		return (int)(strchr(examples + 1, closing) - examples + 1);
	return (int)strcspn(examples, ",");
}

char *schema_example(const struct schema_key *key, char *buf, size_t size)
{
	const char *other =
		key->refusal || (key->initial && !strcmp(key->initial, "true")) ? "false" : "true";

	if (key->examples)
		snprintf(buf, size, "\"%s\": %.*s", key->name, first_length(key->examples),
			 key->examples);
	else if (key->type == SCHEMA_CHOICE)
		snprintf(buf, size, "\"%s\": \"%s\"", key->name, example_word(key));
	else if (key->type == SCHEMA_BOOL)
		snprintf(buf, size, "\"%s\": %s", key->name, other);
	else
		snprintf(buf, size, "\"%s\": %s", key->name, key->initial ? key->initial : "...");
	return buf;
}

static bool has_choice(const struct schema_key *key, const char *word)
{
	for (const struct schema_choice *c = key->choices; c && c->word; c++) {
		if (!strcmp(c->word, word))
			return true;
	}
	return false;
}

static bool has_preset(const struct schema_key *key, const char *word)
{
	for (const struct schema_preset *p = key->presets; p && p->word; p++) {
		if (!strcmp(p->word, word))
			return true;
	}
	return false;
}

static bool has_framing(const struct schema_key *key, const char *word)
{
	if (key->type != SCHEMA_FRAMING)
		return false;
	for (const struct framing_word *w = framing_words; w->word; w++) {
		if (!strcmp(w->word, word))
			return true;
	}
	return false;
}

static const char *spelled_value(const struct schema_key *key, const char *word)
{
	for (const struct schema_spelling *s = key->spellings; s && s->word; s++) {
		if (!strcmp(s->word, word))
			return s->value;
	}
	return key->type == SCHEMA_BOOL && !key->refusal && !strcmp(key->name, word) ? "true"
										     : NULL;
}

char *schema_spell(const struct schema_key *keys, const char *word, char *buf, size_t size)
{
	for (const struct schema_key *k = keys; k->name; k++) {
		const char *value = spelled_value(k, word);

		if (value)
			snprintf(buf, size, "\"%s\": %s", k->name, value);
		else if (has_choice(k, word) || has_preset(k, word) || has_framing(k, word))
			snprintf(buf, size, "\"%s\": \"%s\"", k->name, word);
		else
			continue;
		return buf;
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One parser per type of the table that is neither an object nor an array. */
#include "config/parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "config/config.h"
#include "config/framing.h"
#include "config/prefix.h"

/** Any unsigned or two's complement integer, bool or enum of @width bytes. */
static void store_number(char *field, size_t width, int64_t n)
{
	uint8_t u8 = (uint8_t)n;
	uint16_t u16 = (uint16_t)n;
	uint32_t u32 = (uint32_t)n;

	switch (width) {
	case sizeof(u8):
		memcpy(field, &u8, width);
		break;
	case sizeof(u16):
		memcpy(field, &u16, width);
		break;
	case sizeof(u32):
		memcpy(field, &u32, width);
		break;
	case sizeof(n):
		memcpy(field, &n, width);
		break;
	}
}

static int parse_bool(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	if (!json_is_boolean(value))
		return fault_type(p, key, value);
	if (json_is_true(value) && key->refusal)
		return fault_accepted(p, key, value, key->refusal);
	store_number(out + key->field, key->width, json_is_true(value));
	return 0;
}

/** Check a number that was read from @value and store it. */
static int take_number(struct parser *p, const struct schema_key *key, json_t *value, int64_t n,
		       char *field)
{
	if (n > key->max && key->refusal)
		return fault_accepted(p, key, value, key->refusal);
	if ((n < key->min || n > key->max) && !(n == 0 && key->zero && *key->zero == '0'))
		return fault_accepted(p, key, value, "out of range");
	if (key->unit && n % key->unit)
		return fault_accepted(p, key, value, "not a multiple");
	if (key->power_of_2 && n & (n - 1))
		return fault_accepted(p, key, value, "not a power of 2");
	store_number(field, key->width, key->unit ? n / key->unit : n);
	return 0;
}

/** Store what the word @s stands for. Returns whether it is one of @key's. */
static bool take_preset(const struct schema_key *key, const char *s, char *out)
{
	for (const struct schema_preset *w = key->presets; s && w && w->word; w++) {
		if (strcmp(w->word, s))
			continue;
		store_number(out + key->field, key->width, w->value);
		return true;
	}
	return false;
}

static int parse_integer(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	if (take_preset(key, json_string_value(value), out))
		return 0;
	if (key->presets && json_is_string(value))
		return fault_not(p, key, value, NULL);
	if (!json_is_integer(value))
		return fault_type(p, key, value);
	return take_number(p, key, value, json_integer_value(value), out + key->field);
}

static int parse_string(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);

	if (!s)
		return fault_type(p, key, value);
	if (!key->valid(s))
		return fault_not(p, key, value, NULL);
	if (key->width)
		strlcpy(out + key->field, s, key->width);
	return 0;
}

/** Letters in the wrong case, a slip of the finger, or another key's word. */
static int fault_unknown_word(struct parser *p, const struct schema_key *key, json_t *value)
{
	const char *word = json_string_value(value);
	char wrong[sizeof("unknown") + HINT_MAX], hint[HINT_MAX];
	struct nearest nearest = nearest_to(word);

	for (const struct schema_choice *c = key->choices; c->word; c++)
		nearest_compare(&nearest, c->word);
	snprintf(wrong, sizeof(wrong), "unknown%s", fault_hint(p, &nearest, hint));
	return fault_accepted(p, key, value, wrong);
}

static int parse_choice(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);

	if (!s)
		return fault_type(p, key, value);
	for (const struct schema_choice *c = key->choices; c->word; c++) {
		if (strcmp(c->word, s))
			continue;
		store_number(out + key->field, key->width, c->value);
		return 0;
	}
	return fault_unknown_word(p, key, value);
}

/** tc's "bps" is bytes per second; most people who write it mean bits. */
static int fault_bytes_per_second(struct parser *p, json_t *value, uint64_t bps)
{
	const char *s = json_string_value(value);
	char text[SHOWN_MAX + 4], rate[UNITS_FORMAT_MAX];
	int stem = (int)strlen(s) - (int)strlen("bps");

	fault_shown(value, text, sizeof(text));
	units_format_rate(rate, sizeof(rate), bps);
	if (stem > SHOWN_MAX)
		return FAULT(p, "%s: tc's bps means bytes per second; write \"%s\"", text, rate);
	return FAULT(p,
		     "%s: tc's bps means bytes per second; write \"%s\" for that, \"%.*sbit\" for "
		     "bits per second",
		     text, rate, stem, s);
}

static int read_quantity(const struct schema_key *key, const char *s, uint64_t *n)
{
	switch (key->type) {
	case SCHEMA_RATE:
		return units_parse_rate(s, n);
	case SCHEMA_TIME:
		return units_parse_time(s, n);
	default:
		return units_parse_size(s, n);
	}
}

/** Whether the JSON text the table has for 0 is the word @s. */
static bool is_word_for_zero(const struct schema_key *key, const char *s)
{
	size_t len = strlen(s);

	return key->zero && key->zero[0] == '"' && !strncmp(key->zero + 1, s, len) &&
	       !strcmp(key->zero + 1 + len, "\"");
}

static bool is_bare_number(const char *s)
{
	return *s && !s[strspn(s, "0123456789.")];
}

static int parse_quantity(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);
	uint64_t n = 0;
	int rc;

	if (key->type == SCHEMA_SIZE && json_is_integer(value))
		return parse_integer(p, key, value, out);
	if (!s)
		return fault_type(p, key, value);
	if (is_word_for_zero(key, s)) {
		store_number(out + key->field, key->width, 0);
		return 0;
	}
	if (take_preset(key, s, out))
		return 0;
	rc = read_quantity(key, s, &n);
	if (rc == -EOPNOTSUPP)
		return fault_bytes_per_second(p, value, n);
	if (rc == -EINVAL)
		return fault_not(p, key, value,
				 is_bare_number(s) ? "a number without a unit" : NULL);
	if (rc || n > INT64_MAX)
		return fault_accepted(p, key, value, "out of range");
	return take_number(p, key, value, (int64_t)n, out + key->field);
}

/**
 * Read @n digits of @base, not more than fit in 32 bits. Returns whether there was nothing else.
 */
static bool read_digits(const char *s, size_t n, int base, int64_t *out)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";

	if (!n || n > 8 || strspn(s, digits) < n)
		return false;
	*out = strtoll(s, NULL, base);
	return true;
}

static int parse_bits(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);
	int64_t n;

	if (!s)
		return parse_integer(p, key, value, out);
	if (strncmp(s, "0x", 2) || !read_digits(s + 2, strlen(s + 2), 16, &n))
		return fault_not(p, key, value, NULL);
	return take_number(p, key, value, n, out + key->field);
}

static int parse_span(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);
	const char *dash = s ? strchr(s, '-') : NULL;
	int64_t first = json_integer_value(value), last = first;

	if (!s && !json_is_integer(value))
		return fault_type(p, key, value);
	if (s && (!dash || !read_digits(s, (size_t)(dash - s), 10, &first) ||
		  !read_digits(dash + 1, strlen(dash + 1), 10, &last)))
		return fault_not(p, key, value, NULL);
	if (first < key->min || first > key->max || last < key->min || last > key->max)
		return fault_accepted(p, key, value, "out of range");
	if (first > last)
		return fault_accepted(p, key, value, "ends before it begins");
	*(struct packet_span *)(void *)(out + key->field) =
		(struct packet_span){.set = true, .first = (uint16_t)first, .last = (uint16_t)last};
	return 0;
}

static int parse_prefix(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const char *s = json_string_value(value);
	char text[SHOWN_MAX + 4], meant[PREFIX_TEXT_MAX];
	struct packet_prefix prefix;
	int rc;

	if (!s)
		return fault_type(p, key, value);
	rc = prefix_parse(s, &prefix);
	if (rc == -EINVAL)
		return fault_not(p, key, value, NULL);
	fault_shown(value, text, sizeof(text));
	prefix_format(&prefix, meant, sizeof(meant));
	if (rc == -ENODATA)
		return FAULT(p, "%s: an address without a length; for this one write \"%s\"", text,
			     meant);
	if (rc == -ERANGE)
		return FAULT(p, "%s: the address has bits behind its prefix; write \"%s\"", text,
			     meant);
	memcpy(out + key->field, &prefix, sizeof(prefix));
	return 0;
}

/** @word is none of tc's words for a link; some say what another key says here. */
static int fault_framing_word(struct parser *p, const struct schema_key *key, json_t *value,
			      const char *word)
{
	char wrong[FRAMING_WRONG_MAX + HINT_MAX + 16], hint[HINT_MAX];
	const struct schema_key *other = schema_find(p->keys, word);
	struct nearest nearest = nearest_to(word);

	if (!strcmp(word, "via-ethernet"))
		return FAULT(p,
			     "%s does nothing in tc, either: overhead counts from the network "
			     "layer anyway; leave it out",
			     word);
	for (const struct framing_word *w = framing_words; w->word; w++)
		nearest_compare(&nearest, w->word);
	if (!*fault_hint(p, &nearest, hint) && other)
		snprintf(hint, sizeof(hint), "; did you mean the key \"%s\"?", other->name);
	snprintf(wrong, sizeof(wrong), "%s is unknown%s", word, hint);
	return fault_accepted(p, key, value, wrong);
}

static int parse_framing(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	struct cake_params *params = &((struct config_scheduler *)(void *)out)->cake;
	char wrong[FRAMING_WRONG_MAX], text[SHOWN_MAX + 4];
	int rc;

	if (json_is_integer(value)) {
		params->overhead_set = true;
		return parse_integer(p, key, value, out);
	}
	if (!json_is_string(value))
		return fault_type(p, key, value);
	rc = framing_parse(json_string_value(value), params, wrong);
	if (rc == -ENOENT)
		return fault_framing_word(p, key, value, wrong);
	if (rc == -EINVAL)
		return FAULT(p, "%s: %s", fault_shown(value, text, sizeof(text)), wrong);
	return rc;
}

int parse_scalar(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	static int (*const parsers[])(struct parser *, const struct schema_key *, json_t *,
				      char *) = {
		[SCHEMA_BOOL] = parse_bool,       [SCHEMA_INTEGER] = parse_integer,
		[SCHEMA_STRING] = parse_string,   [SCHEMA_CHOICE] = parse_choice,
		[SCHEMA_RATE] = parse_quantity,   [SCHEMA_TIME] = parse_quantity,
		[SCHEMA_SIZE] = parse_quantity,   [SCHEMA_BITS] = parse_bits,
		[SCHEMA_SPAN] = parse_span,       [SCHEMA_PREFIX] = parse_prefix,
		[SCHEMA_FRAMING] = parse_framing,
	};

	return parsers[key->type](p, key, value, out);
}

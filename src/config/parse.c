/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One parser per type of the table. Every message has the form "VALUE: what is wrong with it; what
 * is accepted", behind the place that config_fault() writes.
 */
#include "config/parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/words.h"
#include "config/config.h"
#include "config/framing.h"
#include "config/prefix.h"

/** Most characters of a faulty value that a message repeats. */
#define SHOWN_MAX 60

struct parser {
	const struct config_document *doc;
	struct config_error *err;
	const struct schema_key *keys; /* those of the object around the value */
	char path[CONFIG_PATH_MAX];
};

static int parse_object(struct parser *p, const struct schema_key *keys, json_t *object, char *out);
static int parse_value(struct parser *p, const struct schema_key *key, json_t *value, char *out);

/** Lengthen the path. Returns its old length, for path_leave(). */
static size_t __attribute__((format(printf, 2, 3)))
path_enter(struct parser *p, const char *fmt, ...)
{
	size_t len = strlen(p->path);
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->path + len, sizeof(p->path) - len, fmt, args);
	va_end(args);
	return len;
}

static size_t path_enter_key(struct parser *p, const char *name)
{
	return path_enter(p, "%s%s", *p->path ? "." : "", name);
}

static void path_leave(struct parser *p, size_t len)
{
	p->path[len] = 0;
}

#define FAULT(p, ...) config_fault((p)->doc, (p)->path, (p)->err, __VA_ARGS__)

/** @value as JSON, cut to SHOWN_MAX characters; what is not ASCII is escaped. Returns @buf. */
static char *shown(json_t *value, char *buf, size_t size)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
	int cut = text && strlen(text) > SHOWN_MAX;

	snprintf(buf, size, "%.*s%s", SHOWN_MAX, text ? text : "?", cut ? "..." : "");
	free(text);
	return buf;
}

/** What is accepted is said in one line, so that examples add nothing. */
static bool is_plain_number(const struct schema_key *key)
{
	return key->type == SCHEMA_INTEGER || key->type == SCHEMA_INTEGERS ||
	       key->type == SCHEMA_BITS;
}

/** What a message says to do instead: "examples: ..." or "accepted: ...", or nothing. */
static char *advice(const struct schema_key *key, char *buf, size_t size)
{
	char accepts[SCHEMA_TEXT_MAX];

	schema_accepts_text(key, accepts, sizeof(accepts));
	if (key->examples && !is_plain_number(key))
		snprintf(buf, size, "; example%s: %s", strchr(key->examples, ',') ? "s" : "",
			 key->examples);
	else
		snprintf(buf, size, "%s%s", *accepts ? "; accepted: " : "", accepts);
	return buf;
}

/** Room for any did_you_mean(). */
#define HINT_MAX 128

/** How to say here what @word says on tc's command line, "" if it says nothing there. */
static char *did_you_mean(const struct parser *p, const char *word, char hint[HINT_MAX])
{
	char text[HINT_MAX / 2];

	*hint = 0;
	if (schema_spell(p->keys, word, text, sizeof(text)))
		snprintf(hint, HINT_MAX, "; did you mean %s?", text);
	return hint;
}

/** Which of the words it is compared with a misspelt one is nearest to; none if two are. */
struct nearest {
	const char *misspelt;
	const char *word;
	size_t distance;
};

static struct nearest nearest_to(const char *misspelt)
{
	return (struct nearest){.misspelt = misspelt, .distance = words_tolerance(misspelt) + 1};
}

static void compare(struct nearest *n, const char *word)
{
	size_t distance = words_distance(n->misspelt, word);

	if (distance == n->distance)
		n->word = NULL;
	if (distance >= n->distance)
		return;
	n->distance = distance;
	n->word = word;
}

/** What tc's word says here, or else the word it is nearest to, if either is known. */
static char *hint_at(const struct parser *p, const struct nearest *n, char hint[HINT_MAX])
{
	did_you_mean(p, n->misspelt, hint);
	if (!*hint && n->word)
		snprintf(hint, HINT_MAX, "; did you mean \"%s\"?", n->word);
	return hint;
}

static void hint_at_number(const struct parser *p, const struct schema_key *key, const char *word,
			   char hint[HINT_MAX])
{
	struct nearest nearest = nearest_to(word);

	for (const struct schema_preset *w = key->presets; w && w->word; w++)
		compare(&nearest, w->word);
	hint_at(p, &nearest, hint);
}

/** @value, which is @kind (NULL if its type is right), is not what @key takes. */
static int fault_not(struct parser *p, const struct schema_key *key, json_t *value,
		     const char *kind)
{
	char text[SHOWN_MAX + 4], help[2 * SCHEMA_TEXT_MAX], hint[HINT_MAX] = "";
	bool show = !json_is_object(value) && !json_is_array(value) && !json_is_null(value);

	if (json_is_string(value))
		hint_at_number(p, key, json_string_value(value), hint);
	advice(key, help, sizeof(help));
	return FAULT(p, "%s%s%s%snot %s%s%s", show ? shown(value, text, sizeof(text)) : "",
		     show ? ": " : "", kind ? kind : "", kind ? ", " : "", schema_noun(key), hint,
		     *hint && *help ? help + 1 : help);
}

static int fault_type(struct parser *p, const struct schema_key *key, json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",    [JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a real number", [JSON_TRUE] = "a boolean",
		[JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
	};

	return fault_not(p, key, value, kinds[json_typeof(value)]);
}

static int fault_accepted(struct parser *p, const struct schema_key *key, json_t *value,
			  const char *wrong)
{
	char text[SHOWN_MAX + 4], accepts[SCHEMA_TEXT_MAX];
	bool asks = wrong[strlen(wrong) - 1] == '?';

	return FAULT(p, "%s: %s%s accepted: %s", shown(value, text, sizeof(text)), wrong,
		     asks ? "" : ";", schema_accepts_text(key, accepts, sizeof(accepts)));
}

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
		compare(&nearest, c->word);
	snprintf(wrong, sizeof(wrong), "unknown%s", hint_at(p, &nearest, hint));
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

	shown(value, text, sizeof(text));
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
	shown(value, text, sizeof(text));
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
		compare(&nearest, w->word);
	if (!*hint_at(p, &nearest, hint) && other)
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
		return FAULT(p, "%s: %s", shown(value, text, sizeof(text)), wrong);
	return rc;
}

static int check_entries(struct parser *p, const struct schema_key *key, json_t *value)
{
	char accepts[SCHEMA_TEXT_MAX];
	size_t n = json_array_size(value);

	if (!json_is_array(value))
		return fault_type(p, key, value);
	if (n < key->entries_min || n > key->entries_max)
		return FAULT(p, "%zu entries; accepted: %s", n,
			     schema_accepts_text(key, accepts, sizeof(accepts)));
	return 0;
}

static void store_count(const struct schema_key *key, json_t *value, char *out)
{
	unsigned n = (unsigned)json_array_size(value);

	memcpy(out + key->count_field, &n, sizeof(n));
}

static int check_distinct(struct parser *p, json_t *array, size_t index)
{
	json_int_t n = json_integer_value(json_array_get(array, index));

	for (size_t i = 0; i < index; i++) {
		if (json_integer_value(json_array_get(array, i)) == n)
			return FAULT(p, "%" JSON_INTEGER_FORMAT ": given twice", n);
	}
	return 0;
}

static int parse_integers(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	struct schema_key element = {
		.type = SCHEMA_INTEGER, .min = key->min, .max = key->max, .width = key->width};
	int rc = check_entries(p, key, value);

	for (size_t i = 0; !rc && i < json_array_size(value); i++) {
		size_t len = path_enter(p, "[%zu]", i);

		element.field = key->field + i * key->width;
		rc = parse_integer(p, &element, json_array_get(value, i), out);
		if (!rc && key->distinct)
			rc = check_distinct(p, value, i);
		path_leave(p, len);
	}
	if (!rc)
		store_count(key, value, out);
	return rc;
}

static int parse_member_object(struct parser *p, const struct schema_key *key, json_t *value,
			       char *out)
{
	if (!json_is_object(value))
		return fault_type(p, key, value);
	return parse_object(p, key->members, value, out + key->field);
}

static int parse_objects(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	struct schema_key element = {.type = SCHEMA_OBJECT, .members = key->members};
	int rc = check_entries(p, key, value);

	for (size_t i = 0; !rc && i < json_array_size(value); i++) {
		size_t len = path_enter(p, "[%zu]", i);

		element.field = key->field + i * key->width;
		rc = parse_member_object(p, &element, json_array_get(value, i), out);
		path_leave(p, len);
	}
	if (!rc)
		store_count(key, value, out);
	return rc;
}

static int parse_value(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	static int (*const parsers[])(struct parser *, const struct schema_key *, json_t *,
				      char *) = {
		[SCHEMA_BOOL] = parse_bool,
		[SCHEMA_INTEGER] = parse_integer,
		[SCHEMA_STRING] = parse_string,
		[SCHEMA_CHOICE] = parse_choice,
		[SCHEMA_RATE] = parse_quantity,
		[SCHEMA_TIME] = parse_quantity,
		[SCHEMA_SIZE] = parse_quantity,
		[SCHEMA_INTEGERS] = parse_integers,
		[SCHEMA_OBJECT] = parse_member_object,
		[SCHEMA_OBJECTS] = parse_objects,
		[SCHEMA_BITS] = parse_bits,
		[SCHEMA_SPAN] = parse_span,
		[SCHEMA_PREFIX] = parse_prefix,
		[SCHEMA_FRAMING] = parse_framing,
	};
	int rc = parsers[key->type](p, key, value, out);

	if (!rc && key->set_field)
		store_number(out + key->set_field, sizeof(bool), true);
	return rc;
}

static int parse_default(struct parser *p, const struct schema_key *key, char *out)
{
	json_t *value = json_loads(key->initial, JSON_DECODE_ANY, NULL);
	int rc;

	if (!value)
		return -ENOMEM;
	rc = parse_value(p, key, value, out);
	json_decref(value);
	return rc;
}

static int parse_absent(struct parser *p, const struct schema_key *key, char *out)
{
	char hint[2 * SCHEMA_TEXT_MAX];

	if (key->initial)
		return parse_default(p, key, out);
	if (key->required)
		return FAULT(p, "missing; it must be %s%s", schema_noun(key),
			     advice(key, hint, sizeof(hint)));
	return 0;
}

static int fault_unknown_key(struct parser *p, const struct schema_key *keys, const char *name)
{
	char known[2 * SCHEMA_TEXT_MAX] = "", hint[HINT_MAX];
	struct nearest nearest = nearest_to(name);

	for (const struct schema_key *k = keys; k->name; k++) {
		if (k != keys)
			strlcat(known, ", ", sizeof(known));
		strlcat(known, k->name, sizeof(known));
		compare(&nearest, k->name);
	}
	hint_at(p, &nearest, hint);
	return FAULT(p, "unknown key%s%s accepted: %s", hint, *hint ? "" : ";", known);
}

static int refuse_unknown(struct parser *p, const struct schema_key *keys, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (schema_find(keys, name))
			continue;
		path_enter_key(p, name);
		return fault_unknown_key(p, keys, name);
	}
	return 0;
}

/** Unknown keys first, since one of them is often the key that is missed; then in table order. */
static int parse_object(struct parser *p, const struct schema_key *keys, json_t *object, char *out)
{
	const struct schema_key *around = p->keys;
	int rc;

	p->keys = keys;
	rc = refuse_unknown(p, keys, object);
	for (const struct schema_key *k = keys; !rc && k->name; k++) {
		size_t len = path_enter_key(p, k->name);
		json_t *value = json_object_get(object, k->name);

		rc = value ? parse_value(p, k, value, out) : parse_absent(p, k, out);
		path_leave(p, len);
	}
	p->keys = around;
	return rc;
}

int config_parse_keys(const struct config_document *doc, const char *path,
		      const struct schema_key *keys, json_t *value, void *out,
		      struct config_error *err)
{
	const struct schema_key top = {.type = SCHEMA_OBJECT, .members = keys};
	struct parser p = {.doc = doc, .err = err, .keys = keys};

	strlcpy(p.path, path, sizeof(p.path));
	if (!value)
		return FAULT(&p, "missing; it must be %s", schema_noun(&top));
	return parse_member_object(&p, &top, value, out);
}

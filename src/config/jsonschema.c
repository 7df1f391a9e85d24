/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One small schema per type of key. A json_t that could not be made is NULL; jansson's ..._new()
 * functions then refuse what it was meant for, so that one check at the end of each will do.
 */
#include "config/jsonschema.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/framing.h"

static json_t *object_schema(const struct schema_key *keys);

/** Add @value, a new reference, to @to. Whatever of them is missing, the result is NULL or @to. */
static json_t *with(json_t *to, const char *name, json_t *value)
{
	if (!json_object_set_new(to, name, value))
		return to;
	json_decref(to);
	return NULL;
}

static json_t *typed(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static json_t *constant(const char *json)
{
	return json_pack("{s:o}", "const", json_loads(json, JSON_DECODE_ANY, NULL));
}

static json_t *powers_of_2(const struct schema_key *key)
{
	json_t *list = json_array();

	for (int64_t n = key->min; n <= key->max; n *= 2)
		json_array_append_new(list, json_integer(n));
	return json_pack("{s:o}", "enum", list);
}

static json_t *integer_schema(const struct schema_key *key)
{
	json_t *schema;

	if (key->power_of_2)
		return powers_of_2(key);
	schema = with(typed("integer"), "minimum", json_integer(key->min));
	schema = with(schema, "maximum", json_integer(key->max));
	if (key->unit)
		schema = with(schema, "multipleOf", json_integer(key->unit));
	return schema;
}

static json_t *pattern_schema(const char *pattern)
{
	return json_pack("{s:s, s:s}", "type", "string", "pattern", pattern);
}

/** Any of @schemas; one alone stands for itself. */
static json_t *any_of(json_t *schemas)
{
	json_t *only;

	if (json_array_size(schemas) != 1)
		return json_pack("{s:o}", "anyOf", schemas);
	only = json_incref(json_array_get(schemas, 0));
	json_decref(schemas);
	return only;
}

/** Any of @schemas, or a word for 0, or one of the words for numbers. */
static json_t *or_words(json_t *schemas, const struct schema_key *key)
{
	json_t *words = json_array();

	for (const struct schema_preset *p = key->presets; p && p->word; p++)
		json_array_append_new(words, json_string(p->word));
	if (key->zero)
		json_array_append_new(schemas, constant(key->zero));
	if (json_array_size(words))
		json_array_append_new(schemas, json_pack("{s:O}", "enum", words));
	json_decref(words);
	return any_of(schemas);
}

static json_t *quantity_schema(const struct schema_key *key)
{
	char *(*const pattern)(char *, size_t) = key->type == SCHEMA_RATE   ? units_rate_pattern
						 : key->type == SCHEMA_TIME ? units_time_pattern
									    : units_size_pattern;
	char text[UNITS_PATTERN_MAX];
	json_t *schemas = json_array();

	json_array_append_new(schemas, pattern_schema(pattern(text, sizeof(text))));
	if (key->type == SCHEMA_SIZE)
		json_array_append_new(schemas, integer_schema(key));
	return or_words(schemas, key);
}

static json_t *number_schema(const struct schema_key *key)
{
	return or_words(json_pack("[o]", integer_schema(key)), key);
}

/** A number of @key, or a string. */
static json_t *number_or(const struct schema_key *key, const char *pattern)
{
	return any_of(json_pack("[o, o]", integer_schema(key), pattern_schema(pattern)));
}

/** Words and numbers in any order; which of them contradict each other is beyond a pattern. */
static json_t *framing_schema(const struct schema_key *key)
{
	char word[SCHEMA_TEXT_MAX] = "-?[0-9]+", pattern[2 * SCHEMA_TEXT_MAX + 32];

	for (const struct framing_word *w = framing_words; w->word; w++) {
		strlcat(word, "|", sizeof(word));
		strlcat(word, w->word, sizeof(word));
	}
	snprintf(pattern, sizeof(pattern), "^ *(%s)( +(%s))* *$", word, word);
	return number_or(key, pattern);
}

static json_t *string_schema(const struct schema_key *key)
{
	json_t *schema = key->pattern ? pattern_schema(key->pattern) : typed("string");

	return key->width ? with(schema, "maxLength", json_integer((json_int_t)key->width - 1))
			  : schema;
}

static json_t *choice_schema(const struct schema_key *key)
{
	json_t *words = json_array();

	for (const struct schema_choice *c = key->choices; c->word; c++)
		json_array_append_new(words, json_string(c->word));
	return json_pack("{s:o}", "enum", words);
}

static json_t *array_schema(const struct schema_key *key, json_t *items)
{
	json_t *schema = with(typed("array"), "items", items);

	schema = with(schema, "minItems", json_integer(key->entries_min));
	schema = with(schema, "maxItems", json_integer(key->entries_max));
	if (key->distinct)
		schema = with(schema, "uniqueItems", json_true());
	return schema;
}

static json_t *value_schema(const struct schema_key *key)
{
	switch (key->type) {
	case SCHEMA_BOOL:
		return key->refusal ? constant("false") : typed("boolean");
	case SCHEMA_INTEGER:
		return number_schema(key);
	case SCHEMA_STRING:
		return string_schema(key);
	case SCHEMA_CHOICE:
		return choice_schema(key);
	case SCHEMA_RATE:
	case SCHEMA_TIME:
	case SCHEMA_SIZE:
		return quantity_schema(key);
	case SCHEMA_INTEGERS:
		return array_schema(key, integer_schema(key));
	case SCHEMA_OBJECT:
		return object_schema(key->members);
	case SCHEMA_OBJECTS:
		return array_schema(key, object_schema(key->members));
	case SCHEMA_BITS:
		return number_or(key, "^0x[0-9a-fA-F]{1,8}$");
	case SCHEMA_SPAN:
		return number_or(key, "^[0-9]{1,8}-[0-9]{1,8}$");
	case SCHEMA_PREFIX:
		return pattern_schema("^[0-9A-Fa-f:.]+/[0-9]+$");
	case SCHEMA_FRAMING:
		return framing_schema(key);
	}
	return NULL;
}

static json_t *examples_of(const struct schema_key *key)
{
	char text[SCHEMA_TEXT_MAX];

	snprintf(text, sizeof(text), "[%s]", key->examples);
	return json_loads(text, 0, NULL);
}

static json_t *key_schema(const struct schema_key *key)
{
	json_t *schema = with(value_schema(key), "description", json_string(key->help));

	if (key->initial)
		schema = with(schema, "default", json_loads(key->initial, JSON_DECODE_ANY, NULL));
	if (key->examples)
		schema = with(schema, "examples", examples_of(key));
	return schema;
}

static json_t *object_schema(const struct schema_key *keys)
{
	json_t *properties = json_object(), *required = json_array();
	json_t *schema = json_pack("{s:s, s:b}", "type", "object", "additionalProperties", 0);

	for (const struct schema_key *k = keys; k->name; k++) {
		properties = with(properties, k->name, key_schema(k));
		if (k->required)
			json_array_append_new(required, json_string(k->name));
	}
	if (json_array_size(required))
		schema = with(schema, "required", json_incref(required));
	json_decref(required);
	return with(schema, "properties", properties);
}

json_t *jsonschema_create(const struct schema_key *keys, const char *title)
{
	json_t *schema = json_pack("{s:s, s:s}", "$schema",
				   "https://json-schema.org/draft/2020-12/schema", "title", title);
	json_t *object = object_schema(keys);

	if (!schema || json_object_update(schema, object)) {
		json_decref(schema);
		schema = NULL;
	}
	json_decref(object);
	return schema;
}

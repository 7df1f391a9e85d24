/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects and arrays by the table: keys that are there, are absent, or are unknown. */
#include "config/parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/parser.h"

static int parse_object(struct parser *p, const struct schema_key *keys, json_t *object, char *out);

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
		rc = parse_scalar(p, &element, json_array_get(value, i), out);
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

static int parse_by_type(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	switch (key->type) {
	case SCHEMA_OBJECT:
		return parse_member_object(p, key, value, out);
	case SCHEMA_OBJECTS:
		return parse_objects(p, key, value, out);
	case SCHEMA_INTEGERS:
		return parse_integers(p, key, value, out);
	default:
		return parse_scalar(p, key, value, out);
	}
}

static int parse_value(struct parser *p, const struct schema_key *key, json_t *value, char *out)
{
	const bool set = true;
	int rc = parse_by_type(p, key, value, out);

	if (!rc && key->set_field)
		memcpy(out + key->set_field, &set, sizeof(set));
	return rc;
}

static int parse_default(struct parser *p, const struct schema_key *key, char *out)
{
	json_t *value = json_loads(key->initial, JSON_DECODE_ANY, NULL);
	int rc;

	if (!value)
		return -ENOMEM;
	/* Not parse_value(): it has not been set. */
	rc = parse_by_type(p, key, value, out);
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
			     fault_advice(key, hint, sizeof(hint)));
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
		nearest_compare(&nearest, k->name);
	}
	fault_hint(p, &nearest, hint);
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

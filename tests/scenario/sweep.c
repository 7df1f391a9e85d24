/* SPDX-License-Identifier: BSD-3-Clause */
/* See sweep.h. */
#include "sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/parse.h"
#include "memory.h"

#define TEXT_MAX 512

static int add_values(struct sweep *s, const char *from, json_t *object, struct config_error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (!json_object_get(s->all, name))
			return config_fault(s->doc, from, err, "there is no parameter \"%s\"",
					    name);
		json_object_set(s->all, name, value);
	}
	return 0;
}

/** An array of values for each: one stands for itself. */
static int set_params(struct sweep *s, struct config_error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (s->all, name, value) {
		struct sweep_param *p = &s->params[s->n];

		if (s->n == SWEEP_PARAMS_MAX)
			return config_fault(s->doc, "params", err, "more than %u",
					    SWEEP_PARAMS_MAX);
		if (json_is_array(value) && !json_array_size(value))
			return config_fault(s->doc, "params", err, "\"%s\" has no value", name);
		p->name = name;
		p->values = json_is_array(value) ? json_incref(value) : json_pack("[O]", value);
		s->n++;
	}
	return 0;
}

int sweep_init(struct sweep *s, const struct config_document *doc, json_t *root, bool brief,
	       json_t *values, struct config_error *err)
{
	json_t *params = json_object_get(root, "params"), *brief_values;
	int rc;

	memset(s, 0, sizeof(*s));
	s->doc = doc;
	s->all = params ? json_copy(params) : json_object();
	must_have(s->all);
	brief_values = json_object_get(root, "short");
	if (!json_is_object(s->all) || (brief_values && !json_is_object(brief_values)))
		return config_fault(doc, json_is_object(s->all) ? "short" : "params", err,
				    "must be an object of names and values");
	rc = brief ? add_values(s, "short", brief_values, err) : 0;
	if (!rc)
		rc = add_values(s, "", values, err);
	if (!rc)
		rc = set_params(s, err);
	json_object_del(root, "params");
	json_object_del(root, "short");
	return rc;
}

void sweep_fini(struct sweep *s)
{
	for (unsigned i = 0; i < s->n; i++)
		json_decref(s->params[i].values);
	json_decref(s->all);
}

static json_t *value_of(const struct sweep *s, const char *name, size_t len)
{
	for (unsigned i = 0; i < s->n; i++)
		if (strlen(s->params[i].name) == len && !strncmp(s->params[i].name, name, len))
			return json_array_get(s->params[i].values, s->params[i].at);
	return NULL;
}

/** As text, without quotation marks. */
static void print(json_t *value, char *buf, size_t size)
{
	char *json;

	if (json_is_string(value)) {
		snprintf(buf, size, "%s", json_string_value(value));
		return;
	}
	json = must_have(
		json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)));
	snprintf(buf, size, "%s", json);
	free(json);
}

static json_t *unknown(const struct sweep *s, const char *path, const char *name, size_t len,
		       struct config_error *err)
{
	config_fault(s->doc, path, err, "there is no parameter \"%.*s\"", (int)len, name);
	return NULL;
}

/** "a ${name} b" */
static json_t *fill_text(const struct sweep *s, const char *path, const char *text,
			 struct config_error *err)
{
	char out[TEXT_MAX] = "";

	for (;;) {
		const char *start = strstr(text, "${"), *end = start ? strchr(start, '}') : NULL;
		size_t len = strlen(out);
		json_t *value;

		if (!end) {
			snprintf(out + len, sizeof(out) - len, "%s", text);
			return json_string(out);
		}
		snprintf(out + len, sizeof(out) - len, "%.*s", (int)(start - text), text);
		value = value_of(s, start + 2, (size_t)(end - start - 2));
		if (!value)
			return unknown(s, path, start + 2, (size_t)(end - start - 2), err);
		len = strlen(out);
		print(value, out + len, sizeof(out) - len);
		text = end + 1;
	}
}

static json_t *fill(const struct sweep *s, const char *path, json_t *value,
		    struct config_error *err);

static json_t *fill_object(const struct sweep *s, const char *path, json_t *object,
			   struct config_error *err)
{
	json_t *out = must_have(json_object());
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		char inner[CONFIG_PATH_MAX];
		json_t *filled;

		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "", name);
		filled = fill(s, inner, value, err);
		if (!filled) {
			json_decref(out);
			return NULL;
		}
		json_object_set_new(out, name, filled);
	}
	return out;
}

static json_t *fill_array(const struct sweep *s, const char *path, json_t *array,
			  struct config_error *err)
{
	json_t *out = must_have(json_array());

	for (size_t i = 0; i < json_array_size(array); i++) {
		char inner[CONFIG_PATH_MAX];
		json_t *filled;

		snprintf(inner, sizeof(inner), "%s[%zu]", path, i);
		filled = fill(s, inner, json_array_get(array, i), err);
		if (!filled) {
			json_decref(out);
			return NULL;
		}
		json_array_append_new(out, filled);
	}
	return out;
}

static json_t *fill(const struct sweep *s, const char *path, json_t *value,
		    struct config_error *err)
{
	const char *text = json_string_value(value);
	json_t *found;

	if (json_is_object(value))
		return fill_object(s, path, value, err);
	if (json_is_array(value))
		return fill_array(s, path, value, err);
	if (!text)
		return json_incref(value);
	if (text[0] != '$' || text[1] == '{')
		return fill_text(s, path, text, err);
	found = value_of(s, text + 1, strlen(text + 1));
	return found ? json_incref(found) : unknown(s, path, text + 1, strlen(text + 1), err);
}

json_t *sweep_fill(const struct sweep *s, json_t *root, struct config_error *err)
{
	return fill(s, "", root, err);
}

void sweep_step(struct sweep *s)
{
	for (unsigned i = s->n; i-- > 0;) {
		if (++s->params[i].at < json_array_size(s->params[i].values))
			return;
		s->params[i].at = 0;
	}
	s->over = true;
}

char *sweep_text(const struct sweep *s, unsigned i, char *buf, size_t size)
{
	print(json_array_get(s->params[i].values, s->params[i].at), buf, size);
	return buf;
}

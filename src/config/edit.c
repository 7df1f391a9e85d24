/* SPDX-License-Identifier: BSD-3-Clause */
/* See edit.h. */
#include "config/edit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/parser.h"
#include "config/schema.h"

static int no_such_port(json_t *ports, const char *name, struct config_error *err)
{
	char list[sizeof(err->text)] = "";
	size_t i;
	json_t *port;

	json_array_foreach (ports, i, port) {
		strlcat(list, i ? ", " : "", sizeof(list));
		strlcat(list, json_string_value(json_object_get(port, "name")), sizeof(list));
	}
	snprintf(err->text, sizeof(err->text), "no port \"%.*s\"; there are: %s", CONFIG_NAME_MAX,
		 name, list);
	return -EINVAL;
}

static json_t *find_port(json_t *file, const char *name, struct config_error *err)
{
	json_t *ports = json_object_get(file, "ports"), *port;
	size_t i;

	json_array_foreach (ports, i, port)
		if (!strcmp(json_string_value(json_object_get(port, "name")), name))
			return port;
	no_such_port(ports, name, err);
	return NULL;
}

static void collect(const struct schema_key *keys, char *list, size_t size, struct nearest *n)
{
	for (const struct schema_key *k = keys; k->name; k++) {
		if (k->type == SCHEMA_OBJECT)
			continue;
		strlcat(list, *list ? ", " : "", size);
		strlcat(list, k->name, size);
		nearest_compare(n, k->name);
	}
}

static int no_such_key(const struct schema_key *port_keys, const char *name,
		       struct config_error *err)
{
	struct nearest n = nearest_to(name);
	char list[sizeof(err->text)] = "", hint[HINT_MAX] = ";";

	collect(schema_scheduler, list, sizeof(list), &n);
	collect(port_keys, list, sizeof(list), &n);
	if (n.word)
		snprintf(hint, sizeof(hint), "; did you mean \"%s\"?", n.word);
	snprintf(err->text, sizeof(err->text), "no key \"%.*s\"%s accepted: %s", SHOWN_MAX, name,
		 hint, list);
	return -EINVAL;
}

/** The member @name of @port, made if the file has none. */
static json_t *open_object(json_t *port, const char *name)
{
	json_t *object = json_object_get(port, name);

	if (object)
		return object;
	object = json_object();
	return json_object_set_new(port, name, object) ? NULL : object;
}

static bool is_integer(const char *word)
{
	size_t sign = *word == '-';

	return word[sign] && !word[sign + strspn(word + sign, "0123456789")];
}

/** What is not of the key's form stays a string: then the parser says so. */
static json_t *value_of(const struct schema_key *key, const char *word)
{
	json_t *json = NULL;
	bool bare = false; /* of quotes */

	switch (key->type) {
	case SCHEMA_INTEGER:
	case SCHEMA_SIZE:
	case SCHEMA_BITS:
	case SCHEMA_SPAN:
	case SCHEMA_FRAMING:
		bare = is_integer(word);
		break;
	case SCHEMA_BOOL:
		bare = !strcmp(word, "true") || !strcmp(word, "false");
		break;
	case SCHEMA_INTEGERS:
	case SCHEMA_OBJECTS:
		bare = true;
		break;
	default:
		break;
	}
	if (bare)
		json = json_loads(word, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	return json ? json : json_string(word);
}

int config_edit(json_t *file, const char *port, const char *key, const char *word,
		struct config_error *err)
{
	const struct schema_key *port_keys = schema_find(schema_file, "ports")->members;
	const struct schema_key *k = schema_find(schema_scheduler, key);
	json_t *object = find_port(file, port, err);

	if (!object)
		return -EINVAL;
	if (k)
		object = open_object(object, "scheduler");
	else
		k = schema_find(port_keys, key);
	if (!k || k->type == SCHEMA_OBJECT)
		return no_such_key(port_keys, key, err);
	if (!strcmp(word, CONFIG_EDIT_DEFAULT)) {
		json_object_del(object, key);
		return 0;
	}
	return json_object_set_new(object, key, value_of(k, word)) ? -ENOMEM : 0;
}

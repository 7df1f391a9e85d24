/* SPDX-License-Identifier: BSD-3-Clause */
/* One writer per type of the table; see dump.h. */
#include "config/dump.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/prefix.h"
#include "config/schema.h"

static json_t *dump_object(const struct schema_key *keys, const char *in);

static json_t *parse_text(const char *text)
{
	return json_loads(text, JSON_DECODE_ANY, NULL);
}

/** Whether the table lets a number of @key be @n, as written there. */
static bool accepts(const struct schema_key *key, int64_t n)
{
	return (n >= key->min && n <= key->max) || (n == 0 && key->zero);
}

/** A 0 that the key cannot say is that the key was not given. */
static json_t *dump_number(const struct schema_key *key, const char *field)
{
	int64_t n = schema_load(key, field) * (key->unit ? key->unit : 1);
	const char *word = key->type == SCHEMA_INTEGER ? schema_preset_word(key, n) : NULL;
	char text[UNITS_FORMAT_MAX];

	if (!accepts(key, n))
		return NULL;
	if (word)
		return json_string(word);
	if (n == 0 && key->zero)
		return parse_text(key->zero);
	if (key->type == SCHEMA_INTEGER || (key->type == SCHEMA_BITS && !n))
		return json_integer(n);
	return json_string(schema_number_text(key, n, text, sizeof(text)));
}

static json_t *dump_choice(const struct schema_key *key, const char *field)
{
	return json_string(schema_word(key, (int)schema_load(key, field)));
}

static json_t *dump_span(const char *field)
{
	const struct packet_span *span = (const void *)field;

	if (!span->set)
		return NULL;
	if (span->first == span->last)
		return json_integer(span->first);
	return json_sprintf("%u-%u", span->first, span->last);
}

static json_t *dump_prefix(const char *field)
{
	const struct packet_prefix *prefix = (const void *)field;
	char text[PREFIX_TEXT_MAX];

	return prefix->family ? json_string(prefix_format(prefix, text, sizeof(text))) : NULL;
}

/** Words are not kept: their sum is, and what they said of mpu and atm is in these keys. */
static json_t *dump_framing(const char *in)
{
	const struct cake_params *p = &((const struct config_scheduler *)(const void *)in)->cake;

	if (p->overhead_set)
		return json_integer(p->overhead);
	return p->overhead ? json_sprintf("raw %d", p->overhead) : json_string("raw");
}

static unsigned count_of(const struct schema_key *key, const char *in)
{
	unsigned n;

	memcpy(&n, in + key->count_field, sizeof(n));
	return n;
}

static json_t *dump_integers(const struct schema_key *key, const char *in)
{
	unsigned n = count_of(key, in);
	json_t *array = n ? json_array() : NULL;

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(
			array, json_integer(schema_load(key, in + key->field + i * key->width)));
	return array;
}

static json_t *dump_objects(const struct schema_key *key, const char *in)
{
	unsigned n = count_of(key, in);
	json_t *array = n ? json_array() : NULL;

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(array,
				      dump_object(key->members, in + key->field + i * key->width));
	return array;
}

/** NULL: the key was not given, and means nothing then that a value could say. */
static json_t *dump_value(const struct schema_key *key, const char *in)
{
	const char *field = in + key->field;

	if (key->set_field && !in[key->set_field])
		return NULL;
	if (!key->width)
		return key->initial ? parse_text(key->initial) : NULL;
	switch (key->type) {
	case SCHEMA_BOOL:
		return json_boolean(schema_load(key, field));
	case SCHEMA_STRING:
		return json_string(field);
	case SCHEMA_CHOICE:
		return dump_choice(key, field);
	case SCHEMA_INTEGERS:
		return dump_integers(key, in);
	case SCHEMA_OBJECT:
		return dump_object(key->members, field);
	case SCHEMA_OBJECTS:
		return dump_objects(key, in);
	case SCHEMA_SPAN:
		return dump_span(field);
	case SCHEMA_PREFIX:
		return dump_prefix(field);
	case SCHEMA_FRAMING:
		return dump_framing(in);
	default:
		return dump_number(key, field);
	}
}

static json_t *dump_object(const struct schema_key *keys, const char *in)
{
	json_t *object = json_object();

	for (const struct schema_key *k = keys; k->name; k++) {
		json_t *value = dump_value(k, in);

		if (value)
			json_object_set_new(object, k->name, value);
	}
	return object;
}

/** What steers several queues, whoever chose it; one has nothing to steer. */
static void dump_steer(json_t *object, const struct config_port *p)
{
	const struct schema_key *ports = schema_find(schema_file, "ports");
	const struct schema_key *steer = schema_find(ports->members, "steer");

	if (p->tx_queues > 1)
		json_object_set_new(object, steer->name,
				    dump_choice(steer, (const char *)&p->steer));
}

/** In the structure a link has its ports' places, in the file their names. */
static void dump_link(json_t *object, const struct gateau_config *cfg, const struct config_link *l)
{
	json_object_set_new(object, "from", json_string(cfg->ports[l->from].name));
	json_object_set_new(object, "to", json_string(cfg->ports[l->to].name));
}

json_t *config_dump(const struct gateau_config *cfg)
{
	json_t *file = dump_object(schema_file, (const char *)cfg);
	json_t *ports = json_object_get(file, "ports"), *links = json_object_get(file, "links");

	for (unsigned i = 0; i < cfg->n_ports; i++)
		dump_steer(json_array_get(ports, i), &cfg->ports[i]);
	for (unsigned i = 0; i < cfg->n_links; i++)
		dump_link(json_array_get(links, i), cfg, &cfg->links[i]);
	return file;
}

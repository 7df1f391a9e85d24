/* SPDX-License-Identifier: BSD-3-Clause */
/* See diff.h. */
#include "config/diff.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/dump.h"

/* "eal.hugepages" is the longest. */
#define KEY_MAX 64

static int find_port(const struct gateau_config *cfg, const char *name)
{
	for (unsigned i = 0; i < cfg->n_ports; i++)
		if (!strcmp(cfg->ports[i].name, name))
			return (int)i;
	return -1;
}

static int find_link(const struct gateau_config *cfg, const struct config_link *l)
{
	for (unsigned i = 0; i < cfg->n_links; i++)
		if (cfg->links[i].from == l->from && cfg->links[i].to == l->to)
			return (int)i;
	return -1;
}

static unsigned trade(unsigned port, unsigned a, unsigned b)
{
	return port == a ? b : port == b ? a : port;
}

static void swap_ports(struct gateau_config *cfg, unsigned a, unsigned b)
{
	const struct config_port port = cfg->ports[a];

	cfg->ports[a] = cfg->ports[b];
	cfg->ports[b] = port;
	for (unsigned i = 0; i < cfg->n_links; i++) {
		struct config_link *l = &cfg->links[i];

		*l = (struct config_link){trade(l->from, a, b), trade(l->to, a, b)};
	}
}

void config_align(struct gateau_config *cfg, const struct gateau_config *like)
{
	unsigned n = 0;

	for (unsigned i = 0; i < like->n_ports; i++) {
		int at = find_port(cfg, like->ports[i].name);

		if (at >= 0)
			swap_ports(cfg, n++, (unsigned)at);
	}
	/* Links' ends are numbers of ports: the same where all ports are. */
	n = 0;
	for (unsigned i = 0; i < like->n_links; i++) {
		int at = find_link(cfg, &like->links[i]);
		struct config_link l = cfg->links[n];

		if (at < 0)
			continue;
		cfg->links[n++] = cfg->links[at];
		cfg->links[at] = l;
	}
}

static json_t *or_null(json_t *value)
{
	return value ? json_incref(value) : json_null();
}

/** @port NULL: of none. */
static void add(json_t *diff, const char *port, const char *key, json_t *from, json_t *to,
		enum schema_apply apply)
{
	json_t *entry = json_pack("{s:s, s:o, s:o, s:s}", "key", key, "old", or_null(from), "new",
				  or_null(to), "apply", schema_apply_word(apply));

	if (port)
		json_object_set_new(entry, "port", json_string(port));
	json_array_append_new(diff, entry);
}

static void diff_value(json_t *diff, const char *port, const char *path,
		       const struct schema_key *key, json_t *from, json_t *to)
{
	bool same = from && to ? json_equal(from, to) : from == to;

	if (!same)
		add(diff, port, path, from, to, key->apply);
}

static json_t *find_by_name(json_t *ports, const char *name)
{
	size_t i;
	json_t *port;

	json_array_foreach (ports, i, port)
		if (!strcmp(json_string_value(json_object_get(port, "name")), name))
			return port;
	return NULL;
}

static void diff_keys(json_t *diff, const char *port, const char *prefix,
		      const struct schema_key *keys, json_t *from, json_t *to);

/** Ports of @a that @b does not have: gone, or, the other way round, come. */
static void diff_missing(json_t *diff, json_t *a, json_t *b, bool gone)
{
	size_t i;
	json_t *port;

	json_array_foreach (a, i, port) {
		json_t *name = json_object_get(port, "name");

		if (!find_by_name(b, json_string_value(name)))
			add(diff, NULL, "ports", gone ? name : NULL, gone ? NULL : name,
			    SCHEMA_RESTART);
	}
}

static void diff_ports(json_t *diff, const struct schema_key *keys, json_t *from, json_t *to)
{
	size_t i;
	json_t *port;

	diff_missing(diff, from, to, true);
	diff_missing(diff, to, from, false);
	json_array_foreach (from, i, port) {
		const char *name = json_string_value(json_object_get(port, "name"));
		json_t *other = find_by_name(to, name);

		if (other)
			diff_keys(diff, name, "", keys, port, other);
	}
}

static void diff_key(json_t *diff, const char *port, const char *prefix,
		     const struct schema_key *key, json_t *from, json_t *to)
{
	char path[KEY_MAX];

	snprintf(path, sizeof(path), "%s%s", prefix, key->name);
	if (!strcmp(path, "ports")) {
		diff_ports(diff, key->members, from, to);
	} else if (key->type == SCHEMA_OBJECT) {
		/* A port has nothing called as something in its scheduler is. */
		strlcat(path, ".", sizeof(path));
		diff_keys(diff, port, port ? "" : path, key->members, from, to);
	} else {
		diff_value(diff, port, path, key, from, to);
	}
}

static void diff_keys(json_t *diff, const char *port, const char *prefix,
		      const struct schema_key *keys, json_t *from, json_t *to)
{
	for (const struct schema_key *k = keys; k->name; k++)
		diff_key(diff, port, prefix, k, json_object_get(from, k->name),
			 json_object_get(to, k->name));
}

json_t *config_diff(const struct gateau_config *from, const struct gateau_config *to)
{
	json_t *a = config_dump(from), *b = config_dump(to);
	json_t *diff = json_array();

	diff_keys(diff, NULL, "", schema_file, a, b);
	json_decref(a);
	json_decref(b);
	return diff;
}

/** SCHEMA_RESTART is the first, so that a key that says nothing has it, and takes the most. */
static unsigned effort(enum schema_apply apply)
{
	return apply == SCHEMA_RESTART ? SCHEMA_REOPEN + 1 : (unsigned)apply;
}

static enum schema_apply apply_of(const json_t *entry)
{
	const char *word = json_string_value(json_object_get(entry, "apply"));

	for (enum schema_apply a = SCHEMA_LIVE; a <= SCHEMA_REOPEN; a++)
		if (!strcmp(schema_apply_word(a), word))
			return a;
	return SCHEMA_RESTART;
}

enum schema_apply config_diff_takes(const json_t *diff)
{
	enum schema_apply most = SCHEMA_LIVE;
	size_t i;
	json_t *entry;

	json_array_foreach (diff, i, entry)
		if (effort(apply_of(entry)) > effort(most))
			most = apply_of(entry);
	return most;
}

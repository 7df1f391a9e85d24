/* SPDX-License-Identifier: BSD-3-Clause */
/* See configure.h. */
#include "ctl/configure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/diff.h"
#include "config/dump.h"
#include "config/edit.h"
#include "dataplane/change.h"
#include "dataplane/reopen.h"

/** What messages call contents that have no name. */
#define NAMELESS "configuration"

/** Of a name there is room for the fault beside it. */
#define NAME_MAX_BYTES 255

int configure_show(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	(void)request;
	(void)err;
	*result = json_pack("{s:I, s:o}", "generation", (json_int_t)ctl->generation, "config",
			    config_dump(ctl->dp->config));
	return *result ? 0 : -ENOMEM;
}

static int config_failed(struct ops_error *err, int code, const struct config_error *why)
{
	return ops_fail(err, code, "%s", why->text);
}

/** @text NULL: the start-up file. */
static int load(const struct ctl *ctl, const json_t *request, struct gateau_config **out,
		struct ops_error *err)
{
	const json_t *text = json_object_get(request, "text");
	const char *name = json_string_value(json_object_get(request, "name"));
	struct config_error why;
	int ret;

	if (!text && !ctl->file)
		return ops_fail(err, -EINVAL, "there is no start-up file to read again");
	if (name && strlen(name) > NAME_MAX_BYTES)
		return ops_fail(err, -EINVAL, "\"name\" has at most %d bytes", NAME_MAX_BYTES);
	if (text && !json_is_string(text))
		return ops_fail(err, -EINVAL, "\"text\" is the contents of a file, a string");
	if (text)
		ret = config_parse(name ? name : NAMELESS, json_string_value(text),
				   json_string_length(text), out, &why);
	else
		ret = config_load(ctl->file, out, &why);
	return ret ? config_failed(err, ret, &why) : 0;
}

/** Put @to in the order of what is in force, and list what differs. */
static json_t *compare(const struct ctl *ctl, struct gateau_config *to)
{
	config_align(to, ctl->dp->config);
	return config_diff(ctl->dp->config, to);
}

/** Takes the reference to @changes. */
static int make_result(const struct ctl *ctl, json_t *changes, json_t **result)
{
	const char *takes = schema_apply_word(config_diff_takes(changes));

	*result = json_pack("{s:I, s:s, s:o}", "generation", (json_int_t)ctl->generation, "takes",
			    takes, "changes", changes);
	return *result ? 0 : -ENOMEM;
}

int configure_diff(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	struct gateau_config *to;
	json_t *changes;
	int ret;

	if (!json_object_get(request, "text"))
		return ops_fail(err, -EINVAL, "\"text\" is missing: the contents of a file");
	ret = load(ctl, request, &to, err);
	if (ret)
		return ret;
	changes = compare(ctl, to);
	config_free(to);
	return make_result(ctl, changes, result);
}

/** One change for people, e.g. "wan: bandwidth "100mbit" -> "1gbit"". Returns @buf. */
static char *describe(const json_t *change, char *buf, size_t size)
{
	const char *port = json_string_value(json_object_get(change, "port"));
	const char *key = json_string_value(json_object_get(change, "key"));
	char *from = json_dumps(json_object_get(change, "old"), JSON_ENCODE_ANY | JSON_COMPACT);
	char *to = json_dumps(json_object_get(change, "new"), JSON_ENCODE_ANY | JSON_COMPACT);

	snprintf(buf, size, "%s%s%s %.200s -> %.200s", port ? port : "", port ? ": " : "", key,
		 from ? from : "?", to ? to : "?");
	free(from);
	free(to);
	return buf;
}

/** Room for describe(). */
#define CHANGE_TEXT_MAX 512

/** Name the first change that takes @apply, which is not to be had. */
static int refuse(const json_t *changes, enum schema_apply apply, const char *why,
		  struct ops_error *err)
{
	char text[CHANGE_TEXT_MAX];
	size_t i;
	json_t *change;

	json_array_foreach (changes, i, change) {
		const char *word = json_string_value(json_object_get(change, "apply"));

		if (!strcmp(word, schema_apply_word(apply)))
			return ops_fail(err, -EOPNOTSUPP, "%s %s; nothing has been changed",
					describe(change, text, sizeof(text)), why);
	}
	return -EOPNOTSUPP;
}

static int check_possible(const json_t *changes, bool restart_ports, struct ops_error *err)
{
	enum schema_apply takes = config_diff_takes(changes);

	if (takes == SCHEMA_RESTART)
		return refuse(changes, takes, "takes a restart of gateaud", err);
	if (takes == SCHEMA_REOPEN && !restart_ports)
		return refuse(changes, takes,
			      "takes a restart of its port, which --restart-ports allows", err);
	return 0;
}

/** Whether @changes has one of port @name that takes its restart. */
static bool takes_restart(const json_t *changes, const char *name)
{
	size_t i;
	json_t *change;

	json_array_foreach (changes, i, change) {
		const char *port = json_string_value(json_object_get(change, "port"));
		const char *apply = json_string_value(json_object_get(change, "apply"));

		if (port && !strcmp(port, name) && !strcmp(apply, schema_apply_word(SCHEMA_REOPEN)))
			return true;
	}
	return false;
}

/** Some ports are set up anew, one after the other. */
struct reopening {
	unsigned n;
	unsigned ports[CONFIG_PORTS_MAX];
};

/** All that can be known of it beforehand is known before the first port stops. */
static int check_reopening(struct dataplane *dp, struct reopening *r,
			   const struct gateau_config *to, const json_t *changes,
			   struct config_error *why)
{
	int ret = 0;

	for (unsigned p = 0; !ret && p < to->n_ports; p++) {
		if (!takes_restart(changes, to->ports[p].name))
			continue;
		ret = reopen_check(dp, p, to, why);
		r->ports[r->n++] = p;
	}
	return ret;
}

/** The first @n of them go back to what is in force. */
static void reopen_back(struct dataplane *dp, const struct reopening *r, unsigned n)
{
	struct config_error why;

	for (unsigned i = 0; i < n; i++)
		if (reopen_port(dp, r->ports[i], dp->config, &why))
			log_error("%s", why.text);
}

static int reopen_all(struct dataplane *dp, const struct reopening *r,
		      const struct gateau_config *to, struct config_error *why)
{
	for (unsigned i = 0; i < r->n; i++) {
		int ret = reopen_port(dp, r->ports[i], to, why);

		if (ret) {
			reopen_back(dp, r, i);
			return ret;
		}
	}
	return 0;
}

/** Ports first: what they refuse is known before anything else has changed. */
static int apply(struct dataplane *dp, struct gateau_config *to, const json_t *changes,
		 struct config_error *why)
{
	struct reopening r = {0};
	int ret = check_reopening(dp, &r, to, changes, why);

	if (!ret)
		ret = reopen_all(dp, &r, to, why);
	if (ret)
		return ret;
	ret = change_apply(dp, to, why);
	if (ret)
		reopen_back(dp, &r, r.n);
	for (unsigned i = 0; i < r.n; i++)
		reopen_conclude(dp, r.ports[i]);
	return ret;
}

static void log_changes(const struct ctl *ctl, const char *who, const json_t *changes)
{
	char text[CHANGE_TEXT_MAX];
	size_t i;
	json_t *change;

	json_array_foreach (changes, i, change)
		log_info("%s: generation %llu: %s", who, (unsigned long long)ctl->generation,
			 describe(change, text, sizeof(text)));
}

/** Have @to in force, which is freed in any case. */
static int put_in_force(struct ctl *ctl, const char *who, struct gateau_config *to,
			const json_t *request, json_t **result, struct ops_error *err)
{
	const bool restart_ports = json_is_true(json_object_get(request, "restart_ports"));
	json_t *changes = compare(ctl, to);
	struct config_error why;
	int ret = changes ? check_possible(changes, restart_ports, err) : -ENOMEM;

	if (!ret && json_array_size(changes)) {
		ret = apply(ctl->dp, to, changes, &why);
		if (ret)
			config_failed(err, ret, &why);
		else
			ctl->generation++;
	} else if (!ret) {
		/* The same in other words: those are what single keys are changed in later. */
		config_swap(ctl->dp->config, to);
	}
	if (!ret)
		log_changes(ctl, who, changes);
	config_free(to);
	if (!ret)
		return make_result(ctl, changes, result);
	json_decref(changes);
	return ret;
}

/** The file in force with @keys of @port set. */
static int edit(const struct ctl *ctl, const char *port, const json_t *keys, json_t **out,
		struct config_error *why)
{
	json_t *file = json_deep_copy(ctl->dp->config->written);
	const char *key;
	json_t *word;
	int ret = file ? 0 : -ENOMEM;

	json_object_foreach ((json_t *)keys, key, word) {
		if (ret)
			break;
		if (json_is_string(word))
			ret = config_edit(file, port, key, json_string_value(word), why);
		else
			ret = -EINVAL;
	}
	if (!ret)
		*out = file;
	else
		json_decref(file);
	return ret;
}

/** A text that has but one line needs no number of it in messages. */
static void drop_place(struct config_error *why)
{
	const char *message = strchr(why->text, ' ');

	if (message)
		memmove(why->text, message + 1, strlen(message));
}

static int parse_edited(json_t *file, struct gateau_config **out, struct config_error *why)
{
	char *text = json_dumps(file, JSON_COMPACT);
	int ret = text ? config_parse("set", text, strlen(text), out, why) : -ENOMEM;

	if (ret == -EINVAL)
		drop_place(why);
	free(text);
	return ret;
}

int configure_set(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	const char *port = json_string_value(json_object_get(request, "port"));
	const json_t *keys = json_object_get(request, "keys");
	struct config_error why = {.text = "a key's value is a string, in the words of a file"};
	struct gateau_config *to;
	json_t *file;
	int ret;

	if (!port || !json_object_size(keys))
		return ops_fail(err, -EINVAL,
				"\"port\" is the name of one, \"keys\" an object of its keys");
	ret = edit(ctl, port, keys, &file, &why);
	if (ret)
		return config_failed(err, ret, &why);
	ret = parse_edited(file, &to, &why);
	json_decref(file);
	if (ret)
		return config_failed(err, ret, &why);
	return put_in_force(ctl, "set", to, request, result, err);
}

int configure_reload(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	struct gateau_config *to;
	int ret = load(ctl, request, &to, err);

	return ret ? ret : put_in_force(ctl, "reload", to, request, result, err);
}

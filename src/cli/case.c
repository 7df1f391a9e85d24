/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading case files with the configuration's own table machinery; see case.h. */
#include "cli/case.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/document.h"
#include "config/parse.h"
#include "config/schema.h"

struct surroundings {
	uint64_t link_rate;
	uint32_t queues;
	uint32_t gso_size;
};

static const struct schema_key replay_keys[] = {
	{.name = "link_rate",
	 .help = "bit/s of the link behind the scheduler; 0 = infinite",
	 .type = SCHEMA_INTEGER,
	 .initial = "0",
	 .max = INT64_MAX,
	 SCHEMA_STORE(struct surroundings, link_rate)},
	{.name = "queues",
	 .help = "transmit queues that share the rate",
	 .type = SCHEMA_INTEGER,
	 .initial = "1",
	 .min = 1,
	 .max = SHARE_QUEUES_MAX,
	 SCHEMA_STORE(struct surroundings, queues)},
	{.name = "gso_size",
	 .help = "bytes of payload per segment; TCP frames with more are super-packets",
	 .type = SCHEMA_INTEGER,
	 .initial = "0",
	 .zero = "0",
	 .min = 1,
	 .max = UINT16_MAX,
	 SCHEMA_STORE(struct surroundings, gso_size)},
	{0},
};

enum random_kind {
	RANDOM_XORSHIFT32,
	RANDOM_CONSTANT,
};

struct randomness {
	int kind;
	uint32_t seed, u32;
	uint16_t u16;
};

static const struct schema_choice random_kinds[] = {
	{.word = "xorshift32", .value = RANDOM_XORSHIFT32},
	{.word = "constant", .value = RANDOM_CONSTANT},
	{0},
};

static const struct schema_key random_keys[] = {
	{.name = "kind",
	 .help = "generator",
	 .type = SCHEMA_CHOICE,
	 .initial = "\"xorshift32\"",
	 .choices = random_kinds,
	 SCHEMA_STORE(struct randomness, kind)},
	{.name = "seed",
	 .help = "xorshift32's state",
	 .type = SCHEMA_INTEGER,
	 .initial = "1",
	 .max = UINT32_MAX,
	 SCHEMA_STORE(struct randomness, seed)},
	{.name = "u32",
	 .help = "constant's 32-bit draw",
	 .type = SCHEMA_INTEGER,
	 .initial = "0",
	 .max = UINT32_MAX,
	 SCHEMA_STORE(struct randomness, u32)},
	{.name = "u16",
	 .help = "constant's 16-bit draw",
	 .type = SCHEMA_INTEGER,
	 .initial = "0",
	 .max = UINT16_MAX,
	 SCHEMA_STORE(struct randomness, u16)},
	{0},
};

/* An absent object means its defaults. */
static int parse_object(const struct config_document *doc, const char *key,
			const struct schema_key *keys, void *out, struct config_error *err)
{
	json_t *given = json_object_get(doc->root, key);
	json_t *value = given ? json_incref(given) : json_object();
	int rc = config_parse_keys(doc, key, keys, value, out, err);

	json_decref(value);
	return rc;
}

static int parse_surroundings(const struct config_document *doc, struct replay_case *c,
			      struct config_error *err)
{
	struct surroundings s = {0};
	int rc = parse_object(doc, "replay", replay_keys, &s, err);

	if (!rc && s.queues > 1 && c->options.params.autorate_ingress)
		rc = config_fault(doc, "replay.queues", err,
				  "several queues share one rate: not with autorate-ingress");
	c->options.link_rate_bps = s.link_rate;
	c->options.gso_size = s.gso_size;
	c->options.queues = s.queues;
	c->options.share = SHARE_EQUAL;
	c->options.steer = STEER_FLOW;
	c->options.link_per_queue = true;
	return rc;
}

static int parse_random(const struct config_document *doc, struct replay_case *c,
			struct config_error *err)
{
	struct randomness r = {0};
	int rc = parse_object(doc, "random", random_keys, &r, err);

	if (r.kind == RANDOM_CONSTANT)
		c->options.rng = prng_constant(r.u32, r.u16);
	else if (r.seed)
		c->options.rng = prng_xorshift32(r.seed);
	else
		c->options.rng = prng_constant(0, 0); /* shifts never leave a state of 0 */
	return rc;
}

/* A priority "MAJOR:MINOR" names a tin if it has a major: that of the qdisc. */
static uint8_t priority_tin(uint32_t priority)
{
	uint32_t minor = priority & 0xffff;

	return priority >> 16 && minor <= CAKE_MAX_TINS ? minor : 0;
}

static bool in_range(json_t *number, json_int_t max)
{
	return json_is_integer(number) && json_integer_value(number) >= 0 &&
	       json_integer_value(number) <= max;
}

static int parse_mark(const struct config_document *doc, size_t i, json_t *value,
		      struct replay_mark *out, struct config_error *err)
{
	json_t *idx = json_array_get(value, 0);
	json_t *mark = json_array_get(value, 1);
	json_t *priority = json_array_get(value, 2);
	char path[32];

	snprintf(path, sizeof(path), "marks[%zu]", i);
	if (json_array_size(value) != 3 || !in_range(idx, INT64_MAX) ||
	    !in_range(mark, UINT32_MAX) || !in_range(priority, UINT32_MAX))
		return config_fault(doc, path, err,
				    "not [packet number, firewall mark, priority], integers from 0 "
				    "to 4294967295");
	*out = (struct replay_mark){
		.idx = json_integer_value(idx),
		.mark = json_integer_value(mark),
		.priority_tin = priority_tin(json_integer_value(priority)),
	};
	return 0;
}

static int parse_marks(const struct config_document *doc, struct replay_case *c,
		       struct config_error *err)
{
	json_t *marks = json_object_get(doc->root, "marks");
	size_t n = json_array_size(marks);

	if (marks && !json_is_array(marks))
		return config_fault(doc, "marks", err, "not an array");
	if (!n)
		return 0;
	c->marks = calloc(n, sizeof(*c->marks));
	if (!c->marks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int rc = parse_mark(doc, i, json_array_get(marks, i), &c->marks[i], err);

		if (rc)
			return rc;
		if (i && c->marks[i].idx <= c->marks[i - 1].idx)
			return config_fault(doc, "marks", err, "packet numbers do not ascend");
	}
	c->options.marks = c->marks;
	c->options.n_marks = n;
	return 0;
}

/* The trace is named relative to the folder above the case's own. */
static int locate_trace(const struct config_document *doc, struct replay_case *c,
			struct config_error *err)
{
	const char *trace = json_string_value(json_object_get(doc->root, "trace"));
	const char *slash = strrchr(doc->name, '/');
	int folder = slash ? (int)(slash - doc->name) : 1;

	if (!trace)
		return config_fault(doc, "trace", err, "not given; the path of a capture");
	if (asprintf(&c->trace, "%.*s/../%s", folder, slash ? doc->name : ".", trace) < 0) {
		c->trace = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int case_parse(const struct config_document *doc, struct replay_case *c,
		      struct config_error *err)
{
	const struct packet_hash_params hash = {.method = PACKET_HASH_REFERENCE};
	struct config_scheduler scheduler;
	int rc;

	rc = config_parse_scheduler(doc, "scheduler", json_object_get(doc->root, "scheduler"),
				    &scheduler, err);
	if (rc)
		return rc;
	c->options.params = scheduler.cake;
	c->options.params.profile = CAKE_PROFILE_LINUX;
	packet_describer_init(&c->options.describer, &c->options.params, &hash);
	packet_describer_set_rules(&c->options.describer, scheduler.rules, scheduler.n_rules);
	rc = parse_surroundings(doc, c, err);
	if (rc)
		return rc;
	rc = parse_random(doc, c, err);
	if (rc)
		return rc;
	rc = parse_marks(doc, c, err);
	if (rc)
		return rc;
	return locate_trace(doc, c, err);
}

int case_load(const char *path, struct replay_case *out, struct config_error *err)
{
	struct config_document doc;
	int rc = config_document_load(path, &doc, err);

	if (rc)
		return rc;
	*out = (struct replay_case){0};
	rc = case_parse(&doc, out, err);
	config_document_close(&doc);
	if (rc == -ENOMEM)
		snprintf(err->text, sizeof(err->text), "%s: %s", path, strerror(ENOMEM));
	if (rc)
		case_close(out);
	return rc;
}

void case_close(struct replay_case *c)
{
	free(c->trace);
	free(c->marks);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config/schema: the table is sound and agrees with the scheduler's own defaults.
 */
#include "config/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake_config.h>

#include "config/config.h"
#include "config/document.h"
#include "config/parse.h"

typedef void (*visitor)(const struct schema_key *key, void *arg);

/** Call @visit for every key, those of nested objects after their own. */
static void for_each_key(const struct schema_key *keys, visitor visit, void *arg)
{
	for (const struct schema_key *k = keys; k->name; k++) {
		visit(k, arg);
		if (k->members)
			for_each_key(k->members, visit, arg);
	}
}

static void check_key(const struct schema_key *key, void *arg)
{
	(void)arg;
	assert_non_null(key->help);
	assert_true(strlen(key->name) < CONFIG_NAME_MAX);
	assert_false(key->required && key->initial);
	assert_true((key->type == SCHEMA_CHOICE) == (key->choices != NULL));
	assert_true((key->type == SCHEMA_OBJECT || key->type == SCHEMA_OBJECTS) ==
		    (key->members != NULL));
	if (key->type == SCHEMA_STRING)
		assert_true(key->noun && key->valid);
	if (key->type == SCHEMA_RATE || key->type == SCHEMA_TIME || key->type == SCHEMA_SIZE ||
	    key->type == SCHEMA_FRAMING || key->type == SCHEMA_SPAN || key->type == SCHEMA_PREFIX)
		assert_non_null(key->examples);
	if (key->type == SCHEMA_INTEGER || key->type == SCHEMA_INTEGERS || key->type == SCHEMA_BITS)
		assert_true(key->examples && key->quantity);
}

static void every_key_has_what_its_type_needs(void **state)
{
	(void)state;
	for_each_key(schema_file, check_key, NULL);
}

static int parse_text(const char *text, const struct schema_key *keys, void *out)
{
	struct config_document doc;
	struct config_error err;
	int rc = config_document_parse("t", text, strlen(text), &doc, &err);

	assert_int_equal(rc, 0);
	rc = config_parse_keys(&doc, "", keys, doc.root, out, &err);
	if (rc)
		print_error("%s\n", err.text);
	config_document_close(&doc);
	return rc;
}

/** The examples of @key, one by one, as values of it. */
static void check_examples(const struct schema_key *key, void *arg)
{
	struct schema_key alone[2] = {*key, {0}};
	char text[SCHEMA_TEXT_MAX];
	struct gateau_config *cfg = arg;
	json_t *examples, *value;
	size_t i;

	if (!key->examples)
		return;
	snprintf(text, sizeof(text), "[%s]", key->examples);
	examples = json_loads(text, 0, NULL);
	assert_non_null(examples);
	json_array_foreach (examples, i, value) {
		char *one = json_dumps(value, JSON_ENCODE_ANY);

		snprintf(text, sizeof(text), "{\"%s\": %s}", key->name, one);
		free(one);
		assert_int_equal(parse_text(text, alone, cfg), 0);
	}
	json_decref(examples);
}

static void every_example_in_messages_is_itself_valid(void **state)
{
	/* larger than any structure the keys' offsets count from */
	struct gateau_config *cfg = calloc(1, sizeof(*cfg));

	(void)state;
	assert_non_null(cfg);
	for_each_key(schema_file, check_examples, cfg);
	free(cfg);
}

/* memset(): padding is compared, too. */
static void an_empty_scheduler_is_the_scheduler_s_own_default(void **state)
{
	struct config_scheduler from_table, expected;

	(void)state;
	memset(&expected, 0, sizeof(expected));
	config_scheduler_default(&expected);
	/* values that the table must overwrite with its defaults, all of them but mpu and atm */
	memset(&from_table, 0, sizeof(from_table));
	config_scheduler_default(&from_table);
	from_table.cake.bandwidth_bps = from_table.cake.rtt_ns = from_table.cake.memlimit = 1;
	from_table.cake.diffserv = CAKE_DIFFSERV8;
	from_table.cake.flowmode = CAKE_HOSTS;
	from_table.cake.profile = CAKE_PROFILE_LINUX;
	from_table.cake.fwmark = from_table.cake.flows = 1;
	from_table.cake.wash = from_table.cake.ingress = true;
	from_table.cake.split_gso = false;
	assert_int_equal(parse_text("{}", schema_scheduler, &from_table), 0);
	assert_memory_equal(&from_table, &expected, sizeof(expected));
}

static void ranges_are_those_of_the_scheduler_s_header(void **state)
{
	char buf[SCHEMA_TEXT_MAX];
	static const struct {
		const char *key, *accepts;
	} samples[] = {
		{"bandwidth", "512bit..400gbit, \"unlimited\""},
		{"overhead",
		 "-64..256, \"raw\", \"conservative\", \"ipoa-vcmux\", \"ipoa-llcsnap\", "
		 "\"bridged-vcmux\", \"bridged-llcsnap\", \"pppoa-vcmux\", \"pppoa-llc\", "
		 "\"pppoe-vcmux\", \"pppoe-llcsnap\", \"pppoe-ptm\", \"bridged-ptm\", \"docsis\", "
		 "\"ethernet\", \"ether-vlan\""},
		{"mpu", "0..256"},
		{"flows", "8..131072, a power of 2"},
		{"rtt",
		 "1us..1000s, \"datacentre\", \"lan\", \"metro\", \"regional\", \"internet\", "
		 "\"oceanic\", \"satellite\", \"interplanetary\""},
		{"memlimit", "1b..16gb, 0"},
		{"ack-filter", "\"off\", \"on\", \"aggressive\""},
		{"nat", "false"},
		{"wash", "true, false"},
		{"atm", "\"noatm\", \"atm\", \"ptm\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		assert_string_equal(
			schema_accepts_text(schema_find(schema_scheduler, samples[i].key), buf,
					    sizeof(buf)),
			samples[i].accepts);
	assert_null(schema_find(schema_scheduler, "target"));
}

static void words_are_found_by_their_value(void **state)
{
	const struct schema_key *flowmode = schema_find(schema_scheduler, "flowmode");

	(void)state;
	assert_string_equal(schema_word(flowmode, CAKE_TRIPLE_ISOLATE), "triple-isolate");
	assert_string_equal(schema_word(flowmode, CAKE_FLOWBLIND), "flowblind");
	assert_null(schema_word(flowmode, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_has_what_its_type_needs),
		cmocka_unit_test(every_example_in_messages_is_itself_valid),
		cmocka_unit_test(an_empty_scheduler_is_the_scheduler_s_own_default),
		cmocka_unit_test(ranges_are_those_of_the_scheduler_s_header),
		cmocka_unit_test(words_are_found_by_their_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

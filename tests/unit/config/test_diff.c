/* SPDX-License-Identifier: BSD-3-Clause */
/* config/diff: what differs between two files, and what it takes to get there. */
#include "config/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quoted.h"

#define LAN   "{`name`: `lan`, `device`: `net_a`}"
#define WAN   "{`name`: `wan`, `device`: `net_b`, `scheduler`: {`bandwidth`: `100mbit`}}"
#define LINKS "`links`: [{`from`: `lan`, `to`: `wan`}, {`from`: `wan`, `to`: `lan`}]"

static const char base[] = "{`ports`: [" LAN ", " WAN "], " LINKS "}";

static struct gateau_config *parse(const char *s)
{
	char *text = quoted(s);
	struct gateau_config *cfg = NULL;
	struct config_error err = {""};

	config_parse("f", text, strlen(text), &cfg, &err);
	assert_string_equal(err.text, "");
	free(text);
	return cfg;
}

static json_t *diff_of(const char *from, const char *to)
{
	struct gateau_config *a = parse(from), *b = parse(to);
	json_t *diff;

	config_align(b, a);
	diff = config_diff(a, b);
	config_free(a);
	config_free(b);
	return diff;
}

/** @expected is the whole list as JSON. */
static void assert_diff(const char *from, const char *to, const char *expected,
			enum schema_apply takes)
{
	char *text = quoted(expected);
	json_t *diff = diff_of(from, to), *wanted = json_loads(text, 0, NULL);
	char *shown = json_dumps(diff, 0);

	assert_non_null(wanted);
	if (!json_equal(diff, wanted))
		assert_string_equal(shown, text);
	assert_int_equal(config_diff_takes(diff), takes);
	free(shown);
	free(text);
	json_decref(wanted);
	json_decref(diff);
}

static void what_is_said_otherwise_or_in_another_order_is_the_same(void **state)
{
	(void)state;
	assert_diff(base, base, "[]", SCHEMA_LIVE);
	assert_diff(base,
		    "{`links`: [{`from`: `wan`, `to`: `lan`}, {`from`: `lan`, `to`: `wan`}],"
		    "`drain`: `1000ms`, `ports`: ["
		    "{`name`: `wan`, `device`: `net_b`, `scheduler`: {`bandwidth`: `0.1gbit`,"
		    "`rtt`: `100ms`, `overhead`: `raw`}}, " LAN "]}",
		    "[]", SCHEMA_LIVE);
}

static void a_key_is_named_with_its_port_both_values_and_its_way(void **state)
{
	(void)state;
	assert_diff(base,
		    "{`ports`: [" LAN ", {`name`: `wan`, `device`: `net_b`, `scheduler`: {"
		    "`bandwidth`: `1gbit`, `diffserv`: `besteffort`}}], " LINKS "}",
		    "[{`port`: `wan`, `key`: `bandwidth`, `old`: `100mbit`, `new`: `1gbit`,"
		    "`apply`: `live`}, {`port`: `wan`, `key`: `diffserv`, `old`: `diffserv3`,"
		    "`new`: `besteffort`, `apply`: `re-queue`}]",
		    SCHEMA_REQUEUE);
	assert_diff(base, "{`ports`: [" LAN ", " WAN "], `drain`: `2s`, " LINKS "}",
		    "[{`key`: `drain`, `old`: `1s`, `new`: `2s`, `apply`: `live`}]", SCHEMA_LIVE);
}

static void words_of_overhead_differ_in_what_they_say(void **state)
{
	(void)state;
	assert_diff(base,
		    "{`ports`: [" LAN ", {`name`: `wan`, `device`: `net_b`, `scheduler`: {"
		    "`bandwidth`: `100mbit`, `overhead`: `docsis`}}], " LINKS "}",
		    "[{`port`: `wan`, `key`: `overhead`, `old`: `raw`, `new`: 18, `apply`: `live`},"
		    "{`port`: `wan`, `key`: `mpu`, `old`: 0, `new`: 64, `apply`: `live`}]",
		    SCHEMA_LIVE);
}

static void what_one_side_does_not_say_is_null(void **state)
{
	(void)state;
	assert_diff(base,
		    "{`ports`: [{`name`: `lan`, `device`: `net_a`, `descriptors`: 512,"
		    "`scheduler`: {`rules`: [{`dscp`: `ef`, `tin`: 1}]}}, " WAN "], " LINKS "}",
		    "[{`port`: `lan`, `key`: `descriptors`, `old`: null, `new`: 512,"
		    "`apply`: `reopen`}, {`port`: `lan`, `key`: `rules`, `old`: null,"
		    "`new`: [{`dscp`: `ef`, `tin`: 1}], `apply`: `live`}]",
		    SCHEMA_REOPEN);
}

static void what_is_the_process_s_takes_a_restart(void **state)
{
	(void)state;
	assert_diff(base, "{`eal`: {`prefix`: `b`}, `ports`: [" LAN ", " WAN "], " LINKS "}",
		    "[{`key`: `eal.prefix`, `old`: `gateau`, `new`: `b`, `apply`: `restart`}]",
		    SCHEMA_RESTART);
	assert_diff(base,
		    "{`ports`: [" LAN ", {`name`: `dmz`, `device`: `net_c`}],"
		    "`links`: [{`from`: `lan`, `to`: `dmz`}]}",
		    "[{`key`: `ports`, `old`: `wan`, `new`: null, `apply`: `restart`},"
		    "{`key`: `ports`, `old`: null, `new`: `dmz`, `apply`: `restart`},"
		    "{`key`: `links`, `old`: [{`from`: `lan`, `to`: `wan`},"
		    "{`from`: `wan`, `to`: `lan`}], `new`: [{`from`: `lan`, `to`: `dmz`}],"
		    "`apply`: `restart`}]",
		    SCHEMA_RESTART);
}

/* What is below an array is the array's to say. */
static void every_key_says_how_it_is_applied(void **state)
{
	const struct schema_key *port = schema_find(schema_file, "ports")->members;

	(void)state;
	for (const struct schema_key *k = schema_scheduler; k->name; k++)
		assert_in_range(k->apply, SCHEMA_LIVE, SCHEMA_REQUEUE);
	assert_int_equal(schema_find(port, "name")->apply, SCHEMA_RESTART);
	assert_int_equal(schema_find(port, "mtu")->apply, SCHEMA_REOPEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_otherwise_or_in_another_order_is_the_same),
		cmocka_unit_test(a_key_is_named_with_its_port_both_values_and_its_way),
		cmocka_unit_test(words_of_overhead_differ_in_what_they_say),
		cmocka_unit_test(what_one_side_does_not_say_is_null),
		cmocka_unit_test(what_is_the_process_s_takes_a_restart),
		cmocka_unit_test(every_key_says_how_it_is_applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

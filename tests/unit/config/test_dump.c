/* SPDX-License-Identifier: BSD-3-Clause */
/* config/dump: what is dumped is complete, and is the configuration again when it is parsed. */
#include "config/dump.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quoted.h"

#define LINKS "`links`: [{`from`: `lan`, `to`: `wan`}, {`from`: `wan`, `to`: `lan`}]"

/* Every key, with a value that is not its default. */
static const char full[] =
	"{`eal`: {`lcores`: [3, 1, 7], `hugepages`: false, `memory`: `2gb`, `prefix`: `lab.1`},"
	"`ports`: [{`name`: `lan`, `device`: `net_af_packet0,iface=veth-lan`, `rx_queues`: 2,"
	"`tx_queues`: 3, `share`: `equal`, `steer`: `dst-host`, `descriptors`: 1024, `mtu`: 9000,"
	"`rx_lcores`: [7, 3], `tx_lcores`: [1, 3, 1],"
	"`scheduler`: {`bandwidth`: `1.5gbit`, `diffserv`: `diffserv4`, `flowmode`: `hosts`,"
	"`rtt`: `50ms`, `overhead`: -4, `mpu`: 84, `atm`: `ptm`, `wash`: true, `ingress`: true,"
	"`split_gso`: false, `memlimit`: `32mb`, `flows`: 2048, `fwmark`: `0xf0`, `rules`: ["
	"{`vlan`: 0, `pcp`: 5, `src`: `10.0.0.0/8`, `dst`: `192.0.2.1/32`, `protocol`: `udp`,"
	"`sport`: 53, `dport`: `1024-2048`, `dscp`: `ef`, `mark`: `0x10`},"
	"{`src`: `2001:db8::/32`, `protocol`: 200, `tin`: `Voice`}, {`dscp`: 3, `mark`: 0},"
	"{`dscp`: `cs1`, `tin`: 2}], `profile`: `gateau`, `catch-up`: `2ms`, `ack-filter`: `aggressive`,"
	"`autorate-ingress`: false, `nat`: false}},"
	"{`name`: `wan`, `device`: `net_pcap0`, `scheduler`: {`profile`: `linux`,"
	"`bandwidth`: `100mbit`, `autorate-ingress`: true, `overhead`: `raw 12`}}]," LINKS
	",`drain`: `2.5s`}";

static const char minimal[] = "{`ports`: [{`name`: `lan`, `device`: `net_a`},"
			      "{`name`: `wan`, `device`: `net_b`}]," LINKS "}";

static struct gateau_config *parse(const char *text)
{
	struct gateau_config *cfg = NULL;
	struct config_error err = {""};
	int rc = config_parse("f", text, strlen(text), &cfg, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	return cfg;
}

static struct gateau_config *parse_quoted(const char *s)
{
	char *text = quoted(s);
	struct gateau_config *cfg = parse(text);

	free(text);
	return cfg;
}

static struct gateau_config *parse_json(json_t *json)
{
	char *text = json_dumps(json, 0);
	struct gateau_config *cfg = parse(text);

	free(text);
	return cfg;
}

static void assert_comes_back(struct gateau_config *cfg)
{
	json_t *dumped = config_dump(cfg);
	struct gateau_config *again = parse_json(dumped);

	/* Which way a port is steered is dumped, whoever said it. */
	for (unsigned i = 0; i < cfg->n_ports; i++)
		again->ports[i].steer_set = cfg->ports[i].steer_set;
	assert_memory_equal(cfg, again, offsetof(struct gateau_config, written));
	json_decref(dumped);
	config_free(cfg);
	config_free(again);
}

static void parsing_what_is_dumped_gives_the_configuration_back(void **state)
{
	(void)state;
	assert_comes_back(parse_quoted(full));
	assert_comes_back(parse_quoted(minimal));
}

/** The samples of config/, a null pointer behind them. */
static char **samples;

static void samples_come_back(void **state)
{
	struct gateau_config *cfg;
	struct config_error err;

	(void)state;
	assert_non_null(*samples);
	for (char **path = samples; *path; path++) {
		assert_int_equal(config_load(*path, &cfg, &err), 0);
		assert_comes_back(cfg);
	}
}

static const char *string_at(json_t *port, const char *key)
{
	return json_string_value(json_object_get(json_object_get(port, "scheduler"), key));
}

static void what_the_file_left_out_has_its_default(void **state)
{
	struct gateau_config *cfg = parse_quoted(minimal);
	json_t *dumped = config_dump(cfg);
	json_t *port = json_array_get(json_object_get(dumped, "ports"), 0);

	(void)state;
	assert_string_equal(string_at(port, "bandwidth"), "unlimited");
	assert_string_equal(string_at(port, "rtt"), "100ms");
	assert_string_equal(string_at(port, "overhead"), "raw");
	assert_string_equal(string_at(port, "atm"), "noatm");
	assert_int_equal(json_integer_value(json_object_get(port, "mtu")), 1500);
	/* Nothing could be said of these that means "not given". */
	assert_null(json_object_get(port, "descriptors"));
	assert_null(json_object_get(port, "rx_lcores"));
	assert_null(json_object_get(port, "steer"));
	json_decref(dumped);
	config_free(cfg);
}

static void what_follows_from_other_keys_is_dumped(void **state)
{
	struct gateau_config *cfg =
		parse_quoted("{`ports`: [{`name`: `lan`, `device`: `net_a`, `tx_queues`: 2,"
			     "`scheduler`: {`flowmode`: `dual-srchost`, `overhead`: `docsis`}},"
			     "{`name`: `wan`, `device`: `net_b`}]," LINKS "}");
	json_t *dumped = config_dump(cfg);
	json_t *port = json_array_get(json_object_get(dumped, "ports"), 0);
	json_t *scheduler = json_object_get(port, "scheduler");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(port, "steer")), "src-host");
	assert_int_equal(json_integer_value(json_object_get(scheduler, "overhead")), 18);
	assert_int_equal(json_integer_value(json_object_get(scheduler, "mpu")), 64);
	json_decref(dumped);
	config_free(cfg);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_what_is_dumped_gives_the_configuration_back),
		cmocka_unit_test(samples_come_back),
		cmocka_unit_test(what_the_file_left_out_has_its_default),
		cmocka_unit_test(what_follows_from_other_keys_is_dumped),
	};

	assert(argc > 0);
	samples = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

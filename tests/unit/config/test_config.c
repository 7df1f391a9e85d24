/* SPDX-License-Identifier: BSD-3-Clause */
/* config/config: what a valid file becomes, and the scheduler out of it. ` stands for ". */
#include "config/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/document.h"
#include "quoted.h"

#define LINKS "`links`: [{`from`: `lan`, `to`: `wan`}, {`from`: `wan`, `to`: `lan`}]"

static const char full[] =
	"{`eal`: {`lcores`: [3, 1, 7], `hugepages`: false, `memory`: `2gb`, `prefix`: `lab.1`},\n"
	"`ports`: [\n"
	"{`name`: `lan`, `device`: `net_af_packet0,iface=veth-lan`, `rx_queues`: 2,\n"
	"`tx_queues`: 3, `descriptors`: 1024, `mtu`: 9000, `rx_lcores`: [7, 3],\n"
	"`tx_lcores`: [1, 3, 1], `share`: `equal`, `steer`: `dst-host`,\n"
	"`scheduler`: {`bandwidth`: `1.5gbit`, `diffserv`: `diffserv8`, `flowmode`: `hosts`,\n"
	"`rtt`: `50ms`, `overhead`: -4, `mpu`: 84, `atm`: `ptm`, `wash`: true, `ingress`: true,\n"
	"`split_gso`: true, `memlimit`: `32mb`, `flows`: 2048, `fwmark`: `0xF0`, `profile`: `gateau`,\n"
	"`catch-up`: `2ms`, `ack-filter`: `off`, `autorate-ingress`: false, `nat`: false}},\n"
	"{`name`: `wan`, `device`: `net_pcap0`, `scheduler`: {`profile`: `linux`}}],\n" LINKS
	",\n`idle`: `spin`, `drain`: `2.5s`}\n";

static const char minimal[] = "{`ports`: [{`name`: `lan`, `device`: `net_a`},"
			      "{`name`: `wan`, `device`: `net_b`}]," LINKS "}";

static struct gateau_config *parse(const char *s)
{
	char *text = quoted(s);
	struct gateau_config *cfg = NULL;
	struct config_error err = {""};
	int rc = config_parse("f", text, strlen(text), &cfg, &err);

	free(text);
	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	return cfg;
}

/** Write @s to a new file. Its name is in @path, which ends in XXXXXX. */
static void write_file(char *path, const char *s)
{
	char *text = quoted(s);
	FILE *f = fdopen(mkstemp(path), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(text);
}

static void every_key_reaches_its_field(void **state)
{
	struct gateau_config *cfg = parse(full);
	const struct config_port *lan = &cfg->ports[0];
	const struct cake_params *s = &lan->scheduler.cake;

	(void)state;
	assert_int_equal(cfg->eal.n_lcores, 3);
	assert_int_equal(cfg->eal.lcores[0], 3);
	assert_int_equal(cfg->eal.lcores[2], 7);
	assert_false(cfg->eal.hugepages);
	assert_int_equal(cfg->eal.memory_mb, 2048);
	assert_string_equal(cfg->eal.prefix, "lab.1");
	assert_int_equal(cfg->idle, CONFIG_IDLE_SPIN);
	assert_int_equal(cfg->drain_ns, 2500000000);

	assert_int_equal(cfg->n_ports, 2);
	assert_string_equal(lan->name, "lan");
	assert_string_equal(lan->device, "net_af_packet0,iface=veth-lan");
	assert_int_equal(lan->rx_queues, 2);
	assert_int_equal(lan->tx_queues, 3);
	assert_int_equal(lan->rx_descriptors, 1024);
	assert_int_equal(lan->tx_descriptors, 1024);
	assert_int_equal(lan->mtu, 9000);
	assert_int_equal(lan->n_rx_lcores, 2);
	assert_int_equal(lan->rx_lcores[0], 7);
	assert_int_equal(lan->rx_lcores[1], 3);
	assert_int_equal(lan->n_tx_lcores, 3);
	assert_int_equal(lan->tx_lcores[0], 1);
	assert_int_equal(lan->tx_lcores[1], 3);
	assert_int_equal(lan->share, SHARE_EQUAL);
	assert_int_equal(lan->steer, STEER_DST_HOST);

	assert_int_equal(s->bandwidth_bps, 1500000000);
	assert_int_equal(s->diffserv, CAKE_DIFFSERV8);
	assert_int_equal(s->flowmode, CAKE_HOSTS);
	assert_int_equal(s->rtt_ns, 50000000);
	assert_true(s->overhead_set);
	assert_int_equal(s->overhead, -4);
	assert_int_equal(s->mpu, 84);
	assert_int_equal(s->atm, CAKE_PTM);
	assert_true(s->wash);
	assert_true(s->ingress);
	assert_true(s->split_gso);
	assert_int_equal(s->memlimit, 32 << 20);
	assert_int_equal(s->flows, 2048);
	assert_int_equal(s->fwmark, 0xf0);
	assert_int_equal(s->profile, CAKE_PROFILE_GATEAU);
	assert_int_equal(s->catch_up_ns, 2000000);
	assert_int_equal(s->max_frame, 9000 + 14);
	assert_int_equal(cfg->ports[1].scheduler.cake.profile, CAKE_PROFILE_LINUX);

	assert_int_equal(cfg->n_links, 2);
	assert_int_equal(cfg->links[0].from, 0);
	assert_int_equal(cfg->links[0].to, 1);
	assert_int_equal(cfg->links[1].from, 1);
	assert_int_equal(cfg->links[1].to, 0);
	config_free(cfg);
}

static void keys_left_out_have_their_defaults(void **state)
{
	struct gateau_config *cfg = parse(minimal);
	const struct config_port *lan = &cfg->ports[0];
	struct cake_params expected;

	(void)state;
	assert_int_equal(cfg->eal.n_lcores, 0);
	assert_true(cfg->eal.hugepages);
	assert_int_equal(cfg->eal.memory_mb, 0);
	assert_string_equal(cfg->eal.prefix, "gateau");
	assert_int_equal(cfg->idle, CONFIG_IDLE_ADAPTIVE);
	assert_int_equal(cfg->drain_ns, 1000000000);
	assert_int_equal(lan->rx_queues, 1);
	assert_int_equal(lan->tx_queues, 1);
	assert_int_equal(lan->rx_descriptors, 0);
	assert_int_equal(lan->tx_descriptors, 0);
	assert_int_equal(lan->mtu, 1500);
	assert_int_equal(lan->n_rx_lcores, 0);
	assert_int_equal(lan->n_tx_lcores, 0);
	assert_int_equal(lan->share, SHARE_DEMAND);

	memset(&expected, 0, sizeof(expected)); /* padding, too: calloc() zeroed the other */
	cake_params_default(&expected);
	assert_int_equal(expected.max_frame, CAKE_MAX_FRAME_DEFAULT);
	assert_memory_equal(&lan->scheduler.cake, &expected, sizeof(expected));
	config_free(cfg);
}

/* Both ends of every range, and each spelling that differs from the rest. */
static void limits_of_ranges_are_accepted(void **state)
{
	static const char *const accepted[] = {
		"`bandwidth`: `512bit`",
		"`bandwidth`: `400gbit`",
		"`bandwidth`: `unlimited`",
		"`bandwidth`: `10gibit`",
		"`rtt`: `1us`",
		"`rtt`: `1000s`",
		"`rtt`: `interplanetary`",
		"`overhead`: -64",
		"`overhead`: 256",
		"`mpu`: 0",
		"`mpu`: 256",
		"`memlimit`: 0",
		"`memlimit`: 4096",
		"`memlimit`: `4gb`",
		"`memlimit`: `0`",
		"`flows`: 8",
		"`flows`: 32768",
		"`catch-up`: `1us`",
		"`catch-up`: `10s`",
		"`profile`: `linux`",
		"`atm`: `noatm`",
	};
	char file[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		snprintf(
			file, sizeof(file),
			"{`ports`: [{`name`: `lan`, `device`: `net_a`, `scheduler`: {%s}},"
			"{`name`: `wan`, `device`: `net_b`, `mtu`: 9710, `descriptors`: 32768}]," LINKS
			", `drain`: `60s`}",
			accepted[i]);
		config_free(parse(file));
	}
}

/* Two ports' links: only what the words say differs. */
static void check_link_words(const char *keys, bool set, int overhead, unsigned mpu,
			     enum cake_atm atm)
{
	char file[512];
	struct gateau_config *cfg;
	const struct cake_params *s;

	snprintf(file, sizeof(file),
		 "{`ports`: [{`name`: `lan`, `device`: `net_a`, `scheduler`: {%s}},"
		 "{`name`: `wan`, `device`: `net_b`}]," LINKS "}",
		 keys);
	cfg = parse(file);
	s = &cfg->ports[0].scheduler.cake;
	assert_int_equal(s->overhead_set, set);
	assert_int_equal(s->overhead, overhead);
	assert_int_equal(s->mpu, mpu);
	assert_int_equal(s->atm, atm);
	config_free(cfg);
}

/*
 * As in tc, where the later word wins: "pppoe-ptm noatm". In JSON the order of keys says nothing.
 */
static void keys_of_their_own_win_over_the_words_of_overhead(void **state)
{
	(void)state;
	check_link_words("`overhead`: `pppoe-ptm ether-vlan`", true, 34, 0, CAKE_PTM);
	check_link_words("`overhead`: `pppoe-ptm`, `atm`: `noatm`", true, 30, 0, CAKE_NOATM);
	check_link_words("`atm`: `noatm`, `overhead`: `pppoe-ptm`", true, 30, 0, CAKE_NOATM);
	check_link_words("`overhead`: `ethernet`", true, 38, 84, CAKE_NOATM);
	check_link_words("`overhead`: `ethernet`, `mpu`: 0", true, 38, 0, CAKE_NOATM);
	check_link_words("`mpu`: 64, `overhead`: `ethernet`", true, 38, 64, CAKE_NOATM);
	check_link_words("`overhead`: `raw ether-vlan`, `atm`: `atm`", false, 4, 0, CAKE_ATM);
	check_link_words("`overhead`: `raw`", false, 0, 0, CAKE_NOATM);
	check_link_words("`overhead`: 0", true, 0, 0, CAKE_NOATM);
	check_link_words("`mpu`: 64", false, 0, 64, CAKE_NOATM);
}

/* TCA_CAKE_RTT as tc (iproute2 6.1) sends it for each word, microseconds. */
static void presets_of_rtt_are_tc_s(void **state)
{
	static const struct {
		const char *word;
		uint64_t us;
	} samples[] = {
		{"datacentre", 100},    {"lan", 1000},
		{"metro", 10000},       {"regional", 30000},
		{"internet", 100000},   {"oceanic", 300000},
		{"satellite", 1000000}, {"interplanetary", 1000000000},
	};
	char file[512];

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct gateau_config *cfg;

		snprintf(
			file, sizeof(file),
			"{`ports`: [{`name`: `lan`, `device`: `net_a`, `scheduler`: {`rtt`: `%s`}},"
			"{`name`: `wan`, `device`: `net_b`}]," LINKS "}",
			samples[i].word);
		cfg = parse(file);
		assert_int_equal(cfg->ports[0].scheduler.cake.rtt_ns, samples[i].us * 1000);
		config_free(cfg);
	}
}

static void links_may_go_one_way_and_may_share_a_target(void **state)
{
	struct gateau_config *cfg =
		parse("{`ports`: [{`name`: `a`, `device`: `net_a`}, {`name`: `b`, `device`: "
		      "`net_b`}, {`name`: `c`, `device`: `net_c`}], `links`: [{`from`: `a`, "
		      "`to`: `c`}, {`from`: `b`, `to`: `c`}]}");

	(void)state;
	assert_int_equal(cfg->n_links, 2);
	assert_int_equal(cfg->links[1].from, 1);
	assert_int_equal(cfg->links[1].to, 2);
	config_free(cfg);
}

static void any_cpu_may_be_named_where_the_workers_are_not(void **state)
{
	struct gateau_config *cfg = parse(
		"{`ports`: [{`name`: `lan`, `device`: `net_a`, `rx_lcores`: [0], `tx_lcores`: "
		"[1023]}, {`name`: `wan`, `device`: `net_b`}]," LINKS "}");

	(void)state;
	assert_int_equal(cfg->ports[0].rx_lcores[0], 0);
	assert_int_equal(cfg->ports[0].tx_lcores[0], 1023);
	config_free(cfg);
}

/** The file @minimal with @keys in the port "wan". */
static struct gateau_config *parse_wan(const char *keys)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "{`ports`: [{`name`: `lan`, `device`: `net_a`},"
		 "{`name`: `wan`, `device`: `net_b`, %s}]," LINKS "}",
		 keys);
	return parse(text);
}

static void steering_follows_the_host_that_the_mode_isolates(void **state)
{
	static const struct {
		const char *mode;
		enum steer steer;
	} natural[] = {
		{"flowblind", STEER_FLOW},        {"flows", STEER_FLOW},
		{"srchost", STEER_SRC_HOST},      {"dsthost", STEER_DST_HOST},
		{"dual-srchost", STEER_SRC_HOST}, {"dual-dsthost", STEER_DST_HOST},
	};
	char keys[128];

	(void)state;
	for (unsigned i = 0; i < sizeof(natural) / sizeof(*natural); i++) {
		struct gateau_config *cfg;

		snprintf(keys, sizeof(keys), "`tx_queues`: 8, `scheduler`: {`flowmode`: `%s`}",
			 natural[i].mode);
		cfg = parse_wan(keys);
		assert_int_equal(cfg->ports[1].steer, natural[i].steer);
		config_free(cfg);
	}
}

static void steering_is_what_the_file_says(void **state)
{
	struct gateau_config *cfg = parse_wan("`tx_queues`: 8, `steer`: `dst-host`, "
					      "`scheduler`: {`flowmode`: `dual-srchost`}");

	(void)state;
	assert_int_equal(cfg->ports[1].steer, STEER_DST_HOST);
	config_free(cfg);
	cfg = parse_wan("`tx_queues`: 64, `steer`: `flow`");
	assert_int_equal(cfg->ports[1].steer, STEER_FLOW);
	config_free(cfg);
}

/* There is nothing to choose: neither has to be said, and either may be. */
static void one_queue_needs_no_steering(void **state)
{
	struct gateau_config *cfg = parse_wan("`tx_queues`: 1");

	(void)state;
	assert_int_equal(cfg->ports[1].scheduler.cake.flowmode, CAKE_TRIPLE_ISOLATE);
	config_free(cfg);
	config_free(parse_wan("`share`: `equal`, `steer`: `src-host`"));
	config_free(parse_wan("`scheduler`: {`autorate-ingress`: true}"));
}

/* Golden cases use these; their scheduler is no port's. */
static void a_scheduler_alone_may_have_what_only_captures_have(void **state)
{
	static const char text[] = "{\n`scheduler`: {`bandwidth`: `10000000bit`, `rtt`: `10000us`, "
				   "`split_gso`: false, `fwmark`: 240, `ack-filter`: `off`, "
				   "`autorate-ingress`: false, `memlimit`: 65536}}";
	char *json = quoted(text);
	struct config_document doc;
	struct config_error err;
	struct config_scheduler s;

	(void)state;
	assert_int_equal(config_document_parse("case", json, strlen(json), &doc, &err), 0);
	assert_int_equal(config_parse_scheduler(&doc, "scheduler",
						json_object_get(doc.root, "scheduler"), &s, &err),
			 0);
	assert_int_equal(s.cake.bandwidth_bps, 10000000);
	assert_int_equal(s.cake.rtt_ns, 10000000);
	assert_false(s.cake.split_gso);
	assert_int_equal(s.cake.fwmark, 240);
	assert_int_equal(s.cake.memlimit, 65536);
	assert_false(s.cake.overhead_set);

	assert_int_equal(config_parse_scheduler(&doc, "replay", NULL, &s, &err), -EINVAL);
	assert_string_equal(err.text, "case:1: replay: missing; it must be an object");
	config_document_close(&doc);
	free(json);
}

struct load_sample {
	const char *file;
	const char *port;
	const char *message; /* behind the file's name; NULL = accepted */
	uint64_t bandwidth_bps;
	unsigned tx_queues;
};

static void check_load(const struct load_sample *s)
{
	char path[] = "test_config.XXXXXX";
	struct config_port port;
	struct config_error err = {""};
	int rc;

	write_file(path, s->file);
	rc = config_load_port(path, s->port, &port, &err);
	unlink(path);
	assert_int_equal(rc, s->message ? -EINVAL : 0);
	if (s->message) {
		char *message = quoted(s->message);

		assert_string_equal(err.text + strlen(path), message);
		free(message);
	} else {
		assert_int_equal(port.scheduler.cake.bandwidth_bps, s->bandwidth_bps);
		assert_int_equal(port.tx_queues, s->tx_queues);
	}
}

static void a_port_is_loaded_and_a_scheduler_from_a_file_of_its_own(void **state)
{
	static const struct load_sample samples[] = {
		{full, "lan", NULL, 1500000000, 3},
		{full, "wan", NULL, 0, 1},
		{full, NULL, ":2: ports: name one of: lan, wan", 0, 0},
		{full, "dmz", ":2: ports: no port `dmz`; there are: lan, wan", 0, 0},
		{"{`scheduler`: {`bandwidth`: `1mbit`}}", NULL, NULL, 1000000, 1},
		{"{`scheduler`: {}}", "lan",
		 ":1: scheduler: the file has no ports, so there is no `lan`; leave the port out",
		 0, 0},
		{"{`scheduler`: {}, `ports`: []}", NULL,
		 ":1: ports: unknown key; accepted: scheduler", 0, 0},
		{"{`scheduler`: {`rtt`: `1`}}", NULL,
		 ":1: scheduler.rtt: `1`: a number without a unit, not a time; examples: `100ms`, "
		 "`5us`, `lan`",
		 0, 0},
		{"{`scheduler`: {`catch-up`: `1ms`,\n`profile`: `linux`}}", NULL,
		 ":1: scheduler.catch-up: the linux profile makes up for all time missed; leave it "
		 "out, or use `profile`: `gateau`",
		 0, 0},
		{"{}", NULL,
		 ":1: ports: missing; it must be an array of objects; accepted: 1..32 objects", 0,
		 0},
		{"[]", "lan", ":1: an array, not an object", 0, 0},
		{"{", NULL, ":1:1: string or '}' expected near end of file", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check_load(&samples[i]);
}

static void files_load_and_faults_of_reading_come_back(void **state)
{
	char path[] = "test_config.XXXXXX";
	struct gateau_config *cfg;
	struct config_error err;
	struct config_port port;

	(void)state;
	write_file(path, minimal);
	assert_int_equal(config_load(path, &cfg, &err), 0);
	unlink(path);
	assert_string_equal(cfg->ports[1].name, "wan");
	config_free(cfg);
	assert_int_equal(config_load(path, &cfg, &err), -ENOENT);
	assert_int_equal(config_load_port(path, NULL, &port, &err), -ENOENT);
}

/* jansson's allocations: the one after `allocations_left` more fails, as do all that follow. */
static unsigned allocations_left;

static void *scarce_malloc(size_t size)
{
	if (!allocations_left)
		return NULL;
	allocations_left--;
	return malloc(size);
}

/**
 * Parse with ever more memory until the file is accepted. Returns how often it was not. jansson
 * calls some failures of memory a fault of the text, so either is right; what counts is that each
 * is an error with a message.
 */
static unsigned parse_with_scarce_memory(const char *s)
{
	char *text = quoted(s);
	struct gateau_config *cfg = NULL;
	unsigned failures;
	int rc = -ENOMEM;

	for (failures = 0; rc; failures++) {
		struct config_error err = {""};

		allocations_left = failures;
		json_set_alloc_funcs(scarce_malloc, free);
		rc = config_parse("f", text, strlen(text), &cfg, &err);
		json_set_alloc_funcs(malloc, free);
		assert_true(rc == 0 || rc == -ENOMEM || rc == -EINVAL);
		assert_true(rc == 0 || !strncmp(err.text, "f:", 2));
	}
	config_free(cfg);
	free(text);
	return failures;
}

/* Run with AddressSanitizer, this also finds what a failure leaves behind. */
static void lack_of_memory_is_an_error_at_every_step(void **state)
{
	(void)state;
	assert_true(parse_with_scarce_memory(full) > 100); /* some 50 keys, each with a value */
	assert_true(parse_with_scarce_memory(minimal) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_reaches_its_field),
		cmocka_unit_test(keys_left_out_have_their_defaults),
		cmocka_unit_test(limits_of_ranges_are_accepted),
		cmocka_unit_test(keys_of_their_own_win_over_the_words_of_overhead),
		cmocka_unit_test(presets_of_rtt_are_tc_s),
		cmocka_unit_test(links_may_go_one_way_and_may_share_a_target),
		cmocka_unit_test(any_cpu_may_be_named_where_the_workers_are_not),
		cmocka_unit_test(steering_follows_the_host_that_the_mode_isolates),
		cmocka_unit_test(steering_is_what_the_file_says),
		cmocka_unit_test(one_queue_needs_no_steering),
		cmocka_unit_test(a_scheduler_alone_may_have_what_only_captures_have),
		cmocka_unit_test(a_port_is_loaded_and_a_scheduler_from_a_file_of_its_own),
		cmocka_unit_test(files_load_and_faults_of_reading_come_back),
		cmocka_unit_test(lack_of_memory_is_an_error_at_every_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

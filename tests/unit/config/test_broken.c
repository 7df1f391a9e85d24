/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broken configuration files, one fault each, and the exact message a person gets.
 *
 * ` stands for a double quote in texts and messages. The files differ from this one, whose lines
 * the messages count:
 */
#include "config/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "quoted.h"

#define FILE_WITH(top, eal, lan, scheduler, links)                      \
	"{`drain`: `1s`" top ", `eal`: {`lcores`: [1, 2]" eal "},\n"    \
	"`ports`: [{`name`: `lan`, `device`: `0000:3b:00.0`" lan "},\n" \
	"{`name`: `wan`, `device`: `net_null0`, `scheduler`: {\n"       \
	"`diffserv`: `diffserv4`" scheduler "}}],\n"                    \
	"`links`: [" links "]}\n"
#define BOTH_WAYS "{`from`: `lan`, `to`: `wan`}, {`from`: `wan`, `to`: `lan`}"

#define TOP(text)       FILE_WITH(", " text, "", "", "", BOTH_WAYS)
#define EAL(text)       FILE_WITH("", ", " text, "", "", BOTH_WAYS)
#define LAN(text)       FILE_WITH("", "", ", " text, "", BOTH_WAYS)
#define SCHEDULER(text) FILE_WITH("", "", "", ",\n" text, BOTH_WAYS)
#define LINKS(text)     FILE_WITH("", "", "", "", text)

/* A file with just these ports, the links being BOTH_WAYS. */
#define PORTS(text) "{`ports`: [" text "],\n`links`: [" BOTH_WAYS "]}"

/* A file whose other port is on this device. */
#define DEVICE(text) \
	PORTS("{`name`: `lan`, `device`: `" text "`},\n{`name`: `wan`, `device`: `net_b`}")
#define DEVICE_FAULT(text)                                                                    \
	"f:1: ports[0].device: `" text "`: not a PCI address or net_ device with ,key=value " \
	"arguments; examples: `0000:3b:00.0`, `net_af_packet0,iface=eth1`"

#define TIMES "; examples: `100ms`, `5us`"
#define RATES "; examples: `950mbit`, `1.5gbit`, `unlimited`"
#define SCHEDULER_KEYS                                                                      \
	"accepted: bandwidth, diffserv, flowmode, rtt, overhead, mpu, atm, wash, ingress, " \
	"split_gso, memlimit, flows, fwmark, profile, catch-up, ack-filter, autorate-ingress, nat"
#define NAME_RULE "a name of 1..31 of A-Z a-z 0-9 _ . -, the first a letter or digit"

#define DRAIN(text)                                                                          \
	"{`drain`: " text ", `ports`: [{`name`: `lan`, `device`: `net_a`}, {`name`: `wan`, " \
	"`device`: `net_b`}], `links`: [" BOTH_WAYS "]}"

struct broken {
	const char *text;
	const char *message;
};

/* What jansson finds, with the position at which it had read the faulty token. */
static const struct broken syntax[] = {
	{"", "f:1:0: '[' or '{' expected near end of file"},
	{"hello", "f:1:5: '[' or '{' expected near 'hello'"},
	{"{`ports`: [}", "f:1:12: unexpected token near '}'"},
	{"{`ports`: []\n  `links`: []}", "f:2:9: '}' expected near '`links`'"},
	{"{`drain`: 1s}", "f:1:12: '}' expected near 's'"},
	{"{`drain`: `1s`,\n`drain`: `2s`}", "f:2:7: duplicate object key near '`drain`'"},
	{"{`drain`: `1s`} trailing", "f:1:24: end of file expected near 'trailing'"},
	{"{`drain`: `1\ns`}", "f:1:12: unexpected newline near '`1'"},
	{"{`mtu`: 99999999999999999999}", "f:1:28: too big integer near '99999999999999999999'"},
};

static const struct broken structure[] = {
	{"[]", "f:1: an array, not an object"},
	{"{}", "f:1: ports: missing; it must be an array of objects; accepted: 1..32 objects"},
	{"{`ports`: []}", "f:1: ports: 0 entries; accepted: 1..32 objects"},
	{"{`ports`: {}}",
	 "f:1: ports: an object, not an array of objects; accepted: 1..32 objects"},
	{"{`ports`: [5]}", "f:1: ports[0]: 5: an integer, not an object"},
	{"{\n\n`ports`: [\n[]]}", "f:4: ports[0]: an array, not an object"},
	{"{`ports`: [{`device`: `net_a`}]}",
	 "f:1: ports[0].name: missing; it must be " NAME_RULE "; examples: `lan`, `wan-1`"},
	{"{`ports`: [\n{`name`: `lan`}]}",
	 "f:2: ports[0].device: missing; it must be a PCI address or net_ device with ,key=value "
	 "arguments; examples: `0000:3b:00.0`, `net_af_packet0,iface=eth1`"},
	{"{`ports`: [{`name`: `lan`, `device`: `net_a`}]}",
	 "f:1: links: missing; it must be an array of objects; accepted: 1..64 objects"},
	{LINKS(""), "f:5: links: 0 entries; accepted: 1..64 objects"},
	{LINKS("{`from`: `lan`}"),
	 "f:5: links[0].to: missing; it must be the name of a port; example: `wan`"},
	{LINKS("{`from`: 1, `to`: `wan`}"),
	 "f:5: links[0].from: 1: an integer, not the name of a port; example: `lan`"},
	{LINKS("{`from`: ``, `to`: `wan`}"),
	 "f:5: links[0].from: ``: not the name of a port; example: `lan`"},
	{"{`eal`: [1]}", "f:1: eal: an array, not an object"},
	{"{`eal`: null}", "f:1: eal: null, not an object"},
};

static const struct broken unknown_keys[] = {
	{TOP("`link`: []"),
	 "f:1: link: unknown key; did you mean `links`? accepted: eal, ports, links, drain"},
	{TOP("`comment`: ``"), "f:1: comment: unknown key; accepted: eal, ports, links, drain"},
	{EAL("`args`: `-d evil.so`"),
	 "f:1: eal.args: unknown key; accepted: lcores, hugepages, memory, prefix"},
	{LAN("`scheduller`: {}"),
	 "f:2: ports[0].scheduller: unknown key; did you mean `scheduler`? accepted: name, device, "
	 "rx_queues, tx_queues, descriptors, mtu, rx_lcores, tx_lcore, scheduler"},
	{SCHEDULER("`bandwith`: `1mbit`"),
	 "f:5: ports[1].scheduler.bandwith: unknown key; did you mean `bandwidth`? " SCHEDULER_KEYS},
	{SCHEDULER("`rtt`: `1ms`, \n`ack_filter`: `off`"),
	 "f:6: ports[1].scheduler.ack_filter: unknown key; did you mean `ack-filter`? " SCHEDULER_KEYS},
	{SCHEDULER("`target`: `5ms`"),
	 "f:5: ports[1].scheduler.target: unknown key; " SCHEDULER_KEYS},
	{LINKS("{`from`: `lan`,\n`form`: `wan`}"),
	 "f:6: links[0].form: unknown key; did you mean `from`? accepted: from, to"},
	{TOP("`a.b[c]`: 1"), "f:1: a.b[c]: unknown key; accepted: eal, ports, links, drain"},
	{TOP("`\\u001b[31m\\u00e9`: 1"),
	 "f:1: ?[31m??: unknown key; accepted: eal, ports, links, drain"},
};

static const struct broken eal[] = {
	{TOP("`eal2`: 1"),
	 "f:1: eal2: unknown key; did you mean `eal`? accepted: eal, ports, links, drain"},
	{"{`eal`: {`lcores`: 1}}",
	 "f:1: eal.lcores: 1: an integer, not an array of integers; accepted: 1..127 integers of "
	 "0..1023"},
	{"{`eal`: {`lcores`: []}}",
	 "f:1: eal.lcores: 0 entries; accepted: 1..127 integers of 0..1023"},
	{"{`eal`: {`lcores`: [0, `1`]}}",
	 "f:1: eal.lcores[1]: `1`: a string, not an integer; accepted: 0..1023"},
	{"{`eal`: {`lcores`: [1024]}}",
	 "f:1: eal.lcores[0]: 1024: out of range; accepted: 0..1023"},
	{"{`eal`: {`lcores`: [-1]}}", "f:1: eal.lcores[0]: -1: out of range; accepted: 0..1023"},
	{"{`eal`: {`lcores`: [3,\n4,\n3]}}", "f:3: eal.lcores[2]: 3: given twice"},
	{EAL("`hugepages`: `no`"),
	 "f:1: eal.hugepages: `no`: a string, not a boolean; accepted: true, false"},
	{EAL("`hugepages`: 0"),
	 "f:1: eal.hugepages: 0: an integer, not a boolean; accepted: true, false"},
	{EAL("`memory`: 512"),
	 "f:1: eal.memory: 512: out of range; accepted: 16mb..1024gb, a multiple of 1mb"},
	{EAL("`memory`: `16.5mb`"),
	 "f:1: eal.memory: `16.5mb`: not a multiple; accepted: 16mb..1024gb, a multiple of 1mb"},
	{EAL("`memory`: `lots`"), "f:1: eal.memory: `lots`: not a size; examples: `512mb`, `2gb`"},
	{EAL("`prefix`: `../x`"),
	 "f:1: eal.prefix: `../x`: not " NAME_RULE "; examples: `gateau`, `lab-2`"},
	{EAL("`prefix`: `a b`"),
	 "f:1: eal.prefix: `a b`: not " NAME_RULE "; examples: `gateau`, `lab-2`"},
};

static const struct broken ports[] = {
	{PORTS("{`name`: `l n`, `device`: `net_a`}"),
	 "f:1: ports[0].name: `l n`: not " NAME_RULE "; examples: `lan`, `wan-1`"},
	{PORTS("{`name`: `lan`, `device`: `net_a`},\n{`name`: `lan`, `device`: `net_b`}"),
	 "f:2: ports[1].name: `lan`: ports[0] has this name, too"},
	{PORTS("{`name`: `lan`, `device`: `net_a,x=1`},\n{`name`: `wan`,\n`device`: `net_a,x=2`}"),
	 "f:3: ports[1].device: `net_a,x=2`: ports[0] has this device, too"},
	{PORTS("{`name`: `lan`, `device`: `0000:3b:00.0`},"
	       "{`name`: `wan`, `device`: `0000:3B:00.0`}"),
	 "f:1: ports[1].device: `0000:3B:00.0`: ports[0] has this device, too"},
	{"{`ports`: [ {`name`: `lan`, `device`: `net_a,iface=v1,x=1`},\n"
	 "{`name`: `wan`, `device`: `net_b,iface=v1`} ], `links`: [" BOTH_WAYS "]}",
	 "f:2: ports[1].device: `net_b,iface=v1`: ports[0] has this interface, too"},
	{DEVICE("eth0"), DEVICE_FAULT("eth0")},
	{DEVICE("3b:00.0"), DEVICE_FAULT("3b:00.0")},
	{DEVICE("0000:3b:00.8"), DEVICE_FAULT("0000:3b:00.8")},
	{DEVICE("net_pcap0,iface=a --vdev=net_null0"),
	 DEVICE_FAULT("net_pcap0,iface=a --vdev=net_null0")},
	{DEVICE("net_failsafe0,exec(reboot)"), DEVICE_FAULT("net_failsafe0,exec(reboot)")},
	{DEVICE("net_a\\n"), DEVICE_FAULT("net_a\\n")},
	{LAN("`rx_queues`: 0"), "f:2: ports[0].rx_queues: 0: out of range; accepted: 1..64"},
	{LAN("`rx_queues`: 65"), "f:2: ports[0].rx_queues: 65: out of range; accepted: 1..64"},
	{LAN("`rx_queues`: 1.5"),
	 "f:2: ports[0].rx_queues: 1.5: a real number, not an integer; accepted: 1..64"},
	{LAN("`tx_queues`: 2"),
	 "f:2: ports[0].tx_queues: 2: several TX queues per port are not available yet; accepted: 1"},
	{LAN("`tx_queues`: 0"), "f:2: ports[0].tx_queues: 0: out of range; accepted: 1"},
	{LAN("`descriptors`: 32"),
	 "f:2: ports[0].descriptors: 32: out of range; accepted: 64..32768"},
	{LAN("`descriptors`: {`rx`: 64}"),
	 "f:2: ports[0].descriptors: an object, not an integer; accepted: 64..32768"},
	{LAN("`mtu`: 67"), "f:2: ports[0].mtu: 67: out of range; accepted: 68..9710"},
	{LAN("`mtu`: `1500`"),
	 "f:2: ports[0].mtu: `1500`: a string, not an integer; accepted: 68..9710"},
	{LAN("`rx_lcores`: [1, 2]"),
	 "f:2: ports[0].rx_lcores: 2 entries for 1 RX queue; accepted: one CPU per queue"},
	{LAN("`rx_queues`: 2, `rx_lcores`: [1]"),
	 "f:2: ports[0].rx_lcores: 1 entry for 2 RX queues; accepted: one CPU per queue"},
	{LAN("`rx_queues`: 2,\n`rx_lcores`: [\n1,\n7]"),
	 "f:5: ports[0].rx_lcores[1]: 7: not in eal.lcores; accepted: 1, 2"},
	{LAN("`tx_lcore`: 0"), "f:2: ports[0].tx_lcore: 0: not in eal.lcores; accepted: 1, 2"},
};

static const struct broken scheduler[] = {
	{SCHEDULER("`bandwidth`: 100000000"),
	 "f:5: ports[1].scheduler.bandwidth: 100000000: an integer, not a rate" RATES},
	{SCHEDULER("`bandwidth`: `100`"),
	 "f:5: ports[1].scheduler.bandwidth: `100`: a number without a unit, not a rate" RATES},
	{SCHEDULER("`bandwidth`: `fast`"),
	 "f:5: ports[1].scheduler.bandwidth: `fast`: not a rate" RATES},
	{SCHEDULER("`bandwidth`: `100 mbit`"),
	 "f:5: ports[1].scheduler.bandwidth: `100 mbit`: not a rate" RATES},
	{SCHEDULER("`bandwidth`: ``"), "f:5: ports[1].scheduler.bandwidth: ``: not a rate" RATES},
	{SCHEDULER("`bandwidth`: `10mbps`"),
	 "f:5: ports[1].scheduler.bandwidth: `10mbps`: tc's bps means bytes per second; write "
	 "`80mbit` for that, `10mbit` for bits per second"},
	{SCHEDULER("`bandwidth`: `0bit`"),
	 "f:5: ports[1].scheduler.bandwidth: `0bit`: out of range; accepted: 512bit..400gbit, "
	 "`unlimited`"},
	{SCHEDULER("`bandwidth`: `511bit`"),
	 "f:5: ports[1].scheduler.bandwidth: `511bit`: out of range; accepted: 512bit..400gbit, "
	 "`unlimited`"},
	{SCHEDULER("`bandwidth`: `400.000000001gbit`"),
	 "f:5: ports[1].scheduler.bandwidth: `400.000000001gbit`: out of range; accepted: "
	 "512bit..400gbit, `unlimited`"},
	{SCHEDULER("`bandwidth`: `-1mbit`"),
	 "f:5: ports[1].scheduler.bandwidth: `-1mbit`: out of range; accepted: 512bit..400gbit, "
	 "`unlimited`"},
	{SCHEDULER("`bandwidth`: `99999999999999999999gbit`"),
	 "f:5: ports[1].scheduler.bandwidth: `99999999999999999999gbit`: out of range; accepted: "
	 "512bit..400gbit, `unlimited`"},
	{SCHEDULER("`bandwidth`: `unlimite`"),
	 "f:5: ports[1].scheduler.bandwidth: `unlimite`: not a rate" RATES},
	{SCHEDULER("`flowmode`: `dual-src`"),
	 "f:5: ports[1].scheduler.flowmode: `dual-src`: unknown; accepted: `flowblind`, `srchost`, "
	 "`dsthost`, `hosts`, `flows`, `dual-srchost`, `dual-dsthost`, `triple-isolate`"},
	{LAN("`scheduler`: {`diffserv`: `diffserv5`}"),
	 "f:2: ports[0].scheduler.diffserv: `diffserv5`: unknown; accepted: `besteffort`, "
	 "`precedence`, `diffserv3`, `diffserv4`, `diffserv8`"},
	{LAN("`scheduler`: {`diffserv`: 4}"),
	 "f:2: ports[0].scheduler.diffserv: 4: an integer, not a word; accepted: `besteffort`, "
	 "`precedence`, `diffserv3`, `diffserv4`, `diffserv8`"},
	{SCHEDULER("`rtt`: `100mss`"), "f:5: ports[1].scheduler.rtt: `100mss`: not a time" TIMES},
	{SCHEDULER("`rtt`: `1\x7f\\u001b\u00e9s`"),
	 "f:5: ports[1].scheduler.rtt: `1?\\u001B\\u00E9s`: not a time" TIMES},
	{SCHEDULER("`rtt`: `100`"),
	 "f:5: ports[1].scheduler.rtt: `100`: a number without a unit, not a time" TIMES},
	{SCHEDULER("`rtt`: 100"), "f:5: ports[1].scheduler.rtt: 100: an integer, not a time" TIMES},
	{SCHEDULER("`rtt`: [`100ms`]"), "f:5: ports[1].scheduler.rtt: an array, not a time" TIMES},
	{SCHEDULER("`rtt`: `0s`"),
	 "f:5: ports[1].scheduler.rtt: `0s`: out of range; accepted: 1us..1000s"},
	{SCHEDULER("`rtt`: `1001s`"),
	 "f:5: ports[1].scheduler.rtt: `1001s`: out of range; accepted: 1us..1000s"},
	{SCHEDULER("`overhead`: -65"),
	 "f:5: ports[1].scheduler.overhead: -65: out of range; accepted: -64..256"},
	{SCHEDULER("`overhead`: `raw`"),
	 "f:5: ports[1].scheduler.overhead: `raw`: a string, not an integer; accepted: -64..256"},
	{SCHEDULER("`mpu`: 257"),
	 "f:5: ports[1].scheduler.mpu: 257: out of range; accepted: 0..256"},
	{SCHEDULER("`atm`: `docsis`"),
	 "f:5: ports[1].scheduler.atm: `docsis`: unknown; accepted: `noatm`, `atm`, `ptm`"},
	{SCHEDULER("`wash`: 1"),
	 "f:5: ports[1].scheduler.wash: 1: an integer, not a boolean; accepted: true, false"},
	{SCHEDULER("`split_gso`: false"),
	 "f:5: ports[1].scheduler.split_gso: false: a port receives no super-packets, so there is "
	 "nothing to keep whole; accepted: true"},
	{SCHEDULER("`memlimit`: 4095"),
	 "f:5: ports[1].scheduler.memlimit: 4095: hardly a frame fits in; accepted: "
	 "4kb..4gb, 0"},
	{SCHEDULER("`memlimit`: `5gb`"),
	 "f:5: ports[1].scheduler.memlimit: `5gb`: out of range; accepted: 1b..4gb, 0"},
	{SCHEDULER("`memlimit`: `4mbit`"),
	 "f:5: ports[1].scheduler.memlimit: `4mbit`: not a size; examples: 65536, `64kb`, `4mb`"},
	{SCHEDULER("`memlimit`: null"),
	 "f:5: ports[1].scheduler.memlimit: null, not a size; examples: 65536, `64kb`, `4mb`"},
	{SCHEDULER("`flows`: 1000"),
	 "f:5: ports[1].scheduler.flows: 1000: not a power of 2; accepted: 8..32768, a power of 2"},
	{SCHEDULER("`flows`: 0"),
	 "f:5: ports[1].scheduler.flows: 0: out of range; accepted: 8..32768, a power of 2"},
	{SCHEDULER("`fwmark`: 4294967296"),
	 "f:5: ports[1].scheduler.fwmark: 4294967296: out of range; accepted: 0..4294967295"},
	{SCHEDULER("`fwmark`: 240"),
	 "f:5: ports[1].scheduler.fwmark: 240: frames from a port carry no firewall mark; accepted: "
	 "0"},
	{SCHEDULER("`profile`: `kernel`"),
	 "f:5: ports[1].scheduler.profile: `kernel`: unknown; accepted: `gateau`, `linux`"},
	{SCHEDULER("`profile`: `linux`,\n`catch-up`: `1ms`"),
	 "f:6: ports[1].scheduler.catch-up: the linux profile makes up for all time missed; leave "
	 "it out, or use `profile`: `gateau`"},
	{SCHEDULER("`catch-up`: `0ms`"),
	 "f:5: ports[1].scheduler.catch-up: `0ms`: out of range; accepted: 1us..10s"},
	{SCHEDULER("`ack-filter`: `on`"),
	 "f:5: ports[1].scheduler.ack-filter: `on`: not available yet; accepted: `off`"},
	{SCHEDULER("`ack-filter`: `aggressive`"),
	 "f:5: ports[1].scheduler.ack-filter: `aggressive`: not available yet; accepted: `off`"},
	{SCHEDULER("`ack-filter`: `some`"),
	 "f:5: ports[1].scheduler.ack-filter: `some`: unknown; accepted: `off`"},
	{SCHEDULER("`autorate-ingress`: true"),
	 "f:5: ports[1].scheduler.autorate-ingress: true: not available yet; accepted: false"},
	{SCHEDULER("`nat`: true"),
	 "f:5: ports[1].scheduler.nat: true: the kernel's conntrack is not on this path; use host "
	 "isolation on the side where inner addresses are visible; accepted: false"},
	{SCHEDULER(
		 "`bandwidth`: `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`"),
	 "f:5: ports[1].scheduler.bandwidth: "
	 "`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: not a rate" RATES},
};

static const struct broken links[] = {
	{LINKS("{`from`: `lan`, `to`: `wna`}"),
	 "f:5: links[0].to: `wna`: no such port; there are: lan, wan"},
	{LINKS("{`from`: `dmz`, `to`: `wan`}"),
	 "f:5: links[0].from: `dmz`: no such port; there are: lan, wan"},
	{LINKS("{`from`: `lan`, `to`: `wan`},\n{`from`: `wan`, `to`: `wan`}"),
	 "f:6: links[1]: leads port `wan` to itself"},
	{LINKS(BOTH_WAYS ",\n{`from`: `lan`, `to`: `wan`}"),
	 "f:6: links[2]: links[0] leads from port `lan` already; several links from one port are "
	 "not available yet"},
	{PORTS("{`name`: `lan`, `device`: `net_a`}, {`name`: `wan`, `device`: `net_b`},\n"
	       "{`name`: `dmz`, `device`: `net_c`}"),
	 "f:2: ports[2]: no link uses port `dmz`: it would drop all it receives; add a link or "
	 "remove the port"},
};

static const struct broken drain[] = {
	{DRAIN("`61s`"), "f:1: drain: `61s`: out of range; accepted: 0ns..60s"},
	{DRAIN("1"), "f:1: drain: 1: an integer, not a time; examples: `1s`, `500ms`"},
};

/** Whether the file is refused with the message that is expected; says so if not. */
static bool is_refused(const struct broken *b)
{
	char *text = quoted(b->text), *message = quoted(b->message);
	struct gateau_config *cfg = NULL;
	struct config_error err = {""};
	int rc = config_parse("f", text, strlen(text), &cfg, &err);
	bool good = rc == -EINVAL && !cfg && !strcmp(err.text, message);

	if (!good)
		print_error("%s\n  returned %d\n  message  %s\n  expected %s\n", text, rc, err.text,
			    message);
	config_free(cfg);
	free(message);
	free(text);
	return good;
}

static void check(const struct broken *broken, size_t n)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong += !is_refused(&broken[i]);
	assert_int_equal(wrong, 0);
}

#define BROKEN_TEST(name, table)                                  \
	static void name(void **state)                            \
	{                                                         \
		(void)state;                                      \
		check(table, sizeof(table) / sizeof((table)[0])); \
	}

BROKEN_TEST(syntax_errors_name_line_and_column, syntax)
BROKEN_TEST(missing_and_misplaced_parts_name_what_is_accepted, structure)
BROKEN_TEST(unknown_keys_are_refused_with_the_nearest_known_one, unknown_keys)
BROKEN_TEST(eal_has_named_keys_in_their_ranges_only, eal)
BROKEN_TEST(ports_are_unique_and_devices_cannot_smuggle_arguments, ports)
BROKEN_TEST(scheduler_values_out_of_tc_s_grammar_or_range_are_refused, scheduler)
BROKEN_TEST(links_join_two_different_ports_that_exist, links)
BROKEN_TEST(drain_is_a_time_of_a_minute_at_most, drain)

/* The frame the broken files differ from must itself be valid, or they prove nothing. */
static void the_file_all_others_differ_from_is_valid(void **state)
{
	char *text = quoted(FILE_WITH("", "", "", "", BOTH_WAYS));
	struct gateau_config *cfg;
	struct config_error err;

	(void)state;
	assert_int_equal(config_parse("f", text, strlen(text), &cfg, &err), 0);
	config_free(cfg);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_all_others_differ_from_is_valid),
		cmocka_unit_test(syntax_errors_name_line_and_column),
		cmocka_unit_test(missing_and_misplaced_parts_name_what_is_accepted),
		cmocka_unit_test(unknown_keys_are_refused_with_the_nearest_known_one),
		cmocka_unit_test(eal_has_named_keys_in_their_ranges_only),
		cmocka_unit_test(ports_are_unique_and_devices_cannot_smuggle_arguments),
		cmocka_unit_test(scheduler_values_out_of_tc_s_grammar_or_range_are_refused),
		cmocka_unit_test(links_join_two_different_ports_that_exist),
		cmocka_unit_test(drain_is_a_time_of_a_minute_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

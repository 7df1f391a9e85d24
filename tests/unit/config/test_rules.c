/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config/rules and its table of keys: what rules become, and the exact message for each that could
 * have no effect. ` stands for a double quote.
 */
#include "config/rules.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/show.h"
#include "quoted.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Parse a scheduler with @options and, on the second line on, @rules. */
static int parse(const char *options, const char *rules, struct config_scheduler *out,
		 struct config_error *err)
{
	struct config_document doc;
	char text[4096], *json;
	int rc;

	snprintf(text, sizeof(text), "{`s`: {%s, `rules`: [\n%s\n]}}", options, rules);
	json = quoted(text);
	assert_int_equal(config_document_parse("f", json, strlen(json), &doc, err), 0);
	rc = config_parse_scheduler(&doc, "s", json_object_get(doc.root, "s"), out, err);
	config_document_close(&doc);
	free(json);
	return rc;
}

static const char diffserv4[] = "`diffserv`: `diffserv4`, `fwmark`: `0xff00`";

static void every_key_reaches_its_field(void **state)
{
	struct config_scheduler s;
	struct config_error err;
	const struct packet_rule *r = s.rules;

	(void)state;
	assert_int_equal(parse(diffserv4,
			       "{`vlan`: 10, `pcp`: 5, `src`: `10.0.0.0/8`, `dst`: `192.0.2.1/32`, "
			       "`protocol`: `udp`, `sport`: `1024-65535`, `dport`: 53, "
			       "`dscp`: `af41`, `mark`: `0x300`}, {`dst`: `2001:db8::/32`, "
			       "`tin`: 1}",
			       &s, &err),
			 0);
	assert_int_equal(s.n_rules, 2);
	assert_true(r->vlan_set && r->pcp_set && r->protocol_set && r->dscp_set && r->mark_set);
	assert_int_equal(r->vlan, 10);
	assert_int_equal(r->pcp, 5);
	assert_int_equal(r->src.family, 4);
	assert_int_equal(r->src.len, 8);
	assert_int_equal(r->src.addr[0], 10);
	assert_int_equal(r->dst.len, 32);
	assert_memory_equal(r->dst.addr, "\300\0\2\1", 4);
	assert_int_equal(r->protocol, 17);
	assert_true(r->sport.set && r->dport.set);
	assert_int_equal(r->sport.first, 1024);
	assert_int_equal(r->sport.last, 65535);
	assert_int_equal(r->dport.first, 53);
	assert_int_equal(r->dport.last, 53);
	assert_int_equal(r->dscp, 34);
	assert_int_equal(r->mark, 0x300);
	assert_int_equal(r->tin, 0);

	r = &s.rules[1];
	assert_int_equal(r->dst.family, 6);
	assert_int_equal(r->tin, 1);
	assert_false(r->vlan_set || r->pcp_set || r->protocol_set || r->dscp_set || r->mark_set ||
		     r->sport.set || r->dport.set || r->src.family);
}

/* tc's order: Bulk comes first in diffserv3 and diffserv4. */
static void tins_have_names_and_places(void **state)
{
	static const struct {
		const char *mode, *tin;
		unsigned place;
	} samples[] = {
		{"diffserv3", "`Bulk`", 1},  {"diffserv3", "`Best Effort`", 2},
		{"diffserv3", "`Voice`", 3}, {"diffserv4", "`Video`", 3},
		{"diffserv4", "`Voice`", 4}, {"diffserv4", "4", 4},
		{"diffserv8", "`Tin 0`", 1}, {"precedence", "`Tin 7`", 8},
		{"precedence", "8", 8},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		char options[64], rule[64];
		struct config_scheduler s;
		struct config_error err;

		snprintf(options, sizeof(options), "`diffserv`: `%s`", samples[i].mode);
		snprintf(rule, sizeof(rule), "{`vlan`: 1, `tin`: %s}", samples[i].tin);
		assert_int_equal(parse(options, rule, &s, &err), 0);
		assert_int_equal(s.rules[0].tin, samples[i].place);
	}
}

/* RFC 2474, 2597, 3246, 5865, 8622. */
static void code_points_have_names(void **state)
{
	static const struct {
		const char *word;
		uint8_t dscp;
	} samples[] = {
		{"cs0", 0},   {"le", 1},    {"cs1", 8}, {"af11", 10}, {"af23", 22},
		{"af32", 28}, {"af43", 38}, {"va", 44}, {"ef", 46},   {"cs7", 56},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(samples); i++) {
		struct config_scheduler s;
		struct config_error err;
		char rule[64];

		snprintf(rule, sizeof(rule), "{`dscp`: `%s`, `tin`: 1}", samples[i].word);
		assert_int_equal(parse(diffserv4, rule, &s, &err), 0);
		assert_int_equal(s.rules[0].dscp, samples[i].dscp);
	}
}

#define PROTOCOLS                                                                          \
	"accepted: 0..255, `icmp`, `igmp`, `tcp`, `udp`, `dccp`, `gre`, `esp`, `icmpv6`, " \
	"`ospf`, `pim`, `vrrp`, `l2tp`, `sctp`, `udplite`"
#define DPORTS "; examples: 443, `10000-20000`"
#define TINS4  "diffserv4 has no such tin; accepted: 1..4, `Bulk`, `Best Effort`, `Video`, `Voice`"

static const struct {
	const char *rules, *message;
} broken[] = {
	/* one value */
	{"{`vlan`: 4096, `tin`: 1}", "2: s.rules[0].vlan: 4096: out of range; accepted: 0..4095"},
	{"{`pcp`: 8, `tin`: 1}", "2: s.rules[0].pcp: 8: out of range; accepted: 0..7"},
	{"{`src`: `10.0.0.1/8`, `tin`: 1}", "2: s.rules[0].src: `10.0.0.1/8`: the address has bits "
					    "behind its prefix; write `10.0.0.0/8`"},
	{"{`src`: `10.0.0.1`, `tin`: 1}", "2: s.rules[0].src: `10.0.0.1`: an address without a "
					  "length; for this one write `10.0.0.1/32`"},
	{"{`dst`: `10.0.0.0/33`, `tin`: 1}",
	 "2: s.rules[0].dst: `10.0.0.0/33`: not an IPv4 or IPv6 prefix; examples: `192.0.2.1/32`, "
	 "`::/0`"},
	{"{`dst`: 10, `tin`: 1}", "2: s.rules[0].dst: 10: an integer, not an IPv4 or IPv6 prefix; "
				  "examples: `192.0.2.1/32`, `::/0`"},
	{"{`protocol`: 256, `tin`: 1}", "2: s.rules[0].protocol: 256: out of range; " PROTOCOLS},
	{"{`protocol`: `Udp`, `tin`: 1}",
	 "2: s.rules[0].protocol: `Udp`: not an integer or a word; did you mean `udp`? " PROTOCOLS},
	{"{`dport`: 65536, `tin`: 1}", "2: s.rules[0].dport: 65536: out of range; accepted: "
				       "0..65535, `FIRST-LAST`"},
	{"{`dport`: `1-65536`, `tin`: 1}",
	 "2: s.rules[0].dport: `1-65536`: out of range; accepted: "
	 "0..65535, `FIRST-LAST`"},
	{"{`dport`: `90-80`, `tin`: 1}", "2: s.rules[0].dport: `90-80`: ends before it begins; "
					 "accepted: 0..65535, `FIRST-LAST`"},
	{"{`dport`: `80`, `tin`: 1}",
	 "2: s.rules[0].dport: `80`: not an integer or a range" DPORTS},
	{"{`dport`: `-80`, `tin`: 1}",
	 "2: s.rules[0].dport: `-80`: not an integer or a range" DPORTS},
	{"{`dport`: `8-0x9`, `tin`: 1}",
	 "2: s.rules[0].dport: `8-0x9`: not an integer or a range" DPORTS},
	{"{`dport`: [80], `tin`: 1}",
	 "2: s.rules[0].dport: an array, not an integer or a range" DPORTS},
	{"{`dscp`: 64, `tin`: 1}",
	 "2: s.rules[0].dscp: 64: out of range; accepted: 0..63, `cs0`, `cs1`, `cs2`, `cs3`, `cs4`, "
	 "`cs5`, `cs6`, `cs7`, `af11`, `af12`, `af13`, `af21`, `af22`, `af23`, `af31`, `af32`, "
	 "`af33`, `af41`, `af42`, `af43`, `ef`, `va`, `le`"},
	{"{`dscp`: 1, `mark`: 4294967296}",
	 "2: s.rules[0].mark: 4294967296: out of range; accepted: "
	 "0..0xffffffff"},
	{"{`dscp`: 1, `mark`: `0x`}", "2: s.rules[0].mark: `0x`: not an integer or a string like "
				      "`0xff`; accepted: 0..0xffffffff"},
	{"{`dscp`: 1, `mark`: `0x123456789`}",
	 "2: s.rules[0].mark: `0x123456789`: not an integer or a string like `0xff`; accepted: "
	 "0..0xffffffff"},
	{"{`vlan`: 1,\n`colour`: 2, `tin`: 1}",
	 "3: s.rules[0].colour: unknown key; accepted: vlan, pcp, src, dst, protocol, sport, dport, "
	 "dscp, mark, tin"},

	/* what it asks and what it gives */
	{"{`tin`: 1}",
	 "2: s.rules[0]: asks nothing of a frame; give at least one of vlan, pcp, src, "
	 "dst, protocol, sport, dport, dscp"},
	{"{`vlan`: 1}", "2: s.rules[0]: gives neither mark nor tin; give one of them"},
	{"{`vlan`: 1, `tin`: 1, `mark`: 0}", "2: s.rules[0]: gives both mark and tin; give one of "
					     "them"},
	{"{`vlan`: 1, `tin`: 5}", "2: s.rules[0].tin: 5: " TINS4},
	{"{`vlan`: 1, `tin`: `Tin 0`}", "2: s.rules[0].tin: `Tin 0`: " TINS4},
	{"{`vlan`: 1, `mark`: 1}", "2: s.rules[0].mark: 0x1: fwmark 0xff00 makes it 0, which is no "
				   "tin; accepted: what it makes 1..4, 0 = by DSCP"},
	{"{`vlan`: 1, `mark`: `0x500`}",
	 "2: s.rules[0].mark: 0x500: fwmark 0xff00 makes it 5, which "
	 "is no tin; accepted: what it makes 1..4, 0 = by DSCP"},

	/* what no frame is */
	{"{`src`: `10.0.0.0/8`, `dst`: `::/0`, `tin`: 1}",
	 "2: s.rules[0]: can never match: src is IPv4, dst is IPv6"},
	{"{`src`: `10.0.0.0/8`, `protocol`: `icmpv6`, `tin`: 1}",
	 "2: s.rules[0]: can never match: protocol icmpv6 is IPv6 only, src is IPv4"},
	{"{`dst`: `::/0`, `protocol`: 1, `tin`: 1}",
	 "2: s.rules[0]: can never match: protocol icmp is IPv4 only, dst is IPv6"},
	{"{`protocol`: `icmp`, `dport`: 8, `tin`: 1}",
	 "2: s.rules[0]: can never match: dport with protocol icmp; only tcp and udp have ports"},
	{"{`protocol`: 3, `sport`: 8, `tin`: 1}",
	 "2: s.rules[0]: can never match: sport with protocol 3; only tcp and udp have ports"},

	/* what earlier rules take */
	{"{`vlan`: 1, `tin`: 1},\n{`vlan`: 2, `tin`: 1},\n{`vlan`: 1, `dscp`: 3, `tin`: 2}",
	 "4: s.rules[2]: can never match: rules[0] takes all of it"},
	{"{`dport`: `0-99`, `tin`: 1},\n{`vlan`: 2, `tin`: 1},\n{`dport`: `100-199`, `tin`: 1},\n"
	 "{`protocol`: 6, `dport`: `50-150`, `tin`: 2}",
	 "5: s.rules[3]: can never match: rules[0], rules[2] take all of it"},
	{"{`vlan`: 1, `mark`: 0},\n{`vlan`: 1, `tin`: 2}",
	 "3: s.rules[1]: can never match: rules[0] takes all of it"},
};

static void each_broken_rule_has_its_message(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(broken); i++) {
		char *expected = quoted(broken[i].message);
		struct config_scheduler s;
		struct config_error err;
		int rc = parse(diffserv4, broken[i].rules, &s, &err);

		if (rc != -EINVAL || strncmp(err.text, "f:", 2) != 0 ||
		    strcmp(err.text + 2, expected) != 0) {
			print_error("%s\nexpected: f:%s\ngot:      %s\n", broken[i].rules, expected,
				    rc ? err.text : "no fault");
			wrong++;
		}
		free(expected);
	}
	assert_int_equal(wrong, 0);
}

static void rules_need_something_to_choose_between(void **state)
{
	struct config_scheduler s;
	struct config_error err;

	(void)state;
	assert_int_equal(parse("`diffserv`: `besteffort`", "{`vlan`: 1, `tin`: 1}", &s, &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "f:1: s.rules: besteffort has one tin, so there is nothing to "
			    "choose; leave them out, or use another diffserv");
	assert_int_equal(parse("`fwmark`: 0", "{`vlan`: 1, `mark`: 1}", &s, &err), -EINVAL);
	assert_string_equal(err.text, "f:2: s.rules[0].mark: 0x1: fwmark is 0, so marks choose no "
				      "tin; set fwmark, or give tin instead");
	assert_int_equal(
		parse("`fwmark`: 0", "{`vlan`: 1, `tin`: 1}, {`vlan`: 2, `mark`: 0}", &s, &err),
		-EINVAL);
	assert_string_equal(err.text, "f:2: s.rules[1].mark: 0: no rule behind this one gives a "
				      "tin, so DSCP chooses anyway; leave the rule out");
	/* an exception from rules behind it needs no fwmark */
	assert_int_equal(parse("`fwmark`: 0",
			       "{`src`: `10.0.0.5/32`, `mark`: 0}, {`src`: `10.0.0.0/8`, `tin`: 1}",
			       &s, &err),
			 0);
}

static void as_many_rules_as_there_is_room_for_are_taken(void **state)
{
	char rules[4096] = "", one[64];
	struct config_scheduler s;
	struct config_error err;

	(void)state;
	for (unsigned i = 0; i <= PACKET_RULES_MAX; i++) {
		snprintf(one, sizeof(one), "%s{`vlan`: %u, `tin`: 1}", i ? "," : "", i);
		if (i == PACKET_RULES_MAX)
			assert_int_equal(parse(diffserv4, rules, &s, &err), 0);
		strcat(rules, one);
	}
	assert_int_equal(s.n_rules, PACKET_RULES_MAX);
	assert_int_equal(parse(diffserv4, rules, &s, &err), -EINVAL);
	assert_string_equal(err.text, "f:1: s.rules: 65 entries; accepted: 1..64 objects");
	assert_int_equal(parse(diffserv4, "", &s, &err), -EINVAL);
	assert_string_equal(err.text, "f:1: s.rules: 0 entries; accepted: 1..64 objects");
}

static void rules_are_shown_as_they_are_understood(void **state)
{
	static const char *const shown[] = {
		"vlan 0 pcp 5 -> tin Voice",
		("src 10.0.0.0/8 dst 192.0.2.1/32 protocol tcp sport 1024-65535 dport 443 dscp ef "
		 "-> mark 0x300, tin Video"),
		"dst 2001:db8::/32 protocol 99 dscp 3 -> mark 0x100, tin Bulk",
		"protocol icmpv6 -> mark 0, tin by DSCP",
	};
	struct config_scheduler s;
	struct config_error err;
	char text[CONFIG_SHOW_MAX];

	(void)state;
	assert_int_equal(parse(diffserv4,
			       "{`vlan`: 0, `pcp`: 5, `tin`: 4}, {`src`: `10.0.0.0/8`, `dst`: "
			       "`192.0.2.1/32`, `protocol`: 6, `sport`: `1024-65535`, `dport`: "
			       "`443-443`, `dscp`: 46, `mark`: 768}, {`dst`: `2001:db8::/32`, "
			       "`protocol`: 99, `dscp`: 3, `mark`: 256}, {`protocol`: 58, "
			       "`mark`: 0}",
			       &s, &err),
			 0);
	for (unsigned i = 0; i < COUNT(shown); i++)
		assert_string_equal(config_show_rule(&s, i, text, sizeof(text)), shown[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_reaches_its_field),
		cmocka_unit_test(tins_have_names_and_places),
		cmocka_unit_test(code_points_have_names),
		cmocka_unit_test(each_broken_rule_has_its_message),
		cmocka_unit_test(rules_need_something_to_choose_between),
		cmocka_unit_test(as_many_rules_as_there_is_room_for_are_taken),
		cmocka_unit_test(rules_are_shown_as_they_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

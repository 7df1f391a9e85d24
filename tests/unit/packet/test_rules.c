/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet/rules: what each field of a rule asks of a frame, and that the first match decides. The
 * frames are the samples, so that a rule is held against what parsing makes of them.
 */
#include "packet/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "packet/parse.h"
#include "rule_words.h"
#include "samples.h"

/* 10.0.0.1 and 10.1.0.1 are the samples' IPv4 hosts, 2001:db8::1.. their IPv6 hosts. */
#define DB8 0x20, 0x01, 0x0d, 0xb8

static struct packet_headers parsed(const uint8_t *bytes, uint32_t size)
{
	struct frame_copy copy = frame_copy(bytes, size, size, 1);
	struct packet_headers h;

	packet_parse(&copy.frame, PACKET_DEPTH_FULL, &h);
	frame_copy_free(&copy);
	return h;
}

/** Whether @r alone matches these headers, and then says what it has to say. */
static bool matches(struct packet_rule r, const struct packet_headers *h)
{
	const struct packet_choice *choice;
	struct packet_rules rules;

	r.mark = 7;
	r.tin = 3;
	packet_rules_init(&rules, &r, 1);
	choice = packet_rules_find(&rules, h);
	if (choice) {
		assert_int_equal(choice->mark, 7);
		assert_int_equal(choice->tin, 3);
	}
	return choice;
}

static const struct {
	enum sample_id sample;
	bool match;
	struct packet_rule rule;
} expected[] = {
	/* VLAN and PCP are the outer tag's; frames without a tag are of no VLAN and no priority */
	{SAMPLE_UDP4_TAGGED, true, {VLAN(100)}},
	{SAMPLE_UDP4_TAGGED, false, {VLAN(101)}},
	{SAMPLE_UDP4_TAGGED_TWICE, true, {VLAN(5)}},
	{SAMPLE_UDP4_TAGGED_TWICE, false, {VLAN(100)}},
	{SAMPLE_UDP4, true, {VLAN(0)}},
	{SAMPLE_UDP4_TAGGED, false, {VLAN(0)}},
	{SAMPLE_LLDP, true, {VLAN(0)}},
	{SAMPLE_UDP4_TAGGED, true, {PCP(0)}},
	{SAMPLE_UDP4_TAGGED, false, {PCP(1)}},
	{SAMPLE_UDP4, false, {PCP(0)}},

	/* addresses */
	{SAMPLE_UDP4, true, {.src = NET4(8, 10)}},
	{SAMPLE_UDP4, true, {.src = NET4(32, 10, 0, 0, 1)}},
	{SAMPLE_UDP4, false, {.src = NET4(32, 10, 0, 0, 2)}},
	{SAMPLE_UDP4, true, {.src = NET4(31, 10, 0, 0, 0)}},
	{SAMPLE_UDP4, false, {.src = NET4(31, 10, 0, 0, 2)}},
	{SAMPLE_UDP4, false, {.src = NET4(16, 10, 1)}},
	{SAMPLE_UDP4, true, {.dst = NET4(16, 10, 1)}},
	{SAMPLE_UDP4, false, {.dst = NET4(16, 10, 0)}},
	{SAMPLE_UDP4, true, {.src = NET4(0)}},
	{SAMPLE_UDP4, false, {.src = NET6(0)}},
	{SAMPLE_UDP6, true, {.src = NET6(0)}},
	{SAMPLE_UDP6, false, {.src = NET4(0)}},
	{SAMPLE_ARP, false, {.src = NET4(0)}},
	{SAMPLE_UDP6, true, {.src = NET6(32, DB8)}},
	{SAMPLE_UDP6, true, {.src = NET6(128, DB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3)}},
	{SAMPLE_UDP6, false, {.src = NET6(128, DB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)}},
	{SAMPLE_UDP6, true, {.dst = NET6(127, DB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)}},
	{SAMPLE_UDP6, false, {.dst = NET6(127, DB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4)}},
	{SAMPLE_UDP6, false, {.dst = NET6(65, DB8, 0, 0, 0, 0, 0x80)}},

	/* protocol; in a tunnel everything of the flow is the inner header's */
	{SAMPLE_UDP4, true, {PROTOCOL(17)}},
	{SAMPLE_UDP4, false, {PROTOCOL(6)}},
	{SAMPLE_UDP6, true, {PROTOCOL(17)}},
	{SAMPLE_CHAIN6, true, {PROTOCOL(17)}},
	{SAMPLE_ICMP4, true, {PROTOCOL(1)}},
	{SAMPLE_ARP, false, {PROTOCOL(0)}},
	{SAMPLE_6IN4, true, {PROTOCOL(6), .src = NET6(32, DB8)}},
	{SAMPLE_6IN4, false, {PROTOCOL(41)}},
	{SAMPLE_6IN4, false, {.src = NET4(8, 10)}},

	/* ports */
	{SAMPLE_UDP4, true, {.sport = SPAN(1000, 1000)}},
	{SAMPLE_UDP4, true, {.sport = SPAN(1000, 1001), .dport = SPAN(1999, 2000)}},
	{SAMPLE_UDP4, false, {.sport = SPAN(1001, 65535)}},
	{SAMPLE_UDP4, false, {.sport = SPAN(0, 999)}},
	{SAMPLE_UDP4, false, {.sport = SPAN(1000, 1000), .dport = SPAN(1000, 1000)}},
	{SAMPLE_UDP4, true, {.sport = SPAN(0, 65535)}},
	{SAMPLE_TCP6_LABEL, true, {PROTOCOL(6), .dport = SPAN(80, 80)}},
	{SAMPLE_CHAIN6, true, {.sport = SPAN(1002, 1002)}},
	{SAMPLE_ICMP4, false, {.sport = SPAN(0, 65535)}},
	{SAMPLE_LLDP, false, {.dport = SPAN(0, 65535)}},

	/* no fragment has ports, the first one neither */
	{SAMPLE_FRAGMENT4_FIRST, false, {.sport = SPAN(0, 65535)}},
	{SAMPLE_FRAGMENT4_LATER, false, {.dport = SPAN(0, 65535)}},
	{SAMPLE_FRAGMENT6, false, {.dport = SPAN(0, 65535)}},
	{SAMPLE_FRAGMENT4_FIRST, true, {PROTOCOL(17), .src = NET4(32, 10, 0, 0, 1)}},
	{SAMPLE_FRAGMENT4_LATER, true, {PROTOCOL(17), .src = NET4(32, 10, 0, 0, 1)}},
	{SAMPLE_FRAGMENT6, true, {PROTOCOL(17)}},

	/* DSCP is the outer IP header's; Linux's 56 for ARP is none */
	{SAMPLE_UDP6, true, {DSCP(46)}},
	{SAMPLE_UDP6, false, {DSCP(0)}},
	{SAMPLE_UDP4, true, {DSCP(0)}},
	{SAMPLE_UDP4_TAGGED_TWICE, true, {DSCP(8)}},
	{SAMPLE_ARP, false, {DSCP(56)}},
	{SAMPLE_LLDP, false, {DSCP(0)}},

	/* all that is asked for has to hold */
	{SAMPLE_UDP4_TAGGED,
	 true,
	 {VLAN(100), PCP(0), PROTOCOL(17), DSCP(0), .src = NET4(8, 10), .dst = NET4(8, 10),
	  .sport = SPAN(1000, 1000), .dport = SPAN(2000, 2000)}},
	{SAMPLE_UDP4_TAGGED,
	 false,
	 {VLAN(100), PCP(0), PROTOCOL(17), DSCP(1), .src = NET4(8, 10), .dst = NET4(8, 10),
	  .sport = SPAN(1000, 1000), .dport = SPAN(2000, 2000)}},
	{SAMPLE_LLDP, true, {.mark_set = true}},
};

static void a_rule_matches_what_it_asks_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct sample *s = &samples[expected[i].sample];
		struct packet_headers h = parsed(s->bytes, s->size);

		if (matches(expected[i].rule, &h) == expected[i].match)
			continue;
		fail_msg("entry %zu: %s %s", i, s->name, expected[i].match ? "missed" : "matched");
	}
}

/* ICMP and IGMP are IPv4's, ICMPv6 is IPv6's, whatever a header of the other version claims. */
static void a_protocol_of_one_ip_version_is_not_found_in_the_other(void **state)
{
	struct packet_headers v4 = parsed(samples[SAMPLE_UDP4].bytes, samples[SAMPLE_UDP4].size);
	struct packet_headers v6 = parsed(samples[SAMPLE_UDP6].bytes, samples[SAMPLE_UDP6].size);

	(void)state;
	v4.proto = v6.proto = 58;
	assert_true(matches((struct packet_rule){PROTOCOL(58)}, &v6));
	assert_false(matches((struct packet_rule){PROTOCOL(58)}, &v4));
	for (v4.proto = v6.proto = 1; v4.proto <= 2; v6.proto = ++v4.proto) {
		assert_true(matches((struct packet_rule){PROTOCOL(v4.proto)}, &v4));
		assert_false(matches((struct packet_rule){PROTOCOL(v4.proto)}, &v6));
	}
}

/* No frame has both, also not an IPv6 frame that claims to carry ICMP for IPv4. */
static void a_rule_for_both_ip_versions_matches_nothing(void **state)
{
	struct packet_headers v4 = parsed(samples[SAMPLE_ICMP4].bytes, samples[SAMPLE_ICMP4].size);
	struct packet_headers v6 = parsed(samples[SAMPLE_UDP6].bytes, samples[SAMPLE_UDP6].size);
	struct packet_rule r = {PROTOCOL(1), .src = NET6(0)};

	(void)state;
	v6.proto = 1;
	assert_false(matches(r, &v4));
	assert_false(matches(r, &v6));
	r.src = (struct packet_prefix)NET4(0);
	assert_true(matches(r, &v4));
}

static void a_priority_tag_is_of_no_vlan_but_has_a_priority(void **state)
{
	static const uint8_t tagged_for_priority[] = {0, 0, 0, 0,    0,    2,    0, 0,    0,
						      0, 0, 1, 0x81, 0x00, 0xa0, 0, 0x88, 0xcc};
	struct packet_headers h = parsed(tagged_for_priority, sizeof(tagged_for_priority));

	(void)state;
	assert_true(matches((struct packet_rule){VLAN(0)}, &h));
	assert_true(matches((struct packet_rule){PCP(5)}, &h));
	assert_false(matches((struct packet_rule){PCP(0)}, &h));
}

/* DEI is the bit between PCP and id: 802.1Q, 9.6. */
static void the_drop_eligible_bit_is_neither_id_nor_priority(void **state)
{
	static const uint8_t eligible[] = {0, 0, 0, 0,    0,    2,    0,   0,    0,
					   0, 0, 1, 0x81, 0x00, 0xd0, 100, 0x88, 0xcc};
	struct packet_headers h = parsed(eligible, sizeof(eligible));

	(void)state;
	assert_true(matches((struct packet_rule){VLAN(100), PCP(6)}, &h));
}

static uint32_t mark_of(const struct packet_rule *rules, unsigned n, enum sample_id sample)
{
	struct packet_headers h = parsed(samples[sample].bytes, samples[sample].size);
	const struct packet_choice *choice;
	struct packet_rules table;

	packet_rules_init(&table, rules, n);
	choice = packet_rules_find(&table, &h);
	return choice ? choice->mark : UINT32_MAX;
}

static void the_first_rule_that_matches_decides(void **state)
{
	static const struct packet_rule rules[] = {
		{PROTOCOL(6), .mark = 1},
		{.src = NET4(8, 10), .mark = 2},
		{PROTOCOL(17), .mark = 0},
	};

	(void)state;
	assert_int_equal(mark_of(rules, 3, SAMPLE_TCP4), 1);
	assert_int_equal(mark_of(rules, 3, SAMPLE_UDP4), 2);
	assert_int_equal(mark_of(rules, 3, SAMPLE_UDP6), 0);
	assert_int_equal(mark_of(rules, 3, SAMPLE_ARP), UINT32_MAX);
	assert_int_equal(mark_of(rules, 0, SAMPLE_TCP4), UINT32_MAX);
}

static void all_rules_are_tried(void **state)
{
	struct packet_rule rules[PACKET_RULES_MAX];

	(void)state;
	for (uint8_t i = 0; i < PACKET_RULES_MAX; i++)
		rules[i] = (struct packet_rule){DSCP(PACKET_RULES_MAX - 1 - i), .mark = i};
	assert_int_equal(mark_of(rules, PACKET_RULES_MAX, SAMPLE_UDP4), PACKET_RULES_MAX - 1);
	assert_int_equal(mark_of(rules, PACKET_RULES_MAX, SAMPLE_UDP6), PACKET_RULES_MAX - 1 - 46);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_matches_what_it_asks_for),
		cmocka_unit_test(a_protocol_of_one_ip_version_is_not_found_in_the_other),
		cmocka_unit_test(a_rule_for_both_ip_versions_matches_nothing),
		cmocka_unit_test(a_priority_tag_is_of_no_vlan_but_has_a_priority),
		cmocka_unit_test(the_drop_eligible_bit_is_neither_id_nor_priority),
		cmocka_unit_test(the_first_rule_that_matches_decides),
		cmocka_unit_test(all_rules_are_tried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet/reach: which rules no frame gets to, and which rules before them see to that. Random rules
 * are held against the matcher itself.
 */
#include "packet/reach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "rule_words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void what_no_frame_has_is_impossible(void **state)
{
	static const struct packet_rule impossible[] = {
		{.src = NET4(8, 10), .dst = NET6(0)},   {.src = NET6(0), .dst = NET4(8, 10)},
		{PROTOCOL(1), .dport = SPAN(0, 65535)}, {PROTOCOL(1), .src = NET6(0)},
		{PROTOCOL(58), .dst = NET4(0)},         {PROTOCOL(132), .sport = SPAN(1, 1)},
	};
	static const struct packet_rule possible[] = {
		{.src = NET4(8, 10), .dst = NET4(0)},
		{.src = NET6(0), .dst = NET6(0), PROTOCOL(58)},
		{PROTOCOL(6), .dport = SPAN(0, 65535)},
		{PROTOCOL(17), .src = NET6(0), .sport = SPAN(1, 1), .dport = SPAN(2, 2)},
		{VLAN(0), PCP(7)},
		{VLAN(4095), DSCP(63)},
		{0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(impossible); i++)
		assert_false(packet_rule_possible(&impossible[i]));
	for (size_t i = 0; i < COUNT(possible); i++)
		assert_true(packet_rule_possible(&possible[i]));
}

/* A list of rules, the last of which is in question; bit i of `by` stands for rule i. */
struct list {
	unsigned n;
	uint64_t by;
	struct packet_rule rules[8];
};

static const struct list lists[] = {
	/* nothing before it, something beside it, something within it */
	{1, 0, {{PROTOCOL(6)}}},
	{2, 0, {{PROTOCOL(6)}, {PROTOCOL(17)}}},
	{2, 0, {{.src = NET4(16, 10, 1)}, {.src = NET4(8, 10)}}},
	{2, 0, {{PROTOCOL(6)}, {DSCP(46)}}},

	/* one rule covers another */
	{2, 1, {{PROTOCOL(6)}, {PROTOCOL(6)}}},
	{2, 1, {{.src = NET4(8, 10)}, {.src = NET4(16, 10, 1)}}},
	{2, 1, {{.src = NET6(0)}, {.src = NET6(128, 0xfe, 0x80), .dport = SPAN(1, 2)}}},
	{3, 2, {{DSCP(1)}, {PROTOCOL(6)}, {PROTOCOL(6), .dport = SPAN(80, 80)}}},
	{2, 1, {{0}, {VLAN(3)}}},
	{2, 1, {{.src = NET4(0)}, {PROTOCOL(1)}}},
	{2, 1, {{.src = NET6(0)}, {PROTOCOL(58)}}},
	/* several do, each with a part; rules 0 and 2 of the second list are not needed */
	{3, 3, {{.src = NET4(9, 10)}, {.src = NET4(9, 10, 128)}, {.src = NET4(8, 10)}}},
	{5,
	 10,
	 {{PROTOCOL(1)},
	  {.dport = SPAN(0, 99)},
	  {DSCP(3)},
	  {.dport = SPAN(100, 200)},
	  {.dport = SPAN(50, 150)}}},
	{3, 0, {{.dport = SPAN(0, 99)}, {.dport = SPAN(101, 200)}, {.dport = SPAN(50, 150)}}},
	{3, 3, {{.src = NET4(0)}, {.src = NET6(0)}, {PROTOCOL(6)}}},
	/* fragments have no ports, so ports alone never cover a protocol */
	{2, 0, {{.dport = SPAN(0, 65535)}, {PROTOCOL(6)}}},
	/* but both ports are there, or none */
	{2, 1, {{.dport = SPAN(0, 65535)}, {.sport = SPAN(80, 80)}}},
	/* ports are TCP's or UDP's */
	{3, 3, {{PROTOCOL(6)}, {PROTOCOL(17)}, {.sport = SPAN(80, 80)}}},
	/* a tag says one of eight priorities; frames without one are of no VLAN */
	{8, 0, {{PCP(0)}, {PCP(1)}, {PCP(2)}, {PCP(3)}, {PCP(4)}, {PCP(5)}, {PCP(6)}, {VLAN(9)}}},
	{2, 0, {{PCP(0)}, {VLAN(0)}}},
	/* ARP, LLDP and the like are not IP */
	{3, 0, {{.src = NET4(0)}, {.src = NET6(0)}, {VLAN(0)}}},
};

static void covered_rules_are_found_with_those_that_cover_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		uint64_t by = packet_rule_covered(lists[i].rules, lists[i].n - 1);

		if (by != lists[i].by)
			fail_msg("list %zu: covered by %#jx, not %#jx", i, (uintmax_t)by,
				 (uintmax_t)lists[i].by);
	}
}

static void all_priorities_of_a_tag_cover_its_vlan(void **state)
{
	struct packet_rule rules[9] = {[8] = {VLAN(9)}};

	(void)state;
	for (uint8_t i = 0; i < 8; i++)
		rules[i] = (struct packet_rule){PCP(i)};
	assert_int_equal(packet_rule_covered(rules, 8), 0xff);
}

/* Few values per field, so that rules often cover one another, and every frame can be listed. */
#define TRIES 20000
#define RULES 6

static struct packet_rule random_rule(struct prng *rng)
{
	struct packet_rule r = {
		.vlan_set = prng_u32(rng) % 4 == 0,
		.vlan = prng_u32(rng) % 2,
		.protocol_set = prng_u32(rng) % 3 == 0,
		.protocol = prng_u32(rng) % 2 ? 6 : 17,
		.dscp_set = prng_u32(rng) % 4 == 0,
		.dscp = prng_u32(rng) % 2,
	};

	if (prng_u32(rng) % 3 == 0)
		r.sport = (struct packet_span)SPAN(0, 65535);
	if (prng_u32(rng) % 3 == 0 && r.sport.set)
		r.sport.first = 40000;
	if (prng_u32(rng) % 3 == 0 && r.sport.set)
		r.sport.last = 50000;
	if (prng_u32(rng) % 3 == 0)
		r.src = (struct packet_prefix){.family = prng_u32(rng) % 2 ? 4 : 6,
					       .len = prng_u32(rng) % 2};
	if (r.src.len && prng_u32(rng) % 2)
		r.src.addr[0] = 128;
	return r;
}

/* How much of a frame can be read: no IP header, one that says a DSCP but no flow, or all. */
enum { OPAQUE, CUT_SHORT, WHOLE, DEPTHS };

/* The @i-th of FRAMES frames that tell apart all that random rules can ask for; GRE stands for all
 * protocols but TCP and UDP. */
#define FRAMES (3 * 3 * 3 * 5 * 4 * DEPTHS)

static struct packet_headers listed_frame(unsigned i)
{
	static const uint8_t protocols[] = {6, 17, 47};
	static const uint16_t ports[] = {0, 40000, 45000, 60000}; /* and none */
	struct packet_headers h = {.dscp = i % 3, .vlan_id = i / 3 % 3, .n_tags = i / 3 % 3 > 0};
	unsigned port = i / 27 % 5, address = i / 135 % 4, depth = i / 540;

	if (depth == OPAQUE)
		return (struct packet_headers){.vlan_id = h.vlan_id, .n_tags = h.n_tags};
	h.l3 = address < 2 ? PACKET_L3_IPV4 : PACKET_L3_IPV6;
	if (depth == CUT_SHORT)
		return h;
	h.addr_len = address < 2 ? 4 : 16;
	h.src[0] = address % 2 ? 128 : 0;
	h.proto = protocols[i / 9 % 3];
	if (port < 4 && h.proto != 47) {
		h.transport_offset = 34;
		h.sport = ports[port];
	}
	return h;
}

static bool some_frame_gets_to(const struct packet_rule *rules, unsigned at)
{
	struct packet_rule numbered[RULES];
	struct packet_rules table;

	for (unsigned i = 0; i <= at; i++) {
		numbered[i] = rules[i];
		numbered[i].mark = i;
	}
	packet_rules_init(&table, numbered, at + 1);
	for (unsigned i = 0; i < FRAMES; i++) {
		struct packet_headers h = listed_frame(i);
		const struct packet_choice *choice = packet_rules_find(&table, &h);

		if (choice && choice->mark == at)
			return true;
	}
	return false;
}

static void the_answer_is_the_matchers_on_random_rules(void **state)
{
	struct prng rng = prng_xorshift32(1);
	unsigned covered = 0;

	(void)state;
	for (unsigned i = 0; i < TRIES; i++) {
		struct packet_rule rules[RULES];
		bool reached;

		for (unsigned r = 0; r < RULES; r++)
			rules[r] = random_rule(&rng);
		reached = some_frame_gets_to(rules, RULES - 1);
		assert_int_equal(packet_rule_possible(&rules[RULES - 1]) &&
					 !packet_rule_covered(rules, RULES - 1),
				 reached);
		covered += !reached;
	}
	/* neither answer is rare */
	assert_in_range(covered, TRIES / 10, TRIES - TRIES / 10);
}

/*
 * 64 rules over two ports at random: a box is cut into some hundred pieces. The bound on work is
 * for what nobody writes; it must not be reached here, and time must not run away.
 */
static void a_full_table_of_port_rules_is_decided(void **state)
{
	struct packet_rule rules[PACKET_RULES_MAX];
	struct prng rng = prng_xorshift32(1);

	(void)state;
	for (unsigned i = 0; i + 1 < PACKET_RULES_MAX; i++) {
		uint16_t from = i * 1024, at = prng_u32(&rng) % 60000;

		rules[i] = (struct packet_rule){.sport = SPAN(from, from + 1023)};
		if (i % 2)
			rules[i].dport = (struct packet_span)SPAN(at, at + 5000);
	}
	rules[PACKET_RULES_MAX - 1] = (struct packet_rule){.sport = SPAN(2048, 3071)};
	assert_int_equal(packet_rule_covered(rules, PACKET_RULES_MAX - 1), 1 << 2);
	rules[PACKET_RULES_MAX - 1] = (struct packet_rule){.sport = SPAN(2048, 4095)};
	assert_int_equal(packet_rule_covered(rules, PACKET_RULES_MAX - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_frame_has_is_impossible),
		cmocka_unit_test(covered_rules_are_found_with_those_that_cover_them),
		cmocka_unit_test(all_priorities_of_a_tag_cover_its_vlan),
		cmocka_unit_test(the_answer_is_the_matchers_on_random_rules),
		cmocka_unit_test(a_full_table_of_port_rules_is_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

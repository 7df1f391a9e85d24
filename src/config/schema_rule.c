/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table's part for rules: what a rule may ask of a frame, and what it may choose.
 *
 * What no rule may say together is in rules.c.
 */
#include <netinet/in.h>

#include "config/rules.h"
#include "config/schema.h"

/* Names of IANA's "Protocol Numbers" for what crosses routers; others have their number. What is
 * stepped over on the way to the flow has no name: a rule for it would not do what it says. */
static const struct schema_preset protocol_words[] = {
	{"icmp", IPPROTO_ICMP},
	{"igmp", IPPROTO_IGMP},
	{"tcp", IPPROTO_TCP},
	{"udp", IPPROTO_UDP},
	{"dccp", IPPROTO_DCCP},
	{"gre", IPPROTO_GRE},
	{"esp", IPPROTO_ESP},
	{"icmpv6", IPPROTO_ICMPV6},
	{"ospf", 89},
	{"pim", IPPROTO_PIM},
	{"vrrp", 112},
	{"l2tp", 115},
	{"sctp", IPPROTO_SCTP},
	{"udplite", IPPROTO_UDPLITE},
	{0},
};

/* CSn = 8n, AFnm = 8n + 2m (RFC 2597), EF (RFC 3246), VA (RFC 5865), LE (RFC 8622). */
static const struct schema_preset dscp_words[] = {
	{"cs0", 0},   {"cs1", 8},   {"cs2", 16},  {"cs3", 24},  {"cs4", 32},  {"cs5", 40},
	{"cs6", 48},  {"cs7", 56},  {"af11", 10}, {"af12", 12}, {"af13", 14}, {"af21", 18},
	{"af22", 20}, {"af23", 22}, {"af31", 26}, {"af32", 28}, {"af33", 30}, {"af41", 34},
	{"af42", 36}, {"af43", 38}, {"ef", 46},   {"va", 44},   {"le", 1},    {0},
};

static const struct schema_preset tin_words[] = {
	{"Bulk", RULE_TIN_WORDS},
	{"Best Effort", RULE_TIN_WORDS + 1},
	{"Video", RULE_TIN_WORDS + 2},
	{"Voice", RULE_TIN_WORDS + 3},
	{"Tin 0", RULE_TIN_WORDS + 4},
	{"Tin 1", RULE_TIN_WORDS + 5},
	{"Tin 2", RULE_TIN_WORDS + 6},
	{"Tin 3", RULE_TIN_WORDS + 7},
	{"Tin 4", RULE_TIN_WORDS + 8},
	{"Tin 5", RULE_TIN_WORDS + 9},
	{"Tin 6", RULE_TIN_WORDS + 10},
	{"Tin 7", RULE_TIN_WORDS + 11},
	{0},
};

const struct schema_key schema_rule[] = {
	{.name = "vlan",
	 .help = "Id of the outermost VLAN tag; 0 = no VLAN: untagged, or tagged for priority "
		 "only.",
	 .type = SCHEMA_INTEGER,
	 .max = 4095,
	 .quantity = "an id",
	 .examples = "10",
	 SCHEMA_STORE(struct packet_rule, vlan),
	 .set_field = offsetof(struct packet_rule, vlan_set)},
	{.name = "pcp",
	 .help = "Priority in the outermost VLAN tag; frames without a tag have none.",
	 .type = SCHEMA_INTEGER,
	 .max = 7,
	 .quantity = "a priority",
	 .examples = "5",
	 SCHEMA_STORE(struct packet_rule, pcp),
	 .set_field = offsetof(struct packet_rule, pcp_set)},
	{.name = "src",
	 .help = "Source address of the flow, in a tunnel the inner one.",
	 .type = SCHEMA_PREFIX,
	 .examples = "\"10.0.0.0/8\", \"2001:db8::/32\"",
	 SCHEMA_STORE(struct packet_rule, src)},
	{.name = "dst",
	 .help = "Destination address of the flow, in a tunnel the inner one.",
	 .type = SCHEMA_PREFIX,
	 .examples = "\"192.0.2.1/32\", \"::/0\"",
	 SCHEMA_STORE(struct packet_rule, dst)},
	{.name = "protocol",
	 .help = "IP protocol of the flow, behind IPv6 extension headers and AH.",
	 .type = SCHEMA_INTEGER,
	 .noun = "an integer or a word",
	 .max = UINT8_MAX,
	 .presets = protocol_words,
	 .quantity = "a protocol",
	 .examples = "\"udp\"",
	 SCHEMA_STORE(struct packet_rule, protocol),
	 .set_field = offsetof(struct packet_rule, protocol_set)},
	{.name = "sport",
	 .help = "Source port of TCP or UDP; fragments have none.",
	 .type = SCHEMA_SPAN,
	 .max = UINT16_MAX,
	 .examples = "53, \"1024-65535\"",
	 SCHEMA_STORE(struct packet_rule, sport)},
	{.name = "dport",
	 .help = "Destination port of TCP or UDP; fragments have none.",
	 .type = SCHEMA_SPAN,
	 .max = UINT16_MAX,
	 .examples = "443, \"10000-20000\"",
	 SCHEMA_STORE(struct packet_rule, dport)},
	{.name = "dscp",
	 .help = "DSCP in the outermost IP header, before it is washed.",
	 .type = SCHEMA_INTEGER,
	 .noun = "an integer or a word",
	 .max = 63,
	 .presets = dscp_words,
	 .quantity = "a code point",
	 .examples = "\"ef\"",
	 SCHEMA_STORE(struct packet_rule, dscp),
	 .set_field = offsetof(struct packet_rule, dscp_set)},
	{.name = "mark",
	 .help = "Mark to give the frame, from which fwmark takes the tin; 0 = none, so that DSCP "
		 "chooses.",
	 .type = SCHEMA_BITS,
	 .max = UINT32_MAX,
	 .quantity = "bits",
	 .examples = "3, \"0x10\"",
	 SCHEMA_STORE(struct packet_rule, mark),
	 .set_field = offsetof(struct packet_rule, mark_set)},
	{.name = "tin",
	 .help = "Tin to put the frame in: its name, or its place in tc's list.",
	 .type = SCHEMA_INTEGER,
	 .noun = "an integer or a word",
	 .min = 1,
	 .max = 8,
	 .presets = tin_words,
	 .quantity = "a place",
	 .examples = "\"Voice\"",
	 SCHEMA_STORE(struct packet_rule, tin)},
	{0},
};

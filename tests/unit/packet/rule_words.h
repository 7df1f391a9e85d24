/* SPDX-License-Identifier: BSD-3-Clause */
/* Initializers for struct packet_rule, which name each field once. For tables of rules in tests. */
#ifndef TESTS_UNIT_PACKET_RULE_WORDS_H
#define TESTS_UNIT_PACKET_RULE_WORDS_H

#include "packet/rules.h"

#define NET4(bits, ...)                                           \
	{                                                         \
		.family = 4, .len = bits, .addr = { __VA_ARGS__ } \
	}
#define NET6(bits, ...)                                           \
	{                                                         \
		.family = 6, .len = bits, .addr = { __VA_ARGS__ } \
	}
#define SPAN(from, to)                                 \
	{                                              \
		.set = true, .first = from, .last = to \
	}
#define VLAN(id)         .vlan_set = true, .vlan = id
#define PCP(priority)    .pcp_set = true, .pcp = priority
#define PROTOCOL(number) .protocol_set = true, .protocol = number
#define DSCP(code_point) .dscp_set = true, .dscp = code_point

#endif

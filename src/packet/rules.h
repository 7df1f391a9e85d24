/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operator's rules: which frames get which mark or tin.
 *
 * Rules are tried in the order written and the first that matches decides, so they may overlap.
 * struct packet_rule is what a person wrote; struct packet_rules is made of it once and is what
 * every frame is compared with. Whether a rule can match at all is reach.h's question.
 */
#ifndef GATEAU_PACKET_RULES_H
#define GATEAU_PACKET_RULES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

/**
 * Most rules of a scheduler. A frame that none matches is compared with all of them, at about 1 ns
 * each; 64 are the time the scheduler itself takes for a packet, and their first halves 4 KiB of a
 * first-level cache.
 */
#define PACKET_RULES_MAX 64

/** Addresses that begin with the same bits. */
struct packet_prefix {
	uint8_t family;   /* 4, 6; 0 = any address */
	uint8_t len;      /* bits, 0..32 or 0..128 */
	uint8_t addr[16]; /* in wire order; bits behind `len` are 0 */
};

/** Ports from first to last, both included. */
struct packet_span {
	uint16_t first, last;
	bool set; /* false = any, and frames without ports as well */
};

/** One rule. All that is set must hold; all zero matches every frame and chooses nothing. */
struct packet_rule {
	uint16_t vlan; /* outer tag's id; 0 = of no VLAN: untagged, or tagged for priority only */
	uint8_t pcp;   /* outer tag's priority, 0..7; an untagged frame has none */
	uint8_t protocol; /* of the flow; 1 and 2 are IPv4's only, 58 is IPv6's only */
	uint8_t dscp;     /* of the outer IP header, 0..63; other frames have none */
	bool vlan_set, pcp_set, protocol_set, dscp_set;
	struct packet_prefix src, dst; /* of the flow: the inner header's in a tunnel */
	struct packet_span sport, dport;

	bool mark_set;
	uint32_t mark; /* for cake_packet.mark; 0 = none, also where the NIC says one */
	uint8_t tin;   /* for cake_packet.priority_tin; 0 = none */
};

/** packet_rule_family(): the rule asks for both. */
#define PACKET_FAMILY_BOTH 255

/** IP version that @r asks of the flow, by a prefix or a protocol: 4 or 6, 0 = either or no IP. */
uint8_t packet_rule_family(const struct packet_rule *r);

/** What a rule says of a frame that it matches. */
struct packet_choice {
	uint32_t mark;
	uint8_t tin;
};

/** Bits that a word must have: @value in those of @mask. */
struct rule_word {
	uint64_t value, mask;
};

/** All but the ends of long IPv6 prefixes: what nearly every comparison ends with. */
struct rule_head {
	struct rule_word fields;           /* small fields, packed: see rules.c */
	struct rule_word src, dst;         /* first 8 bytes of the address, in wire order */
	uint16_t sport_first, sport_count; /* ports from first to first + count */
	uint16_t dport_first, dport_count;
	struct packet_choice choice;
};
static_assert(sizeof(struct rule_head) == 64, "a cache line");

/** The last 8 bytes of the addresses. */
struct rule_tail {
	struct rule_word src, dst;
};

/** Rules as frames are compared with them. Does not change while packets flow. */
struct packet_rules {
	unsigned n;
	struct rule_head heads[PACKET_RULES_MAX] __attribute__((aligned(64)));
	struct rule_tail tails[PACKET_RULES_MAX];
};

/** Make @out of @n rules, at most PACKET_RULES_MAX, in the order they are to be tried. */
void packet_rules_init(struct packet_rules *out, const struct packet_rule *rules, unsigned n);

/** packet_rules_find() where there are rules. */
const struct packet_choice *packet_rules_search(const struct packet_rules *rules,
						const struct packet_headers *h);

/** What the first rule that matches says of a frame with these headers; NULL if none does. */
static inline const struct packet_choice *packet_rules_find(const struct packet_rules *rules,
							    const struct packet_headers *h)
{
	return rules->n ? packet_rules_search(rules, h) : NULL;
}

#endif

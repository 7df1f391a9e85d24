/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparing a frame with rules.
 *
 * Small fields are packed into one word, so that one masked comparison does for all of them; each
 * has a bit beside it that says whether the frame has such a field at all:
 *
 *	bit   0..11  12..14  15      16..21  22     24..31    32    33    34
 *	      VLAN   PCP     tagged  DSCP    outer  protocol  flow  IPv6  ports
 *	                                     is IP            is IP
 *
 * Addresses are compared as masked words in wire order; IPv4's four bytes are the first of them.
 */
#include "packet/rules.h"

#include <netinet/in.h>
#include <string.h>

#define VLAN_SHIFT     0
#define PCP_SHIFT      12
#define TAGGED         (UINT64_C(1) << 15)
#define DSCP_SHIFT     16
#define OUTER_IP       (UINT64_C(1) << 22)
#define PROTOCOL_SHIFT 24
#define FLOW_IP        (UINT64_C(1) << 32)
#define FLOW_IPV6      (UINT64_C(1) << 33)
#define PORTS          (UINT64_C(1) << 34)

static uint8_t protocol_family(const struct packet_rule *r)
{
	if (!r->protocol_set)
		return 0;
	switch (r->protocol) {
	case IPPROTO_ICMP:
	case IPPROTO_IGMP:
		return 4;
	case IPPROTO_ICMPV6:
		return 6;
	default:
		return 0;
	}
}

uint8_t packet_rule_family(const struct packet_rule *r)
{
	uint8_t asked[] = {r->src.family, r->dst.family, protocol_family(r)};
	uint8_t family = 0;

	for (unsigned i = 0; i < sizeof(asked); i++) {
		if (asked[i] && family && asked[i] != family)
			return PACKET_FAMILY_BOTH;
		if (asked[i])
			family = asked[i];
	}
	return family;
}

/* Ask for @value in the @bits at @shift, and that the frame has the field: @present. */
static void ask(struct rule_head *head, unsigned shift, unsigned bits, uint64_t value,
		uint64_t present)
{
	head->fields.value |= value << shift | present;
	head->fields.mask |= ((UINT64_C(1) << bits) - 1) << shift | present;
}

static void ask_family(struct rule_head *head, uint8_t family)
{
	if (!family)
		return;
	head->fields.value &= ~(FLOW_IP | FLOW_IPV6); /* a protocol has asked for IP */
	/* IPv6 that is no IP: what no frame is */
	head->fields.value |= family == 4 ? FLOW_IP : family == 6 ? FLOW_IP | FLOW_IPV6 : FLOW_IPV6;
	head->fields.mask |= FLOW_IP | FLOW_IPV6;
}

static void ask_ports(struct rule_head *head, const struct packet_span *span, uint16_t *first,
		      uint16_t *count)
{
	*first = span->set ? span->first : 0;
	*count = span->set ? span->last - span->first : UINT16_MAX;
	if (span->set)
		ask(head, 0, 0, 0, PORTS);
}

static void ask_prefix(struct rule_word *head, struct rule_word *tail,
		       const struct packet_prefix *p)
{
	uint8_t mask[sizeof(p->addr)] = {0};

	for (unsigned bit = 0; bit < p->len; bit++)
		mask[bit / 8] |= 0x80 >> bit % 8;
	memcpy(&head->value, p->addr, 8);
	memcpy(&head->mask, mask, 8);
	memcpy(&tail->value, p->addr + 8, 8);
	memcpy(&tail->mask, mask + 8, 8);
}

static void compile(const struct packet_rule *r, struct rule_head *head, struct rule_tail *tail)
{
	if (r->vlan_set)
		ask(head, VLAN_SHIFT, 12, r->vlan, 0);
	if (r->pcp_set)
		ask(head, PCP_SHIFT, 3, r->pcp, TAGGED);
	if (r->dscp_set)
		ask(head, DSCP_SHIFT, 6, r->dscp, OUTER_IP);
	if (r->protocol_set)
		ask(head, PROTOCOL_SHIFT, 8, r->protocol, FLOW_IP);
	ask_family(head, packet_rule_family(r));
	ask_ports(head, &r->sport, &head->sport_first, &head->sport_count);
	ask_ports(head, &r->dport, &head->dport_first, &head->dport_count);
	ask_prefix(&head->src, &tail->src, &r->src);
	ask_prefix(&head->dst, &tail->dst, &r->dst);
	head->choice = (struct packet_choice){.mark = r->mark, .tin = r->tin};
}

void packet_rules_init(struct packet_rules *out, const struct packet_rule *rules, unsigned n)
{
	*out = (struct packet_rules){.n = n};
	for (unsigned i = 0; i < n; i++)
		compile(&rules[i], &out->heads[i], &out->tails[i]);
}

static uint64_t pack(const struct packet_headers *h)
{
	bool ip = h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6;
	uint64_t fields = 0;

	if (h->n_tags)
		fields |=
			(uint64_t)h->vlan_id << VLAN_SHIFT | (uint64_t)h->pcp << PCP_SHIFT | TAGGED;
	if (ip)
		fields |= (uint64_t)h->dscp << DSCP_SHIFT | OUTER_IP;
	if (h->addr_len)
		fields |= (uint64_t)h->proto << PROTOCOL_SHIFT | FLOW_IP;
	if (h->addr_len == 16)
		fields |= FLOW_IPV6;
	if (h->transport_offset)
		fields |= PORTS;
	return fields;
}

static uint64_t differs(const struct rule_word *asked, uint64_t word)
{
	return (word ^ asked->value) & asked->mask;
}

static bool in_span(uint16_t port, uint16_t first, uint16_t count)
{
	return (uint16_t)(port - first) <= count;
}

const struct packet_choice *packet_rules_search(const struct packet_rules *rules,
						const struct packet_headers *h)
{
	uint64_t fields, src[2], dst[2];

	fields = pack(h);
	memcpy(src, h->src, sizeof(src));
	memcpy(dst, h->dst, sizeof(dst));
	for (unsigned i = 0; i < rules->n; i++) {
		const struct rule_head *head = &rules->heads[i];
		const struct rule_tail *tail = &rules->tails[i];

		if (differs(&head->fields, fields) | differs(&head->src, src[0]) |
		    differs(&head->dst, dst[0]))
			continue;
		if (in_span(h->sport, head->sport_first, head->sport_count) &&
		    in_span(h->dport, head->dport_first, head->dport_count) &&
		    !(differs(&tail->src, src[1]) | differs(&tail->dst, dst[1])))
			return &head->choice;
	}
	return NULL;
}

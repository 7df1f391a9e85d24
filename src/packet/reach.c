/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rule asks of each field that it lie between two numbers: it is a box with one side per field,
 * and so is each kind of frame there is. What a rule takes are its intersections with the kinds;
 * what is left of them when the boxes of earlier rules are cut out are frames that get to it.
 *
 * A field that a frame does not have is one more number, next to those it may have. The kinds keep
 * apart what can and what cannot be together: ports are TCP's and UDP's, PCP is a tag's.
 */
#include "packet/reach.h"

#include <netinet/in.h>

static_assert(PACKET_RULES_MAX <= 64, "sets of rules are 64-bit masks");

enum side { FAMILY, VLAN, PCP, DSCP, PROTOCOL, SPORT, DPORT, SRC, DST, SIDES };

#define NO_PCP      8
#define NO_DSCP     64
#define NO_PROTOCOL 256
#define NO_PORT     65536

typedef unsigned __int128 number;

#define NUMBER_MAX (~(number)0)

struct box {
	struct {
		number lo, hi; /* both included */
	} side[SIDES];
};

/* What can be behind the tags. Fragments have no ports, so every protocol is also without. */
static const struct content {
	uint8_t family;
	uint16_t protocol_lo, protocol_hi;
	uint32_t port_lo, port_hi;
} contents[] = {
	{0, NO_PROTOCOL, NO_PROTOCOL, NO_PORT, NO_PORT},
	{4, 0, UINT8_MAX, NO_PORT, NO_PORT},
	{4, IPPROTO_TCP, IPPROTO_TCP, 0, UINT16_MAX},
	{4, IPPROTO_UDP, IPPROTO_UDP, 0, UINT16_MAX},
	{6, 0, UINT8_MAX, NO_PORT, NO_PORT},
	{6, IPPROTO_TCP, IPPROTO_TCP, 0, UINT16_MAX},
	{6, IPPROTO_UDP, IPPROTO_UDP, 0, UINT16_MAX},
};

#define CONTENTS (sizeof(contents) / sizeof(contents[0]))

static void set_side(struct box *b, enum side s, number lo, number hi)
{
	b->side[s].lo = lo;
	b->side[s].hi = hi;
}

static void point(struct box *b, enum side s, bool set, number value)
{
	set_side(b, s, set ? value : 0, set ? value : NUMBER_MAX);
}

static void ports_side(struct box *b, enum side s, const struct packet_span *span)
{
	set_side(b, s, span->set ? span->first : 0, span->set ? span->last : NUMBER_MAX);
}

static void prefix_side(struct box *b, enum side s, const struct packet_prefix *p)
{
	number lo = 0;

	for (unsigned i = 0; i < sizeof(p->addr); i++)
		lo = lo << 8 | p->addr[i];
	set_side(b, s, lo, p->len < 128 ? lo | NUMBER_MAX >> p->len : lo);
}

static struct box box_of_rule(const struct packet_rule *r)
{
	uint8_t family = packet_rule_family(r);
	struct box b;

	point(&b, FAMILY, family, family);
	point(&b, VLAN, r->vlan_set, r->vlan);
	point(&b, PCP, r->pcp_set, r->pcp);
	point(&b, DSCP, r->dscp_set, r->dscp);
	point(&b, PROTOCOL, r->protocol_set, r->protocol);
	ports_side(&b, SPORT, &r->sport);
	ports_side(&b, DPORT, &r->dport);
	prefix_side(&b, SRC, &r->src);
	prefix_side(&b, DST, &r->dst);
	return b;
}

/* Frames with @c behind a tag, or without one. No IP that can be read: an IP header may still be
 * there to say a DSCP. */
static struct box box_of_kind(const struct content *c, bool tagged)
{
	number addr_max = c->family == 0 ? 0 : NUMBER_MAX;
	struct box b;

	set_side(&b, FAMILY, c->family, c->family);
	set_side(&b, VLAN, 0, tagged ? 4095 : 0);
	set_side(&b, PCP, tagged ? 0 : NO_PCP, tagged ? NO_PCP - 1 : NO_PCP);
	set_side(&b, DSCP, 0, c->family ? NO_DSCP - 1 : NO_DSCP);
	set_side(&b, PROTOCOL, c->protocol_lo, c->protocol_hi);
	set_side(&b, SPORT, c->port_lo, c->port_hi);
	set_side(&b, DPORT, c->port_lo, c->port_hi);
	set_side(&b, SRC, 0, addr_max);
	set_side(&b, DST, 0, addr_max);
	return b;
}

/* Make @a what is in both. Returns whether anything is. */
static bool intersect(struct box *a, const struct box *b)
{
	for (unsigned s = 0; s < SIDES; s++) {
		if (a->side[s].lo < b->side[s].lo)
			a->side[s].lo = b->side[s].lo;
		if (a->side[s].hi > b->side[s].hi)
			a->side[s].hi = b->side[s].hi;
		if (a->side[s].lo > a->side[s].hi)
			return false;
	}
	return true;
}

/* The @i-th kind's share of @b. Returns whether it has any. */
static bool share(const struct box *b, unsigned i, struct box *out)
{
	*out = box_of_kind(&contents[i / 2], i % 2);
	return intersect(out, b);
}

bool packet_rule_possible(const struct packet_rule *r)
{
	struct box b = box_of_rule(r), part;

	for (unsigned i = 0; i < 2 * CONTENTS; i++)
		if (share(&b, i, &part))
			return true;
	return false;
}

/* The boxes to cut out, and how much work that may still be. */
struct cutting {
	struct box boxes[PACKET_RULES_MAX];
	unsigned n;
	uint64_t use; /* which of them */
	unsigned steps;
};

/*
 * Whether boxes from @from on leave something of @b. The first that touches @b splits it: what
 * sticks out on each side is a piece that later boxes have to cover; the middle is covered.
 */
static bool leaves_some(struct cutting *c, struct box b, unsigned from)
{
	struct box piece;

	if (!c->steps)
		return true;
	c->steps--;
	do {
		while (from < c->n && !(c->use >> from & 1))
			from++;
		if (from == c->n)
			return true;
		piece = b;
	} while (!intersect(&piece, &c->boxes[from++]));

	for (unsigned s = 0; s < SIDES; s++) {
		number lo = piece.side[s].lo, hi = piece.side[s].hi;
		struct box out = b;

		out.side[s].hi = lo - 1;
		if (b.side[s].lo < lo && leaves_some(c, out, from))
			return true;
		out.side[s].hi = b.side[s].hi;
		out.side[s].lo = hi + 1;
		if (b.side[s].hi > hi && leaves_some(c, out, from))
			return true;
		b.side[s].lo = lo;
		b.side[s].hi = hi;
	}
	return false;
}

/* Whether the rules in @use leave nothing of @b. */
static bool covers(struct cutting *c, uint64_t use, const struct box *b)
{
	struct box part;

	c->use = use;
	c->steps = REACH_STEPS;
	for (unsigned i = 0; i < 2 * CONTENTS; i++)
		if (share(b, i, &part) && leaves_some(c, part, 0))
			return false;
	return true;
}

uint64_t packet_rule_covered(const struct packet_rule *rules, unsigned at)
{
	struct box b = box_of_rule(&rules[at]);
	struct cutting c = {.n = at};
	uint64_t all = (UINT64_C(1) << at) - 1;

	for (unsigned i = 0; i < at; i++)
		c.boxes[i] = box_of_rule(&rules[i]);
	for (unsigned i = 0; i < at; i++)
		if (covers(&c, UINT64_C(1) << i, &b))
			return UINT64_C(1) << i;
	if (!covers(&c, all, &b))
		return 0;
	for (unsigned i = 0; i < at; i++)
		if (covers(&c, all & ~(UINT64_C(1) << i), &b))
			all &= ~(UINT64_C(1) << i);
	return all;
}

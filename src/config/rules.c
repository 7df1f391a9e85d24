/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of a scheduler, held against its options and against one another: a rule that can never
 * match, or that chooses nothing, is a mistake.
 */
#include "config/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/schema.h"
#include "packet/reach.h"

/* Longest here: "ports[31].scheduler.rules[63].protocol". */
#define PLACE_MAX 64

struct rules {
	const struct config_document *doc;
	const char *path; /* of the scheduler */
	struct config_scheduler *scheduler;
	struct config_error *err;
};

/** config_fault() at rules[@at], or at its @key. */
static int __attribute__((format(printf, 4, 5)))
rule_fault(const struct rules *r, unsigned at, const char *key, const char *fmt, ...)
{
	char place[PLACE_MAX];
	va_list args;
	int rc;

	snprintf(place, sizeof(place), "%s.rules[%u]%s%s", r->path, at, *key ? "." : "", key);
	va_start(args, fmt);
	rc = config_vfault(r->doc, place, r->err, fmt, args);
	va_end(args);
	return rc;
}

static int check_asks(const struct rules *r, unsigned at)
{
	const struct packet_rule *rule = &r->scheduler->rules[at];

	if (rule->vlan_set || rule->pcp_set || rule->protocol_set || rule->dscp_set ||
	    rule->src.family || rule->dst.family || rule->sport.set || rule->dport.set)
		return 0;
	return rule_fault(r, at, "",
			  "asks nothing of a frame; give at least one of vlan, pcp, src, dst, "
			  "protocol, sport, dport, dscp");
}

/** The names of the mode's tins in tc's order: "Bulk", "Best Effort", ... Returns @buf. */
static char *tin_names(enum cake_diffserv mode, char *buf, size_t size)
{
	*buf = 0;
	for (unsigned i = 0; i < cake_tin_count(mode); i++) {
		strlcat(buf, i ? ", \"" : "\"", size);
		strlcat(buf, cake_tin_name(mode, cake_tin_order(mode, i)), size);
		strlcat(buf, "\"", size);
	}
	return buf;
}

/** The place in tc's list, from 1, of what the table has stored; 0 if the mode has no such tin. */
static unsigned tin_place(enum cake_diffserv mode, unsigned stored)
{
	const struct schema_key *key = schema_find(schema_rule, "tin");
	unsigned tins = cake_tin_count(mode);

	if (stored < RULE_TIN_WORDS)
		return stored <= tins ? stored : 0;
	for (unsigned i = 0; i < tins; i++) {
		const char *name = cake_tin_name(mode, cake_tin_order(mode, i));

		if (!strcmp(schema_preset_word(key, stored), name))
			return i + 1;
	}
	return 0;
}

static int resolve_tin(const struct rules *r, unsigned at)
{
	const struct schema_key *key = schema_find(schema_rule, "tin");
	enum cake_diffserv mode = r->scheduler->cake.diffserv;
	struct packet_rule *rule = &r->scheduler->rules[at];
	const char *word = schema_preset_word(key, rule->tin), *quote = word ? "\"" : "";
	unsigned place = tin_place(mode, rule->tin);
	char number[16], names[256];

	if (place) {
		rule->tin = (uint8_t)place;
		return 0;
	}
	snprintf(number, sizeof(number), "%u", rule->tin);
	return rule_fault(r, at, "tin", "%s%s%s: %s has no such tin; accepted: 1..%u, %s", quote,
			  word ? word : number, quote,
			  schema_word(schema_find(schema_scheduler, "diffserv"), (int)mode),
			  cake_tin_count(mode), tin_names(mode, names, sizeof(names)));
}

/** Mark 0 keeps a frame from the NIC's mark, which only fwmark reads, and from later rules. */
static int check_exception(const struct rules *r, unsigned at)
{
	for (unsigned i = at + 1; i < r->scheduler->n_rules; i++) {
		if (r->scheduler->rules[i].tin)
			return 0;
	}
	if (r->scheduler->cake.fwmark)
		return 0;
	return rule_fault(r, at, "mark",
			  "0: no rule behind this one gives a tin, so DSCP chooses anyway; leave "
			  "the rule out");
}

static int check_mark(const struct rules *r, unsigned at)
{
	const struct cake_params *cake = &r->scheduler->cake;
	uint32_t mark = r->scheduler->rules[at].mark, m;
	unsigned tins = cake_tin_count(cake->diffserv);

	if (!mark)
		return check_exception(r, at);
	if (!cake->fwmark)
		return rule_fault(r, at, "mark",
				  "%#x: fwmark is 0, so marks choose no tin; set fwmark, or give "
				  "tin instead",
				  mark);
	m = (mark & cake->fwmark) >> __builtin_ctz(cake->fwmark);
	if (m >= 1 && m <= tins)
		return 0;
	return rule_fault(r, at, "mark",
			  "%#x: fwmark %#x makes it %u, which is no tin; accepted: what it makes "
			  "1..%u, 0 = by DSCP",
			  mark, cake->fwmark, m, tins);
}

static int check_choice(const struct rules *r, unsigned at)
{
	const struct packet_rule *rule = &r->scheduler->rules[at];

	if (rule->mark_set && rule->tin)
		return rule_fault(r, at, "", "gives both mark and tin; give one of them");
	if (rule->tin)
		return resolve_tin(r, at);
	if (rule->mark_set)
		return check_mark(r, at);
	return rule_fault(r, at, "", "gives neither mark nor tin; give one of them");
}

static const char *version_of(const struct packet_prefix *p)
{
	return p->family == 4 ? "IPv4" : "IPv6";
}

/** Why no frame is as @rule asks, which packet_rule_possible() found. Returns @buf. */
static char *contradiction(const struct packet_rule *rule, char *buf, size_t size)
{
	const struct packet_prefix *prefix = rule->src.family ? &rule->src : &rule->dst;
	const char *side = rule->src.family ? "src" : "dst";
	const char *name = schema_preset_word(schema_find(schema_rule, "protocol"), rule->protocol);
	char number[4];

	if (!name) {
		snprintf(number, sizeof(number), "%u", rule->protocol);
		name = number;
	}

	if (rule->src.family && rule->dst.family && rule->src.family != rule->dst.family)
		snprintf(buf, size, "src is %s, dst is %s", version_of(&rule->src),
			 version_of(&rule->dst));
	else if (packet_rule_family(rule) == PACKET_FAMILY_BOTH)
		snprintf(buf, size, "protocol %s is %s only, %s is %s", name,
			 prefix->family == 4 ? "IPv6" : "IPv4", side, version_of(prefix));
	else
		snprintf(buf, size, "%s with protocol %s; only tcp and udp have ports",
			 rule->sport.set ? "sport" : "dport", name);
	return buf;
}

static char *rule_list(uint64_t set, char *buf, size_t size)
{
	char one[16];

	*buf = 0;
	for (unsigned i = 0; i < PACKET_RULES_MAX; i++) {
		if (!(set >> i & 1))
			continue;
		snprintf(one, sizeof(one), "%srules[%u]", *buf ? ", " : "", i);
		strlcat(buf, one, size);
	}
	return buf;
}

static int check_reach(const struct rules *r, unsigned at)
{
	const struct packet_rule *rules = r->scheduler->rules;
	char text[PACKET_RULES_MAX * sizeof("rules[63], ")];
	uint64_t by;

	if (!packet_rule_possible(&rules[at]))
		return rule_fault(r, at, "", "can never match: %s",
				  contradiction(&rules[at], text, sizeof(text)));
	by = packet_rule_covered(rules, at);
	if (!by)
		return 0;
	return rule_fault(r, at, "", "can never match: %s %s all of it",
			  rule_list(by, text, sizeof(text)), by & (by - 1) ? "take" : "takes");
}

int config_validate_rules(const struct config_document *doc, const char *path,
			  struct config_scheduler *s, struct config_error *err)
{
	const struct rules r = {.doc = doc, .path = path, .scheduler = s, .err = err};
	char place[PLACE_MAX];
	int rc = 0;

	if (s->n_rules && cake_tin_count(s->cake.diffserv) == 1) {
		snprintf(place, sizeof(place), "%s.rules", path);
		return config_fault(doc, place, err,
				    "besteffort has one tin, so there is nothing to choose; leave "
				    "them out, or use another diffserv");
	}
	for (unsigned i = 0; !rc && i < s->n_rules; i++) {
		rc = check_asks(&r, i);
		if (!rc)
			rc = check_choice(&r, i);
		if (!rc)
			rc = check_reach(&r, i);
	}
	return rc;
}

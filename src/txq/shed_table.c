/* SPDX-License-Identifier: BSD-3-Clause */
/* See shed_table.h. */
#include "txq/shed_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "txq/shed_hosts.h"

#define WAYS 8 /* entries of a set: one cache line */

/* A flow is known once it has been noted twice, with more than 1 ms in between, as V goes while
 * nothing is overloaded. */
#define NEW_BYTES 1000

/* Bursts of which one is noted, on average: at random, since of flows that come in turn each eighth
 * burst could be the same flow's for ever. */
#define SAMPLE_EVERY 8

/*
 * An entry: F in 40 bits, known 1, tin 3, tag 20. With the set's number, of 10 bits or more where
 * 1,024 flows are configured, that is 30 bits of the flow's 32-bit identity: 8 entries look like
 * another flow with probability 8e-6. 0 is an entry that nobody has.
 */
#define KNOWN     (1ull << 40)
#define TIN_SHIFT 41
#define TAG_SHIFT 44
#define KEY_MASK  (~0ull << TIN_SHIFT)

struct set {
	_Alignas(SHED_LINE) uint64_t entries[WAYS];
};
static_assert(sizeof(struct set) == SHED_LINE, "a set is a cache line");

struct shed_table {
	struct shed *shed;
	struct shed_report *report;
	unsigned shift; /* of a 64-bit hash, to the set's number */
	unsigned until_sample;
	bool knows;     /* a flow that was there before: only then half of the ring is kept */
	bool half_full; /* the ring, at the beginning of this burst */
	struct prng rng;
	counter_t collisions;
	struct shed_view views[CAKE_MAX_TINS];
	struct set sets[];
};

/* Powers of 2, at least 64 as 8 flows are the least. */
static uint32_t set_count(const struct cake_params *p)
{
	return p->flows * SHED_TABLE_PER_FLOW / WAYS;
}

uint64_t shed_table_footprint(const struct cake_params *p)
{
	return sizeof(struct shed_table) + (uint64_t)set_count(p) * sizeof(struct set);
}

int shed_table_create(struct shed_table **out, struct shed *s, unsigned lcore)
{
	const uint64_t size = shed_table_footprint(&s->params);
	struct shed_table *t = aligned_alloc(SHED_LINE, size);

	if (!t)
		return -ENOMEM;
	memset(t, 0, size);
	t->shed = s;
	t->report = shed_join(s, lcore);
	t->shift = 64 - (unsigned)__builtin_ctz(set_count(&s->params));
	t->until_sample = SAMPLE_EVERY;
	t->rng = prng_xorshift32(1 + lcore);
	*out = t;
	return 0;
}

void shed_table_destroy(struct shed_table *t)
{
	free(t);
}

bool shed_begin(struct shed_table *t, bool half_full, uint64_t now)
{
	uint32_t on = shed_on(t->shed);

	t->half_full = half_full && t->knows;
	if (!on && !t->half_full && --t->until_sample)
		return false;
	for (unsigned i = 0; i < t->shed->tins; i++)
		shed_look(t->shed, i, now, &t->views[i]);
	return on || t->half_full;
}

bool shed_samples(struct shed_table *t)
{
	if (t->until_sample)
		return false;
	t->until_sample = 1 + prng_u32(&t->rng) % (2 * SAMPLE_EVERY - 1);
	return true;
}

/* The set's number in the upper bits, the tag below. The identities of a queue's flows lie close to
 * each other (steer_queue()): multiplied by 2^64 / golden ratio they do not. */
static uint64_t key_hash(const struct shed_table *t, const struct cake_packet *p, unsigned tin)
{
	uint64_t id = (uint64_t)tin << 32 | cake_flow_key(t->shed->params.flowmode, p);

	return (id + 1) * 0x9e3779b97f4a7c15u;
}

static uint64_t entry_key(const struct shed_table *t, uint64_t hash, unsigned tin)
{
	uint64_t tag = hash << (64 - t->shift) >> (64 - 20);

	return (tag ? tag : 1) << TAG_SHIFT | (uint64_t)tin << TIN_SHIFT;
}

static unsigned tin_of(uint64_t entry)
{
	return entry >> TIN_SHIFT & (CAKE_MAX_TINS - 1);
}

static uint64_t *find(struct set *set, uint64_t key)
{
	for (unsigned i = 0; i < WAYS; i++)
		if ((set->entries[i] & KEY_MASK) == key)
			return &set->entries[i];
	return NULL;
}

/* How much an entry may be replaced: the larger, the better. Below 0: its flow is ahead, or known.
 */
static int64_t staleness(const struct shed_table *t, uint64_t entry)
{
	const struct shed_view *view = &t->views[tin_of(entry)];
	int64_t behind = -shed_ahead(entry & SHED_TAG_MASK, shed_tag(view->v));

	if (!entry)
		return INT64_MAX;
	if (entry & KNOWN && shed_ahead(entry & SHED_TAG_MASK, view->known) >= 0)
		return INT64_MIN;
	return behind;
}

static uint64_t *stalest(const struct shed_table *t, struct set *set, int64_t *staleness_out)
{
	uint64_t *best = &set->entries[0];
	int64_t most = staleness(t, *best);

	for (unsigned i = 1; i < WAYS; i++) {
		int64_t s = staleness(t, set->entries[i]);

		if (s > most) {
			most = s;
			best = &set->entries[i];
		}
	}
	*staleness_out = most;
	return best;
}

void shed_prefetch(const struct shed_table *t, const struct cake_packet *p, unsigned tin)
{
	__builtin_prefetch(&t->sets[key_hash(t, p, tin) >> t->shift], 1);
}

void shed_note(struct shed_table *t, const struct cake_packet *p, unsigned tin)
{
	uint64_t hash = key_hash(t, p, tin), key = entry_key(t, hash, tin);
	struct set *set = &t->sets[hash >> t->shift];
	uint64_t v = shed_tag(t->views[tin].v), *e = find(set, key);
	int64_t stale;

	if (!e) {
		e = stalest(t, set, &stale);
		if (stale == INT64_MIN) /* all were seen lately: any of them */
			e = &set->entries[prng_u32(&t->rng) % WAYS];
		*e = key | v;
		return;
	}
	/* Only the second time: what has begun just now may be the flood that is to come. */
	if (*e & KNOWN || -shed_ahead(*e & SHED_TAG_MASK, v) > NEW_BYTES) {
		*e = key | KNOWN | v;
		t->knows = true;
	}
}

/* A flow that comes back has no credit, and takes its place at random among the others: without
 * that all flows of a flood would become eligible in the same instant. */
static uint64_t random_base(struct shed_table *t, uint64_t v, uint32_t bytes)
{
	return v - ((uint64_t)bytes * (prng_u32(&t->rng) >> 16) >> 16);
}

/* Noted once before the overload, and not judged since: as good as not seen. */
static bool is_new(const struct shed_view *view, uint64_t entry)
{
	return view->on && !(entry & KNOWN) && shed_ahead(entry & SHED_TAG_MASK, view->began) <= 0;
}

/* @e: its entry, from the time before the overload, or NULL. */
static enum shed_verdict judge_unknown(struct shed_table *t, struct set *set, uint64_t *e,
				       uint64_t key, unsigned tin, uint32_t bytes,
				       enum shed_first *first)
{
	const struct shed_view *view = &t->views[tin];
	uint64_t v = shed_tag(view->v);
	int64_t stale = 0;

	if (t->half_full)
		return SHED_FULL;
	if (prng_u32(&t->rng) >= view->admit)
		return SHED_DROP;
	if (!e)
		e = stalest(t, set, &stale);
	if (stale < 0) {
		counter_add(&t->collisions, 1);
		if (stale < -(int64_t)view->tol)
			return SHED_DROP;
	}
	*first = SHED_FIRST_NEW;
	*e = key | ((random_base(t, v, bytes) + bytes) & SHED_TAG_MASK);
	return SHED_PASS;
}

/* What a packet costs its flow. Where that is more than its length, its host's weight has likely
 * changed: for all of the host's flows, which would go in step from then on if all paid the same.
 * So each pays between half and one and a half of it. A flow is never further ahead than
 * shed_ahead() can see. */
static uint32_t weighted(struct shed_table *t, const struct cake_packet *p, unsigned tin,
			 uint32_t bytes)
{
	uint64_t cost = bytes;

	if (t->shed->hosts) {
		uint32_t weight = shed_hosts_weight(t->shed->hosts, p, tin);

		if (weight > SHED_WEIGHT_ONE)
			cost = (cost * weight / SHED_WEIGHT_ONE *
				((1u << 15) + (prng_u32(&t->rng) >> 16))) >>
			       16;
	}
	return cost < SHED_AHEAD_MAX / 2 ? (uint32_t)cost : (uint32_t)(SHED_AHEAD_MAX / 2);
}

enum shed_verdict shed_judge(struct shed_table *t, const struct cake_packet *p, unsigned tin,
			     uint32_t bytes, enum shed_first *first)
{
	const struct shed_view *view = &t->views[tin];
	uint64_t v = shed_tag(view->v), hash, key, *e, f;
	struct set *set;
	int64_t ahead;

	*first = SHED_FIRST_NOT;
	if (!view->on && shed_on(t->shed))
		return SHED_PASS; /* another tin is overloaded, not this one */
	hash = key_hash(t, p, tin);
	key = entry_key(t, hash, tin);
	set = &t->sets[hash >> t->shift];
	bytes = weighted(t, p, tin, bytes);
	e = find(set, key);
	if (!e || is_new(view, *e))
		return judge_unknown(t, set, e, key, tin, bytes, first);
	f = *e & SHED_TAG_MASK;
	if (view->on && shed_ahead(f, view->began) <= 0)
		*first = SHED_FIRST_KNOWN;
	ahead = shed_ahead(f, v);
	if (ahead > (int64_t)(*e & KNOWN ? view->credit : view->tol)) {
		if (!view->on)
			return SHED_FULL;
		*e &= ~KNOWN;
		return SHED_DROP;
	}
	if (t->half_full && !(*e & KNOWN))
		return SHED_FULL;
	if (ahead < -(int64_t)bytes && ahead < -(int64_t)view->lag)
		f = view->lag > bytes ? v - view->lag : random_base(t, v, bytes);
	*e = (*e & ~SHED_TAG_MASK) | ((f + bytes) & SHED_TAG_MASK);
	return SHED_PASS;
}

void shed_refused(struct shed_table *t, unsigned tin, uint32_t bytes)
{
	counter_add(&t->report->bytes[tin], bytes);
}

const counter_t *shed_collisions(const struct shed_table *t)
{
	return &t->collisions;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See shed_table.h. */
#include "txq/shed_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "txq/shed_hosts.h"

/* A flow is known once it has been noted twice, with more than 1 ms in between, as V goes while
 * nothing is overloaded. */
#define NEW_BYTES 1000

/* Bursts of which one is noted, on average: at random, since of flows that come in turn each eighth
 * burst could be the same flow's for ever. */
#define SAMPLE_EVERY 8

/* Powers of 2, at least 64 as 8 flows are the least. */
static uint32_t set_count(uint32_t flows)
{
	return flows * SHED_TABLE_PER_FLOW / SHED_WAYS;
}

uint64_t shed_table_footprint(uint32_t flows)
{
	return sizeof(struct shed_table) + (uint64_t)set_count(flows) * sizeof(struct shed_set);
}

/* What it knows of flows is told apart as before, and is nobody's now: it goes stale. */
static void follow_mode(struct shed_table *t, uint64_t mode)
{
	enum cake_diffserv diffserv = shed_mode_diffserv(mode);

	t->mode = mode;
	t->flowmode = shed_mode_flowmode(mode);
	t->tins = cake_tin_count(diffserv);
	t->by_hosts = cake_isolates_sources(t->flowmode) || cake_isolates_destinations(t->flowmode);
	classifier_init(&t->classifier, diffserv, (uint32_t)(mode >> 32));
}

static uint64_t mode_now(const struct shed *s)
{
	return atomic_load_explicit(&s->mode, memory_order_relaxed);
}

int shed_table_create(struct shed_table **out, struct shed *s, unsigned lcore)
{
	const uint64_t size = shed_table_footprint(s->flows);
	struct shed_table *t = aligned_alloc(SHED_LINE, size);

	if (!t)
		return -ENOMEM;
	memset(t, 0, size);
	t->shed = s;
	t->report = shed_join(s, lcore);
	follow_mode(t, mode_now(s));
	t->shift = 64 - (unsigned)__builtin_ctz(set_count(s->flows));
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
	uint64_t mode = mode_now(t->shed);

	if (mode != t->mode)
		follow_mode(t, mode);
	t->half_full = half_full && t->knows;
	if (!on && !t->half_full && --t->until_sample)
		return false;
	for (unsigned i = 0; i < t->tins; i++)
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

static unsigned tin_of(uint64_t entry)
{
	return entry >> SHED_TIN_SHIFT & (CAKE_MAX_TINS - 1);
}

/* How much an entry may be replaced: the larger, the better. Below 0: its flow is ahead, or known.
 */
static int64_t staleness(const struct shed_table *t, uint64_t entry)
{
	const struct shed_view *view = &t->views[tin_of(entry)];
	int64_t behind = -shed_ahead(entry & SHED_TAG_MASK, shed_tag(view->v));

	if (!entry)
		return INT64_MAX;
	if (entry & SHED_KNOWN && shed_ahead(entry & SHED_TAG_MASK, view->known) >= 0)
		return INT64_MIN;
	return behind;
}

static uint64_t *stalest(const struct shed_table *t, struct shed_set *set, int64_t *staleness_out)
{
	uint64_t *best = &set->entries[0];
	int64_t most = staleness(t, *best);

	for (unsigned i = 1; i < SHED_WAYS; i++) {
		int64_t s = staleness(t, set->entries[i]);

		if (s > most) {
			most = s;
			best = &set->entries[i];
		}
	}
	*staleness_out = most;
	return best;
}

void shed_note(struct shed_table *t, const struct cake_packet *p, unsigned tin)
{
	uint64_t hash = shed_key_hash(t, p, tin), key = shed_entry_key(t, hash, tin);
	struct shed_set *set = &t->sets[hash >> t->shift];
	uint64_t v = shed_tag(t->views[tin].v), *e = shed_find(set, key);
	int64_t stale;

	if (!e) {
		e = stalest(t, set, &stale);
		if (stale == INT64_MIN) /* all were seen lately: any of them */
			e = &set->entries[prng_u32(&t->rng) % SHED_WAYS];
		*e = key | v;
		return;
	}
	/* Only the second time: what has begun just now may be the flood that is to come. */
	if (*e & SHED_KNOWN || -shed_ahead(*e & SHED_TAG_MASK, v) > NEW_BYTES) {
		*e = key | SHED_KNOWN | v;
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
	return view->on && !(entry & SHED_KNOWN) &&
	       shed_ahead(entry & SHED_TAG_MASK, view->began) <= 0;
}

/* @e: its entry, from the time before the overload, or NULL. */
static enum shed_verdict judge_unknown(struct shed_table *t, uint64_t hash, uint64_t *e,
				       unsigned tin, uint32_t bytes, enum shed_first *first)
{
	const struct shed_view *view = &t->views[tin];
	uint64_t v = shed_tag(view->v);
	int64_t stale = 0;

	if (t->half_full)
		return SHED_FULL;
	if (prng_u32(&t->rng) >= view->admit)
		return SHED_DROP;
	if (!e)
		e = stalest(t, &t->sets[hash >> t->shift], &stale);
	if (stale < 0) {
		counter_add(&t->collisions, 1);
		if (stale < -(int64_t)view->tol)
			return SHED_DROP;
	}
	*first = SHED_FIRST_NEW;
	*e = shed_entry_key(t, hash, tin) | ((random_base(t, v, bytes) + bytes) & SHED_TAG_MASK);
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

	if (t->by_hosts) {
		uint32_t weight = shed_hosts_weight(t->shed->hosts, p, tin);

		if (weight > SHED_WEIGHT_ONE)
			cost = (cost * weight / SHED_WEIGHT_ONE *
				((1u << 15) + (prng_u32(&t->rng) >> 16))) >>
			       16;
	}
	return cost < SHED_AHEAD_MAX / 2 ? (uint32_t)cost : (uint32_t)(SHED_AHEAD_MAX / 2);
}

enum shed_verdict shed_judge_behind(struct shed_table *t, const struct cake_packet *p, unsigned tin,
				    uint32_t bytes, enum shed_first *first, uint64_t *e)
{
	const struct shed_view *view = &t->views[tin];
	uint64_t v = shed_tag(view->v), f;
	int64_t ahead;

	bytes = weighted(t, p, tin, bytes);
	if (!e || is_new(view, *e))
		return judge_unknown(t, shed_key_hash(t, p, tin), e, tin, bytes, first);
	f = *e & SHED_TAG_MASK;
	if (view->on && shed_ahead(f, view->began) <= 0)
		*first = SHED_FIRST_KNOWN;
	if (t->half_full && !(*e & SHED_KNOWN))
		return SHED_FULL;
	ahead = shed_ahead(f, v);
	if (ahead < -(int64_t)bytes && ahead < -(int64_t)view->lag)
		f = view->lag > bytes ? v - view->lag : random_base(t, v, bytes);
	*e = (*e & ~SHED_TAG_MASK) | ((f + bytes) & SHED_TAG_MASK);
	return SHED_PASS;
}

const counter_t *shed_collisions(const struct shed_table *t)
{
	return &t->collisions;
}

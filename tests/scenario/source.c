/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flows' phases are drawn once and sorted: going round in that order, each flow sends once per
 * interval.
 */
#include "source.h"

#include <stdlib.h>

#include "dice.h"
#include "memory.h"

struct source {
	struct source_params p;
	struct prng rng;
	double *phase; /* ns from the start of a round, ascending */
	double round;  /* ns: start of this one */
	double off_at; /* ns: end of the time that it is on */
	unsigned turn; /* whose it is */
	unsigned left; /* of its burst */
	uint64_t next;
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double lasts(struct source *s, uint64_t mean)
{
	return s->p.random ? dice_exponential(&s->rng, (double)mean) : (double)mean;
}

/** Go on from when it is on again, with the same phases. */
static double skip_off(struct source *s, double at)
{
	while (s->p.on_ns && at >= s->off_at) {
		double off = lasts(s, s->p.off_ns);

		s->round += off;
		at += off;
		s->off_at += off + lasts(s, s->p.on_ns);
	}
	return at;
}

static void plan(struct source *s)
{
	double at = s->round + s->phase[s->turn];

	if (s->p.jitter)
		at += s->p.interval_ns * s->p.jitter / 100 * dice_unit(&s->rng);
	at = skip_off(s, at);
	s->next = at < (double)s->p.until ? (uint64_t)at : UINT64_MAX;
}

struct source *source_create(const struct source_params *p)
{
	struct source *s = must_calloc(1, sizeof(*s));

	s->p = *p;
	s->rng = dice_start(p->seed);
	s->phase = must_calloc(p->n, sizeof(*s->phase));
	for (unsigned i = 0; i < p->n; i++)
		s->phase[i] = p->interval_ns * dice_unit(&s->rng);
	qsort(s->phase, p->n, sizeof(*s->phase), ascending);
	s->round = (double)p->from;
	s->off_at = s->round + lasts(s, p->on_ns);
	if (!p->together)
		s->off_at -= (double)(p->on_ns + p->off_ns) * dice_unit(&s->rng);
	s->left = p->burst;
	plan(s);
	return s;
}

void source_destroy(struct source *s)
{
	free(s->phase);
	free(s);
}

uint64_t source_next(const struct source *s)
{
	return s->next;
}

static void take_turn(struct source *s)
{
	s->left = s->p.burst;
	if (++s->turn == s->p.n) {
		s->turn = 0;
		s->round += s->p.interval_ns;
	}
	plan(s);
}

struct arrival source_take(struct source *s)
{
	unsigned size = s->p.n_sizes > 1 ? dice_below(&s->rng, s->p.n_sizes) : 0;
	struct arrival a = {s->p.flows[s->turn], s->p.sizes[size]};

	if (--s->left == 0)
		take_turn(s);
	return a;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An open-loop sender: packets of a ring of flows at times that do not depend on what becomes of
 * them. One packet costs the same for one flow and for 100,000.
 */
#ifndef GATEAU_SCENARIO_SOURCE_H
#define GATEAU_SCENARIO_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "flow.h"

/** Sizes of a mix, of which each packet has one at random. */
#define SOURCE_SIZES_MAX 8

struct source_params {
	struct flow *const *flows; /* not copied, n of them; each sends once per interval */
	unsigned n;
	double interval_ns;
	uint64_t from, until;   /* ns */
	unsigned burst;         /* packets at a time; the interval is that between bursts */
	unsigned jitter;        /* up to so many percent of the interval late; only with one flow */
	uint64_t on_ns, off_ns; /* 0 = on for ever */
	bool random;            /* on and off last an exponential time with that mean */
	bool together;          /* on from the start, not from a random phase on */
	unsigned n_sizes;
	uint16_t sizes[SOURCE_SIZES_MAX]; /* bytes */
	uint32_t seed;
};

struct source;

struct source *source_create(const struct source_params *p);
void source_destroy(struct source *s);

/** When the next packet comes, ns; UINT64_MAX = there is none. */
uint64_t source_next(const struct source *s);

/** What comes then. */
struct arrival {
	struct flow *flow;
	uint32_t len;
};
struct arrival source_take(struct source *s);

#endif

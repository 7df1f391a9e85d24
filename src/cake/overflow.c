/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of maxima; see overflow.h. */
#include "cake/overflow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE (OVERFLOW_WAYS * sizeof(uint64_t))

static uint32_t nodes_over(uint32_t n)
{
	return (n + OVERFLOW_WAYS - 1) / OVERFLOW_WAYS;
}

/* The number of levels over @n leaves, the last of at most eight nodes; their places, each level of
 * whole lines. Returns how many numbers that are. */
static uint32_t lay_out(struct overflow *o, uint32_t n)
{
	uint32_t total = n, level = n;

	for (o->levels = 0; level > OVERFLOW_WAYS; total += nodes_over(level) * OVERFLOW_WAYS) {
		o->start[++o->levels] = total;
		level = nodes_over(level);
	}
	return total;
}

int overflow_init(struct overflow *o, uint32_t flows)
{
	uint32_t total;

	*o = (struct overflow){.n = flows};
	total = lay_out(o, o->n);
	o->keys = aligned_alloc(LINE, total * sizeof(*o->keys));
	if (!o->keys)
		return -ENOMEM;
	memset(o->keys, 0, total * sizeof(*o->keys));
	for (uint32_t i = 0; i < o->n; i++)
		o->keys[i] = OVERFLOW_INDEX_MASK - i;
	return 0;
}

void overflow_fini(struct overflow *o)
{
	free(o->keys);
	o->keys = NULL;
}

uint64_t overflow_footprint(uint32_t flows)
{
	struct overflow o;

	return lay_out(&o, flows) * sizeof(uint64_t);
}

static uint64_t largest(const uint64_t keys[OVERFLOW_WAYS])
{
	uint64_t most = keys[0];

	for (unsigned i = 1; i < OVERFLOW_WAYS; i++)
		most = keys[i] > most ? keys[i] : most;
	return most;
}

/* Node @i of @level, by what is below it. */
static uint64_t largest_below(const struct overflow *o, unsigned level, uint32_t i)
{
	return largest(&o->keys[o->start[level - 1] + i * OVERFLOW_WAYS]);
}

void overflow_raise(struct overflow *o, uint32_t i)
{
	const uint64_t key = o->keys[i];

	for (unsigned level = 1; level <= o->levels; level++) {
		uint64_t *node = &o->keys[o->start[level] + (i /= OVERFLOW_WAYS)];

		if (*node >= key)
			return;
		*node = key;
	}
}

void overflow_lower(struct overflow *o, uint32_t i, uint64_t old)
{
	for (unsigned level = 1; level <= o->levels; level++) {
		uint64_t *node = &o->keys[o->start[level] + (i /= OVERFLOW_WAYS)];

		if (*node != old)
			return; /* it was not the largest here */
		*node = largest_below(o, level, i);
	}
}

static void build(struct overflow *o)
{
	uint32_t nodes = o->n;

	for (unsigned level = 1; level <= o->levels; level++) {
		nodes = nodes_over(nodes);
		for (uint32_t i = 0; i < nodes; i++)
			o->keys[o->start[level] + i] = largest_below(o, level, i);
	}
}

uint32_t overflow_fattest(struct overflow *o)
{
	if (!o->countdown)
		build(o);
	o->countdown = OVERFLOW_COUNTDOWN;
	return OVERFLOW_INDEX_MASK - (largest(&o->keys[o->start[o->levels]]) & OVERFLOW_INDEX_MASK);
}

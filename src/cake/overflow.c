/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary max-heap with the position of every entry; see overflow.h. */
#include "cake/overflow.h"

#include <errno.h>
#include <stdlib.h>

#include "cake/tin.h"

static uint32_t index_of(const struct overflow *o, struct overflow_entry e)
{
	return e.tin * o->flows + e.slot;
}

int overflow_init(struct overflow *o, unsigned tins, uint32_t flows)
{
	*o = (struct overflow){.n = tins * flows, .flows = flows};
	o->heap = malloc(o->n * sizeof(*o->heap));
	o->position = malloc(o->n * sizeof(*o->position));
	if (!o->heap || !o->position) {
		overflow_fini(o);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < o->n; i++) {
		o->heap[i] = (struct overflow_entry){.tin = i / flows, .slot = i % flows};
		o->position[i] = i;
	}
	return 0;
}

void overflow_fini(struct overflow *o)
{
	free(o->heap);
	free(o->position);
	o->heap = NULL;
	o->position = NULL;
}

uint64_t overflow_footprint(unsigned tins, uint32_t flows)
{
	return (uint64_t)tins * flows * (sizeof(struct overflow_entry) + sizeof(uint32_t));
}

/* Whether the entry at @a must stand above the one at @b. */
static bool above(const struct overflow *o, const struct tin *tins, uint32_t a, uint32_t b)
{
	struct overflow_entry x = o->heap[a], y = o->heap[b];
	uint64_t x_bytes = tins[x.tin].table.flows[x.slot].backlog;
	uint64_t y_bytes = tins[y.tin].table.flows[y.slot].backlog;

	if (x_bytes != y_bytes)
		return x_bytes > y_bytes;
	return index_of(o, x) < index_of(o, y);
}

static void swap(struct overflow *o, uint32_t a, uint32_t b)
{
	struct overflow_entry x = o->heap[a];

	o->heap[a] = o->heap[b];
	o->heap[b] = x;
	o->position[index_of(o, o->heap[a])] = a;
	o->position[index_of(o, o->heap[b])] = b;
}

static void sift_down(struct overflow *o, const struct tin *tins, uint32_t i)
{
	for (;;) {
		uint32_t best = i;

		for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < o->n; child++)
			if (above(o, tins, child, best))
				best = child;
		if (best == i)
			return;
		swap(o, i, best);
		i = best;
	}
}

static void sift_up(struct overflow *o, const struct tin *tins, uint32_t i)
{
	while (i && above(o, tins, i, (i - 1) / 2)) {
		swap(o, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

struct overflow_entry overflow_fattest(struct overflow *o, const struct tin *tins)
{
	if (!o->countdown)
		for (uint32_t i = o->n / 2; i-- > 0;)
			sift_down(o, tins, i);
	o->countdown = OVERFLOW_COUNTDOWN;
	return o->heap[0];
}

void overflow_grown(struct overflow *o, const struct tin *tins, unsigned tin, uint16_t slot)
{
	if (o->countdown)
		sift_up(o, tins, o->position[tin * o->flows + slot]);
}

void overflow_shrunk(struct overflow *o, const struct tin *tins, unsigned tin, uint16_t slot)
{
	if (o->countdown)
		sift_down(o, tins, o->position[tin * o->flows + slot]);
}

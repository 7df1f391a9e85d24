/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow table of a tin; see flow.h. */
#include "cake/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flow_table_init(struct flow_table *t, uint32_t n)
{
	t->n = n;
	t->flows = aligned_alloc(64, (n + FLOW_LISTS) * sizeof(*t->flows));
	t->tags = aligned_alloc(64, (n * sizeof(*t->tags) + 63) & ~(size_t)63);
	t->drops = calloc(n, sizeof(*t->drops));
	if (!t->flows || !t->tags || !t->drops) {
		flow_table_fini(t);
		return -ENOMEM;
	}
	flow_table_reset(t);
	return 0;
}

void flow_table_fini(struct flow_table *t)
{
	free(t->flows);
	free(t->tags);
	free(t->drops);
	t->flows = NULL;
	t->tags = NULL;
	t->drops = NULL;
}

uint64_t flow_table_footprint(uint32_t n)
{
	return (uint64_t)(n + FLOW_LISTS) * sizeof(struct flow) +
	       (uint64_t)n * (sizeof(uint32_t) + sizeof(uint64_t));
}

void flow_table_reset(struct flow_table *t)
{
	memset(t->flows, 0, (t->n + FLOW_LISTS) * sizeof(*t->flows));
	memset(t->tags, 0, t->n * sizeof(*t->tags));
	for (uint32_t i = 0; i < t->n + FLOW_LISTS; i++) {
		t->flows[i].prev = i;
		t->flows[i].next = i;
		fifo_init(&t->flows[i].queue);
	}
}

enum flow_hit flow_lookup(struct flow_table *t, uint32_t hash, uint16_t *slot)
{
	uint32_t own = hash & (t->n - 1);
	uint32_t set = own & ~(FLOW_WAYS - 1u);
	enum flow_hit hit = FLOW_COLLISION;
	uint32_t at = own;

	if (t->tags[own] == hash && t->flows[own].set != CAKE_SET_NONE) {
		*slot = own;
		return FLOW_HIT_DIRECT;
	}
	for (uint32_t i = 0; i < FLOW_WAYS; i++) {
		at = set + (own + i) % FLOW_WAYS;
		if (t->tags[at] == hash) {
			*slot = at;
			return i ? FLOW_HIT_INDIRECT : FLOW_HIT_OWN_WAY;
		}
	}
	for (uint32_t i = 0; i < FLOW_WAYS; i++) {
		at = set + (own + i) % FLOW_WAYS;
		if (t->flows[at].set == CAKE_SET_NONE) {
			hit = FLOW_MISS;
			break;
		}
	}
	if (hit == FLOW_COLLISION)
		at = own;
	t->tags[at] = hash;
	*slot = at;
	return hit;
}

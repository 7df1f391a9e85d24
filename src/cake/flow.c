/* SPDX-License-Identifier: BSD-3-Clause */
/* The flow table of a tin; see flow.h. */
#include "cake/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flow_table_init(struct flow_table *t, uint32_t n)
{
	t->n = n;
	t->flows = aligned_alloc(64, n * sizeof(*t->flows));
	t->tags = aligned_alloc(64, (n * sizeof(*t->tags) + 63) & ~(size_t)63);
	if (!t->flows || !t->tags) {
		flow_table_fini(t);
		return -ENOMEM;
	}
	memset(t->flows, 0, n * sizeof(*t->flows));
	flow_table_reset(t);
	return 0;
}

void flow_table_fini(struct flow_table *t)
{
	free(t->flows);
	free(t->tags);
	t->flows = NULL;
	t->tags = NULL;
}

uint64_t flow_table_footprint(uint32_t n)
{
	return (uint64_t)n * (sizeof(struct flow) + sizeof(uint32_t));
}

void flow_table_reset(struct flow_table *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		t->flows[i] = (struct flow){.drops = t->flows[i].drops};
		fifo_init(&t->flows[i].queue);
	}
	memset(t->tags, 0, t->n * sizeof(*t->tags));
	for (unsigned list = 0; list < FLOW_LISTS; list++)
		t->lists[list].first = FLOW_NONE;
}

static unsigned ways_idle(const struct flow *flows)
{
	unsigned ways = 0;

	for (unsigned i = 0; i < FLOW_WAYS; i++)
		ways |= (unsigned)(flows[i].set == CAKE_SET_NONE) << i;
	return ways;
}

enum flow_hit flow_lookup(struct flow_table *t, uint32_t hash, uint32_t *slot)
{
	uint32_t own = hash & (t->n - 1);
	uint32_t set = own & ~(FLOW_WAYS - 1u), way = own & (FLOW_WAYS - 1u);
	unsigned ways;

	*slot = own;
	if (t->tags[own] == hash)
		return t->flows[own].set != CAKE_SET_NONE ? FLOW_HIT_DIRECT : FLOW_HIT_OWN_WAY;
	*slot = flow_find_aside(t, own, hash);
	if (*slot != FLOW_NONE)
		return FLOW_HIT_INDIRECT;
	ways = ways_idle(&t->flows[set]);
	*slot = ways ? set + flow_first_way(ways, way) : own;
	t->tags[*slot] = hash;
	return ways ? FLOW_MISS : FLOW_COLLISION;
}

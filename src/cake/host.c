/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up hosts; see host.h. */
#include "cake/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t entries_for(uint32_t flows)
{
	return flows < HOSTS_MAX ? flows : HOSTS_MAX;
}

int host_table_init(struct host_table *t, uint32_t flows)
{
	uint32_t n = entries_for(flows);

	t->mask = n - 1;
	t->tags = calloc(n, sizeof(*t->tags));
	t->bulk_flows = calloc(n, sizeof(*t->bulk_flows));
	if (t->tags && t->bulk_flows)
		return 0;
	host_table_fini(t);
	return -ENOMEM;
}

void host_table_fini(struct host_table *t)
{
	free(t->tags);
	free(t->bulk_flows);
	*t = (struct host_table){0};
}

uint64_t host_table_footprint(uint32_t flows)
{
	return (uint64_t)entries_for(flows) * (sizeof(uint32_t) + sizeof(uint16_t));
}

void host_table_reset(struct host_table *t)
{
	if (!t->tags)
		return;
	memset(t->tags, 0, (t->mask + 1) * sizeof(*t->tags));
	memset(t->bulk_flows, 0, (t->mask + 1) * sizeof(*t->bulk_flows));
}

uint16_t host_lookup(struct host_table *t, uint32_t hash)
{
	uint32_t own = hash & t->mask;
	uint32_t set = own & ~(FLOW_WAYS - 1u);
	uint32_t free_entry = own; /* if all are taken, share the hash's own entry */

	for (uint32_t i = FLOW_WAYS; i-- > 0;) {
		uint32_t at = set + (own + i) % FLOW_WAYS;

		if (t->bulk_flows[at] == 0)
			free_entry = at;
	}
	for (uint32_t i = 0; i < FLOW_WAYS; i++) {
		uint32_t at = set + (own + i) % FLOW_WAYS;

		if (t->tags[at] == hash)
			return at;
	}
	t->tags[free_entry] = hash;
	return free_entry;
}

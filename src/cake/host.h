/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host tables: how many bulk flows each source and each destination host has, for host isolation.
 *
 * One table per direction and tin, 8-way set-associative by tag like the flow table. An entry whose
 * count is 0 may be taken over; a full set is shared, as in Linux. The counts stand by themselves:
 * each round of a flow looks at them, and at the tags only a flow that is new.
 */
#ifndef GATEAU_CAKE_HOST_H
#define GATEAU_CAKE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "cake/flow.h"

/** Entries of a table at most, so that a flow names its host in 16 bits. */
#define HOSTS_MAX 65536u

struct host_table {
	uint32_t *tags;       /* NULL: the mode does not isolate these hosts */
	uint16_t *bulk_flows; /* as many */
	uint32_t mask;        /* entries - 1 */
};

/** For @flows flows: as many entries, at most HOSTS_MAX. 0 or -ENOMEM. */
int host_table_init(struct host_table *t, uint32_t flows);
void host_table_fini(struct host_table *t);

/** Bytes host_table_init() allocates. */
uint64_t host_table_footprint(uint32_t flows);

/** Forget all hosts. */
void host_table_reset(struct host_table *t);

/** Entry of the host with hash @hash; its tag is set. */
uint16_t host_lookup(struct host_table *t, uint32_t hash);

/* Both saturate: 0 below, above the table's size, or what 16 bits hold. A host that has 65,535 bulk
 * flows in one tin counts as having no more; once it had, the count is too low while they go. They
 * return whether the host became busy, resp. idle. */
static inline bool host_inc(struct host_table *t, uint16_t host)
{
	uint16_t *n = &t->bulk_flows[host];

	if (*n <= t->mask && *n < UINT16_MAX)
		++*n;
	return *n == 1;
}

static inline bool host_dec(struct host_table *t, uint16_t host)
{
	uint16_t *n = &t->bulk_flows[host];

	return *n && !--*n;
}

#endif

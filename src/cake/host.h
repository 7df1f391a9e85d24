/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host tables: how many bulk flows each source and each destination host has, for host isolation.
 *
 * One table per direction and tin, 8-way set-associative by tag like the flow table. An entry whose
 * count is 0 may be taken over; a full set is shared, as in Linux.
 */
#ifndef GATEAU_CAKE_HOST_H
#define GATEAU_CAKE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "cake/flow.h"

struct host {
	uint32_t tag;
	uint32_t bulk_flows;
};

/** Entry of the host with hash @hash in a table of @mask + 1 entries; its tag is set. */
uint16_t host_lookup(struct host *table, uint32_t mask, uint32_t hash);

/* Both saturate: 0 below, the table's size above (more bulk flows there cannot be). They return
 * whether the host became busy, resp. idle. */
static inline bool host_inc(struct host *h, uint32_t mask)
{
	if (h->bulk_flows <= mask)
		h->bulk_flows++;
	return h->bulk_flows == 1;
}

static inline bool host_dec(struct host *h)
{
	return h->bulk_flows && !--h->bulk_flows;
}

#endif

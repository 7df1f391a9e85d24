/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking up hosts; see host.h. */
#include "cake/host.h"

uint16_t host_lookup(struct host *table, uint32_t mask, uint32_t hash)
{
	uint32_t own = hash & mask;
	uint32_t set = own & ~(FLOW_WAYS - 1u);
	uint32_t free_entry = own; /* if all are taken, share the hash's own entry */

	for (uint32_t i = FLOW_WAYS; i-- > 0;) {
		uint32_t at = set + (own + i) % FLOW_WAYS;

		if (table[at].bulk_flows == 0)
			free_entry = at;
	}
	for (uint32_t i = 0; i < FLOW_WAYS; i++) {
		uint32_t at = set + (own + i) % FLOW_WAYS;

		if (table[at].tag == hash)
			return at;
	}
	table[free_entry].tag = hash;
	return free_entry;
}

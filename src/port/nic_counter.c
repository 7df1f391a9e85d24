/* SPDX-License-Identifier: BSD-3-Clause */
/* See nic_counter.h. */
#include "port/nic_counter.h"

#include <stddef.h>

#define NS_PER_MS  1000000
#define MS_PER_SEC 1000

/* What registers are wide: 32 and 40 are Intel's, 36 are bytes of ixgbe, 48 common elsewhere. */
static const uint8_t widths[] = {32, 36, 40, 48, 64};

uint64_t nic_counter_most(uint64_t ns)
{
	return (ns / NS_PER_MS + 1) * (NIC_COUNTER_PACKETS_PER_S / MS_PER_SEC);
}

void nic_counter_begin(struct nic_counter *c, uint64_t raw)
{
	c->last = raw;
}

/** What came since if the counter, which fell, has wrapped, else what it shows. */
static uint64_t count_fall(uint64_t last, uint64_t raw, uint64_t most)
{
	for (size_t i = 0; i < sizeof(widths); i++) {
		const uint64_t mask = UINT64_MAX >> (64 - widths[i]);
		const uint64_t more = (raw - last) & mask;

		if (last <= mask && more <= most && more <= mask / 2)
			return more;
	}
	return raw;
}

void nic_counter_read(struct nic_counter *c, uint64_t raw, uint64_t most)
{
	c->total += raw >= c->last ? raw - c->last : count_fall(c->last, raw, most);
	c->last = raw;
}

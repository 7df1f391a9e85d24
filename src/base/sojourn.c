/* SPDX-License-Identifier: BSD-3-Clause */
/* See sojourn.h. */
#include "base/sojourn.h"

#include <stddef.h>

#define LAST (SOJOURN_BUCKETS - 1)

void sojourn_get(struct sojourn *out, const struct sojourn_count *s)
{
	*out = (struct sojourn){.sum_ns = s->sum_ns};
	for (unsigned bit = 0; bit < sizeof(s->by_bit) / sizeof(s->by_bit[0]); bit++) {
		unsigned bucket = bit < SOJOURN_FIRST_BITS ? 0 : bit - SOJOURN_FIRST_BITS + 1;

		out->counts[bucket < LAST ? bucket : LAST] += s->by_bit[bit];
	}
}

void sojourn_merge(struct sojourn *sum, const struct sojourn *s)
{
	sum->sum_ns += s->sum_ns;
	for (unsigned i = 0; i < SOJOURN_BUCKETS; i++)
		sum->counts[i] += s->counts[i];
}

uint64_t sojourn_packets(const struct sojourn *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SOJOURN_BUCKETS; i++)
		n += s->counts[i];
	return n;
}

uint64_t sojourn_bound_ns(unsigned bucket)
{
	return bucket < LAST ? UINT64_C(1) << (SOJOURN_FIRST_BITS + bucket) : UINT64_MAX;
}

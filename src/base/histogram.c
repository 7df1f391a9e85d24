/* SPDX-License-Identifier: BSD-3-Clause */
/* See histogram.h. */
#include "base/histogram.h"

#define HALF (1u << HISTOGRAM_BITS) /* buckets of a power of two */

/*
 * Shifted until it is below 2 * HALF, a number is its own bucket; each shift moves on by HALF,
 * since the lower half of 0..2 * HALF-1 belongs to the shift before. 255 -> 255, 256 >> 1 = 128 ->
 * 256.
 */
static unsigned bucket_of(uint64_t value)
{
	unsigned shift = 0;

	if (value >= 2 * HALF)
		shift = 63 - HISTOGRAM_BITS - (unsigned)__builtin_clzll(value);
	return shift * HALF + (unsigned)(value >> shift);
}

static uint64_t bucket_middle(unsigned bucket)
{
	unsigned shift = bucket < 2 * HALF ? 0 : bucket / HALF - 1;
	uint64_t low = (uint64_t)(bucket - shift * HALF) << shift;

	return low + (1ull << shift) / 2;
}

void histogram_add(struct histogram *h, uint64_t value)
{
	if (!h->n || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->n++;
	h->counts[bucket_of(value)]++;
}

uint64_t histogram_quantile(const struct histogram *h, unsigned permille)
{
	/* ceil(n * permille / 1000) without overflow */
	uint64_t rank = h->n / 1000 * permille + (h->n % 1000 * permille + 999) / 1000;
	unsigned bucket = 0;
	uint64_t value;

	if (rank <= 1)
		return h->min;
	if (rank >= h->n)
		return h->max;
	for (uint64_t below = h->counts[0]; below < rank; below += h->counts[bucket])
		bucket++;
	value = bucket_middle(bucket);
	if (value > h->max)
		return h->max;
	return value < h->min ? h->min : value;
}

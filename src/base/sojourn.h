/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long packets waited, counted in powers of two: two additions per packet, and buckets that a
 * metrics system takes as they are.
 *
 *	bucket 0          below 2^10 ns, 1.024 us
 *	bucket i          from 2^(9+i) to below 2^(10+i) ns
 *	the last, 25      from 2^34 ns, 17.18 s, up
 */
#ifndef GATEAU_BASE_SOJOURN_H
#define GATEAU_BASE_SOJOURN_H

#include <assert.h>
#include <stdint.h>

/**
 * As it is counted: by the highest bit of the time, without a thought of bounds. Times are below
 * 2^63 ns. Zero it to begin with.
 */
struct sojourn_count {
	uint64_t by_bit[63];
	uint64_t sum_ns;
};
static_assert(sizeof(struct sojourn_count) == 512, "an index is shifted, not multiplied");

/** A packet waited for @ns. */
static inline void sojourn_add(struct sojourn_count *s, uint64_t ns)
{
	s->sum_ns += ns;
	s->by_bit[63 ^ __builtin_clzll(ns | 1)]++;
}

#define SOJOURN_FIRST_BITS 10
#define SOJOURN_BUCKETS    26

/** As it is read. */
struct sojourn {
	uint64_t sum_ns;
	uint64_t counts[SOJOURN_BUCKETS];
};

void sojourn_get(struct sojourn *out, const struct sojourn_count *s);

/** @s of another queue, in addition. */
void sojourn_merge(struct sojourn *sum, const struct sojourn *s);

/** Packets counted. */
uint64_t sojourn_packets(const struct sojourn *s);

/** Upper bound of @bucket, ns; of the last one UINT64_MAX. */
uint64_t sojourn_bound_ns(unsigned bucket);

#endif

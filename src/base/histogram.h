/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram of 64-bit numbers with a known relative error, in memory that does not grow: buckets
 * are linear within each power of two (log-linear), so that nanoseconds and hours fit alike.
 */
#ifndef GATEAU_BASE_HISTOGRAM_H
#define GATEAU_BASE_HISTOGRAM_H

#include <stdint.h>

/** A power of two has 2^7 = 128 buckets; numbers below 2^8 have one each. */
#define HISTOGRAM_BITS    7
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

/**
 * What histogram_quantile() may be off by, as a fraction of the number itself: the middle of a
 * bucket is half a bucket from its ends, and a bucket is 1/128 of its lower end at most.
 */
#define HISTOGRAM_ERROR (1.0 / 256)

/** All zero is an empty one. 59 kB. */
struct histogram {
	uint64_t n;        /* numbers added */
	uint64_t min, max; /* exact; 0 if n is 0 */
	uint64_t counts[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t value);

/**
 * The number at rank ceil(n * @permille / 1000) in ascending order, off by HISTOGRAM_ERROR at most;
 * 0 and 1000 are the least and the greatest, which are exact. 0 if there is none.
 */
uint64_t histogram_quantile(const struct histogram *h, unsigned permille);

#endif

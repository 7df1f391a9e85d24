/* SPDX-License-Identifier: BSD-3-Clause */
/* Exponentially weighted moving average with a weight of 2^-shift, as CAKE's statistics use it. */
#ifndef GATEAU_CAKE_EWMA_H
#define GATEAU_CAKE_EWMA_H

#include <stdint.h>

static inline uint64_t ewma(uint64_t avg, uint64_t sample, unsigned shift)
{
	avg -= avg >> shift;
	avg += sample >> shift;
	return avg;
}

#endif

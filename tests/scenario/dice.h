/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scenario draws at random: everything follows from its seed. */
#ifndef GATEAU_SCENARIO_DICE_H
#define GATEAU_SCENARIO_DICE_H

#include <math.h>
#include <stdint.h>

#include "base/prng.h"

/** In [0, 1). */
static inline double dice_unit(struct prng *r)
{
	return prng_u32(r) / 4294967296.0;
}

/** In 0..n-1. */
static inline unsigned dice_below(struct prng *r, unsigned n)
{
	return (uint64_t)prng_u32(r) * n >> 32;
}

static inline double dice_exponential(struct prng *r, double mean)
{
	return -mean * log(1 - dice_unit(r));
}

/** Seeds next to each other make generators that have nothing to do with each other. */
static inline uint32_t dice_seed(uint32_t seed, uint32_t stream)
{
	uint64_t x = ((uint64_t)seed << 32 | stream) + 0x9e3779b97f4a7c15u;

	/* The finaliser of splitmix64 (G. Steele et al., 2014). */
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(x ^ x >> 31);
}

/** A generator of its own. xorshift's numbers are its states: seeded with one of another's it would
 * go on as that does. */
static inline struct prng dice_start(uint32_t seed)
{
	return prng_xorshift32(dice_seed(seed, 1));
}

#endif

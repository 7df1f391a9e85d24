/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler's dice: dithering of quanta and BLUE's drop decisions. Not for secrets.
 *
 * xorshift32 (G. Marsaglia, "Xorshift RNGs", 2003; shifts 13, 17, 5) because the golden cases use
 * it; "constant" returns given numbers so that a test can predict every decision.
 */
#ifndef GATEAU_BASE_PRNG_H
#define GATEAU_BASE_PRNG_H

#include <stdbool.h>
#include <stdint.h>

struct prng {
	bool constant;
	uint16_t u16; /* constant: what prng_u16() returns */
	uint32_t u32; /* constant: what prng_u32() returns; else the state, never 0 */
};

/** @seed 0 is replaced: xorshift's state must not be 0. */
static inline struct prng prng_xorshift32(uint32_t seed)
{
	return (struct prng){.u32 = seed ? seed : 0x9e3779b9u};
}

static inline struct prng prng_constant(uint32_t u32, uint16_t u16)
{
	return (struct prng){.constant = true, .u32 = u32, .u16 = u16};
}

/** 0..2^32-1 */
static inline uint32_t prng_u32(struct prng *r)
{
	if (r->constant)
		return r->u32;
	r->u32 ^= r->u32 << 13;
	r->u32 ^= r->u32 >> 17;
	r->u32 ^= r->u32 << 5;
	return r->u32;
}

/** 0..2^16-1: the low half of the next value, one step of the generator. */
static inline uint16_t prng_u16(struct prng *r)
{
	return r->constant ? r->u16 : (uint16_t)prng_u32(r);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SipHash-c-d: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT
 * 2012, with c rounds for each word and d at the end.
 */
#ifndef GATEAU_PACKET_SIPHASH_H
#define GATEAU_PACKET_SIPHASH_H

#include <stdint.h>

static inline uint64_t siphash_rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void siphash_rounds(uint64_t v[4], unsigned n)
{
#pragma GCC unroll 4
	for (unsigned i = 0; i < n; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] = siphash_rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static inline void siphash_word(uint64_t v[4], unsigned c, uint64_t word)
{
	v[3] ^= word;
	siphash_rounds(v, c);
	v[0] ^= word;
}

/**
 * Hash a message of @n words and up to seven bytes more.
 *
 * @param words  little-endian, as numbers
 * @param last   the bytes behind them, from bit 0 on, and the message's length in bytes modulo 256
 *               in the top eight bits
 */
static inline uint64_t siphash(const uint64_t key[2], unsigned c, unsigned d, const uint64_t *words,
			       unsigned n, uint64_t last)
{
	/* "somepseudorandomlygeneratedbytes" */
	uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
			 key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};

#pragma GCC unroll 8
	for (unsigned i = 0; i < n; i++)
		siphash_word(v, c, words[i]);
	siphash_word(v, c, last);
	v[2] ^= 0xff;
	siphash_rounds(v, d);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif

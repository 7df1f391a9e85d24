/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AES-128 by the processor's own instructions (FIPS 197): x86-64 and aarch64. Tables in memory are
 * slow, and leak the key through the cache; without instructions there is no AES here.
 *
 * Only for functions marked AES_TARGET, and only if aes_supported() says so. Bytes of a block are
 * in FIPS 197's order.
 */
#ifndef GATEAU_PACKET_AES_H
#define GATEAU_PACKET_AES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define AES_ROUNDS 10

#if defined(__x86_64__)

#include <immintrin.h>

#define AES_PRESENT
#define AES_TARGET __attribute__((target("aes,sse4.1")))

typedef __m128i aes_block;

static inline bool aes_supported(void)
{
	return __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
}

AES_TARGET static inline aes_block aes_load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

AES_TARGET static inline void aes_store(uint8_t *p, aes_block x)
{
	_mm_storeu_si128((__m128i *)p, x);
}

/** Bytes 0..7 from @low, 8..15 from @high, little-endian. */
AES_TARGET static inline aes_block aes_from_words(uint64_t low, uint64_t high)
{
	return _mm_set_epi64x((int64_t)high, (int64_t)low);
}

/** Bytes 0..3, little-endian. */
AES_TARGET static inline uint32_t aes_first_word(aes_block x)
{
	return (uint32_t)_mm_cvtsi128_si32(x);
}

AES_TARGET static inline aes_block aes_xor(aes_block a, aes_block b)
{
	return _mm_xor_si128(a, b);
}

/** SubBytes, ShiftRows, MixColumns, AddRoundKey. */
AES_TARGET static inline aes_block aes_round(aes_block x, aes_block round_key)
{
	return _mm_aesenc_si128(x, round_key);
}

/** A round without MixColumns. */
AES_TARGET static inline aes_block aes_last_round(aes_block x, aes_block round_key)
{
	return _mm_aesenclast_si128(x, round_key);
}

#elif defined(__AARCH64EL__)

#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#define AES_PRESENT
#define AES_TARGET __attribute__((target("+crypto")))

typedef uint8x16_t aes_block;

static inline bool aes_supported(void)
{
	return getauxval(AT_HWCAP) & HWCAP_AES;
}

AES_TARGET static inline aes_block aes_load(const uint8_t *p)
{
	return vld1q_u8(p);
}

AES_TARGET static inline void aes_store(uint8_t *p, aes_block x)
{
	vst1q_u8(p, x);
}

AES_TARGET static inline aes_block aes_from_words(uint64_t low, uint64_t high)
{
	return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

AES_TARGET static inline uint32_t aes_first_word(aes_block x)
{
	return vgetq_lane_u32(vreinterpretq_u32_u8(x), 0);
}

AES_TARGET static inline aes_block aes_xor(aes_block a, aes_block b)
{
	return veorq_u8(a, b);
}

/* AESE adds its key before SubBytes and ShiftRows: zeros there, and the round's key at the end. */
AES_TARGET static inline aes_block aes_round(aes_block x, aes_block round_key)
{
	return veorq_u8(vaesmcq_u8(vaeseq_u8(x, vdupq_n_u8(0))), round_key);
}

AES_TARGET static inline aes_block aes_last_round(aes_block x, aes_block round_key)
{
	return veorq_u8(vaeseq_u8(x, vdupq_n_u8(0)), round_key);
}

#endif

#ifdef AES_PRESENT

/* Four equal columns: ShiftRows changes nothing, what is left of the last round is SubBytes. */
AES_TARGET static inline uint32_t aes_sub_word(uint32_t word)
{
	uint64_t twice = (uint64_t)word << 32 | word;

	return aes_first_word(aes_last_round(aes_from_words(twice, twice), aes_from_words(0, 0)));
}

/** FIPS 197, section 5.2; words little-endian, so that RotWord is a rotation to the right. */
AES_TARGET static inline void aes_expand_key(const uint8_t key[16], uint8_t round_keys[11][16])
{
	uint32_t w[4 * (AES_ROUNDS + 1)];
	uint32_t rcon = 1;

	memcpy(w, key, 16);
	for (unsigned i = 4; i < 4 * (AES_ROUNDS + 1); i++) {
		uint32_t t = w[i - 1];

		if (i % 4 == 0) {
			t = aes_sub_word(t >> 8 | t << 24) ^ rcon;
			rcon = rcon << 1 ^ (rcon & 0x80 ? 0x11b : 0);
		}
		w[i] = w[i - 4] ^ t;
	}
	memcpy(round_keys, w, sizeof(w));
}

/** @round_keys are aligned to 16 bytes. */
AES_TARGET static inline aes_block aes_encrypt(const uint8_t round_keys[11][16], aes_block x)
{
	round_keys = __builtin_assume_aligned(round_keys, 16);
	x = aes_xor(x, aes_load(round_keys[0]));
#pragma GCC unroll 9
	for (unsigned r = 1; r < AES_ROUNDS; r++)
		x = aes_round(x, aes_load(round_keys[r]));
	return aes_last_round(x, aes_load(round_keys[AES_ROUNDS]));
}

#endif
#endif

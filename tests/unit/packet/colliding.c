/* SPDX-License-Identifier: BSD-3-Clause */
/* See colliding.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "colliding.h"

static void put_be32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

struct packet_headers tuple_headers(struct tuple t)
{
	struct packet_headers h = {.flow_l3 = PACKET_L3_IPV4,
				   .ethertype = 0x0800,
				   .proto = 17,
				   .sport = (uint16_t)(t.ports >> 16),
				   .dport = (uint16_t)t.ports,
				   .addr_len = 4};

	put_be32(h.src, t.src);
	put_be32(h.dst, t.dst);
	return h;
}

/* Microsoft's verification key, the default of most drivers. */
static const uint8_t toeplitz_key[] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				       0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				       0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				       0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

static void bytes_of(struct tuple t, uint8_t bytes[12])
{
	put_be32(bytes, t.src);
	put_be32(bytes + 4, t.dst);
	put_be32(bytes + 8, t.ports);
}

/* Each bit of the input that is set adds 32 bits of the key, from that bit's place on. */
uint32_t toeplitz(struct tuple t, uint32_t seed)
{
	uint64_t window = 0;
	uint8_t bytes[12];
	uint32_t hash = 0;

	(void)seed;
	bytes_of(t, bytes);
	for (unsigned i = 0; i < 5; i++)
		window = window << 8 | toeplitz_key[i];
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned bit = 0; bit < 8; bit++)
			if (bytes[i] & 0x80 >> bit)
				hash ^= (uint32_t)(window >> (8 - bit));
		window = window << 8 | toeplitz_key[i + 5];
	}
	return hash;
}

static uint32_t crc(struct tuple t, uint32_t seed, uint32_t polynomial)
{
	uint8_t bytes[12];

	bytes_of(t, bytes);
	for (unsigned i = 0; i < 96; i++) {
		uint32_t bit = (seed ^ bytes[i / 8] >> i % 8) & 1;

		seed = seed >> 1 ^ (bit ? polynomial : 0);
	}
	return seed;
}

/* IEEE 802.3, as in zlib; reflected */
uint32_t crc32_ieee(struct tuple t, uint32_t seed)
{
	return crc(t, seed, 0xedb88320);
}

/* Castagnoli's, which processors have an instruction for; reflected */
uint32_t crc32c(struct tuple t, uint32_t seed)
{
	return crc(t, seed, 0x82f63b78);
}

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x << bits | x >> (32 - bits);
}

/* The end of B. Jenkins' lookup3 of three words; in Linux jhash_3words() with seed 0. */
static const unsigned jhash_shifts[7] = {14, 11, 25, 16, 4, 14, 24};
#define JHASH_START (0xdeadbeef + (3 << 2))

static uint32_t jhash(struct tuple t)
{
	uint32_t v[3] = {JHASH_START + t.src, JHASH_START + t.dst, JHASH_START + t.ports};

	/* c ^= b, c -= b <<< 14; a with c, b with a, and so on */
	for (unsigned i = 0; i < 7; i++) {
		uint32_t *to = &v[(2 + i) % 3], from = v[(1 + i) % 3];

		*to = (*to ^ from) - rotate(from, jhash_shifts[i]);
	}
	return v[2];
}

/* Run backwards from what all three words are to be at the end: every step can be undone. */
static struct tuple jhash_inverse(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t v[3] = {a, b, c};

	for (unsigned i = 7; i-- > 0;) {
		uint32_t *to = &v[(2 + i) % 3], from = v[(1 + i) % 3];

		*to = (*to + rotate(from, jhash_shifts[i])) ^ from;
	}
	return (struct tuple){v[0] - JHASH_START, v[1] - JHASH_START, v[2] - JHASH_START};
}

const struct tuple tuple_base = {.src = 10u << 24, .dst = 192u << 24, .ports = 0x00008000};

struct tuple tuple_xor(struct tuple a, struct tuple b)
{
	return (struct tuple){a.src ^ b.src, a.dst ^ b.dst, a.ports ^ b.ports};
}

struct tuple tuple_difference(uint64_t bits)
{
	return (struct tuple){.src = bits & 0xffffff,
			      .ports = (uint32_t)(bits >> 24 & 0x7fff) |
				       (uint32_t)(bits >> 39 & 0x7fff) << 16};
}

/* By elimination: each column is reduced by pivots; one that vanishes says which columns cancel. */
unsigned find_kernel(uint32_t (*weak)(struct tuple, uint32_t), uint64_t kernel[TUPLE_BITS])
{
	uint32_t pivots[32] = {0};
	uint64_t columns[32] = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < TUPLE_BITS; i++) {
		uint64_t bits = UINT64_C(1) << i;
		uint32_t value = weak(tuple_xor(tuple_base, tuple_difference(bits)), 0) ^
				 weak(tuple_base, 0);

		while (value && pivots[__builtin_ctz(value)]) {
			unsigned at = (unsigned)__builtin_ctz(value);

			value ^= pivots[at];
			bits ^= columns[at];
		}
		if (value) {
			pivots[__builtin_ctz(value)] = value;
			columns[__builtin_ctz(value)] = bits;
		} else {
			kernel[n++] = bits;
		}
	}
	return n;
}

struct tuple *colliding_under_linear(uint32_t (*weak)(struct tuple, uint32_t))
{
	struct tuple *set = calloc(COLLIDING_SET, sizeof(*set));
	uint64_t kernel[TUPLE_BITS];

	assert_non_null(set);
	assert_true(find_kernel(weak, kernel) >= 16);
	for (unsigned i = 0; i < COLLIDING_SET; i++) {
		uint64_t bits = 0;

		for (unsigned k = 0; k < 16; k++)
			bits ^= i >> k & 1 ? kernel[k] : 0;
		set[i] = tuple_xor(tuple_base, tuple_difference(bits));
		assert_int_equal(weak(set[i], 0), weak(tuple_base, 0));
	}
	return set;
}

struct tuple *colliding_under_jhash(void)
{
	struct tuple *set = calloc(COLLIDING_SET, sizeof(*set));

	assert_non_null(set);
	for (uint32_t i = 0; i < COLLIDING_SET; i++) {
		set[i] = jhash_inverse(i, ~i, 12345);
		assert_int_equal(jhash(set[i]), 12345);
	}
	return set;
}

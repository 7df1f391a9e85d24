/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * That nobody without the key can choose what collides.
 *
 * Each attack is a set of IPv4 flows that one weak function puts in one slot, which is checked, and
 * that the keyed functions have to spread as chance would. Every key is fixed, so no result is left
 * to chance; the bounds say how unlikely they would be with keys drawn at random.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include "base/prng.h"
#include "colliding.h"
#include "packet/hash.h"

#define SLOTS 1024 /* flows in a tin */
#define KEYS  1000

static const enum packet_hash_method methods[] = {PACKET_HASH_KEYED, PACKET_HASH_PORTABLE};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

static struct packet_hasher hasher_of(unsigned method, uint32_t key)
{
	struct packet_hash_params params = {.method = methods[method]};
	struct packet_hasher hasher;

	memcpy(params.key, &key, sizeof(key));
	packet_hasher_init(&hasher, &params, CAKE_TRIPLE_ISOLATE);
	return hasher;
}

static struct packet_hashes hash(const struct packet_hasher *hasher, struct tuple t)
{
	struct packet_headers h = tuple_headers(t);
	struct packet_hashes out;

	packet_hash(hasher, &h, &out);
	return out;
}

/* How evenly */

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * Chi-square of 65,536 hashes over 1,024 slots: mean 1,023, standard deviation sqrt(2 * 1,023) =
 * 45.2; the bound is 5.5 of them to either side. Of the whole 32 bits 65,536^2 / 2 / 2^32 = 0.5
 * pairs collide; more than 7 are as unlikely (Poisson, 1e-8).
 */
static void assert_even(uint32_t *hashes)
{
	unsigned counts[SLOTS] = {0}, pairs = 0;
	double chi_square = 0, mean = (double)COLLIDING_SET / SLOTS;

	for (unsigned i = 0; i < COLLIDING_SET; i++)
		counts[hashes[i] % SLOTS]++;
	for (unsigned i = 0; i < SLOTS; i++)
		chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
	assert_true(fabs(chi_square - (SLOTS - 1)) < 5.5 * sqrt(2 * (SLOTS - 1)));

	qsort(hashes, COLLIDING_SET, sizeof(*hashes), compare_u32);
	for (unsigned i = 1; i < COLLIDING_SET; i++)
		pairs += hashes[i] == hashes[i - 1];
	assert_in_range(pairs, 0, 7);
}

static void assert_set_is_spread(struct tuple *set)
{
	uint32_t *hashes = calloc(COLLIDING_SET, sizeof(*hashes));

	assert_non_null(hashes);
	for (unsigned m = 0; m < METHODS; m++)
		for (uint32_t key = 0; key < 4; key++) {
			struct packet_hasher hasher = hasher_of(m, key);

			for (unsigned i = 0; i < COLLIDING_SET; i++)
				hashes[i] = hash(&hasher, set[i]).flow;
			assert_even(hashes);
		}
	free(hashes);
	free(set);
}

static void what_collides_under_toeplitz_is_spread(void **state)
{
	/* "Verifying the RSS hash calculation": 66.9.149.187:2794 to 161.142.100.80:1766 */
	const struct tuple known = {0x420995bb, 0xa18e6450, 2794u << 16 | 1766};

	(void)state;
	assert_int_equal(toeplitz(known, 0), 0x51ccc178);
	assert_set_is_spread(colliding_under_linear(toeplitz));
}

static void what_collides_under_crc32_is_spread(void **state)
{
	(void)state;
	assert_set_is_spread(colliding_under_linear(crc32_ieee));
	assert_set_is_spread(colliding_under_linear(crc32c));
}

static void what_collides_under_jhash_is_spread(void **state)
{
	(void)state;
	assert_set_is_spread(colliding_under_jhash());
}

/* A flood that walks through addresses and ports: the set that a bad keyed function fails first. */
static void what_counts_upwards_is_spread(void **state)
{
	struct tuple *set = calloc(COLLIDING_SET, sizeof(*set));

	(void)state;
	assert_non_null(set);
	for (uint32_t i = 0; i < COLLIDING_SET; i++)
		set[i] = (struct tuple){tuple_base.src + (i >> 8), tuple_base.dst,
					tuple_base.ports + (i & 255)};
	assert_set_is_spread(set);
}

/* Under one key and under others */

/* Two flows of equal hash: of 196,608 about 196,608^2 / 2 / 2^32 = 4.5 pairs are. */
static void find_collision(const struct packet_hasher *hasher, struct tuple pair[2])
{
	const uint32_t n = 1 << 18;
	uint64_t *found = calloc(n, sizeof(*found));
	bool seen = false;

	assert_non_null(found);
	/* an open table; hash in the upper half, number + 1 in the lower */
	for (uint32_t i = 0; i < n * 3 / 4 && !seen; i++) {
		uint32_t h = hash(hasher, tuple_xor(tuple_base, tuple_difference(i))).flow;
		uint32_t at = h % n;

		while (found[at] && found[at] >> 32 != h)
			at = (at + 1) % n;
		if (found[at]) {
			pair[0] = tuple_xor(tuple_base, tuple_difference((uint32_t)found[at] - 1));
			pair[1] = tuple_xor(tuple_base, tuple_difference(i));
			seen = true;
		}
		found[at] = (uint64_t)h << 32 | (i + 1);
	}
	free(found);
	assert_true(seen);
}

/* A linear function's colliding difference works whatever the seed is. */
static void a_difference_that_collides_under_crc_does_so_under_every_seed(void **state)
{
	uint64_t kernel[TUPLE_BITS];

	(void)state;
	find_kernel(crc32c, kernel);
	for (uint32_t seed = 0; seed < KEYS; seed++)
		assert_int_equal(crc32c(tuple_base, seed * 0x9e3779b9),
				 crc32c(tuple_xor(tuple_base, tuple_difference(kernel[0])),
					seed * 0x9e3779b9));
}

/*
 * Of 1,000 other keys about one puts the pair in one slot of 1,024 (Poisson with mean 0.98; more
 * than 8 are as likely as 1e-6) and none gives it one hash (1,000 / 2^32).
 */
static void a_pair_that_collides_under_one_key_does_not_under_others(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_hasher hasher = hasher_of(m, 0);
		struct tuple pair[2];
		unsigned slots = 0;

		find_collision(&hasher, pair);
		assert_int_equal(hash(&hasher, pair[0]).flow, hash(&hasher, pair[1]).flow);
		for (uint32_t key = 1; key <= KEYS; key++) {
			struct packet_hasher other = hasher_of(m, key);
			uint32_t a = hash(&other, pair[0]).flow, b = hash(&other, pair[1]).flow;

			assert_int_not_equal(a, b);
			slots += a % SLOTS == b % SLOTS;
		}
		assert_in_range(slots, 0, 8);
	}
}

/* The same with other flows that differ in the same bits, under the same key. */
static void a_difference_that_collides_once_does_not_collide_again(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_hasher hasher = hasher_of(m, 0);
		struct prng rng = prng_xorshift32(1);
		struct tuple pair[2], difference;
		unsigned slots = 0;

		find_collision(&hasher, pair);
		difference = tuple_xor(pair[0], pair[1]);
		for (unsigned i = 0; i < KEYS; i++) {
			uint64_t bits = (uint64_t)prng_u32(&rng) << 22 ^ prng_u32(&rng);
			struct tuple t = tuple_xor(tuple_base, tuple_difference(bits));
			uint32_t a = hash(&hasher, t).flow;
			uint32_t b = hash(&hasher, tuple_xor(t, difference)).flow;

			assert_int_not_equal(a, b);
			slots += a % SLOTS == b % SLOTS;
		}
		assert_in_range(slots, 0, 8);
	}
}

/* f(a) ^ f(b) ^ f(c) = f(a ^ b ^ c) for all of them is what linear means, up to a constant. */
static void nothing_is_linear(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_hasher hasher = hasher_of(m, 0);
		struct prng rng = prng_xorshift32(2);
		unsigned keyed = 0;

		for (unsigned i = 0; i < KEYS; i++) {
			struct tuple t[3];

			for (unsigned j = 0; j < 3; j++)
				t[j] = tuple_xor(tuple_base, tuple_difference(prng_u32(&rng)));
			keyed += (hash(&hasher, t[0]).flow ^ hash(&hasher, t[1]).flow ^
				  hash(&hasher, t[2]).flow ^
				  hash(&hasher, tuple_xor(tuple_xor(t[0], t[1]), t[2])).flow) %
					 SLOTS ==
				 0;
			assert_int_equal(toeplitz(t[0], 0) ^ toeplitz(t[1], 0) ^ toeplitz(t[2], 0),
					 toeplitz(tuple_xor(tuple_xor(t[0], t[1]), t[2]), 0));
		}
		assert_in_range(keyed, 0, 8);
	}
}

/* Avalanche */

#define FLIPS 4096

/* A header with every field that counts drawn at random; ports or label. */
static struct packet_headers random_headers(struct prng *rng, uint8_t addr_len, bool label)
{
	struct packet_headers h = {.addr_len = addr_len,
				   .ethertype = addr_len == 4 ? 0x0800 : 0x86dd,
				   .proto = (uint8_t)prng_u32(rng),
				   .vlan_id = prng_u32(rng) & 0xfff,
				   .inner_vlan_id = prng_u32(rng) & 0xfff,
				   .sport = prng_u16(rng),
				   .dport = prng_u16(rng)};

	for (unsigned i = 0; i < addr_len; i++) {
		h.src[i] = (uint8_t)(prng_u32(rng) >> 8);
		h.dst[i] = (uint8_t)(prng_u32(rng) >> 8);
	}
	/* Its lower 19 bits are flipped, and 0 would be no label. */
	h.flow_label = label ? (prng_u32(rng) & 0xfffff) | 0x80000 : 0;
	return h;
}

/* Fields in turn: addresses, VLAN ids, protocol, ports or label. Returns false behind the last. */
static bool flip(struct packet_headers *h, unsigned bit)
{
	const unsigned addr_bits = h->addr_len * 8u;

	if (bit < addr_bits) {
		h->src[bit / 8] ^= (uint8_t)(1 << bit % 8);
		return true;
	}
	bit -= addr_bits;
	if (bit < 12)
		h->vlan_id ^= (uint16_t)(1 << bit);
	else if (bit < 24)
		h->inner_vlan_id ^= (uint16_t)(1 << (bit - 12));
	else if (bit - 24 < addr_bits)
		h->dst[(bit - 24) / 8] ^= (uint8_t)(1 << bit % 8);
	else if (bit - 24 - addr_bits < 8)
		h->proto ^= (uint8_t)(1 << (bit - 24 - addr_bits));
	else if (bit - 32 - addr_bits < 19 && h->flow_label)
		h->flow_label ^= 1u << (bit - 32 - addr_bits);
	else if (bit - 32 - addr_bits < 16 && !h->flow_label)
		h->sport ^= (uint16_t)(1 << (bit - 32 - addr_bits));
	else if (bit - 48 - addr_bits < 16 && !h->flow_label)
		h->dport ^= (uint16_t)(1 << (bit - 48 - addr_bits));
	else
		return false;
	return true;
}

static void count_flips(unsigned counts[32], uint32_t difference)
{
	for (unsigned i = 0; i < 32; i++)
		counts[i] += difference >> i & 1;
}

/*
 * Each bit of the result changes in half of FLIPS cases, with a standard deviation of
 * sqrt(4,096 / 4) = 32; of the 10,000 numbers in a run none is 6 of them away (2e-9 each).
 */
static void assert_halves(const unsigned counts[32])
{
	for (unsigned i = 0; i < 32; i++)
		assert_in_range(counts[i], FLIPS / 2 - 6 * 32, FLIPS / 2 + 6 * 32);
}

static unsigned check_avalanche(const struct packet_hasher *hasher, uint8_t addr_len, bool label)
{
	struct prng rng = prng_xorshift32(3);
	unsigned bit;

	for (bit = 0;; bit++) {
		unsigned flow[32] = {0}, src[32] = {0};

		for (unsigned i = 0; i < FLIPS; i++) {
			struct packet_headers h = random_headers(&rng, addr_len, label);
			struct packet_hashes before, after;

			packet_hash(hasher, &h, &before);
			if (!flip(&h, bit))
				return bit;
			packet_hash(hasher, &h, &after);
			count_flips(flow, before.flow ^ after.flow);
			count_flips(src, before.src_host ^ after.src_host);
		}
		assert_halves(flow);
		if (bit < addr_len * 8u + 24) /* what a host is made of */
			assert_halves(src);
	}
}

static void each_bit_of_a_key_changes_each_bit_of_a_hash_half_the_time(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_hasher hasher = hasher_of(m, 5);

		/* addresses, VLAN ids, protocol, ports or label but for its top bit */
		assert_int_equal(check_avalanche(&hasher, 4, false), 64 + 24 + 8 + 32);
		assert_int_equal(check_avalanche(&hasher, 16, false), 256 + 24 + 8 + 32);
		assert_int_equal(check_avalanche(&hasher, 16, true), 256 + 24 + 8 + 19);
	}
}

/* In the flow table */

/*
 * Seven hosts in a row with 100 ports in a row each. A slot's set has 8 ways, and the 700 flows
 * fall on 128 sets by chance: Poisson with mean 5.47. What is above 8 in a set finds no way of its
 * own, 128 * sum over k > 8 of (k - 8) P(k) = 25 flows; the bound is twice that.
 */
static void flows_in_a_row_have_few_way_collisions(void **state)
{
	(void)state;
	for (unsigned m = 0; m < METHODS; m++) {
		struct packet_hasher hasher = hasher_of(m, 6);
		struct prng rng = prng_xorshift32(1);
		struct cake_params params;
		struct cake_stats stats;
		struct cake *cake;

		cake_params_default(&params);
		params.diffserv = CAKE_BESTEFFORT;
		assert_int_equal(cake_create(&cake, &params, &rng), 0);
		for (uint32_t i = 0; i < 700; i++) {
			struct tuple t = {tuple_base.src + i / 100, tuple_base.dst,
					  tuple_base.ports + i % 100};
			struct packet_hashes h = hash(&hasher, t);
			struct cake_packet p = {.handle = i,
						.len = 100,
						.charge = 2048,
						.flow_hash = h.flow,
						.src_hash = h.src_host,
						.dst_hash = h.dst_host};

			assert_int_equal(cake_enqueue(cake, &p, 1, 1), 1);
		}
		cake_stats_get(cake, &stats);
		assert_int_equal(stats.tins[0].way_misses + stats.tins[0].way_collisions, 700);
		assert_in_range(stats.tins[0].way_collisions, 0, 50);
		cake_destroy(cake);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_collides_under_toeplitz_is_spread),
		cmocka_unit_test(what_collides_under_crc32_is_spread),
		cmocka_unit_test(what_collides_under_jhash_is_spread),
		cmocka_unit_test(what_counts_upwards_is_spread),
		cmocka_unit_test(a_difference_that_collides_under_crc_does_so_under_every_seed),
		cmocka_unit_test(a_pair_that_collides_under_one_key_does_not_under_others),
		cmocka_unit_test(a_difference_that_collides_once_does_not_collide_again),
		cmocka_unit_test(nothing_is_linear),
		cmocka_unit_test(each_bit_of_a_key_changes_each_bit_of_a_hash_half_the_time),
		cmocka_unit_test(flows_in_a_row_have_few_way_collisions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

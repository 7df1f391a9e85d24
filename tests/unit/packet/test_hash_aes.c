/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AES against FIPS 197's examples, and the Pelican MAC put together of its rounds by hand.
 *
 * Skipped where the processor has no AES instructions: gateau does not use them there either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "identities.h"
#include "packet/aes.h"
#include "packet/hash.h"

#ifdef AES_PRESENT

/* Appendix A.1 and B */
static const uint8_t key_b[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
				  0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};

AES_TARGET static void encrypt(const uint8_t key[16], const uint8_t in[16], uint8_t out[16])
{
	_Alignas(16) uint8_t round_keys[AES_ROUNDS + 1][16];

	aes_expand_key(key, round_keys);
	aes_store(out, aes_encrypt(round_keys, aes_load(in)));
}

/* x becomes four rounds of x without a key, xor block. */
AES_TARGET static void stir(uint8_t x[16], const uint8_t block[16])
{
	aes_block s = aes_load(x);

	for (unsigned i = 0; i < 4; i++)
		s = aes_round(s, aes_from_words(0, 0));
	aes_store(x, aes_xor(s, aes_load(block)));
}

static void the_key_is_expanded_as_in_appendix_a1(void **state)
{
	/* w[4] to w[7], w[40] to w[43] */
	const uint8_t first[16] = {0xa0, 0xfa, 0xfe, 0x17, 0x88, 0x54, 0x2c, 0xb1,
				   0x23, 0xa3, 0x39, 0x39, 0x2a, 0x6c, 0x76, 0x05};
	const uint8_t last[16] = {0xd0, 0x14, 0xf9, 0xa8, 0xc9, 0xee, 0x25, 0x89,
				  0xe1, 0x3f, 0x0c, 0xc8, 0xb6, 0x63, 0x0c, 0xa6};
	_Alignas(16) uint8_t round_keys[AES_ROUNDS + 1][16];

	(void)state;
	aes_expand_key(key_b, round_keys);
	assert_memory_equal(round_keys[0], key_b, 16);
	assert_memory_equal(round_keys[1], first, 16);
	assert_memory_equal(round_keys[AES_ROUNDS], last, 16);
}

static void the_cipher_gives_the_example_of_appendix_b(void **state)
{
	const uint8_t plain[16] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
				   0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
	const uint8_t cipher[16] = {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
				    0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32};
	uint8_t out[16];

	(void)state;
	encrypt(key_b, plain, out);
	assert_memory_equal(out, cipher, 16);
}

static void the_cipher_gives_the_example_of_appendix_c1(void **state)
{
	const uint8_t cipher[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
				    0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
	uint8_t key[16], plain[16], out[16];

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		key[i] = (uint8_t)i;
		plain[i] = (uint8_t)(0x11 * i);
	}
	encrypt(key, plain, out);
	assert_memory_equal(out, cipher, 16);
}

static struct packet_hashes hash(const struct packet_headers *h)
{
	struct packet_hash_params params = {.method = PACKET_HASH_KEYED};
	struct packet_hasher hasher;
	struct packet_hashes out;

	memcpy(params.key, key_b, sizeof(key_b));
	packet_hasher_init(&hasher, &params, CAKE_TRIPLE_ISOLATE);
	packet_hash(&hasher, h, &out);
	return out;
}

/* The MAC of @n blocks: the first 32 bits, little-endian. */
static uint32_t pelican(enum packet_hash_kind kind, const uint8_t (*blocks)[16], unsigned n)
{
	const uint8_t first[16] = {(uint8_t)kind};
	uint8_t x[16], out[16];

	encrypt(key_b, first, x);
	for (unsigned i = 0; i < 16; i++)
		x[i] ^= blocks[0][i];
	for (unsigned i = 1; i < n; i++)
		stir(x, blocks[i]);
	encrypt(key_b, x, out);
	return out[0] | out[1] << 8 | out[2] << 16 | (uint32_t)out[3] << 24;
}

static void an_ipv4_identity_is_the_mac_of_one_block(void **state)
{
	/* addresses; ports, 1,000 = 0x3e8 and 2,000 = 0x7d0; protocol; VLAN ids, 12 bits each */
	const uint8_t flow[1][16] = {
		{10, 0, 0, 1, 10, 1, 0, 1, 0xe8, 3, 0xd0, 7, 17, 0x23, 0x61, 0x45}};
	const uint8_t src[1][16] = {{10, 0, 0, 1, 0, 0x23, 0x61, 0x45}};
	const uint8_t dst[1][16] = {{10, 1, 0, 1, 0, 0x23, 0x61, 0x45}};
	struct packet_hashes out = hash(&identity4);

	(void)state;
	assert_int_equal(out.flow, pelican(PACKET_HASH_FLOW4, flow, 1));
	assert_int_equal(out.src_host, pelican(PACKET_HASH_HOST4, src, 1));
	assert_int_equal(out.dst_host, pelican(PACKET_HASH_HOST4, dst, 1));
}

static void an_ipv6_identity_is_the_mac_of_three_or_two_blocks(void **state)
{
	struct packet_headers labelled = identity6;
	uint8_t flow[3][16] = {{0xe8, 3, 0xd0, 7, 6}, {0x20, 1, [15] = 1}, {0x20, 1, [15] = 2}};
	const uint8_t src[2][16] = {{0}, {0x20, 1, [15] = 1}};
	const uint8_t dst[2][16] = {{0}, {0x20, 1, [15] = 2}};
	struct packet_hashes out = hash(&identity6);

	(void)state;
	assert_int_equal(out.flow, pelican(PACKET_HASH_FLOW6_PORTS, flow, 3));
	assert_int_equal(out.src_host, pelican(PACKET_HASH_HOST6, src, 2));
	assert_int_equal(out.dst_host, pelican(PACKET_HASH_HOST6, dst, 2));
	labelled.flow_label = 0xabcde;
	memcpy(flow[0], (uint8_t[]){0xde, 0xbc, 0x0a, 0, 6}, 5);
	assert_int_equal(hash(&labelled).flow, pelican(PACKET_HASH_FLOW6_LABEL, flow, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_key_is_expanded_as_in_appendix_a1),
		cmocka_unit_test(the_cipher_gives_the_example_of_appendix_b),
		cmocka_unit_test(the_cipher_gives_the_example_of_appendix_c1),
		cmocka_unit_test(an_ipv4_identity_is_the_mac_of_one_block),
		cmocka_unit_test(an_ipv6_identity_is_the_mac_of_three_or_two_blocks),
	};

	if (!aes_supported())
		return 77; /* meson: skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif

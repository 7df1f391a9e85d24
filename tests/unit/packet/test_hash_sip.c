/* SPDX-License-Identifier: BSD-3-Clause */
/* SipHash against its authors' vectors, and the identities put together of it by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "identities.h"
#include "packet/hash.h"
#include "packet/siphash.h"

/* Both halves of the key 00 01 02 ... 0f */
static const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

/* The message 00 01 02 ... of @len < 56 bytes. */
static uint64_t of_counting_bytes(unsigned c, unsigned d, unsigned len)
{
	uint64_t words[8] = {0};

	for (unsigned i = 0; i < len; i++)
		words[i / 8] |= (uint64_t)i << i % 8 * 8;
	return siphash(key, c, d, words, len / 8, words[len / 8] | (uint64_t)len << 56);
}

/* The paper's appendix A (15 bytes), and the vectors of the authors' siphash24.c. */
static void siphash_2_4_gives_the_papers_value(void **state)
{
	(void)state;
	assert_true(of_counting_bytes(2, 4, 15) == 0xa129ca6149be45e5);
	assert_true(of_counting_bytes(2, 4, 0) == 0x726fdb47dd0e0e31);
	assert_true(of_counting_bytes(2, 4, 7) == 0xab0200f58b01d137);
}

/* The authors' program with cROUNDS=1, dROUNDS=3. */
static void siphash_1_3_gives_the_authors_values(void **state)
{
	(void)state;
	assert_true(of_counting_bytes(1, 3, 0) == 0xabac0158050fc4dc);
	assert_true(of_counting_bytes(1, 3, 1) == 0xc9f49bf37d57ca93);
	assert_true(of_counting_bytes(1, 3, 8) == 0x369095118d299a8e);
	assert_true(of_counting_bytes(1, 3, 15) == 0xd320d86d2a519956);
	assert_true(of_counting_bytes(1, 3, 17) == 0x9cf2689063dbd80c);
}

static struct packet_hashes hash(const struct packet_headers *h)
{
	const struct packet_hash_params params = {
		.method = PACKET_HASH_PORTABLE,
		.key = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
	struct packet_hasher hasher;
	struct packet_hashes out;

	packet_hasher_init(&hasher, &params, CAKE_TRIPLE_ISOLATE);
	packet_hash(&hasher, h, &out);
	return out;
}

/* The words, then the kind as one byte more. */
static uint32_t sip(enum packet_hash_kind kind, const uint64_t *words, unsigned n)
{
	return (uint32_t)siphash(key, 1, 3, words, n, (uint64_t)(8 * n + 1) << 56 | kind);
}

static void an_ipv4_identity_is_of_addresses_fields_and_kind(void **state)
{
	/* VLAN id, protocol 0x11, ports 0x7d0 and 0x3e8 */
	const uint64_t flow[] = {0x0100010a0100000a, 0x4561231107d003e8};
	const uint64_t src[] = {0x456123000100000a}, dst[] = {0x456123000100010a};
	struct packet_hashes out = hash(&identity4);

	(void)state;
	assert_int_equal(out.flow, sip(PACKET_HASH_FLOW4, flow, 2));
	assert_int_equal(out.src_host, sip(PACKET_HASH_HOST4, src, 1));
	assert_int_equal(out.dst_host, sip(PACKET_HASH_HOST4, dst, 1));
}

static void an_ipv6_identity_is_of_fields_addresses_and_kind(void **state)
{
	struct packet_headers labelled = identity6;
	uint64_t flow[] = {0x0607d003e8, 0x0120, 1ull << 56, 0x0120, 2ull << 56};
	const uint64_t src[] = {0, 0x0120, 1ull << 56}, dst[] = {0, 0x0120, 2ull << 56};
	struct packet_hashes out = hash(&identity6);

	(void)state;
	assert_int_equal(out.flow, sip(PACKET_HASH_FLOW6_PORTS, flow, 5));
	assert_int_equal(out.src_host, sip(PACKET_HASH_HOST6, src, 3));
	assert_int_equal(out.dst_host, sip(PACKET_HASH_HOST6, dst, 3));
	labelled.flow_label = 0xabcde;
	flow[0] = 0x06000abcde;
	assert_int_equal(hash(&labelled).flow, sip(PACKET_HASH_FLOW6_LABEL, flow, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siphash_2_4_gives_the_papers_value),
		cmocka_unit_test(siphash_1_3_gives_the_authors_values),
		cmocka_unit_test(an_ipv4_identity_is_of_addresses_fields_and_kind),
		cmocka_unit_test(an_ipv6_identity_is_of_fields_addresses_and_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

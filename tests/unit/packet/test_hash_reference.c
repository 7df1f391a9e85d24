/* SPDX-License-Identifier: BSD-3-Clause */
/* The golden cases' hashes: known values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "packet/hash.h"
#include "samples.h"

/* The mode does not matter: the tables have all three hashes. */
static struct packet_hashes hash(const struct packet_headers *h)
{
	const struct packet_hash_params params = {.method = PACKET_HASH_REFERENCE};
	struct packet_hasher hasher;
	struct packet_hashes out;

	packet_hasher_init(&hasher, &params, CAKE_FLOWBLIND);
	packet_hash(&hasher, h, &out);
	return out;
}

static void known_frames_have_the_golden_hashes(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++) {
		struct packet_hashes h = hash(&samples[id].headers);

		print_message("%s\n", samples[id].name);
		assert_int_equal(h.flow, samples[id].hashes.flow);
		assert_int_equal(h.src_host, samples[id].hashes.src_host);
		assert_int_equal(h.dst_host, samples[id].hashes.dst_host);
	}
}

/*
 * UDP from 10.0.0.1 port 0 to 10.1.25.36 port 5315, found by search: FNV-1a of its key is 0, and
 * fmix32 keeps 0.
 */
static void a_hash_of_zero_becomes_one(void **state)
{
	const struct packet_headers h = {
		.ethertype = 0x0800,
		.proto = 17,
		.dport = 5315,
		.addr_len = 4,
		.src = {10, 0, 0, 1},
		.dst = {10, 1, 25, 36},
	};

	(void)state;
	assert_int_equal(hash(&h).flow, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_frames_have_the_golden_hashes),
		cmocka_unit_test(a_hash_of_zero_becomes_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

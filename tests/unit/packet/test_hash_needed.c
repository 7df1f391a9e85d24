/* SPDX-License-Identifier: BSD-3-Clause */
/* That a scheduler decides alike with the hashes its mode needs and with all three. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "packet/hash.h"

#define PACKETS 4000
#define US      1000ull
#define S       (1000000 * US)

/** What one scheduler has done. */
struct decisions {
	struct cake_verdict verdicts[2 * PACKETS];
	unsigned n;
};

/* UDP of 4 senders to 4 receivers, 8 ports each: slots are shared, hosts have many flows. */
static struct packet_headers draw_headers(struct prng *rng)
{
	return (struct packet_headers){
		.flow_l3 = PACKET_L3_IPV4,
		.ethertype = 0x0800,
		.proto = 17,
		.addr_len = 4,
		.src = {10, 0, 0, prng_u32(rng) >> 9 & 3},
		.dst = {10, 0, 1, prng_u32(rng) >> 9 & 3},
		.sport = prng_u32(rng) >> 9 & 7,
		.dport = 2000,
	};
}

static void take(struct cake *cake, struct decisions *d, uint64_t now)
{
	unsigned n;

	while ((n = cake_dequeue(cake, &d->verdicts[d->n], 1, now)))
		d->n += n;
	while ((n = cake_take_drops(cake, &d->verdicts[d->n], 1)))
		d->n += n;
}

/* 1,000-byte frames every 100 us, 80 Mbit/s, into 50 Mbit/s and 200 KB of buffer. */
static void run(enum cake_flowmode mode, enum cake_flowmode computed, struct decisions *d)
{
	const struct packet_hash_params hash = {.method = PACKET_HASH_KEYED};
	struct prng rng = prng_xorshift32(1), traffic = prng_xorshift32(2);
	struct packet_hasher hasher;
	struct cake_params params;
	struct cake *cake;

	memset(d, 0, sizeof(*d));
	packet_hasher_init(&hasher, &hash, computed);
	cake_params_default(&params);
	params.flowmode = mode;
	params.bandwidth_bps = 50000000;
	params.memlimit = 200000;
	params.flows = 8; /* far fewer than there are */
	assert_int_equal(cake_create(&cake, &params, &rng), 0);
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet_headers h = draw_headers(&traffic);
		uint64_t now = 1000 * S + i * 100 * US;
		struct cake_packet p = {.handle = i, .len = 1000, .charge = 2048};
		struct packet_hashes hashes;

		packet_hash(&hasher, &h, &hashes);
		p.flow_hash = hashes.flow;
		p.src_hash = hashes.src_host;
		p.dst_hash = hashes.dst_host;
		assert_int_equal(cake_enqueue(cake, &p, 1, now), 1);
		take(cake, d, now);
	}
	cake_destroy(cake);
}

static void what_is_not_computed_changes_no_decision(void **state)
{
	static struct decisions all, needed, other;

	(void)state;
	for (unsigned mode = CAKE_FLOWBLIND; mode <= CAKE_TRIPLE_ISOLATE; mode++) {
		run(mode, CAKE_TRIPLE_ISOLATE, &all);
		run(mode, mode, &needed);
		assert_in_range(all.n, PACKETS / 2, PACKETS);
		assert_memory_equal(&needed, &all, sizeof(all));
		/* the traffic does tell whether one is missing that is needed */
		for (unsigned bit = 1; bit <= CAKE_FLOWS; bit <<= 1) {
			if (!(mode & bit))
				continue;
			run(mode, mode & ~bit, &other);
			assert_memory_not_equal(&other, &all, sizeof(all));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_computed_changes_no_decision),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

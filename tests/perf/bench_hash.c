/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the identities of a packet cost: ns per packet for each function, IP version and flow mode.
 *
 *	taskset -c 1 build/tests/perf/bench_hash
 *
 * Median, lowest and highest of 101 runs of 100,000 packets each, after one that does not count, in
 * time of the processor that this thread had.
 * The headers of 256 flows stay in the first cache, as those of a burst that was just parsed.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/prng.h"
#include "bench.h"
#include "packet/hash.h"

#define FLOWS   256
#define PACKETS 100000

static struct packet_headers headers[FLOWS];
static volatile uint32_t sink; /* so that no hash is left out */

static void make_headers(uint8_t addr_len)
{
	struct prng rng = prng_xorshift32(1);

	for (unsigned i = 0; i < FLOWS; i++) {
		headers[i] = (struct packet_headers){
			.addr_len = addr_len,
			.ethertype = addr_len == 4 ? 0x0800 : 0x86dd,
			.proto = 6,
			.sport = prng_u16(&rng),
			.dport = prng_u16(&rng),
		};
		for (unsigned j = 0; j < addr_len; j++) {
			headers[i].src[j] = (uint8_t)(prng_u32(&rng) >> 8);
			headers[i].dst[j] = (uint8_t)(prng_u32(&rng) >> 8);
		}
	}
}

static double run(void *arg)
{
	const struct packet_hasher *hasher = arg;
	double start = bench_now_ns();

	for (unsigned i = 0; i < PACKETS; i++) {
		struct packet_hashes out;

		packet_hash(hasher, &headers[i % FLOWS], &out);
		sink = out.flow ^ out.src_host ^ out.dst_host;
	}
	return (bench_now_ns() - start) / PACKETS;
}

static void measure(enum packet_hash_method method, enum cake_flowmode mode, uint8_t addr_len)
{
	const struct packet_hash_params params = {.method = method, .key = "not a secret"};
	struct packet_hasher hasher;
	struct bench_result ns;

	packet_hasher_init(&hasher, &params, mode);
	make_headers(addr_len);
	ns = bench_measure(run, &hasher);
	printf("%-18s %-5s %-8s %6.1f ns  (%.1f to %.1f)\n", hasher.name,
	       addr_len == 4 ? "IPv4" : "IPv6", mode == CAKE_FLOWS ? "flow" : "all three",
	       ns.median, ns.lowest, ns.highest);
}

int main(void)
{
	for (enum packet_hash_method method = PACKET_HASH_KEYED; method <= PACKET_HASH_REFERENCE;
	     method++)
		for (uint8_t addr_len = 4; addr_len <= 16; addr_len += 12) {
			measure(method, CAKE_FLOWS, addr_len);
			measure(method, CAKE_TRIPLE_ISOLATE, addr_len);
		}
	return 0;
}

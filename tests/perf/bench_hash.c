/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the identities of a packet cost: ns per packet for each function, IP version and flow mode,
 * in runs of 100,000 packets.
 *
 *	build/tests/perf/bench_hash --help
 *
 * The headers of 256 flows stay in the first cache, as those of a burst that was just parsed.
 */
#include <stdint.h>

#include <gateau/cake_config.h>

#include "base/prng.h"
#include "bench.h"
#include "packet/hash.h"

#define FLOWS   256
#define PACKETS 100000
#define METHODS (PACKET_HASH_REFERENCE + 1)

/** Two IP versions, two modes, and each method. */
#define ROWS (METHODS * 4)

/** What a row measures. */
struct work {
	struct packet_hasher hasher;
	const struct packet_headers *headers;
};

static struct packet_headers ipv4[FLOWS], ipv6[FLOWS];
static volatile uint32_t sink; /* so that no hash is left out */

static void make_headers(struct packet_headers *headers, uint8_t addr_len)
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
	const struct work *w = arg;
	double start = bench_now_ns();

	for (unsigned i = 0; i < PACKETS; i++) {
		struct packet_hashes out;

		packet_hash(&w->hasher, &w->headers[i % FLOWS], &out);
		sink = out.flow ^ out.src_host ^ out.dst_host;
	}
	return (bench_now_ns() - start) / PACKETS;
}

static struct bench_row row(struct work *w, enum packet_hash_method method, bool all, bool v6)
{
	static const char *const ids[METHODS] = {[PACKET_HASH_KEYED] = "keyed",
						 [PACKET_HASH_PORTABLE] = "portable",
						 [PACKET_HASH_REFERENCE] = "reference"};
	const struct packet_hash_params params = {.method = method, .key = "not a secret"};

	w->headers = v6 ? ipv6 : ipv4;
	packet_hasher_init(&w->hasher, &params, all ? CAKE_TRIPLE_ISOLATE : CAKE_FLOWS);
	return (struct bench_row){
		.id = bench_text("%s-%s-%s", ids[method], v6 ? "ipv6" : "ipv4",
				 all ? "all" : "flow"),
		.what = bench_text("%s, %s, %s", w->hasher.name, v6 ? "IPv6" : "IPv4",
				   all ? "all three" : "flow"),
		.unit = "ns",
		.run = run,
		.arg = w,
	};
}

int main(int argc, char **argv)
{
	static struct work work[ROWS];
	struct bench_row rows[ROWS];

	bench_start(argc, argv, "hash");
	make_headers(ipv4, 4);
	make_headers(ipv6, 16);
	for (unsigned i = 0; i < ROWS; i++)
		rows[i] = row(&work[i], i / 4, i & 1, i & 2);
	bench_group(rows, ROWS);
	return 0;
}

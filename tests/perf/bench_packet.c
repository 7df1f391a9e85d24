/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What looking at a frame costs, without mbufs: ns per frame for its headers, and for all that the
 * scheduler is told of it, with the hashes that do not depend on the processor.
 *
 *	build/tests/perf/bench_packet --help
 *
 * The frames, of 64 flows, stay in the first cache.
 */
#include <gateau/cake_config.h>

#include "bench.h"
#include "frames.h"
#include "packet/describe.h"
#include "packet/parse.h"

#define FRAMES         64
#define ROUNDS         1024
#define COUNTED_ROUNDS 16 /* where instructions are counted */

/** What a row measures. */
struct work {
	void (*put)(struct built_frame *b, unsigned flow);
	void (*look)(const struct work *w, const struct packet_frame *f);
	enum cake_flowmode mode;

	struct packet_describer describer;
	struct built_frame built[FRAMES];
	struct packet_segment segs[FRAMES];
};

static volatile uint32_t sink; /* so that nothing is left out */

static void put_ipv4_udp(struct built_frame *b, unsigned flow)
{
	put_ethernet(b, 0x0800);
	put_ipv4(b, flow, 17);
	put_udp(b, 1024 + flow, 443);
	put_zeros(b, 64 - 14 - 20 - 8);
}

static void put_ipv6_tcp(struct built_frame *b, unsigned flow)
{
	put_ethernet(b, 0x86dd);
	put_ipv6(b, flow, 6);
	put_tcp(b, 1024 + flow, 443);
}

static void parse(const struct work *w, const struct packet_frame *f)
{
	struct packet_headers h;

	packet_parse(f, w->describer.depth, &h);
	sink = h.sport;
}

static void describe(const struct work *w, const struct packet_frame *f)
{
	struct packet_view view;
	struct cake_packet pkt;

	packet_describe(&w->describer, f, &view, &pkt);
	sink = pkt.flow_hash;
}

static void look_at_all(void *arg)
{
	const struct work *w = arg;

	for (unsigned i = 0; i < FRAMES; i++)
		w->look(w, &(struct packet_frame){
				   .segs = &w->segs[i], .n_segs = 1, .len = w->segs[i].len});
}

static double run(void *arg)
{
	const unsigned rounds = bench_counts() ? COUNTED_ROUNDS : ROUNDS;
	double ns[ROUNDS];

	for (unsigned i = 0; i < rounds; i++)
		ns[i] = bench_timed(look_at_all, arg, FRAMES);
	return bench_mean(ns, rounds) / FRAMES;
}

static int begin(void *arg)
{
	static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE,
						       .key = "not a secret"};
	struct work *w = arg;
	struct cake_params p;

	cake_params_default(&p);
	p.flowmode = w->mode;
	packet_describer_init(&w->describer, &p, &hash);
	for (unsigned i = 0; i < FRAMES; i++) {
		w->put(&w->built[i], i);
		frame_finish(&w->built[i]);
		w->segs[i] = (struct packet_segment){w->built[i].bytes, w->built[i].size};
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct work work[] = {
		{.put = put_ipv4_udp, .look = parse, .mode = CAKE_FLOWS},
		{.put = put_ipv6_tcp, .look = parse, .mode = CAKE_FLOWS},
		{.put = put_ipv4_udp, .look = describe, .mode = CAKE_FLOWS},
		{.put = put_ipv6_tcp, .look = describe, .mode = CAKE_FLOWS},
		{.put = put_ipv4_udp, .look = describe, .mode = CAKE_TRIPLE_ISOLATE},
		{.put = put_ipv6_tcp, .look = describe, .mode = CAKE_TRIPLE_ISOLATE},
	};
	static const char *const names[][2] = {
		{"parse-ipv4", "headers, IPv4 and UDP"},
		{"parse-ipv6", "headers, IPv6 and TCP"},
		{"flow-ipv4", "a description with the flow's hash, IPv4 and UDP"},
		{"flow-ipv6", "a description with the flow's hash, IPv6 and TCP"},
		{"all-ipv4", "a description with all three hashes, IPv4 and UDP"},
		{"all-ipv6", "a description with all three hashes, IPv6 and TCP"},
	};
	struct bench_row rows[sizeof(work) / sizeof(work[0])];

	bench_start(argc, argv, "packet");
	for (unsigned i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		rows[i] = (struct bench_row){.id = names[i][0],
					     .what = names[i][1],
					     .unit = "ns",
					     .run = run,
					     .arg = &work[i],
					     .begin = begin};
	bench_group(rows, sizeof(work) / sizeof(work[0]));
	return 0;
}

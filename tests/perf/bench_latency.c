/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a frame is inside an idle appliance, RX to TX, one frame at a time.
 *
 *	build/tests/perf/bench_latency
 *
 * One thread does it all: it makes passes that find nothing, puts a frame into the ring that port a
 * receives from, makes passes until the frame is in the ring that port b sends to, and takes it out
 * there. So the time is that of a frame which arrives just as its queue is polled, with two
 * operations on a ring; one that arrives at any other moment waits for the rest of an empty pass
 * besides, half of one on average, which is the last row. What a NIC takes comes on top.
 *
 * The time-stamp counter goes on while the thread does not run: an interrupt is a late frame.
 */
#include <stdint.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "appliance.h"
#include "base/prng.h"
#include "bench.h"

#define FRAMES 2000 /* of a run */
#define FLOWS  64

/* Empty passes between two frames, at random up to this many: some 5 us, so that the shaper has
 * nothing left to wait for. */
#define EMPTY_PASSES 128

/* A frame is out after one pass or a few; after as many as this, a second's, it is lost. */
#define PASSES_MAX 20000000

enum { BESTEFFORT, DIFFSERV4, APPLIANCES };

static struct appliance appliances[APPLIANCES] = {
	{.name = "be",
	 .driver = "net_ring",
	 .scheduler = "{\"diffserv\": \"besteffort\", \"flowmode\": \"flows\"}"},
	{.name = "ds",
	 .driver = "net_ring",
	 .scheduler = "{\"bandwidth\": \"10gbit\", \"diffserv\": \"diffserv4\","
		      " \"flowmode\": \"triple-isolate\"}"},
};

static struct prng rng;

struct row {
	struct appliance *a;
	double percentile; /* of the frames of a run, 0..1 */
	double scale;      /* of a tick in the row's unit */
};

/** Ticks from its arrival until it has left. */
static uint64_t send_one(struct appliance *a, struct rte_mbuf *m)
{
	const uint16_t in = a->dp.ports[0].id, out = a->dp.ports[1].id;
	const uint64_t start = rte_rdtsc();
	unsigned passes = 0;

	if (rte_eth_tx_burst(in, 0, &m, 1) != 1)
		bench_fail("a frame does not fit an empty ring");
	do {
		if (passes++ == PASSES_MAX)
			bench_fail("%s: a frame did not come out", a->name);
		appliance_pass(a);
	} while (!rte_eth_rx_burst(out, 0, &m, 1));
	return rte_rdtsc() - start;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double latency(void *arg)
{
	static uint64_t ticks[FRAMES];
	const struct row *row = arg;
	struct rte_mbuf *flows[FLOWS];

	for (unsigned i = 0; i < FLOWS; i++)
		flows[i] = appliance_frame(row->a, i, i % 2);
	for (unsigned i = 0; i < FRAMES; i++) {
		for (unsigned n = prng_u32(&rng) % EMPTY_PASSES; n; n--)
			appliance_pass(row->a);
		ticks[i] = send_one(row->a, flows[i % FLOWS]);
	}
	rte_pktmbuf_free_bulk(flows, FLOWS);
	qsort(ticks, FRAMES, sizeof(*ticks), compare);
	return (double)ticks[(unsigned)(row->percentile * (FRAMES - 1))] * row->scale;
}

static double empty_pass(void *arg)
{
	const struct row *row = arg;
	const uint64_t start = rte_rdtsc();

	for (unsigned i = 0; i < FRAMES; i++)
		if (appliance_pass(row->a))
			bench_fail("a pass that was to be empty moved a frame");
	return (double)(rte_rdtsc() - start) / FRAMES * row->scale;
}

/** Median and 99th percentile of each appliance in ns and in ticks, and an empty pass. */
static void measure(double ns_per_tick)
{
	static const char *const names[APPLIANCES] = {"besteffort", "diffserv4"};
	struct row args[APPLIANCES * 4 + 1];
	struct bench_row rows[RTE_DIM(args)];

	for (unsigned i = 0; i < RTE_DIM(args); i++) {
		const bool p99 = i / 2 % 2, ticks = i % 2;
		const unsigned which = i / 4 % APPLIANCES;
		const char *unit = ticks ? "ticks" : "ns";

		args[i] =
			(struct row){&appliances[which], p99 ? 0.99 : 0.5, ticks ? 1 : ns_per_tick};
		rows[i] = (struct bench_row){
			.id = bench_text("%s-%s-%s", names[which], p99 ? "p99" : "p50", unit),
			.what = bench_text("%s, RX to TX, %s", names[which],
					   p99 ? "99th percentile" : "median"),
			.unit = unit,
			.run = latency,
			.arg = &args[i],
		};
	}
	rows[RTE_DIM(args) - 1].id = "empty-pass";
	rows[RTE_DIM(args) - 1].what = "a pass over two ports that finds nothing";
	rows[RTE_DIM(args) - 1].run = empty_pass;
	bench_group(rows, RTE_DIM(rows));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv, "latency");
	rng = prng_xorshift32(1);
	for (unsigned i = 0; i < APPLIANCES; i++)
		appliance_begin(&appliances[i]);
	measure(1e9 / (double)appliances[BESTEFFORT].dp.clock.hz);
	for (unsigned i = 0; i < APPLIANCES; i++)
		appliance_end(&appliances[i]);
	return 0;
}

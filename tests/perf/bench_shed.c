/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What shedding costs the lcore that receives: ns per packet, in bursts of 32, whose packets are of
 * flows in turn.
 *
 *	taskset -c 1 build/tests/perf/bench_shed
 *
 * Median, lowest and highest of 101 runs of 100,000 packets each, after one that does not count, in
 * time of the processor that this thread had.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "bench.h"
#include "txq/shed_table.h"

#define BURST    32
#define PACKETS  (BURST * 3125)
#define PERIOD   1000 /* ns between bursts */
#define FLOWS    32768
#define START_NS 1000000000ull

static struct cake_packet packets[1 << 17];

static struct bench {
	struct shed *shed;
	struct shed_table *table;
	unsigned flows;
	uint64_t now;
	unsigned passed, judged;
} b;

static void make_packets(void)
{
	struct prng rng = prng_xorshift32(1);

	for (unsigned i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		packets[i] = (struct cake_packet){.len = 64,
						  .flow_hash = prng_u32(&rng),
						  .src_hash = prng_u32(&rng),
						  .dst_hash = prng_u32(&rng)};
}

static void publish(uint64_t speed)
{
	struct shed_view view = {0};

	shed_look(b.shed, 0, b.now, &view);
	shed_publish(b.shed, 0,
		     &(struct shed_values){.on = true,
					   .v0 = view.v,
					   .t0 = b.now,
					   .began = view.began,
					   .speed = speed,
					   .admit = UINT32_MAX});
}

/* As dispatch.c does it. */
static void burst(unsigned at)
{
	enum shed_first first;

	if (!shed_begin(b.table, false, b.now)) {
		if (shed_samples(b.table))
			for (unsigned i = 0; i < BURST; i++)
				shed_note(b.table, &packets[(at + i) % b.flows], 0);
		return;
	}
	for (unsigned i = 0; i < BURST; i++)
		shed_prefetch(b.table, &packets[(at + i) % b.flows], 0);
	for (unsigned i = 0; i < BURST; i++)
		b.passed += shed_judge(b.table, &packets[(at + i) % b.flows], 0, 64, &first) ==
			    SHED_PASS;
	b.judged += BURST;
}

static double run(void *arg)
{
	const uint64_t *speed = arg;
	double start = bench_now_ns();

	for (unsigned at = 0; at < PACKETS; at += BURST, b.now += PERIOD) {
		if (*speed && at % (50 * BURST) == 0)
			publish(*speed);
		burst(at);
	}
	return (bench_now_ns() - start) / PACKETS;
}

/* @speed: of V, in 2^-32 bytes per ns; 0 = not overloaded. */
static void measure(const char *what, enum cake_flowmode mode, unsigned flows, uint64_t speed)
{
	struct cake_params p;
	struct bench_result ns;

	cake_params_default(&p);
	p.diffserv = CAKE_BESTEFFORT;
	p.flowmode = mode;
	p.flows = FLOWS;
	b = (struct bench){.flows = flows, .now = START_NS};
	if (shed_create(&b.shed, &p) || shed_table_create(&b.table, b.shed, 0))
		exit(1);
	ns = bench_measure(run, &speed);
	printf("%-28s %6u flows %6.1f ns  (%.1f to %.1f)", what, flows, ns.median, ns.lowest,
	       ns.highest);
	if (b.judged)
		printf("  %.0f %% pass", 100.0 * b.passed / b.judged);
	printf("\n");
	shed_table_destroy(b.table);
	shed_destroy(b.shed);
}

int main(void)
{
	/* Bursts of 32 packets per us: of n flows each sends 2,048 / n bytes per us. */
	static const unsigned flows[] = {1024, 100000};

	make_packets();
	for (unsigned i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		const uint64_t offered = ((uint64_t)2048 << 32) / 1000 / flows[i];

		measure("not overloaded, 1/8 noted", CAKE_FLOWS, flows[i], 0);
		measure("nothing is ahead", CAKE_FLOWS, flows[i], 2 * offered);
		measure("ten times too much", CAKE_FLOWS, flows[i], offered / 10);
		measure("the same, hosts isolated", CAKE_TRIPLE_ISOLATE, flows[i], offered / 10);
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What shedding costs the lcore that receives: ns per packet, in bursts of 32, whose packets are of
 * flows in turn, in runs of 102,400 packets.
 *
 *	build/tests/perf/bench_shed --help
 */
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "bench.h"
#include "txq/shed_table.h"

#define BURST    32
#define BURSTS   50 /* between two times that the holder publishes */
#define PACKETS  (BURST * BURSTS)
#define ROUNDS   64
#define PERIOD   1000 /* ns between bursts */
#define FLOWS    32768
#define START_NS 1000000000ull

/** Packets of each flow before the first that is measured: a flow that is new passes. */
#define KNOWN 4

static struct cake_packet packets[1 << 17];

/** What a row measures. */
struct bench {
	const char *id, *what;
	enum cake_flowmode mode;
	unsigned flows;
	uint64_t speed; /* of V, in 2^-32 bytes per ns; 0 = not overloaded */
	unsigned least_permille, most_permille; /* that pass: else it is not what it says */
	struct shed *shed;
	struct shed_table *table;
	uint64_t now;
	unsigned at; /* the next packet's flow */
	unsigned passed, judged;
};

static void make_packets(void)
{
	struct prng rng = prng_xorshift32(1);

	for (unsigned i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		packets[i] = (struct cake_packet){.len = 64,
						  .flow_hash = prng_u32(&rng),
						  .src_hash = prng_u32(&rng),
						  .dst_hash = prng_u32(&rng)};
}

static void publish(struct bench *b)
{
	struct shed_view view = {0};

	shed_look(b->shed, 0, b->now, &view);
	shed_publish(b->shed, 0,
		     &(struct shed_values){.on = true,
					   .v0 = view.v,
					   .t0 = b->now,
					   .began = view.began,
					   .speed = b->speed,
					   .admit = UINT32_MAX});
}

/* As dispatch.c does it. */
static void burst(struct bench *b)
{
	enum shed_first first;

	if (!shed_begin(b->table, false, b->now)) {
		if (shed_samples(b->table))
			for (unsigned i = 0; i < BURST; i++)
				shed_note(b->table, &packets[(b->at + i) % b->flows], 0);
		return;
	}
	for (unsigned i = 0; i < BURST; i++)
		shed_prefetch(b->table, &packets[(b->at + i) % b->flows], 0);
	for (unsigned i = 0; i < BURST; i++)
		b->passed += shed_judge(b->table, &packets[(b->at + i) % b->flows], 0, 64,
					&first) == SHED_PASS;
	b->judged += BURST;
}

static void bursts(void *arg)
{
	struct bench *b = arg;

	for (unsigned i = 0; i < BURSTS; i++) {
		burst(b);
		b->at = (b->at + BURST) % b->flows;
		b->now += PERIOD;
	}
}

static double run(void *arg)
{
	struct bench *b = arg;
	double ns[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		if (b->speed)
			publish(b);
		ns[i] = bench_timed(bursts, b, PACKETS);
	}
	return bench_mean(ns, ROUNDS) / PACKETS;
}

static int begin(void *arg)
{
	struct bench *b = arg;
	struct cake_params p;
	int ret;

	cake_params_default(&p);
	p.diffserv = CAKE_BESTEFFORT;
	p.flowmode = b->mode;
	p.flows = FLOWS;
	b->now = START_NS;
	ret = shed_create(&b->shed, &p);
	if (!ret)
		ret = shed_table_create(&b->table, b->shed, 0);
	if (ret)
		return ret;
	for (unsigned i = 0; i < KNOWN * b->flows / PACKETS; i++) {
		if (b->speed)
			publish(b);
		bursts(b);
	}
	b->passed = b->judged = 0;
	return 0;
}

static void end(void *arg)
{
	struct bench *b = arg;
	const uint64_t permille = b->judged ? UINT64_C(1000) * b->passed / b->judged : 0;

	if (permille < b->least_permille || permille > b->most_permille)
		bench_fail("%s: %u of %u packets passed", b->id, b->passed, b->judged);
	shed_table_destroy(b->table);
	shed_destroy(b->shed);
}

/** Bursts of 32 packets per us: of n flows each sends 2,048 / n bytes per us. */
static void make_rows(struct bench_row rows[4], struct bench work[4], unsigned flows)
{
	const uint64_t offered = ((uint64_t)2048 << 32) / 1000 / flows;
	const struct bench kinds[4] = {
		{"off", "not overloaded, 1 in 8 noted", CAKE_FLOWS, .speed = 0},
		{"pass", "nothing is ahead", CAKE_FLOWS, .speed = 2 * offered,
		 .least_permille = 999, .most_permille = 1000},
		{"shed", "ten times too much", CAKE_FLOWS, .speed = offered / 10,
		 .least_permille = 80, .most_permille = 120},
		{"shed-hosts", "ten times too much, hosts isolated", CAKE_TRIPLE_ISOLATE,
		 .speed = offered / 10, .least_permille = 80, .most_permille = 120},
	};

	for (unsigned i = 0; i < 4; i++) {
		struct bench *b = &work[i];

		*b = kinds[i];
		b->flows = flows;
		b->id = bench_text("%s-%u", kinds[i].id, flows);
		rows[i] =
			(struct bench_row){.id = b->id,
					   .what = bench_text("%s, %u flows", kinds[i].what, flows),
					   .unit = "ns",
					   .run = run,
					   .arg = b,
					   .begin = begin,
					   .end = end};
	}
}

int main(int argc, char **argv)
{
	static struct bench work[8];
	struct bench_row rows[8];

	bench_start(argc, argv, "shed");
	make_packets();
	make_rows(rows, work, 1024);
	make_rows(rows + 4, work + 4, 100000);
	bench_group(rows, 8);
	return 0;
}

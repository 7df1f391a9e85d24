/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sharing a rate costs: ns per dequeued packet with and without it, per slot reserved, and per
 * look at the others' lines.
 *
 *	build/tests/perf/bench_share --help
 *
 * One thread: a clock that other lcores change too costs its cache line's way on top, once per
 * slot; docs/multi-queue.md has the arithmetic.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include <gateau/cake.h>

#include "bench.h"

#include "base/prng.h"
#include "share/state.h"

#define BURST  32
#define ROUNDS 4000

/** Of what is put in, but for the last bursts. */
#define LEAST_SENT (BURST * (ROUNDS - 4))

#define T0   1000000000000ull
#define GBIT 1000000000ull

static struct prng rng;

/** A queue of a port, and the time it is at. */
struct bench {
	struct cake *cake;
	struct share *share;
	struct share_queue *queue;
	struct share_view view;
	uint64_t now;
	uint64_t sent; /* packets */
};

static void start(struct bench *b, uint64_t bps, unsigned queues, bool shared)
{
	struct share_params sp = {
		.bytes_per_s = bps / 8, .queues = queues, .max_frame = 1514, .now = T0};
	struct cake_params cp;

	*b = (struct bench){.now = T0};
	rng = prng_xorshift32(1);
	cake_params_default(&cp);
	cp.bandwidth_bps = bps;
	cp.diffserv = CAKE_BESTEFFORT;
	cp.flowmode = CAKE_FLOWS;
	cp.slots = shared;
	if (cake_create(&b->cake, &cp, &rng) || share_create(&b->share, &sp) ||
	    share_queue_create(&b->queue, b->share, 0, b->cake))
		abort();
}

static void stop(struct bench *b)
{
	share_queue_destroy(b->queue);
	share_destroy(b->share);
	cake_destroy(b->cake);
}

static void put(struct bench *b, unsigned n)
{
	struct cake_packet pkts[BURST];

	for (unsigned i = 0; i < n; i++)
		pkts[i] = (struct cake_packet){.handle = i,
					       .len = 60,
					       .charge = 2304,
					       .flow_hash = 1 + i % 8,
					       .network_offset = 14};
	cake_enqueue(b->cake, pkts, n, b->now);
}

static void take_plain(void *arg)
{
	struct bench *b = arg;
	struct cake_verdict out[BURST];

	b->sent += cake_dequeue(b->cake, out, BURST, b->now);
}

static void take_shared(void *arg)
{
	struct bench *b = arg;
	struct cake_verdict out[BURST];

	b->sent += share_dequeue(b->queue, &b->view, out, BURST, b->now);
}

/* A burst each time, at a rate that lets all of it go; only the dequeue is timed. */
static double dequeue(struct bench *b, void (*take)(void *arg))
{
	double ns[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		b->now += 2 * SHARE_US;
		put(b, BURST);
		ns[i] = bench_timed(take, b, BURST);
	}
	if (b->sent < LEAST_SENT)
		bench_fail("%" PRIu64 " of %u packets were sent", b->sent, ROUNDS * BURST);
	return bench_mean(ns, ROUNDS) * ROUNDS / b->sent;
}

static double plain_packet(void *arg)
{
	const unsigned queues = *(const unsigned *)arg;
	struct bench b;
	double ns;

	start(&b, 100 * GBIT, queues, false);
	ns = dequeue(&b, take_plain);
	stop(&b);
	return ns;
}

static double shared_packet(void *arg)
{
	const unsigned queues = *(const unsigned *)arg;
	struct bench b;
	double ns;

	start(&b, 100 * GBIT, queues, true);
	ns = dequeue(&b, take_shared);
	stop(&b);
	return ns;
}

/* The clock alone: what a reservation adds to its slot, but for the reckoning of its length. */
static double reservation(void *arg)
{
	static struct share_clock clock = {.end = T0};
	uint64_t now = T0;
	double from = bench_now_ns();

	(void)arg;
	for (unsigned i = 0; i < 100 * ROUNDS; i++)
		now = clock_reserve(&clock, 100, now);
	return (bench_now_ns() - from) / (100 * ROUNDS);
}

/* All lines as others write them, which makes none of them come from another processor's cache. */
static double look(void *arg)
{
	const unsigned queues = *(const unsigned *)arg;
	struct bench b;
	double from, ns;

	start(&b, 10 * GBIT, queues, true);
	for (unsigned i = 1; i < queues; i++) {
		b.share->lines[i].demand = i * 1000000;
		b.share->lines[i].weight = 16 * i;
		b.share->lines[i].limited = i % 2;
	}
	from = bench_now_ns();
	for (unsigned i = 0; i < ROUNDS; i++) {
		b.now += 250 * SHARE_US;
		for (unsigned j = 1; j < queues; j++)
			b.share->lines[j].stamp = b.now;
		level_sync(b.queue, &b.view, b.now);
	}
	ns = (bench_now_ns() - from) / ROUNDS;
	stop(&b);
	return ns;
}

int main(int argc, char **argv)
{
	static unsigned one = 1, eight = 8, many = 64;
	static const struct bench_row rows[] = {
		{"plain", "a packet, cake_dequeue()", "ns", .run = plain_packet, .arg = &one},
		{"shared-8", "a packet, share_dequeue(), 8 queues", "ns", .run = shared_packet,
		 .arg = &eight},
		{"shared-64", "a packet, share_dequeue(), 64 queues", "ns", .run = shared_packet,
		 .arg = &many},
		{"clock", "a change of the clock", "ns", .run = reservation},
		{"look-8", "a look at 8 lines", "ns", .run = look, .arg = &eight},
		{"look-64", "a look at 64 lines", "ns", .run = look, .arg = &many},
	};

	bench_start(argc, argv, "share");
	bench_group(rows, sizeof(rows) / sizeof(rows[0]));
	return 0;
}

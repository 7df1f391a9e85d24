/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several lcores put frames onto the ring of one TX queue, and its holder takes them out: ns per
 * frame, from the first to the last of a run.
 *
 *	build/tests/perf/bench_contention
 *
 * A smoke test: nothing is lost, and nobody spins while others are preempted. The holder has the
 * benchmark's CPU and the producers share the rest, so that with more of them than CPUs they do not
 * meet as they would on a machine that has one for each.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <rte_common.h>

#include "bench.h"
#include "txq/defer.h"

#define BURST         32
#define FRAMES        (BURST * 1024) /* of each producer in a run */
#define PRODUCERS_MAX 4

/* Looks at an empty ring between looks at the clock, and for how long none may have anything. */
#define LOOKS   65536
#define LOST_NS 1e10

static struct rte_ring *ring;
static cpu_set_t others; /* CPUs of the producers */
static struct rte_mbuf frames[BURST];
static _Atomic bool go;

/* A daemon would drop what does not fit. Here who finds the ring full leaves the CPU to others. */
static void *produce(void *arg)
{
	struct rte_mbuf *pkts[BURST];

	for (unsigned i = 0; i < BURST; i++)
		pkts[i] = &frames[i];
	while (!atomic_load(&go))
		sched_yield();
	for (unsigned sent = 0; sent < FRAMES;) {
		unsigned n = defer_put(ring, pkts, RTE_MIN((unsigned)BURST, FRAMES - sent));

		sent += n;
		if (!n)
			sched_yield();
	}
	return arg;
}

static unsigned take(unsigned want)
{
	struct rte_mbuf *pkts[BURST];
	double since = 0;
	unsigned taken = 0;
	uint64_t looks = 0;

	while (taken < want) {
		unsigned n = defer_ready(ring);

		n = n ? defer_take(ring, pkts, RTE_MIN(n, (unsigned)BURST)) : 0;
		taken += n;
		looks = n ? 0 : looks + 1;
		if (looks == LOOKS)
			since = bench_wall_ns();
		else if (looks && looks % LOOKS == 0 && bench_wall_ns() > since + LOST_NS)
			bench_fail("%u frames of %u did not come out", want - taken, want);
		if (!n && CPU_ISSET(bench_core(), &others))
			sched_yield();
	}
	return taken;
}

static double contend(void *arg)
{
	const unsigned producers = *(const unsigned *)arg;
	pthread_t threads[PRODUCERS_MAX];
	pthread_attr_t attr;
	double start;
	unsigned taken;

	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(others), &others);
	atomic_store(&go, false);
	for (unsigned i = 0; i < producers; i++)
		if (pthread_create(&threads[i], &attr, produce, NULL))
			bench_fail("no thread");
	start = bench_wall_ns();
	atomic_store(&go, true);
	taken = take(producers * FRAMES);
	start = bench_wall_ns() - start;
	for (unsigned i = 0; i < producers; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&attr);
	if (defer_count(ring))
		bench_fail("%u frames more than were put in", defer_count(ring));
	return start / taken;
}

/** All CPUs but the holder's, unless that is the only one. */
static void choose_others(void)
{
	CPU_CLR(bench_core(), &others);
	if (!CPU_COUNT(&others))
		CPU_SET(bench_core(), &others);
}

int main(int argc, char **argv)
{
	static unsigned producers[] = {1, 2, PRODUCERS_MAX};
	struct bench_row rows[RTE_DIM(producers)];

	if (sched_getaffinity(0, sizeof(others), &others))
		bench_fail("CPUs are not known");
	bench_start(argc, argv, "contention");
	choose_others();
	if (defer_create(&ring))
		bench_fail("no memory");
	for (unsigned i = 0; i < RTE_DIM(rows); i++)
		rows[i] = (struct bench_row){
			.id = bench_text("producers-%u", producers[i]),
			.what = bench_text("%u producers on %d CPUs, one ring, per frame",
					   producers[i], CPU_COUNT(&others)),
			.unit = "ns",
			.run = contend,
			.arg = &producers[i],
		};
	bench_group(rows, RTE_DIM(rows));
	defer_destroy(ring);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one worker forwards, RX to TX with all that is between, beside DPDK's testpmd on the same
 * software ports: millions of frames per second of processor time, both directions together.
 *
 *	build/tests/perf/bench_appliance
 *
 * net_null: buffers of the pool come in and go out again, the same few that are in the lcore's
 * cache. net_ring: RING_FRAMES frames of as many flows, half IPv4 and UDP of 64 bytes, half IPv6
 * and TCP of 74, go round.
 */
#include <stdint.h>

#include <rte_common.h>

#include "appliance.h"
#include "bench.h"
#include "testpmd.h"

#define RING_FRAMES 512

/* Of a run. testpmd's has to be long beside what it takes to tell it so. */
#define RUN_NS     (4 * 1000000.0)
#define TESTPMD_MS 50

/* Passes between looks at the clock, which takes as long as some frames. */
#define PASSES 64

#define BESTEFFORT "{\"diffserv\": \"besteffort\", \"flowmode\": \"flows\"}"
/* Not what holds frames up: one of 64 bytes takes 5 ns. */
#define SHAPED                                                      \
	"{\"bandwidth\": \"100gbit\", \"diffserv\": \"diffserv4\"," \
	" \"flowmode\": \"triple-isolate\", \"memlimit\": \"8mb\"}"

static double forward(void *arg)
{
	struct appliance *a = arg;
	const uint64_t sent = appliance_sent(a);
	const double start = bench_now_ns();
	double ns;

	do {
		for (unsigned i = 0; i < PASSES; i++)
			appliance_pass(a);
		ns = bench_now_ns() - start;
	} while (ns < RUN_NS);
	return (double)(appliance_sent(a) - sent) / ns * 1000;
}

static int begin(void *arg)
{
	appliance_begin(arg);
	return 0;
}

static void end(void *arg)
{
	appliance_end(arg);
}

static double compare(void *arg)
{
	return testpmd_rate(arg, TESTPMD_MS) * 1000;
}

static int begin_testpmd(void *arg)
{
	testpmd_begin(arg);
	return 0;
}

static void end_testpmd(void *arg)
{
	testpmd_end(arg);
}

static struct appliance appliances[] = {
	{.name = "be", .driver = "net_null", .scheduler = BESTEFFORT},
	{.name = "be6", .driver = "net_null", .scheduler = BESTEFFORT, .ipv6 = true},
	{.name = "ds", .driver = "net_null", .scheduler = SHAPED},
	{.name = "be", .driver = "net_ring", .scheduler = BESTEFFORT, .frames = RING_FRAMES},
	{.name = "ds", .driver = "net_ring", .scheduler = SHAPED, .frames = RING_FRAMES},
};

static struct testpmd testpmds[] = {
	{.driver = "net_null", .mode = "mac"},
	{.driver = "net_null", .mode = "io"},
	{.driver = "net_ring", .mode = "mac", .frames = RING_FRAMES},
	{.driver = "net_ring", .mode = "io", .frames = RING_FRAMES},
};

#define APPLIANCE(id, what, n)                                               \
	{                                                                    \
		id, what, "Mpps", forward, &appliances[n], begin, end, false \
	}
#define TESTPMD(id, what, n)                                                               \
	{                                                                                  \
		id, what, "Mpps", compare, &testpmds[n], begin_testpmd, end_testpmd, false \
	}

int main(int argc, char **argv)
{
	static const struct bench_row rows[] = {
		APPLIANCE("null-besteffort", "net_null, besteffort, unlimited, IPv4", 0),
		APPLIANCE("null-besteffort-ipv6", "net_null, besteffort, unlimited, IPv6", 1),
		APPLIANCE("null-diffserv4", "net_null, diffserv4, triple-isolate, shaped, IPv4", 2),
		TESTPMD("null-testpmd-mac", "net_null, testpmd, mac", 0),
		TESTPMD("null-testpmd-io", "net_null, testpmd, io", 1),
		APPLIANCE("ring-besteffort", "net_ring, besteffort, unlimited, 512 flows", 3),
		APPLIANCE("ring-diffserv4",
			  "net_ring, diffserv4, triple-isolate, shaped, 512 flows", 4),
		TESTPMD("ring-testpmd-mac", "net_ring, testpmd, mac", 2),
		TESTPMD("ring-testpmd-io", "net_ring, testpmd, io", 3),
	};

	bench_start(argc, argv, "appliance");
	bench_group(rows, RTE_DIM(rows));
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's dpdk-testpmd as what an appliance is compared with: one core that forwards between two
 * software ports and looks at nothing ("io"), or writes MAC addresses ("mac"). A child process on
 * the benchmark's CPU, which it has to itself while it is told to forward.
 */
#ifndef TESTS_PERF_TESTPMD_H
#define TESTS_PERF_TESTPMD_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct testpmd {
	/* Written by who makes it. */
	const char *driver; /* "net_null" or "net_ring" */
	const char *mode;   /* "io" or "mac" */
	unsigned frames;    /* net_ring: that go round, a multiple of 64 */

	pid_t pid;
	FILE *commands, *answers;
	const char *start; /* the command to begin with */
};

/** Start it, with ports of the same make as struct appliance has. Without it the benchmark ends. */
void testpmd_begin(struct testpmd *t);
void testpmd_end(struct testpmd *t);

/** Let it forward for @ms. Returns frames per ns of processor time, by its own counters. */
double testpmd_rate(struct testpmd *t, unsigned ms);

#endif

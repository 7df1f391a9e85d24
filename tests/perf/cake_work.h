/* SPDX-License-Identifier: BSD-3-Clause */
/* A CAKE instance at work (work.h), in virtual time. */
#ifndef TESTS_PERF_CAKE_WORK_H
#define TESTS_PERF_CAKE_WORK_H

#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "traffic.h"
#include "work.h"

/** What the benchmark's traffic is shaped to, and how fast it arrives where nothing shapes it. */
#define CAKE_WORK_BPS UINT64_C(10000000000)

struct cake_work {
	/* What is measured. */
	enum cake_diffserv
		diffserv; /* besteffort, or diffserv4: a fourth of the flows in each tin */
	enum cake_flowmode flowmode;
	uint64_t bandwidth_bps; /* CAKE_WORK_BPS, or 0 = unlimited */
	uint32_t flows;
	uint32_t backlog; /* packets standing, besides what waits for its time in the shaper */

	/* The work's own. */
	struct cake *cake;
	struct prng rng;
	struct traffic traffic;
	uint64_t now; /* ns */
	uint32_t handle;
	uint64_t in, out;         /* packets */
	uint64_t in_sum, out_sum; /* of their handles */
	struct cake_packet packets[WORK_BURSTS][WORK_BURST];
};

extern const struct work_ops cake_work_ops;

#endif

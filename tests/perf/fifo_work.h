/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain FIFO of descriptors at work (work.h): the least that remembering packets costs. */
#ifndef TESTS_PERF_FIFO_WORK_H
#define TESTS_PERF_FIFO_WORK_H

#include <stdint.h>

#include <gateau/cake.h>

#include "cake/slab.h"
#include "work.h"

struct fifo_work {
	uint32_t backlog; /* packets standing */

	/* The work's own. */
	struct desc *ring;
	uint32_t mask, head, tail; /* positions; never wrapped, masked when used */
	uint32_t handle;
	uint64_t out_sum; /* of handles */
	struct cake_packet packets[WORK_BURSTS][WORK_BURST];
};

extern const struct work_ops fifo_work_ops;

#endif

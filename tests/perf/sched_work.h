/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's hierarchical scheduler, rte_sched, at work (work.h): one subport, each pipe with packets
 * in one queue of its best-effort class, rates far above what is offered. Time is the processor's:
 * the scheduler reads it itself.
 */
#ifndef TESTS_PERF_SCHED_WORK_H
#define TESTS_PERF_SCHED_WORK_H

#include <stdint.h>

#include "traffic.h"
#include "work.h"

struct rte_mbuf;
struct rte_mempool;
struct rte_sched_port;

struct sched_work {
	uint32_t pipes;   /* a power of two */
	uint32_t backlog; /* packets standing */

	/* The work's own. */
	struct rte_sched_port *port;
	struct rte_mempool *pool;
	struct rte_mbuf **free; /* a stack of those that are not queued */
	uint32_t n_free, n_mbufs;
	struct traffic traffic;
	uint64_t refused; /* packets */
	struct rte_mbuf *packets[WORK_BURSTS][WORK_BURST];
};

extern const struct work_ops sched_work_ops;

#endif

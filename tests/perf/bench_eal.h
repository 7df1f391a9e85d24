/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK for a benchmark: no hugepages, no devices but those it makes, and its CPU. */
#ifndef TESTS_PERF_BENCH_EAL_H
#define TESTS_PERF_BENCH_EAL_H

/** Start it, on bench_core(), unless it has been. Fails as bench_fail() does. */
void bench_eal(void);

#endif

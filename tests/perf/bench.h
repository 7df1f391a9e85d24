/* SPDX-License-Identifier: BSD-3-Clause */
/* How the benchmarks measure: one figure as the median of many runs. */
#ifndef TESTS_PERF_BENCH_H
#define TESTS_PERF_BENCH_H

/** Runs that count, after one that does not. */
#define BENCH_RUNS 101

/** ns of the processor that this thread had so far. */
double bench_now_ns(void);

struct bench_result {
	double median, lowest, highest;
};

/** @run returns its figure, e.g. ns per packet. */
struct bench_result bench_measure(double (*run)(void *arg), void *arg);

#endif

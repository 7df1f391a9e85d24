/* SPDX-License-Identifier: BSD-3-Clause */
/* See bench.h. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

double bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct bench_result bench_measure(double (*run)(void *arg), void *arg)
{
	double figures[BENCH_RUNS];

	run(arg);
	for (unsigned i = 0; i < BENCH_RUNS; i++)
		figures[i] = run(arg);
	qsort(figures, BENCH_RUNS, sizeof(figures[0]), compare);
	return (struct bench_result){figures[BENCH_RUNS / 2], figures[0], figures[BENCH_RUNS - 1]};
}

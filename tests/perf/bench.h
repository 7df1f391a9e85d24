/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the benchmarks measure and report; tools/bench runs all of them.
 *
 * A benchmark is a program with a table of rows. Each row can be run many times and returns one
 * figure each time, e.g. ns per packet. The rows of a group are run in turn, one run of each and
 * then the next of each, so that a machine that is slower for a while is so for all of them; the
 * first round is for caches and branch predictors and does not count. Reported are median, minimum,
 * maximum and spread, the latter as the interquartile range: half of the runs lie within it.
 */
#ifndef TESTS_PERF_BENCH_H
#define TESTS_PERF_BENCH_H

#include <stdbool.h>

/** Runs that count, unless --runs says otherwise. */
#define BENCH_RUNS 31

/** A row of the table. */
struct bench_row {
	const char
		*id; /* letters, digits, '-' and '_': what goals name it by; unique in a program */
	const char *what; /* for people; no quotes, no backslash */
	const char *unit; /* of the figure, e.g. "ns", "Mpps", "bytes" */
	double (*run)(void *arg);
	void *arg;
	int (*begin)(void *arg); /* once before the first run, may be NULL; 0 or -errno, which ends
				    the program */
	void (*end)(void *arg);  /* once after the last, may be NULL */
	bool exact;              /* no time but e.g. bytes, the same in every run: taken once */
};

/**
 * Read the options that all benchmarks have and pin this thread to one CPU. Exits on --help, 0, and
 * on what it does not know, 2.
 *
 * @name  of the benchmark: what its rows are reported under
 */
void bench_start(int argc, char **argv, const char *name);

/** The CPU that bench_start() chose. */
unsigned bench_core(void);

/** Measure the @n rows, those that --only leaves, and report them. */
void bench_group(const struct bench_row *rows, unsigned n);

/**
 * ns that @act takes, which handles @n packets. While it runs, tests/perf/instructions.py counts
 * instructions. By the clock on the wall, which is read in 25 ns, and not the thread's own, which
 * takes a system call of 1.4 us: see bench_mean().
 */
double bench_timed(void (*act)(void *arg), void *arg, unsigned n);

/**
 * The mean of @n times that acts took, without those that were interrupted: who took more than
 * BENCH_INTERRUPTED times as long as the shortest was not running all the time.
 */
double bench_mean(const double *ns, unsigned n);

/** Acts of some us differ by their cache misses; a clock tick takes as long, another process ms. */
#define BENCH_INTERRUPTED 4

/** Whether instructions are counted (--count): one short run is enough, they are always the same.
 */
bool bench_counts(void);

/** A text for a row's id or what; stays until the end of the program. */
const char *bench_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** ns of the processor that this thread had so far. A call may take 1.4 us: for what takes ms. */
double bench_now_ns(void);

/** ns that have passed since some time. A call takes some 25 ns: for what is too short for the
 * other. */
double bench_wall_ns(void);

/** Something was not as the benchmark needs it, so that its figures mean nothing: say so, exit 1.
 */
void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

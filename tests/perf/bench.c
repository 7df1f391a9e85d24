/* SPDX-License-Identifier: BSD-3-Clause */
/* See bench.h. */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	const char *name;
	const char *only;  /* words, separated by commas; NULL = everything */
	const char *count; /* the id of the one row that is run, to count instructions */
	unsigned core;
	unsigned runs;
	bool json;
} options = {.runs = BENCH_RUNS};

static uint64_t counted; /* packets handled in bench_timed() */

/** What came of a row: of the runs that counted. */
struct figures {
	double median, min, max, spread;
	unsigned runs;
};

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_now_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* A function of its own, not to be inlined: callgrind collects from its entry to its return. */
static void __attribute__((noinline)) bench_counted(void (*act)(void *arg), void *arg)
{
	act(arg);
	__asm__ volatile(""); /* so that it does return */
}

double bench_timed(void (*act)(void *arg), void *arg, unsigned n)
{
	const double from = bench_wall_ns();

	bench_counted(act, arg);
	counted += n;
	return bench_wall_ns() - from;
}

double bench_mean(const double *ns, unsigned n)
{
	double shortest = ns[0], sum = 0;
	unsigned whole = 0;

	for (unsigned i = 1; i < n; i++)
		if (ns[i] < shortest)
			shortest = ns[i];
	for (unsigned i = 0; i < n; i++)
		if (ns[i] <= BENCH_INTERRUPTED * shortest) {
			sum += ns[i];
			whole++;
		}
	return sum / whole;
}

bool bench_counts(void)
{
	return options.count;
}

void bench_fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "bench_%s: ", options.name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *bench_text(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		bench_fail("no memory");
	va_end(args);
	return text;
}

static void usage(FILE *to)
{
	fprintf(to,
		"usage: bench_%s [OPTION...]\n"
		"  --core N      run on CPU N (default: the last one this process may use)\n"
		"  --runs N      runs that count (default: %u); one more goes before them\n"
		"  --only WORDS  only rows whose id has one of these words, separated by commas, in it\n"
		"  --json        one JSON object a row and line instead of a table\n"
		"  --count ID    run that row once, and say how many packets callgrind has counted\n",
		options.name, BENCH_RUNS);
}

/** The last CPU of those this process may use. */
static unsigned last_core(void)
{
	cpu_set_t set;
	unsigned last = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		bench_fail("sched_getaffinity: %s", strerror(errno));
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			last = i;
	return last;
}

static void pin(unsigned core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bench_fail("CPU %u: %s", core, strerror(errno));
}

/** A whole number in @low..@high, or out. */
static unsigned number(const char *option, const char *text, unsigned low, unsigned high)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < low || n > high) {
		fprintf(stderr, "bench_%s: --%s: a number in %u..%u is wanted, not %s\n",
			options.name, option, low, high, text);
		exit(2);
	}
	return (unsigned)n;
}

void bench_start(int argc, char **argv, const char *name)
{
	static const struct option known[] = {
		{"core", required_argument, NULL, 'c'},
		{"runs", required_argument, NULL, 'r'},
		{"only", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, 'j'},
		{"count", required_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	options.name = name;
	options.core = last_core();
	while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1)
		switch (option) {
		case 'c':
			options.core = number("core", optarg, 0, CPU_SETSIZE - 1);
			break;
		case 'r':
			options.runs = number("runs", optarg, 1, 100000);
			break;
		case 'o':
			options.only = optarg;
			break;
		case 'j':
			options.json = true;
			break;
		case 'n':
			options.count = optarg;
			break;
		default:
			usage(option == 'h' ? stdout : stderr);
			exit(option == 'h' ? 0 : 2);
		}
	if (optind < argc) {
		usage(stderr);
		exit(2);
	}
	pin(options.core);
}

unsigned bench_core(void)
{
	return options.core;
}

/** Whether the row is one that was asked for. */
static bool wanted(const char *id)
{
	if (options.count)
		return strcmp(id, options.count) == 0;
	for (const char *word = options.only; word && *word; word += strspn(word, ",")) {
		const size_t len = strcspn(word, ",");

		if (len && memmem(id, strlen(id), word, len))
			return true;
		word += len;
	}
	return !options.only;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct figures summary(const double *of, unsigned n)
{
	double sorted[n];

	memcpy(sorted, of, sizeof(sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	return (struct figures){.median = sorted[n / 2],
				.min = sorted[0],
				.max = sorted[n - 1],
				.spread = sorted[3 * n / 4] - sorted[n / 4],
				.runs = n};
}

/** As many digits as mean something: times in ns have tenths, bytes have none. */
static int digits(double figure)
{
	return figure < 1000 ? 2 : 0;
}

static void print_line(const struct bench_row *row, const struct figures *f)
{
	const int d = digits(f->median);

	if (row->exact)
		printf("%-28s %10.*f %10s %10s %9s %-6s %s\n", row->id, d, f->median, "", "", "",
		       row->unit, row->what);
	else
		printf("%-28s %10.*f %10.*f %10.*f %9.*f %-6s %s\n", row->id, d, f->median, d,
		       f->min, d, f->max, d, f->spread, row->unit, row->what);
}

static void print_json(const struct bench_row *row, const struct figures *f, const double *of)
{
	printf("{\"bench\": \"%s\", \"id\": \"%s\", \"what\": \"%s\", \"unit\": \"%s\", "
	       "\"median\": %.10g, \"min\": %.10g, \"max\": %.10g, \"spread\": %.10g, "
	       "\"runs\": %u, \"figures\": [",
	       options.name, row->id, row->what, row->unit, f->median, f->min, f->max, f->spread,
	       f->runs);
	for (unsigned i = 0; i < f->runs; i++)
		printf("%s%.10g", i ? ", " : "", of[i]);
	printf("]}\n");
}

static void report(const struct bench_row *row, const double *of, unsigned runs)
{
	const struct figures f = summary(of, runs);

	if (options.json)
		print_json(row, &f, of);
	else
		print_line(row, &f);
	fflush(stdout);
}

static void begin(const struct bench_row *row)
{
	const int ret = wanted(row->id) && row->begin ? row->begin(row->arg) : 0;

	if (ret)
		bench_fail("%s: %s", row->id, strerror(-ret));
}

/** The row that is counted, once. */
static void count(const struct bench_row *rows, unsigned n)
{
	for (const struct bench_row *row = rows; row < rows + n; row++) {
		if (!wanted(row->id))
			continue;
		begin(row);
		row->run(row->arg);
		if (!counted)
			bench_fail("%s: nothing of it is counted", row->id);
		printf("{\"bench\": \"%s\", \"id\": \"%s\", \"counted\": %" PRIu64 "}\n",
		       options.name, row->id, counted);
		if (row->end)
			row->end(row->arg);
	}
}

/** All runs of all rows, round by round; @of has @runs figures a row. */
static void measure(const struct bench_row *rows, unsigned n, double *of, unsigned runs)
{
	for (unsigned round = 0; round <= runs; round++)
		for (unsigned i = 0; i < n; i++) {
			double figure;

			if (!wanted(rows[i].id) || (rows[i].exact && round != 1))
				continue;
			figure = rows[i].run(rows[i].arg);
			if (round)
				of[i * runs + round - 1] = figure;
		}
}

void bench_group(const struct bench_row *rows, unsigned n)
{
	const unsigned runs = options.runs;
	double *of;

	if (options.count) {
		count(rows, n);
		return;
	}
	of = calloc((size_t)n * runs, sizeof(*of));
	if (!of)
		bench_fail("no memory");
	if (!options.json)
		printf("%-28s %10s %10s %10s %9s %-6s of %u runs on CPU %u\n", options.name,
		       "median", "min", "max", "spread", "unit", runs, options.core);
	for (unsigned i = 0; i < n; i++)
		begin(&rows[i]);
	measure(rows, n, of, runs);
	for (unsigned i = 0; i < n; i++) {
		if (!wanted(rows[i].id))
			continue;
		report(&rows[i], &of[(size_t)i * runs], rows[i].exact ? 1 : runs);
		if (rows[i].end)
			rows[i].end(rows[i].arg);
	}
	free(of);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenario: run scenario files, print a table for each, and say whether all is as expected.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "run.h"
#include "scenario.h"

#define TITLE_MAX 128

static const char usage[] =
	"usage: scenario [--short] [--seed N] [--set NAME=VALUE]... FILE...\n"
	"       scenario --metrics\n"
	"\n"
	"Run scenarios in virtual time. For each file: a table, a row per combination of its\n"
	"parameters, a column per number; what is not as expected is marked with !.\n"
	"\n"
	"  --short           with the file's short list of parameters\n"
	"  --seed N          instead of the file's seed\n"
	"  --set NAME=VALUE  instead of the file's values of a parameter; VALUE is JSON, an array\n"
	"                    for several, or a word\n"
	"  --metrics         list the numbers that a file may ask for\n"
	"\n"
	"Exit code: 0 = all is as expected, 1 = something is not, 2 = a file or the call is wrong.\n";

static int list_metrics(void)
{
	for (const struct metric *m = metrics; m->name; m++)
		printf("%-14s %-7s %-11s %s\n", m->name, m->unit,
		       !m->group  ? "port"
		       : !m->port ? "group"
				  : "port, group",
		       m->help);
	return 0;
}

static char *title_of(const struct scenario *s, unsigned i, char title[TITLE_MAX])
{
	return expect_title(&s->expects[i], title, TITLE_MAX);
}

/** A column is as wide as its title, and wide enough for a number. */
static int width_of(const char *title)
{
	int len = (int)strlen(title);

	return len < 9 ? 9 : len;
}

static void print_head(const struct scenario_file *f, const struct scenario *s)
{
	char title[TITLE_MAX];

	printf("%s: %s\n", s->name, s->claim);
	for (unsigned i = 0; i < f->sweep.n; i++)
		printf("  %*s", width_of(f->sweep.params[i].name), f->sweep.params[i].name);
	for (unsigned i = 0; i < s->n_expects; i++)
		printf("  %*s ", width_of(title_of(s, i, title)), title);
	printf("\n");
}

static void print_limits(const struct scenario_file *f, const struct scenario *s)
{
	char title[TITLE_MAX], text[TITLE_MAX];

	for (unsigned i = 0; i < f->sweep.n; i++)
		printf("  %*s", width_of(f->sweep.params[i].name), "");
	for (unsigned i = 0; i < s->n_expects; i++) {
		const struct expect *e = &s->expects[i];

		text[0] = 0;
		if (e->has_min && e->has_max)
			snprintf(text, sizeof(text), "%g..%g", e->min, e->max);
		else if (e->has_min)
			snprintf(text, sizeof(text), ">=%g", e->min);
		else if (e->has_max)
			snprintf(text, sizeof(text), "<=%g", e->max);
		else if (e->has_rise)
			snprintf(text, sizeof(text), "rises x%g", e->rise);
		else if (e->has_fall)
			snprintf(text, sizeof(text), "falls /%g", e->fall);
		printf("  %*s ", width_of(title_of(s, i, title)), text);
	}
	printf("\n");
}

/** Four digits, whole numbers whole. */
static void print_value(double value, int width)
{
	double size = fabs(value);
	int decimals = size == floor(size) || size >= 1000 ? 0
		       : size >= 100                       ? 1
		       : size >= 10                        ? 2
							   : 3;

	if (isnan(value))
		printf("  %*s", width, "-");
	else
		printf("  %*.*f", width, decimals, value);
}

/** Returns whether all is as expected; @columns are these rows so far. */
static bool print_row(const struct scenario_file *f, const struct scenario *s,
		      const struct run_result *r, struct expect_column *columns)
{
	char title[TITLE_MAX], text[TITLE_MAX];
	bool good = !*r->fault;

	for (unsigned i = 0; i < f->sweep.n; i++)
		printf("  %*s", width_of(f->sweep.params[i].name),
		       sweep_text(&f->sweep, i, text, sizeof(text)));
	for (unsigned i = 0; i < s->n_expects; i++) {
		bool goes_on = expect_goes_on(&s->expects[i], &columns[i], r->values[i]);
		bool met = expect_met(&s->expects[i], r->values[i]) && goes_on;

		print_value(r->values[i], width_of(title_of(s, i, title)));
		putchar(met ? ' ' : '!');
		good &= met;
	}
	if (*r->fault)
		printf("  ! %s", r->fault);
	printf("\n");
	fflush(stdout);
	return good;
}

/** Returns whether the columns have risen and fallen as expected. */
static bool print_trends(const struct scenario *s, const struct expect_column *columns)
{
	char title[TITLE_MAX];
	bool good = true;

	for (unsigned i = 0; i < s->n_expects; i++) {
		if (expect_trend_met(&s->expects[i], &columns[i]))
			continue;
		printf("  ! %s: from %g to %g is not enough\n", title_of(s, i, title),
		       columns[i].first, columns[i].last);
		good = false;
	}
	return good;
}

struct options {
	bool brief;
	int64_t seed;
	json_t *values;
};

/** 0, 1 or 2, as the program's exit code. */
static int run_file(const char *path, const struct options *o)
{
	struct scenario *s = must_calloc(1, sizeof(*s));
	struct run_result result;
	struct scenario_file f;
	struct config_error err;
	struct expect_column columns[EXPECTS_MAX] = {0};
	bool first = true;
	int code = 0;

	if (scenario_load(path, o->brief, o->values, o->seed, &f, &err)) {
		fprintf(stderr, "scenario: %s\n", err.text);
		free(s);
		return 2;
	}
	for (; !f.sweep.over && code < 2; sweep_step(&f.sweep)) {
		if (scenario_parse(&f, s, &err)) {
			fprintf(stderr, "scenario: %s\n", err.text);
			code = 2;
			break;
		}
		if (first) {
			print_head(&f, s);
			print_limits(&f, s);
		}
		first = false;
		run_scenario(s, &result);
		if (!print_row(&f, s, &result, columns))
			code = 1;
	}
	if (code < 2 && !print_trends(s, columns))
		code = 1;
	printf("\n");
	scenario_close(&f);
	free(s);
	return code;
}

static bool set_value(json_t *values, char *text)
{
	char *value = strchr(text, '=');
	json_t *json;

	if (!value)
		return false;
	*value++ = 0;
	json = json_loads(value, JSON_DECODE_ANY, NULL);
	json_object_set_new(values, text, json ? json : json_string(value));
	return true;
}

static bool set_seed(int64_t *seed, const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	*seed = (int64_t)n;
	return *text && !*end && n <= UINT32_MAX;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"short", no_argument, NULL, 's'},     {"seed", required_argument, NULL, 'n'},
		{"set", required_argument, NULL, 'v'}, {"metrics", no_argument, NULL, 'm'},
		{"help", no_argument, NULL, 'h'},      {0},
	};
	struct options o = {.seed = -1, .values = must_have(json_object())};
	bool good = true;
	int opt, code = 0;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'm' || opt == 'h')
			return opt == 'm' ? list_metrics() : printf("%s", usage) < 0;
		if (opt == 's')
			o.brief = true;
		else if (opt == 'n')
			good &= set_seed(&o.seed, optarg);
		else
			good &= opt == 'v' && set_value(o.values, optarg);
	}
	if (!good || optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	for (; optind < argc; optind++) {
		int rc = run_file(argv[optind], &o);

		code = rc > code ? rc : code;
	}
	json_decref(o.values);
	return code;
}

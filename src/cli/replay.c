/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau replay: a capture, or a golden case, through the scheduler in virtual time. */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/case.h"
#include "cli/replay_report.h"
#include "config/config.h"
#include "replay/replay.h"

/* Dithering and BLUE draw from a fixed seed: the same replay gives the same result. */
#define REPLAY_SEED 1

/* So are flows told apart, on every machine: nobody attacks a replay. */
static const struct packet_hash_params replay_hash = {
	.method = PACKET_HASH_PORTABLE,
	.key = "gateau replay",
};

#define PROGRESS_S 1 /* between two signs of life on a terminal */

/* In the order of the help. */
enum argument {
	ARG_CONFIG,
	ARG_PORT,
	ARG_IN,
	ARG_LINK_RATE,
	ARG_GSO_SIZE,
	ARG_SEED,
	ARG_CASE,
	ARG_OUT,
	ARG_CSV,
	ARG_JSON,
	N_ARGS
};

/* What was given, by enum argument: NULL if it was not, "" if it has no value. */
struct arguments {
	const char *given[N_ARGS];
};

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* What may not be given together; 0 or the exit code after a message. */
static int check_combination(const char *command, const char *const *given)
{
	bool surroundings = given[ARG_LINK_RATE] || given[ARG_GSO_SIZE] || given[ARG_SEED];
	const char *suffix = given[ARG_OUT] ? strrchr(given[ARG_OUT], '.') : NULL;

	if (!given[ARG_CASE] == !given[ARG_CONFIG])
		return cli_usage_fault(command, "give either --config or --case");
	if (given[ARG_CASE] && (given[ARG_IN] || given[ARG_PORT]))
		return cli_usage_fault(command, "a case names its own capture and has no ports");
	if (given[ARG_CASE] && surroundings)
		return cli_usage_fault(command, "a case has its own link rate, GSO size and seed");
	if (given[ARG_CONFIG] && !given[ARG_IN])
		return cli_usage_fault(command, "--config needs a capture, --in FILE");
	if (is_stdout(given[ARG_CSV]) && given[ARG_JSON])
		return cli_usage_fault(command, "--json and --csv - both write to stdout");
	if (is_stdout(given[ARG_OUT]) && (given[ARG_JSON] || is_stdout(given[ARG_CSV])))
		return cli_usage_fault(command, "--out - and %s both write to stdout",
				       given[ARG_JSON] ? "--json" : "--csv -");
	if (suffix && !strcmp(suffix, ".gz"))
		return cli_usage_fault(command, "--out is not compressed; write --out - | gzip >%s",
				       given[ARG_OUT]);
	return 0;
}

/* 0, or the exit code after a message. */
static int parse_arguments(int argc, char **argv, struct arguments *a)
{
	int first = cli_options(&cli_replay, argc, argv, a->given);

	if (first < 0)
		return CLI_USAGE;
	if (first < argc)
		return cli_usage_fault(argv[0], "unexpected argument %s", argv[first]);
	return check_combination(argv[0], a->given);
}

/* An integer in 1..@max; 0 if @text is none. */
static uint64_t parse_number(const char *text, uint64_t max)
{
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	n = strtoull(text, &end, 10);
	return *end || errno || n > max ? 0 : n;
}

/* Into @opt what surrounds the scheduler; 0 or the exit code after a message. */
static int parse_surroundings(const char *command, const char *const *given,
			      struct replay_options *opt)
{
	uint64_t n;

	if (given[ARG_LINK_RATE] &&
	    (units_parse_rate(given[ARG_LINK_RATE], &opt->link_rate_bps) || !opt->link_rate_bps))
		return cli_usage_fault(command,
				       "--link-rate %s: not a rate; examples: 20mbit, 1.5gbit",
				       given[ARG_LINK_RATE]);
	if (given[ARG_GSO_SIZE]) {
		n = parse_number(given[ARG_GSO_SIZE], UINT16_MAX);
		if (!n)
			return cli_usage_fault(command, "--gso-size %s: not in 1..%u",
					       given[ARG_GSO_SIZE], UINT16_MAX);
		opt->gso_size = (uint32_t)n;
	}
	if (given[ARG_SEED]) {
		n = parse_number(given[ARG_SEED], UINT32_MAX);
		if (!n)
			return cli_usage_fault(command, "--seed %s: not in 1..%u", given[ARG_SEED],
					       UINT32_MAX);
		opt->rng = prng_xorshift32((uint32_t)n);
	}
	return 0;
}

/* Signs of life on a terminal */

struct progress {
	time_t last; /* CLOCK_MONOTONIC, seconds */
	bool shown;
};

static time_t seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void show_progress(void *arg, const struct replay_result *r)
{
	struct progress *p = arg;
	time_t now = seconds_now();

	if (now < p->last + PROGRESS_S)
		return;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "\r%.1f million frames, %.1f s of the capture", r->received / 1e6,
		r->duration_ns / 1e9);
}

static void clear_progress(const struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr); /* erase to the end of the line */
}

/* Running */

/* The files of a replay, open. */
struct files {
	struct capture *in;
	struct capture_writer *out;
	FILE *csv;
};

/* Whether @path is the very file that is being read: opening it for writing would empty it. */
static bool is_input(const char *path, const char *input)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(input, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void files_close(struct files *f)
{
	if (f->csv && f->csv != stdout)
		fclose(f->csv);
	capture_writer_close(f->out);
	capture_close(f->in);
}

/* 0, or -1 with @err in words. */
static int files_open(struct files *f, const struct arguments *a, const char *in, char *err,
		      size_t errsize)
{
	const char *outputs[] = {a->given[ARG_CSV], a->given[ARG_OUT]};
	const char *csv = a->given[ARG_CSV], *out = a->given[ARG_OUT];

	for (unsigned i = 0; i < 2; i++) {
		if (outputs[i] && is_input(outputs[i], in)) {
			snprintf(err, errsize, "%s: is the capture to be read", outputs[i]);
			return -1;
		}
	}
	if (capture_open(&f->in, in, err, errsize))
		return -1;
	if (csv) {
		f->csv = is_stdout(csv) ? stdout : fopen(csv, "w");
		if (!f->csv) {
			snprintf(err, errsize, "%s: %s", csv, strerror(errno));
			return -1;
		}
	}
	if (out && capture_writer_open(&f->out, out, capture_snap_length(f->in), err, errsize))
		return -1;
	return 0;
}

static const char *run_fault(int rc)
{
	if (rc == -E2BIG)
		return "a super-packet has more than 65535 segments";
	if (rc == -EINVAL)
		return "the scheduler's options do not fit together";
	return strerror(-rc);
}

/* What went wrong is the fault of one of the files, or of the options. */
static void print_fault(const struct arguments *a, const char *in, const struct files *f, int rc)
{
	if (*capture_error(f->in))
		fprintf(stderr, "%s\n", capture_error(f->in));
	else if (f->out && *capture_writer_error(f->out))
		fprintf(stderr, "%s\n", capture_writer_error(f->out));
	else if (f->csv && ferror(f->csv))
		fprintf(stderr, "%s: %s\n", a->given[ARG_CSV], strerror(-rc));
	else
		fprintf(stderr, "%s: %s\n", in, run_fault(rc));
}

/* Run, and print what was asked for on what is left of stdout. */
static int run_open(const struct arguments *a, const char *in, struct files *f,
		    struct replay_options *opt, struct replay_result *result)
{
	struct progress progress = {.last = seconds_now()};
	int rc;

	opt->csv = f->csv;
	opt->out = f->out;
	if (isatty(STDERR_FILENO)) {
		opt->progress = show_progress;
		opt->progress_arg = &progress;
	}
	rc = replay_run(opt, f->in, result);
	clear_progress(&progress);
	if (rc) {
		print_fault(a, in, f, rc);
		return CLI_FAILED;
	}
	if (result->damaged)
		fprintf(stderr, "%s; what came before was replayed\n", capture_error(f->in));
	if (a->given[ARG_JSON])
		replay_report_json(stdout, result, opt->params.diffserv);
	else if (!is_stdout(a->given[ARG_CSV]) && !is_stdout(a->given[ARG_OUT]))
		replay_report_text(stdout, result, opt->params.diffserv);
	return CLI_OK;
}

static int run(const struct arguments *a, const char *in, struct replay_options *opt)
{
	struct replay_result *result = malloc(sizeof(*result)); /* half a megabyte */
	struct files files = {0};
	int rc = CLI_FAILED;
	char err[512];

	if (!result)
		fprintf(stderr, "%s\n", strerror(ENOMEM));
	else if (files_open(&files, a, in, err, sizeof(err)))
		fprintf(stderr, "%s\n", err);
	else
		rc = run_open(a, in, &files, opt, result);
	files_close(&files);
	free(result);
	return rc;
}

static int run_case(const struct arguments *a)
{
	struct config_error err;
	struct replay_case c;
	int rc;

	if (case_load(a->given[ARG_CASE], &c, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	rc = run(a, c.trace, &c.options);
	case_close(&c);
	return rc;
}

static int run_config(const char *command, const struct arguments *a)
{
	struct replay_options opt = {.rng = prng_xorshift32(REPLAY_SEED)};
	struct config_port port;
	struct config_error err;
	int rc = parse_surroundings(command, a->given, &opt);

	if (rc)
		return rc;
	if (config_load_port(a->given[ARG_CONFIG], a->given[ARG_PORT], &port, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	opt.params = port.scheduler.cake;
	opt.queues = port.tx_queues;
	opt.share = port.share;
	opt.steer = port.steer;
	packet_describer_init(&opt.describer, &opt.params, &replay_hash);
	if (opt.queues > 1)
		packet_describer_need(&opt.describer, steer_hashes(opt.steer));
	packet_describer_set_rules(&opt.describer, port.scheduler.rules, port.scheduler.n_rules);
	return run(a, a->given[ARG_IN], &opt);
}

static int run_replay(int argc, char **argv)
{
	struct arguments a;
	int rc = parse_arguments(argc, argv, &a);

	if (rc)
		return rc;
	return a.given[ARG_CASE] ? run_case(&a) : run_config(argv[0], &a);
}

static const struct options_entry options[] = {
	[ARG_CONFIG] = {.name = "config",
			.value = "FILE",
			.help = "a whole configuration, or just {\"scheduler\": {...}}"},
	[ARG_PORT] = {.name = "port",
		      .value = "NAME",
		      .help = "which port, in a whole configuration, with all its TX queues"},
	[ARG_IN] = {.name = "in",
		    .value = "CAPTURE",
		    .help = "pcap or pcapng with Ethernet frames, may be gzipped; - is stdin"},
	[ARG_LINK_RATE] =
		{.name = "link-rate",
		 .value = "RATE",
		 .help = "the link behind the scheduler, e.g. 1gbit; without it that takes "
			 "no time"},
	[ARG_GSO_SIZE] = {.name = "gso-size",
			  .value = "N",
			  .help = "TCP frames with more than N bytes of payload are super-packets"},
	[ARG_SEED] = {.name = "seed",
		      .value = "N",
		      .help = "draw other random numbers, 1..4294967295; without it 1"},
	[ARG_CASE] = {.name = "case",
		      .value = "CASE",
		      .help = "a golden case instead: tests/golden/README.md"},
	[ARG_OUT] = {.name = "out",
		     .value = "CAPTURE",
		     .help = "write the frames sent, when and as they leave: pcap; - is stdout"},
	[ARG_CSV] = {.name = "csv",
		     .value = "FILE",
		     .help = "write every decision as a row; - is stdout"},
	[ARG_JSON] = {.name = "json",
		      .help = "print the result as JSON, with the keys of `tc -j -s qdisc show`"},
	[N_ARGS] = {0},
};

const struct cli_command cli_replay = {
	.name = "replay",
	.usage = "--config FILE [--port NAME] --in CAPTURE | --case CASE  [OPTION]...",
	.summary = "run a capture through the scheduler in virtual time",
	.help = "Frames arrive at the times of the capture and leave when the scheduler says so. No\n"
		"device, no DPDK and no rights are needed, and the result is the same every time: the\n"
		"key of the hashes, random in gateaud, is a fixed one, and a case's hashes have no key.\n"
		"Senders do not see what happens to their packets: docs/operations.md says what that\n"
		"means, and how to capture.\n",
	.options = options,
	.run = run_replay,
};

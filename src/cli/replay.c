/* SPDX-License-Identifier: BSD-3-Clause */
/* gateau replay: a capture, or a golden case, through the scheduler in virtual time. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/case.h"
#include "cli/replay_report.h"
#include "config/config.h"
#include "replay/replay.h"

/* Dithering and BLUE draw from a fixed seed: the same replay gives the same result. */
#define REPLAY_SEED 1

struct arguments {
	const char *case_file;
	const char *config;
	const char *port;
	const char *in;
	const char *csv;
	bool json;
};

/* 0, or the exit code after a message. */
static int parse_arguments(int argc, char **argv, struct arguments *a)
{
	static const struct option options[] = {
		{"case", required_argument, NULL, 'a'},
		{"config", required_argument, NULL, 'c'},
		{"port", required_argument, NULL, 'p'},
		{"in", required_argument, NULL, 'i'},
		{"csv", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, 'j'},
		{0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'a':
			a->case_file = optarg;
			break;
		case 'c':
			a->config = optarg;
			break;
		case 'p':
			a->port = optarg;
			break;
		case 'i':
			a->in = optarg;
			break;
		case 'o':
			a->csv = optarg;
			break;
		case 'j':
			a->json = true;
			break;
		case ':':
			return cli_usage_fault(argv[0], "%s needs a value", argv[optind - 1]);
		default:
			return cli_usage_fault(argv[0], "unknown option %s", argv[optind - 1]);
		}
	}
	if (optind < argc)
		return cli_usage_fault(argv[0], "unexpected argument %s", argv[optind]);
	if (!a->case_file == !a->config)
		return cli_usage_fault(argv[0], "give either --config or --case");
	if (a->case_file && (a->in || a->port))
		return cli_usage_fault(argv[0], "a case names its own capture and has no ports");
	if (a->config && !a->in)
		return cli_usage_fault(argv[0], "--config needs a capture, --in FILE");
	if (a->json && a->csv && !strcmp(a->csv, "-"))
		return cli_usage_fault(argv[0], "--json and --csv - both write to stdout");
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

/* Run, and print what was asked for. The capture's path is the name of what may be wrong. */
static int run(const struct arguments *a, const char *path, struct replay_options *opt)
{
	bool to_stdout = a->csv && !strcmp(a->csv, "-");
	struct replay_result result;
	struct capture *in;
	char err[512];
	int rc;

	if (capture_open(&in, path, err, sizeof(err))) {
		fprintf(stderr, "%s\n", err);
		return CLI_FAILED;
	}
	opt->csv = to_stdout ? stdout : a->csv ? fopen(a->csv, "w") : NULL;
	if (a->csv && !opt->csv) {
		fprintf(stderr, "%s: %s\n", a->csv, strerror(errno));
		capture_close(in);
		return CLI_FAILED;
	}
	rc = replay_run(opt, in, &result);
	if (opt->csv && !to_stdout && fclose(opt->csv) && !rc)
		rc = -EIO;
	if (rc)
		fprintf(stderr, "%s: %s\n", rc == -EIO ? a->csv : path, run_fault(rc));
	else if (result.damaged)
		fprintf(stderr, "%s; what came before was replayed\n", capture_error(in));
	capture_close(in);
	if (rc)
		return CLI_FAILED;
	if (a->json)
		replay_report_json(stdout, &result, opt->params.diffserv);
	else if (!to_stdout)
		replay_report_text(stdout, &result, opt->params.diffserv);
	return CLI_OK;
}

static int run_case(const struct arguments *a)
{
	struct config_error err;
	struct replay_case c;
	int rc;

	if (case_load(a->case_file, &c, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	rc = run(a, c.trace, &c.options);
	case_close(&c);
	return rc;
}

static int run_config(const struct arguments *a)
{
	struct replay_options opt = {.rng = prng_xorshift32(REPLAY_SEED)};
	struct config_scheduler scheduler;
	struct config_error err;

	if (config_load_scheduler(a->config, a->port, &scheduler, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CLI_FAILED;
	}
	opt.params = scheduler.cake;
	packet_describer_init(&opt.describer, &opt.params);
	return run(a, a->in, &opt);
}

int cmd_replay(int argc, char **argv)
{
	struct arguments a = {0};
	int rc = parse_arguments(argc, argv, &a);

	if (rc)
		return rc;
	return a.case_file ? run_case(&a) : run_config(&a);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario file: a box, who sends, what is measured and what is expected of it (README.md).
 *
 * A file is many runs, one for each combination of its parameters (sweep.h).
 */
#ifndef GATEAU_SCENARIO_SCENARIO_H
#define GATEAU_SCENARIO_SCENARIO_H

#include <stdbool.h>

#include <jansson.h>

#include "closed.h"
#include "config/config.h"
#include "config/document.h"
#include "expect.h"
#include "phase.h"
#include "sender.h"
#include "sweep.h"
#include "world.h"

#define SCENARIO_SENDERS_MAX 16
#define SCENARIO_CLOSED_MAX  8
#define SCENARIO_PHASES_MAX  8
#define SCENARIO_STALLS_MAX  8
#define SCENARIO_TEXT_MAX    512

/** One of "stalls". */
struct scenario_stall {
	unsigned lcore;
	struct lcore_stall stall; /* times since the start */
};

/** One of "stale": a lcore whose view of the queues is old. */
struct scenario_stale {
	unsigned lcore;
	uint64_t ns;
};

/** One run: all parameters have values. */
struct scenario {
	char name[SCENARIO_TEXT_MAX];
	char claim[SCENARIO_TEXT_MAX];
	struct config_scheduler scheduler;
	struct world_params world; /* but for .cake, which is in scheduler */
	unsigned n_senders, n_tcp, n_probes, n_phases, n_stalls, n_stale, n_expects;
	struct sender_params senders[SCENARIO_SENDERS_MAX];
	struct closed_tcp_params tcp[SCENARIO_CLOSED_MAX];
	struct closed_probe_params probes[SCENARIO_CLOSED_MAX];
	struct phase phases[SCENARIO_PHASES_MAX]; /* [0] is the whole run, "all"; times since the
						     start */
	struct scenario_stall stalls[SCENARIO_STALLS_MAX];
	struct scenario_stale stale[SCENARIO_STALLS_MAX];
	struct expect expects[EXPECTS_MAX];
};

struct scenario_file {
	struct config_document doc;
	json_t *root; /* without its parameters */
	struct sweep sweep;
	int64_t seed; /* instead of the file's; -1 = the file's */
};

/**
 * Read a file.
 *
 * @param brief   the values of "short" instead of those of "params"
 * @param values  an object: values instead of both
 * @param seed    instead of the file's; -1 = the file's
 * @return 0, or an error with its text in @err: "FILE:LINE: key: what is wrong"
 */
int scenario_load(const char *path, bool brief, json_t *values, int64_t seed,
		  struct scenario_file *out, struct config_error *err);
void scenario_close(struct scenario_file *f);

/** This run of the sweep in @out. 0, or an error as above. */
int scenario_parse(const struct scenario_file *f, struct scenario *out, struct config_error *err);

#endif

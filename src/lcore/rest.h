/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker's rests between two passes: the decision (idle.h) put into practice (sleeper.h,
 * monitor.h), what ends it, and what is counted. Time is an argument here, too; only the sleep
 * itself is real.
 */
#ifndef GATEAU_LCORE_REST_H
#define GATEAU_LCORE_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "lcore/sleeper.h"

struct worker;

/** The rest that a worker comes from. */
struct rest {
	uint64_t from, until; /* ns; until = 0: it comes from none */
	enum sleeper_end end;
};

/** A pass as worker_pass() describes it begins at @now, and the worker comes from a rest. */
void rest_end(struct worker *w, uint64_t now, bool receiving);

/** The pass at @now has moved nothing: rest, or look again at once. */
void rest_begin(struct worker *w, uint64_t now);

/** The pass at @now has moved frames: it is no time to rest, for others neither. */
void rest_forget(struct worker *w, uint64_t now);

#endif

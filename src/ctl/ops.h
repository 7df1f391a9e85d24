/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations: everything that can be asked of, or changed in, a running gateaud. The control
 * socket, SIGHUP, telemetry and metrics are thin faces of this; nothing else writes running state.
 */
#ifndef GATEAU_CTL_OPS_H
#define GATEAU_CTL_OPS_H

#include <pthread.h>

#include <jansson.h>

#include "dataplane/dataplane.h"
#include "stats/snapshot.h"

/** What operations work on. Made by the main thread before any face is opened. */
struct ctl {
	pthread_mutex_t lock; /* held by ops_run() */
	struct dataplane *dp;
	const char *file;            /* the start-up file; NULL: there is none to read again */
	uint64_t start_ns;           /* of the data plane's clock */
	uint64_t generation;         /* of the configuration in force: 1 is the start-up file's */
	struct stats_snapshot stats; /* the last that were collected, show.h */
};

/** Why an operation was refused, as shown to a person: one line, no final stop. */
struct ops_error {
	char text[1024];
};

/** Write @err. Returns -EINVAL, or what fits better, @code. */
int ops_fail(struct ops_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * An operation.
 *
 * @param request  the whole request, an object
 * @param result   set on success, a new reference
 * @param err      set on failure
 * @return 0 or -errno
 */
typedef int (*ops_fn)(struct ctl *ctl, const json_t *request, json_t **result,
		      struct ops_error *err);

void ctl_init(struct ctl *ctl, struct dataplane *dp, const char *file, uint64_t now);
void ctl_fini(struct ctl *ctl);

/** ns since the data plane was started. */
uint64_t ctl_uptime_ns(const struct ctl *ctl);

/**
 * Run the operation that @request names and make its answer (protocol.h). Any thread; one operation
 * at a time.
 *
 * @param request  NULL: not JSON, which the answer says
 * @return a new reference, NULL if out of memory
 */
json_t *ops_run(struct ctl *ctl, const json_t *request);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of a scenario file: names with one or several values, for each combination of
 * which there is a run. "$name" stands for the value, and "${name}" for it within a text.
 */
#ifndef GATEAU_SCENARIO_SWEEP_H
#define GATEAU_SCENARIO_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "config/config.h"
#include "config/document.h"

#define SWEEP_PARAMS_MAX 8

struct sweep_param {
	const char *name;
	json_t *values; /* an array, not empty */
	size_t at;      /* its value in the next run */
};

struct sweep {
	const struct config_document *doc;
	json_t *all; /* what the names belong to */
	unsigned n;
	struct sweep_param params[SWEEP_PARAMS_MAX];
	bool over;
};

/**
 * Take "params" and "short" out of @root.
 *
 * @param brief   the values of "short" instead of the others
 * @param values  an object: values instead of both; each must be a parameter
 * @return 0, -EINVAL
 */
int sweep_init(struct sweep *s, const struct config_document *doc, json_t *root, bool brief,
	       json_t *values, struct config_error *err);
void sweep_fini(struct sweep *s);

/** A copy of @root with the values of this run, NULL with @err if a name is not known. */
json_t *sweep_fill(const struct sweep *s, json_t *root, struct config_error *err);

/** On to the next run; sets @over after the last. */
void sweep_step(struct sweep *s);

/** Value of parameter @i in this run. Returns @buf. */
char *sweep_text(const struct sweep *s, unsigned i, char *buf, size_t size);

#endif

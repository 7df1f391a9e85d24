/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations on the configuration: what is in force, what another one would change, and the
 * change itself. docs/operations.md has their requests and results.
 *
 * A result about a difference has "generation", of the configuration in force then, "changes"
 * (config_diff()) and "takes", the most that one of them takes: "live", "re-queue", "reopen" or
 * "restart".
 */
#ifndef GATEAU_CTL_CONFIGURE_H
#define GATEAU_CTL_CONFIGURE_H

#include "ctl/ops.h"

/** "config": {"generation": n, "config": {...}}, all that is in force (config/dump.h). */
int configure_show(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

/** "diff" {"name", "text"}: how the file with these contents differs from what is in force. */
int configure_diff(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

/** "set" {"port", "keys": {KEY: WORD}}: by words (config/edit.h), all of them or none. */
int configure_set(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

/**
 * "reload" {"name", "text"}: have the file with these contents in force; without contents, the
 * start-up file's as they are now. What takes a port's reopening, or a restart, is refused.
 */
int configure_reload(struct ctl *ctl, const json_t *request, json_t **result,
		     struct ops_error *err);

#endif

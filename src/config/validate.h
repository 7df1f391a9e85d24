/* SPDX-License-Identifier: BSD-3-Clause */
/* What the table of keys cannot say: rules that look at more than one key. */
#ifndef GATEAU_CONFIG_VALIDATE_H
#define GATEAU_CONFIG_VALIDATE_H

#include "config/config.h"
#include "config/document.h"

/**
 * Check a scheduler wherever it is, also in replay, and turn the names of tins in its rules into
 * their places in tc's list. @path is its place in @doc.
 */
int config_validate_scheduler(const struct config_document *doc, const char *path,
			      struct config_scheduler *scheduler, struct config_error *err);

/**
 * Check a configuration whose keys have been parsed, and turn the ports' names in links into
 * indices.
 *
 * @return 0, -EINVAL with the first fault in @err
 */
int config_validate(const struct config_document *doc, struct gateau_config *cfg,
		    struct config_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the table of keys cannot say of a scheduler's rules: each must be able to have an effect. */
#ifndef GATEAU_CONFIG_RULES_H
#define GATEAU_CONFIG_RULES_H

#include <stddef.h>

#include "config/config.h"
#include "config/document.h"

/** In the table a tin's name stands for this and more; below it are places in tc's list. */
#define RULE_TIN_WORDS 16

/**
 * Check the rules of @s, at @path of @doc, and turn names of tins into their place in tc's list.
 *
 * @return 0, -EINVAL with the first fault in @err
 */
int config_validate_rules(const struct config_document *doc, const char *path,
			  struct config_scheduler *s, struct config_error *err);

#endif

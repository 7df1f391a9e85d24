/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between two configurations, and how each difference can come into force. */
#ifndef GATEAU_CONFIG_DIFF_H
#define GATEAU_CONFIG_DIFF_H

#include <jansson.h>

#include "config/config.h"
#include "config/schema.h"

/**
 * Put the ports and links of @cfg, whose order means nothing, in the order of @like: ports by name,
 * links by their ends. What @like does not have comes behind the others.
 */
void config_align(struct gateau_config *cfg, const struct gateau_config *like);

/**
 * List what differs, by the table of keys: what config_dump() says of both, defaults and all.
 *
 * @param to  aligned with @from
 * @return an array of objects, in the order of the table, empty if nothing differs; NULL if out of
 *         memory. Each has "key", e.g. "eal.lcores" or "bandwidth"; "port", the name of the one it
 *         belongs to, if it does; "old" and "new" as a file has them, null where there is none; and
 *         "apply", schema_apply_word(). Ports that came or went are entries of "ports"
 */
json_t *config_diff(const struct gateau_config *from, const struct gateau_config *to);

/** What it takes to get all of @diff into force: the most of its entries'. */
enum schema_apply config_diff_takes(const json_t *diff);

#endif

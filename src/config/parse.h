/* SPDX-License-Identifier: BSD-3-Clause */
/* From a JSON object to a C structure, by a table of keys (schema.h). */
#ifndef GATEAU_CONFIG_PARSE_H
#define GATEAU_CONFIG_PARSE_H

#include <jansson.h>

#include "config/document.h"
#include "config/schema.h"

/** Longest path of a key that messages show, with the final 0; longer ones are cut. */
#define CONFIG_PATH_MAX 192

/**
 * Check @value, which is at @path of @doc ("" = all of it), against @keys and store it.
 *
 * Unknown keys, missing ones, wrong types and values out of range are faults. Keys that are absent
 * get their default; fields without one are left as they are, so zero @out or set it up before.
 *
 * @param value NULL if it is missing from the document
 * @param out   the structure the offsets in @keys count from; may be half-written on failure
 * @return 0, -EINVAL with the first fault in @err, -ENOMEM
 */
int config_parse_keys(const struct config_document *doc, const char *path,
		      const struct schema_key *keys, json_t *value, void *out,
		      struct config_error *err);

#endif

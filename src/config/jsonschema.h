/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of keys (schema.h) as a JSON Schema, for editors and for programs that write
 * configurations.
 *
 * Every file that config_parse() accepts is valid under it. Not the other way round: ranges of
 * rates, times and sizes given as strings, and rules across keys, are beyond it.
 */
#ifndef GATEAU_CONFIG_JSONSCHEMA_H
#define GATEAU_CONFIG_JSONSCHEMA_H

#include <jansson.h>

#include "config/schema.h"

/**
 * The schema (draft 2020-12) of a file with the keys @keys. What is refused whatever stands beside
 * it is not in it. Returns a new reference, NULL without memory.
 */
json_t *jsonschema_create(const struct schema_key *keys, const char *title);

#endif

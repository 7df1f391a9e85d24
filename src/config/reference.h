/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of keys (schema.h) as the tables of docs/configuration.md. */
#ifndef GATEAU_CONFIG_REFERENCE_H
#define GATEAU_CONFIG_REFERENCE_H

#include <stdio.h>

#include "config/schema.h"

/**
 * Write Markdown tables for a file with the keys @keys, each between a line "<!-- KIND: NAME -->"
 * and a line "<!-- end -->". A table of kind "keys" has the keys of an object, NAME being the key
 * whose object it is, "file" for the outermost; one of kind "words" has tc's words for the key
 * NAME.
 */
void reference_print(FILE *out, const struct schema_key *keys);

#endif

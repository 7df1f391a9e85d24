/* SPDX-License-Identifier: BSD-3-Clause */
/* What a queue had of the rate that it shares with others: columns of a table, or JSON. */
#ifndef GATEAU_REPORT_SHARE_H
#define GATEAU_REPORT_SHARE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "share/share.h"

/** A new JSON object; null where @c is NULL: the queue shares no rate. */
json_t *report_share_json(const struct share_counters *c);

/** Back again; false if @share is null: the queue shares no rate. */
bool report_share_read(struct share_counters *c, const json_t *share);

/** Columns at the end of a queue's row of a table, and their headings; each begins with a space. */
void report_share_headings(FILE *out);
void report_share_columns(FILE *out, const struct share_counters *c);

#endif

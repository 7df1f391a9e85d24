/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler's statistics for people and programs: the words, units and order of
 * `tc -s qdisc show` and `tc -j -s qdisc show`, so that what reads those reads these.
 */
#ifndef GATEAU_REPORT_REPORT_H
#define GATEAU_REPORT_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include <gateau/cake_config.h>
#include <gateau/cake_stats.h>

/**
 * A new JSON object: tc's keys, with "drops_by_reason", "catch_ups" and "catch_up_ns" in addition,
 * and each tin's "name". Tins stand in tc's order. NULL if out of memory.
 */
json_t *report_cake_json(const struct cake_stats *s, enum cake_diffserv mode);

/** Set a counter in an object: JSON's integers are signed, and no counter gets that far. */
void report_set_number(json_t *object, const char *key, uint64_t value);

/** @bps in tc's words, to four digits: more say nothing about a rate that was measured. */
const char *report_format_rate(char *buf, size_t size, uint64_t bps);

/** What `tc -s qdisc show` prints below a cake, tins as columns, and drops by reason among it. */
void report_cake_text(FILE *out, const struct cake_stats *s, enum cake_diffserv mode);

/** The same in two parts, from what report_cake_json() made, wherever it has been since. */
void report_cake_totals(FILE *out, const json_t *cake);
void report_cake_tins(FILE *out, const json_t *cake);

/** A number of such an object; 0 if it is not there. */
uint64_t report_get_number(const json_t *object, const char *key);

/** Width of a column of the tins, after a space. */
#define REPORT_TIN_WIDTH 12

#endif

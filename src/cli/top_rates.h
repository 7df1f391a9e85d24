/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened between two answers of the operation "show", per second, and how numbers are put
 * into few columns. No terminal, no clock: times are gateaud's own.
 */
#ifndef GATEAU_CLI_TOP_RATES_H
#define GATEAU_CLI_TOP_RATES_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/** Room for any top_format_*(). */
#define TOP_CELL_MAX 32

/** @key of @now less that of @before, which are @ns apart, per second; 0 where it did not grow, as
 * after a restart, or @before is NULL. */
double top_rate(const json_t *now, const json_t *before, const char *key, uint64_t ns);

/** Three digits and a prefix: "0", "12", "1.23k", "45.6m"; of @unit, as "bit". Returns @buf. */
const char *top_format(char *buf, double value, const char *unit);

/**
 * The bound that @permille of the packets stayed below that left @now's tin since @before's, as
 * "<2.1ms"; "-" if there were none. @bounds as in "sojourn_bounds_ns".
 */
const char *top_format_wait(char *buf, const json_t *now, const json_t *before,
			    const json_t *bounds, unsigned permille);

/** The object in @array whose @key is @value's, NULL if there is none. */
json_t *top_find(const json_t *array, const char *key, const json_t *value);

#endif

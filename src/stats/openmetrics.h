/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A snapshot as metrics: one table (openmetrics_families.c) says of each its name, type, unit,
 * meaning and where its numbers are. Base units; times are exact decimals of seconds.
 *
 * Labels: port, queue (none: before it reached one), tin (tc's name), reason, state, cpu.
 * docs/operations.md says how many series that makes.
 */
#ifndef GATEAU_STATS_OPENMETRICS_H
#define GATEAU_STATS_OPENMETRICS_H

#include <stdio.h>

#include "stats/snapshot.h"

/** The two formats that Prometheus reads. */
enum openmetrics_format {
	OPENMETRICS_PLAIN, /* text 0.0.4: what promtool check metrics reads, too */
	OPENMETRICS_1,     /* OpenMetrics 1.0 */
};

/**
 * Write all metrics. Errors of @out are the caller's to see.
 *
 * @param generation  of the configuration in force
 */
void openmetrics_write(FILE *out, enum openmetrics_format format, const struct stats_snapshot *s,
		       uint64_t generation);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A snapshot for programs: the scheduler's part as `tc -j -s qdisc show` prints a cake, keys, types
 * and order, and what gateau has beside it. docs/operations.md describes every key.
 *
 * All functions return a new reference, NULL if out of memory.
 */
#ifndef GATEAU_STATS_JSON_H
#define GATEAU_STATS_JSON_H

#include <jansson.h>

#include "stats/snapshot.h"

/** Which port it is and what its scheduler is told: tc's "kind" and "options" among it. */
json_t *stats_port_options_json(const struct dataplane *dp, unsigned port);

/** The same and all that was counted, queue by queue as well. */
json_t *stats_port_json(const struct stats_snapshot *s, const struct dataplane *dp, unsigned port);

/** Bounds of the buckets that tins' "sojourn_counts" have, ns; the last bucket has none. */
json_t *stats_sojourn_bounds_json(void);

/** Parts that the closing summary has, too. Of ports and queues what is not the scheduler's. */
json_t *stats_port_counts_json(const struct stats_port *p);
json_t *stats_queue_counts_json(const struct stats_queue *q);
json_t *stats_lcore_json(const struct stats_worker *w);
json_t *stats_clock_json(const struct stats_snapshot *s);
json_t *stats_balance_json(const struct stats_snapshot *s);
json_t *stats_nic_json(const struct port_nic_stats *nic);

#endif

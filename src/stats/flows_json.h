/* SPDX-License-Identifier: BSD-3-Clause */
/* The fattest flows and hosts for programs; docs/operations.md describes the keys. */
#ifndef GATEAU_STATS_FLOWS_JSON_H
#define GATEAU_STATS_FLOWS_JSON_H

#include <jansson.h>

#include "stats/flows.h"

/**
 * {"queuing": n, "complete": bool, "flows": [...], "hosts": [...]}, of the last two the first
 * @most. A flow's AQM state has the keys of tc's classes of a cake. NULL if out of memory.
 */
json_t *flows_json(const struct flows *f, const struct gateau_config *cfg, unsigned most);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that only look: what runs, and what it has counted. */
#ifndef GATEAU_CTL_SHOW_H
#define GATEAU_CTL_SHOW_H

#include "ctl/ops.h"

/**
 * Collect the statistics of now into ctl->stats, the devices' counters included. The caller is an
 * operation or holds the lock.
 *
 * @return 0, -ENOMEM
 */
int show_collect(struct ctl *ctl);

/**
 * "show": {"port": NAME?, "stats": BOOL?} to {"version", "uptime_ns", "generation", "ports":
 * [...]}, with statistics also "sojourn_bounds_ns", "clock", "lcores" and "balance" (stats/json.h).
 * Without "port" all ports, without "stats" their options alone.
 */
int show_ports(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

/**
 * "flows": {"port": NAME?, "most": N?} to the @most fattest flows and hosts (stats/flows_json.h),
 * 10 unless said otherwise, 1 to FLOWS_MAX.
 */
int show_flows(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err);

/** The index of the port that @request names; -ENOENT, said in @err with the names there are. */
int show_find_port(const struct ctl *ctl, const json_t *request, struct ops_error *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON as telemetry's data, which is less: in a list there are numbers, or strings, and no
 *booleans, reals or nulls anywhere; names are of letters, digits and "_".
 *
 *	true, false       1, 0
 *	1.5               "1.5"
 *	null              left out
 *	[1, 2]            [1, 2]
 *	[{...}, {...}]    {"0": {...}, "1": {...}}
 *	"ack-filter"      ack_filter, as a name
 */
#ifndef GATEAU_CTL_TELEMETRY_DATA_H
#define GATEAU_CTL_TELEMETRY_DATA_H

#include <jansson.h>
#include <rte_telemetry.h>

/** Bytes of JSON text that an answer may have: DPDK cuts what is longer than 16 kB. */
#define TELEMETRY_DATA_MAX 15000

/**
 * Fill @out, which is empty, from the object @json. Strings are cut where telemetry's are shorter.
 *
 * @return 0, -E2BIG, -ENOMEM
 */
int telemetry_data_set(struct rte_tel_data *out, const json_t *json);

#endif

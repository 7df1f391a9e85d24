/* SPDX-License-Identifier: BSD-3-Clause */
/* What lcores and devices have counted, for people: lines from the JSON of stats/json.h. */
#ifndef GATEAU_REPORT_MACHINE_H
#define GATEAU_REPORT_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/** A worker's line; @hz is the clock that its cycles are of. */
void report_lcore_text(FILE *out, const json_t *lcore, uint64_t hz);

/** What the device lost, and the @full times that it took less than it was given. */
void report_device_text(FILE *out, const json_t *nic, uint64_t full);

/** @n cycles of a clock of @hz, ns. */
uint64_t report_cycles_ns(uint64_t n, uint64_t hz);

#endif

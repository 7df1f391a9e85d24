/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves a port over time, and when it had something to send: the error of its rate over
 * windows of any length.
 */
#ifndef GATEAU_SCENARIO_METER_H
#define GATEAU_SCENARIO_METER_H

#include <stddef.h>
#include <stdint.h>

/** Windows begin and end at multiples of this, ns. */
#define METER_BIN_NS 100000

struct meter {
	uint64_t start;  /* ns: of the first bin */
	size_t n;        /* bins */
	uint64_t *bytes; /* by bin: adjusted lengths */
	uint8_t *idle;   /* by bin: at some time in it nothing was queued */
	uint64_t inside; /* frames queued */
	uint64_t empty_since;
};

void meter_init(struct meter *m, uint64_t start, uint64_t duration);
void meter_fini(struct meter *m);

/** @frames more are queued (less, if negative). */
void meter_inside(struct meter *m, int64_t frames, uint64_t now);
void meter_sent(struct meter *m, uint32_t bytes, uint64_t now);

/** How far windows of one length were off, bytes. */
struct meter_error {
	double over;  /* the most that one had too much, whatever was queued */
	double under; /* the most that one had too little, in which something was queued throughout;
			 not above 0 */
	size_t windows; /* of the second kind */
};

/** Windows of @window ns between @from and @until, for a rate of @bytes_per_s. */
struct meter_error meter_error(const struct meter *m, uint64_t from, uint64_t until,
			       uint64_t window, double bytes_per_s);

/** Bytes between @from and @until, whole bins. */
uint64_t meter_bytes(const struct meter *m, uint64_t from, uint64_t until);

#endif

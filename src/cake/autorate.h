/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autorate-ingress: how fast the link before this box is, estimated from what arrives.
 *
 * Arrivals come in bursts; one that is longer in coming than the average ends a burst. Bytes over
 * time between two such ends is what the link does, its peaks are followed quickly upwards and
 * slowly downwards, and 15/16 of the peak is the rate to shape to.
 */
#ifndef GATEAU_CAKE_AUTORATE_H
#define GATEAU_CAKE_AUTORATE_H

#include <stdbool.h>
#include <stdint.h>

struct autorate {
	uint64_t peak;         /* bytes/s, EWMA */
	uint64_t avg_gap;      /* ns, EWMA of the time between arrivals */
	uint64_t last_arrival; /* ns */
	uint64_t last_change;  /* ns: when a rate was last given out */
	uint64_t window_begin; /* ns: end of the burst before */
	uint64_t window_bytes; /* arrived since */
	bool as_linux;         /* keep its oddities: docs/deviations.md */
};

/** @bytes_per_s is the first estimate, 0 = none. */
void autorate_init(struct autorate *a, uint64_t bytes_per_s, bool as_linux);

/**
 * An arrival of @bytes.
 *
 * @param rate  set if the rate is to be changed: to this, bytes/s; 0 = unlimited (as_linux only)
 * @return whether it is
 */
bool autorate_arrival(struct autorate *a, uint64_t bytes, uint64_t now, uint64_t *rate);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the algorithm benchmark offers: which flow each packet is of. Every flow has one packet in
 * each turn, in an order drawn anew for each, so that no branch predictor knows what comes and no
 * queue grows.
 */
#ifndef TESTS_PERF_TRAFFIC_H
#define TESTS_PERF_TRAFFIC_H

#include <stdint.h>

#include "base/prng.h"

struct traffic {
	uint32_t *order; /* a permutation of the flows; up to `at` this turn's */
	uint32_t flows, at;
	struct prng rng;
};

/** 0 or -ENOMEM; to be ended by traffic_end(). */
int traffic_begin(struct traffic *t, uint32_t flows);
void traffic_end(struct traffic *t);

/** The next packet's flow. */
uint32_t traffic_next(struct traffic *t);

#endif

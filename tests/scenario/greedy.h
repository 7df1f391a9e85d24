/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flows that always have something to send: each keeps a window of packets in the box, and sends
 * one for each that has left it, sent or dropped. No congestion control: what limits it is the box.
 */
#ifndef GATEAU_SCENARIO_GREEDY_H
#define GATEAU_SCENARIO_GREEDY_H

#include <stdint.h>

#include "sender.h"
#include "world.h"

struct greedy;

/** The group of @flows, which are p->flows, sends; see sender.h for @p. */
struct greedy *greedy_create(struct world *w, const struct sender_params *p,
			     struct flow *const *flows);

/** NULL is ignored. */
void greedy_destroy(struct greedy *g);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets are conserved: what was offered was sent, dropped by name, or is somewhere; and the code
 * under test counts what the simulator saw. And those of a flow leave in order.
 */
#ifndef GATEAU_SCENARIO_BALANCE_H
#define GATEAU_SCENARIO_BALANCE_H

struct world;

/** At the end of a run: NULL, or what does not add up. The text is good until the next call. */
const char *balance_fault(struct world *w);

/** Purge all queues; every frame must come back. */
const char *balance_empty(struct world *w);

#endif

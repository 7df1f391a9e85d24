/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A virtual lcore: the loop of src/lcore/worker.c, whose passes take what the cost model says.
 *
 * All of a pass happens at its beginning; the next begins when its cost has passed. A lcore that
 * has nothing to do is not stepped every few ns: it sleeps until something is due for it, and then
 * begins the pass that it would have begun had it gone on polling.
 */
#ifndef GATEAU_SCENARIO_LCORE_H
#define GATEAU_SCENARIO_LCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "cost.h"
#include "event.h"
#include "lcore/rescue.h"
#include "lcore/serve.h"
#include "phase.h"
#include "share/share.h"
#include "txq/dispatch.h"
#include "txq/txq.h"

struct port;
struct world;

/** What holds a lcore up, from @at on, for @ns, again every @every (0 = once). */
struct lcore_stall {
	uint64_t at, ns, every;
	bool inside; /* while it holds a TX queue, whose run then goes by the old time */
};

struct lcore_rx {
	struct port *port; /* that the frames leave by */
	unsigned queue;
};

struct lcore_tx {
	struct port *port;
	unsigned queue;
	struct worker_tx serve;
};

struct lcore {
	struct world *world;
	unsigned number;
	struct event event; /* its next pass */
	unsigned n_rx, n_tx, n_ports;
	struct lcore_rx *rx;
	struct lcore_tx *tx; /* it is the home of these */
	struct dispatch *to[PHASE_PORTS_MAX];
	struct cost_dispatch dispatched[PHASE_PORTS_MAX];
	struct share_view views[PHASE_PORTS_MAX];
	struct txq_dead dead;

	bool idle, stopped;
	uint64_t idle_since,
		idle_pass_ns; /* its passes begin at the one plus multiples of the other */
	struct rescue rescue;
	struct lcore_tx *foreign; /* the queues that it may take up, in the same order */

	struct lcore_stall stall; /* ns 0 = none */
	struct lcore_tx *held;    /* the queue it was stopped with; NULL = none */
	uint64_t held_now;
	uint64_t stale_ns; /* its views are up to this much older than they should be */
	uint64_t views_read[PHASE_PORTS_MAX];

	uint64_t passes, busy_ns;
};

/** Its world and number are set; it is dealt its queues. 0 or -ENOMEM. */
int lcore_start(struct lcore *l, uint64_t now);
void lcore_fini(struct lcore *l);

/** Something has come up for it at @now: it does not sleep on. */
void lcore_wake(struct lcore *l, uint64_t now);

#endif

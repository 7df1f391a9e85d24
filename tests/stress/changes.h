/* SPDX-License-Identifier: BSD-3-Clause */
/* A control thread that changes queues, one after the other and again and again, as others run
 * them. */
#ifndef TESTS_STRESS_CHANGES_H
#define TESTS_STRESS_CHANGES_H

#include "base/prng.h"
#include "txq/change.h"
#include "txq/visit.h"

struct changes {
	struct txq *const *queues;
	unsigned n;
	struct txq_settings to;
	struct prng rng;

	/* The one that is going on, of queues[at]. */
	unsigned at;
	struct txq_change *change; /* NULL = none */
	struct visit visit;

	uint64_t done;
};

/** The queues go by @by. */
void changes_begin(struct changes *c, struct txq *const *queues, unsigned n,
		   const struct txq_settings *by);

/** Go on with the change, or with the next one. Does not wait. */
void changes_step(struct changes *c);

/** The threads that run the queues have ended, and the queues were purged. */
void changes_end(struct changes *c);

#endif

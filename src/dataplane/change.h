/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another configuration while the data plane runs, as one transaction.
 *
 *	change_apply	all that can fail: room in the buffers, memory, workers that answer
 *	    │		─────── nothing has changed if it does ───────
 *	    ├─► each worker, between two passes: how it looks at frames
 *	    ├─► each queue that differs, once: txq_change_apply()
 *	    ├─► until packets have moved to where they belong (txq/change.h)
 *	    └─► what was before is freed
 *
 * The second half cannot fail. It goes on in change_settle() if it takes long: a worker is stuck in
 * its driver, or there is much to move. Ports and queues that do not differ are not touched.
 */
#ifndef GATEAU_DATAPLANE_CHANGE_H
#define GATEAU_DATAPLANE_CHANGE_H

#include "dataplane/dataplane.h"

/** How long change_apply() waits for a change to settle, ms. Moving 100,000 packets takes 10. */
#define CHANGE_PATIENCE_MS 2000

/**
 * Make the configuration in force what @to is. When this returns 0 it is, though packets may still
 * be on their way to where they belong by it.
 *
 * @param to   aligned with the one in force, and different from it only in what is applied live or
 *             by re-queueing (config/diff.h); on success the two have changed places
 * @param err  on failure: why, one line
 * @return 0; -EBUSY: the change before has not settled; -ENOMEM: the buffers have no room for it,
 *         or there is no memory; -EINVAL: a limit is below one frame; -ETIMEDOUT: a worker does not
 *         come round
 */
int change_apply(struct dataplane *dp, struct gateau_config *to, struct config_error *err);

/** From time to time while dp->changing: go on for at most @patience_ms. */
void change_settle(struct dataplane *dp, unsigned patience_ms);

/** Once the workers have ended, and purged their queues: free what has not settled. */
void change_forget(struct dataplane *dp);

#endif

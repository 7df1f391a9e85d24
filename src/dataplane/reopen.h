/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port stopped, set up anew and started again while all others go on: for what a device takes
 *only when it is stopped (its MTU, its descriptors).
 *
 *	its TX queues hold what comes ─► workers leave its RX queues out ─► stop, set up, start
 *	    ─► workers take them in again ─► its TX queues go on, or wait for the link
 *
 * What waits in CAKE stays, and what comes meanwhile joins it, as while a link is down
 * (txq/txq.h). Lost is what the device held: frames that it had not handed on, and not yet sent.
 */
#ifndef GATEAU_DATAPLANE_REOPEN_H
#define GATEAU_DATAPLANE_REOPEN_H

#include "dataplane/dataplane.h"

/**
 * Whether the port's device can be started a second time, and the configuration @to can be set up
 * within the buffers there are. Changes nothing.
 *
 * @param to   aligned with the one in force (config/diff.h)
 * @param err  on failure: why, one line
 * @return 0; -EOPNOTSUPP (the device cannot); -ERANGE (it does not take that); -ENOMEM, -EINVAL as
 *         plan_buffers() and where the pool is too small
 */
int reopen_check(struct dataplane *dp, unsigned p, const struct gateau_config *to,
		 struct config_error *err);

/**
 * Set port @p up as @to says. On success it goes by @to's configuration of it until the caller has
 * put that in force: dp->ports[p].config points into @to, see reopen_conclude().
 *
 * @return 0; on failure the port runs as it did before, or not at all, which @err says: -ETIMEDOUT
 *         (a worker does not come round), or what the device says
 */
int reopen_port(struct dataplane *dp, unsigned p, const struct gateau_config *to,
		struct config_error *err);

/** dp->config says what was set up. */
void reopen_conclude(struct dataplane *dp, unsigned p);

#endif

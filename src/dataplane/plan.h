/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What follows from a configuration in bytes: how many buffers its ports, queues and workers can
 * have in use at one time, the memory these take, and the largest packets there are.
 */
#ifndef GATEAU_DATAPLANE_PLAN_H
#define GATEAU_DATAPLANE_PLAN_H

#include <stdint.h>

#include "config/config.h"
#include "port/pool.h"
#include "port/port.h"

/**
 * Add up the buffers of all places where frames can be.
 *
 * @param ports  opened, in the order of the configuration; NULL: not known yet, assume the most
 * @return 0; -ERANGE if it is absurdly much, -EINVAL if a limit is below one frame; @err says so
 */
int plan_buffers(struct pool_plan *plan, const struct gateau_config *cfg, const struct port *ports,
		 unsigned n_workers, struct config_error *err);

/**
 * Whether @cfg's buffers fit into @pool, which was made for the configuration at the start, and
 * stays. 0; -ENOMEM; or as plan_buffers(); @err says so.
 */
int plan_check_room(const struct pool_plan *pool, const struct gateau_config *cfg,
		    const struct port *ports, unsigned n_workers, struct config_error *err);

/**
 * Bytes of buffer set aside for a queue with these parameters: its memory limit; where that follows
 * from the rate at least that of an unlimited one, so that the rate can be raised while it runs.
 */
uint64_t plan_memory_room(const struct cake_params *p);

/** MB that the pool and what @n_ports ports need beside it will take. */
uint32_t plan_memory_mb(const struct pool_plan *plan, unsigned n_ports);

/** Bytes of the longest frame that any port's MTU allows. */
uint32_t plan_longest_frame(const struct gateau_config *cfg);

/** Bytes on the link, as a shaper counts them, of the largest packet that may leave by port @p. */
uint32_t plan_largest_packet(const struct gateau_config *cfg, const struct port *ports, unsigned p);

#endif

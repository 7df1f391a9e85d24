/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data plane as a whole: ports, pool, TX queues and workers built from the configuration, set
 * going, and taken down again in the order that loses no buffer.
 *
 *	dataplane_open ─► dataplane_start ─► dataplane_stop ─► dataplane_close
 */
#ifndef GATEAU_DATAPLANE_DATAPLANE_H
#define GATEAU_DATAPLANE_DATAPLANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tsc_clock.h"
#include "config/config.h"
#include "dataplane/eal.h"
#include "lcore/topology.h"
#include "lcore/worker.h"
#include "port/pool.h"
#include "port/port.h"
#include "txq/txq.h"

/**
 * The main thread owns it, and whoever has its lock (ctl/ops.h). What workers read of it does not
 * change between start and stop, but by change.h.
 */
struct dataplane {
	struct gateau_config *config; /* in force; ports point into it */
	struct tsc_clock clock;
	struct worker_control control;
	struct topology topology;
	struct pool_plan plan;
	struct pool pool;
	struct port ports[CONFIG_PORTS_MAX];
	struct share *shares[CONFIG_PORTS_MAX]; /* NULL: one queue, or no rate to share */
	struct txq *txqs[CONFIG_PORTS_MAX][CONFIG_QUEUES_MAX]; /* NULL: no link leads to the port */
	struct packet_hash_params hash;                        /* keyed; one key for all ports */
	/* Of frames that leave by the port; NULL: none do. */
	struct packet_describer *describers[CONFIG_PORTS_MAX];
	struct change *changing; /* change.h: what has not settled yet; else NULL */
	unsigned n_workers, n_running;
	struct worker *workers;
};

/**
 * MB that pools and queues of @cfg will take, from above where a device is yet to be asked. May be
 * called before DPDK is started. -ERANGE if it is absurdly much, -EINVAL if a limit is below one
 * frame; says so.
 */
int dataplane_memory_mb(const struct gateau_config *cfg, const struct eal_cpus *cpus,
			uint32_t *memory_mb);

/**
 * Build everything and start the ports; nothing polls them yet.
 *
 * @param cfg        stays the caller's; a change is written into it
 * @param memory_mb  what DPDK was given, 0 = no limit
 * @return 0 or -errno, with everything undone; says why
 */
int dataplane_open(struct dataplane *dp, struct gateau_config *cfg, const struct eal_cpus *cpus,
		   uint32_t memory_mb);

/** Set the workers going. Call dataplane_stop() also if it fails. */
int dataplane_start(struct dataplane *dp);

/** Ask the devices for their counters; each 3.5 s at least (port/nic_counter.h), also while the
 * workers run. */
void dataplane_read_nics(struct dataplane *dp);

/** How long a worker may take for what takes it no time, ms, before it is given up. */
#define DATAPLANE_PATIENCE_MS 10000

/**
 * Stop receiving, drain for at most config->drain_ns, purge the rest, end the workers.
 *
 * @param wait_ms  called again and again: waits that long, and says whether to drain no more
 * @return 0, or -ETIMEDOUT if a driver does not let a worker go; says which worker. Nothing may be
 *         closed or freed then, since that worker may still use it: end the process
 */
int dataplane_stop(struct dataplane *dp, bool (*wait_ms)(unsigned ms));

/**
 * Stop and close the ports, free everything.
 *
 * @return mbufs that did not come back, but for those that a driver keeps (port_buffers_kept())
 */
uint32_t dataplane_close(struct dataplane *dp);

#endif

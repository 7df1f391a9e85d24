/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting DPDK's environment. Its command line is made here from the configuration's named keys
 * alone: nothing a file says reaches it as free text, and it loads no plug-ins but its own drivers.
 */
#ifndef GATEAU_DATAPLANE_EAL_H
#define GATEAU_DATAPLANE_EAL_H

#include <sched.h>
#include <stdint.h>

#include "config/config.h"

/** DPDK's lcore of the main thread; worker i is lcore EAL_FIRST_WORKER + i. */
#define EAL_MAIN_LCORE   0
#define EAL_FIRST_WORKER 1

/** Who runs where. */
struct eal_cpus {
	unsigned n_workers;
	uint16_t workers[CONFIG_LCORES_MAX];
	cpu_set_t main; /* those without a worker; all if there is none such */
};

/**
 * Choose CPUs out of those this process may use: the workers' as configured, else all but one.
 * 0, or -ENOENT if a configured one is not among them. Says why.
 */
int eal_choose_cpus(const struct config_eal *eal, struct eal_cpus *out);

/**
 * Start DPDK and one idle thread per worker.
 *
 * @param memory_mb MB to set aside without hugepages, or to take at the start with them; 0 = with
 *                  hugepages, as the need arises
 * @return 0 or -errno; says why. End with eal_stop()
 */
int eal_start(const struct gateau_config *cfg, const struct eal_cpus *cpus, uint32_t memory_mb);

void eal_stop(void);

#endif

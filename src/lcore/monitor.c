/* SPDX-License-Identifier: BSD-3-Clause */
/* See monitor.h. */
#include "lcore/monitor.h"

#include <rte_cpuflags.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_power_intrinsics.h>

#include "lcore/worker.h"

/** Where each queue's next frame will show. False: a driver does not say. */
static bool find(const struct worker_rx *rx, unsigned n, struct rte_power_monitor_cond *at)
{
	for (unsigned i = 0; i < n; i++)
		if (rte_eth_get_monitor_addr(rx[i].device, rx[i].queue, &at[i]))
			return false;
	return true;
}

bool monitor_can(const struct worker_rx *rx, unsigned n)
{
	struct rte_power_monitor_cond at[MONITOR_MAX];
	struct rte_cpu_intrinsics cpu;

	if (!n || n > MONITOR_MAX)
		return false;
	rte_cpu_get_intrinsics_support(&cpu);
	return (n == 1 ? cpu.power_monitor : cpu.power_monitor_multi) && find(rx, n, at);
}

void monitor_wait(const struct worker_rx *rx, unsigned n, uint64_t cycles)
{
	struct rte_power_monitor_cond at[MONITOR_MAX];
	const uint64_t until = rte_rdtsc() + cycles;

	if (!find(rx, n, at))
		return;
	if (n == 1)
		rte_power_monitor(&at[0], until);
	else
		rte_power_monitor_multi(at, n, until);
}

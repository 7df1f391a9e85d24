/* SPDX-License-Identifier: BSD-3-Clause */
/* See bench_eal.h. */
#include "bench_eal.h"

#include <stdbool.h>
#include <stdio.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "bench.h"

void bench_eal(void)
{
	static bool started;
	static char core[16];
	static char *args[] = {"bench",
			       "-l",
			       core,
			       "-m",
			       "512",
			       "--no-huge",
			       "--no-pci",
			       "--no-shconf",
			       "--no-telemetry",

			       "--log-level=error"};

	if (started)
		return;
	snprintf(core, sizeof(core), "%u", bench_core());
	if (rte_eal_init(sizeof(args) / sizeof(args[0]), args) < 0)
		bench_fail("DPDK does not start: %s", rte_strerror(rte_errno));
	started = true;
}

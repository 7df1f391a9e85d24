/* SPDX-License-Identifier: BSD-3-Clause */
/* See numa.h. One system call: libnuma is larger than what is needed of it. */
#include "dataplane/numa.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MASK_BITS (8 * (int)sizeof(unsigned long))

int numa_common_node(const struct port *ports, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (ports[i].node != ports[0].node)
			return -1;
	return n ? ports[0].node : -1;
}

void numa_prefer(int node)
{
	unsigned long mask = 0;

	if (node >= 0 && node < MASK_BITS)
		mask = 1ul << node;
	/* The kernel does not look at the last bit of as many as it is told of. */
	syscall(SYS_set_mempolicy, mask ? MPOL_PREFERRED : MPOL_DEFAULT, mask ? &mask : NULL,
		mask ? MASK_BITS + 1 : 0);
}

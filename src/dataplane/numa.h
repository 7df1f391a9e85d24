/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory on the NUMA node of the port that uses it. */
#ifndef GATEAU_DATAPLANE_NUMA_H
#define GATEAU_DATAPLANE_NUMA_H

#include "port/port.h"

/** The node that all of @n ports are on; -1: they differ, or it is not known. */
int numa_common_node(const struct port *ports, unsigned n);

/** Memory that this thread touches first from here on comes from @node, if there is any left; -1:
 * from the node it runs on. Where the kernel knows no nodes this does nothing. */
void numa_prefer(int node);

#endif

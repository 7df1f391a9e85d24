/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that devices reach through an IOMMU stays where it is: the kernel locks it, and counts it
 * against what the process may lock. Past that limit DPDK has memory all the same, and goes on;
 * what a device writes there is lost.
 */
#ifndef GATEAU_DATAPLANE_LOCKED_H
#define GATEAU_DATAPLANE_LOCKED_H

#include <stdint.h>

/** Raise this process's limit of locked memory as far as it may without asking anybody. */
void locked_raise_limit(void);

/**
 * Whether all of DPDK's memory could be locked, to be asked when there is all that there will be.
 * Returns 0 or -ENOMEM, and then has said what to do.
 */
int locked_check(void);

#endif

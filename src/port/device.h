/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a port's "device" to a DPDK port, or to a line that says why there is none. What is done
 * with a device that was found is port.h's business.
 */
#ifndef GATEAU_PORT_DEVICE_H
#define GATEAU_PORT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/** Whether @device names a PCI device (which EAL must be told of), not a virtual one. */
bool device_is_pci(const char *device);

/**
 * Find the device of port @c, creating it if it is virtual.
 *
 * @param id  set to DPDK's number on success
 * @return 0, -ENODEV (not there, no driver, wrong arguments), -EBUSY (another port has it),
 *         -EPERM (not allowed to this process); says why
 */
int device_find(const struct config_port *c, uint16_t *id);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a port's device counts by itself, inside src/port/: port.h has the way to it. */
#ifndef GATEAU_PORT_NIC_H
#define GATEAU_PORT_NIC_H

#include "port/port.h"

/** The device was started: what its counters show now is where the port's begin. */
void nic_begin(struct port *port);

#endif

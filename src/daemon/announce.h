/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in force, said on the log when forwarding is about to start. */
#ifndef GATEAU_DAEMON_ANNOUNCE_H
#define GATEAU_DAEMON_ANNOUNCE_H

#include "dataplane/dataplane.h"

/** Ports, schedulers, who serves which queue, the pool's sum, the clock. */
void announce(const struct dataplane *dp);

#endif

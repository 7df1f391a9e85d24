/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the service manager is told (sd_notify(3)): when gateaud forwards, takes over another
 * configuration and stops, and how it is. All of it does nothing where nobody wants to know.
 */
#ifndef GATEAU_DAEMON_NOTIFY_H
#define GATEAU_DAEMON_NOTIFY_H

#include "dataplane/dataplane.h"

/** Room for a status, with the names of all ports. */
#define NOTIFY_STATUS_MAX 1200

/** What was told last, so that it is not told again. */
struct notify {
	char status[NOTIFY_STATUS_MAX];
};

/** Packets are forwarded, with the configuration in force. */
void notify_ready(void);

/** Another configuration is being taken over; notify_ready() says that this has ended, either way.
 */
void notify_reloading(void);

/** What is queued is being sent, then the process ends. */
void notify_stopping(struct notify *n);

/** How the data plane is: which links are down. Tells it if it has changed. */
void notify_state(struct notify *n, const struct dataplane *dp);

#endif

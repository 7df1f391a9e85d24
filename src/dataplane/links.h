/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that go down and come up while the workers run: the ports' TX queues are told, so that they
 * keep what waits for "link_hold", then drop it, and send no burst afterwards (txq/link.c).
 *
 * Devices that can say so themselves; the others are looked at.
 */
#ifndef GATEAU_DATAPLANE_LINKS_H
#define GATEAU_DATAPLANE_LINKS_H

#include <stdbool.h>

#include "dataplane/dataplane.h"

/** How often to look at devices that do not say when their link changes, ms. */
#define LINKS_LOOK_MS 100

/**
 * Have the devices say when a link changes.
 *
 * @return an eventfd: when it can be read call links_watch(); -errno. End with links_close()
 */
int links_open(struct dataplane *dp);
void links_close(struct dataplane *dp, int fd);

/** Whether some device does not say when its link changes. */
bool links_need_looking(const struct dataplane *dp);

/** Look at all links, say what has changed, and tell the TX queues of those that have. */
void links_watch(struct dataplane *dp);

#endif

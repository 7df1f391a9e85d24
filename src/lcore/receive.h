/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an RX queue to the TX queues: take a burst, make each frame fit to go on or drop it under a
 * name, read its headers, cut super-packets, hand all to dispatch.h.
 */
#ifndef GATEAU_LCORE_RECEIVE_H
#define GATEAU_LCORE_RECEIVE_H

#include "lcore/worker.h"

/** Poll RX queue @rx of worker @w. Returns frames received. */
unsigned receive(struct worker *w, const struct worker_rx *rx, uint64_t now);

#endif

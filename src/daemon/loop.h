/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main thread while the data plane runs: it waits for signals, for clients of the control
 * socket and for timers, refines the clock and watches links and queues. It never polls a device.
 */
#ifndef GATEAU_DAEMON_LOOP_H
#define GATEAU_DAEMON_LOOP_H

#include <stdbool.h>

#include "dataplane/dataplane.h"

/** Signals that loop_run() takes; block them before threads are made, so that all inherit it. */
void loop_block_signals(void);

/** Wait for a signal to stop for at most @ms; while loop_run() does not run. Whether one came. */
bool loop_wait_ms(unsigned ms);

/**
 * Until told to stop.
 *
 * @param file    path of the start-up file, for SIGHUP
 * @param socket  path of the control socket; NULL: the default one, without which it goes on
 * @return 0, or -errno if the loop or the socket asked for cannot be had; says why
 */
int loop_run(struct dataplane *dp, const char *file, const char *socket);

#endif

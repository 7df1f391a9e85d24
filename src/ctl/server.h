/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket: clients in, requests to the operations, answers out (protocol.h).
 *
 * Runs on the loop of the main thread and never waits. All that a client can do is bounded: the
 * length of a request, the time it takes to send it and to read the answer, and how many clients
 * there are.
 */
#ifndef GATEAU_CTL_SERVER_H
#define GATEAU_CTL_SERVER_H

#include <systemd/sd-event.h>

#include "ctl/ops.h"

struct server;

/**
 * Listen.
 *
 * @param loop  of the thread that calls this; kept until server_close()
 * @param ctl   likewise
 * @param fd    a socket that listens already (socket activation) and is taken over, or from
 *              server_listen()
 * @return 0, -ENOMEM, or what the loop says; @fd is closed then
 */
int server_open(struct server **out, sd_event *loop, struct ctl *ctl, int fd);

/** Close all connections and the socket. NULL is ignored. */
void server_close(struct server *s);

/**
 * Make a socket at @path, for root and the group "gateau" if there is one (else the process's), and
 * listen on it. A socket that nobody listens on any more is replaced, and the directory of the
 * default socket made.
 *
 * @return the file descriptor; -EADDRINUSE: another process listens there; -ENAMETOOLONG; or what
 *         the kernel says
 */
int server_listen(const char *path);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics over HTTP: GET /metrics, and nothing else. libmicrohttpd speaks the protocol, on the loop
 * of the main thread.
 *
 * A connection is one request and one answer, as on the control socket (server.h), and is bounded
 * as there: in number, in what it may send, and in time, whoever delays it. An answer is given
 * again for as long as it is fresh, so that however often somebody asks, queues are visited no more
 * often than that.
 */
#ifndef GATEAU_CTL_HTTP_H
#define GATEAU_CTL_HTTP_H

#include <stdbool.h>
#include <stdio.h>

#include <systemd/sd-event.h>

/** Connections at a time. One more takes the place of the oldest. */
#define HTTP_CLIENTS_MAX 16

/** From accepting a connection to its end, ms. */
#define HTTP_CLIENT_MS 10000

/** An answer is given again this long, ms. */
#define HTTP_FRESH_MS 200

struct http;

/**
 * Write the metrics to @out, as OpenMetrics or in Prometheus's older text format.
 *
 * @return 0 or -errno; the client is told that they are not to be had
 */
typedef int (*http_render_fn)(void *arg, FILE *out, bool openmetrics);

/**
 * Serve.
 *
 * @param loop  of the thread that calls this; kept until http_close()
 * @param fd    a socket that listens; taken over, and closed also if this fails
 * @return 0, -ENOMEM, or what the loop says
 */
int http_open(struct http **out, sd_event *loop, int fd, http_render_fn render, void *arg);

/** Close all connections and the socket. NULL is ignored. */
void http_close(struct http *h);

#endif

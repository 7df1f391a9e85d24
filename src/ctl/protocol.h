/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is said over the control socket: a connection is one request and one answer, each a JSON
 * object in one line.
 *
 *	client: {"op": "set", "port": "wan", "keys": {"bandwidth": "900mbit"}}\n
 *	daemon: {"ok": true, "result": ...}\n      and closes
 *	   or:  {"ok": false, "error": "..."}\n    and closes
 *
 * A client sends contents, never paths for the daemon to open. docs/operations.md lists the
 * operations.
 */
#ifndef GATEAU_CTL_PROTOCOL_H
#define GATEAU_CTL_PROTOCOL_H

/** Where the socket is if nothing else is said; the name is eal.prefix, "gateau" by default. */
#define CTL_SOCKET_DIR     "/run/gateau"
#define CTL_SOCKET_DEFAULT CTL_SOCKET_DIR "/gateau.sock"

/** Names another socket, for both programs. */
#define CTL_SOCKET_ENV "GATEAU_SOCKET"

/** Longest request, bytes, its newline included: a configuration of 512 rules is 100 kB. */
#define CTL_REQUEST_MAX (1 << 20)

/** Clients at a time. One more takes the place of the one that has waited longest. */
#define CTL_CLIENTS_MAX 16

/** A request must be complete this long after the connection was made, ms. */
#define CTL_REQUEST_MS 5000

/** An answer must have been read this long after it was given, ms. */
#define CTL_ANSWER_MS 10000

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar of addresses to listen at: "127.0.0.1:9095", "[::1]:9095", "unix:/PATH", "off". */
#ifndef GATEAU_CONFIG_LISTEN_H
#define GATEAU_CONFIG_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

/** Bytes of such a text, with the final 0: "unix:" and what a socket's address has room for. */
#define LISTEN_TEXT_MAX 113

/** Where metrics are served if nothing else is said. docs/operations.md says why this port. */
#define LISTEN_METRICS "127.0.0.1:9095"

extern const char listen_pattern[]; /* as a regular expression, POSIX extended and ECMA-262 alike */

/** A socket's address. */
struct listen_address {
	struct sockaddr_storage addr;
	socklen_t len; /* 0 = "off" */
};

/**
 * Read @s. Addresses are numbers: names would have to be looked up while starting. Port 0 is any
 * free one.
 */
bool listen_parse(const char *s, struct listen_address *out);

bool listen_valid(const char *s);

/** The path of a "unix:" address, NULL if @s is none. */
const char *listen_path(const char *s);

#endif

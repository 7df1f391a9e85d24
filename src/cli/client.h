/* SPDX-License-Identifier: BSD-3-Clause */
/* One request to a running gateaud over its control socket (ctl/protocol.h). */
#ifndef GATEAU_CLI_CLIENT_H
#define GATEAU_CLI_CLIENT_H

#include <jansson.h>

#include "ctl/protocol.h"

/** The option of all commands that use it, for their tables. */
#define CLIENT_OPTION_SOCKET                                                                        \
	{                                                                                           \
		.name = "socket", .value = "PATH",                                                  \
		.help = "the control socket; without it $GATEAU_SOCKET, else\n" CTL_SOCKET_DEFAULT, \
	}

/**
 * Send @request and wait for the answer. Says on stderr what went wrong: that nobody listens, that
 * there is no answer, or why gateaud refused.
 *
 * @param command  whose name messages begin with
 * @param socket   NULL: $GATEAU_SOCKET, else the default one
 * @param request  an object; the reference is taken
 * @return the answer's "result", a new reference; NULL if there is none
 */
json_t *client_ask(const char *command, const char *socket, json_t *request);

/** Print an answer as all commands print JSON. */
void client_print(const json_t *json);

/** Room for a reason: gateaud's are up to 1 kB. */
#define CLIENT_WHY_MAX 1200

/** The same without a word: @why, of CLIENT_WHY_MAX bytes, has the reason if there is no result. */
json_t *client_try(const char *socket, json_t *request, char *why);

#endif

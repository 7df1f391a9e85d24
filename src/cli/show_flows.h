/* SPDX-License-Identifier: BSD-3-Clause */
/* What `gateau show flows` prints: who queues the most right now. */
#ifndef GATEAU_CLI_SHOW_FLOWS_H
#define GATEAU_CLI_SHOW_FLOWS_H

#include <stdbool.h>

struct show_flows {
	const char *socket; /* as client_ask() takes it */
	const char *port;   /* NULL: all */
	unsigned most;      /* flows, and hosts; 0: as many as gateaud thinks */
	bool json;
};

/** Returns an enum cli_exit. */
int show_flows(const struct show_flows *what);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What `gateau show` prints of ports: their options and, if asked for, what was counted. */
#ifndef GATEAU_CLI_SHOW_PORTS_H
#define GATEAU_CLI_SHOW_PORTS_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

struct show_ports {
	const char *socket; /* as client_ask() takes it */
	const char *port;   /* NULL: all */
	bool stats, json;
	bool queues; /* with stats: each queue's as well */
};

/** Returns an enum cli_exit. */
int show_ports(const struct show_ports *what);

/** The text of what the operation "show" answered. */
void show_ports_text(FILE *out, const json_t *result, bool queues);

#endif

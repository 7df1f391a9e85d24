/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands print of the difference between two configurations (config/diff.h). */
#ifndef GATEAU_CLI_CHANGES_H
#define GATEAU_CLI_CHANGES_H

#include <stdbool.h>

#include <jansson.h>

/** The option of commands that put a configuration in force. */
#define CHANGES_OPTION_RESTART_PORTS                                                                 \
	{                                                                                            \
		.name = "restart-ports",                                                             \
		.help = "where a key takes that, stop its port, set it up anew and\nstart it again", \
	}

/** A line for each of @changes, e.g. "wan: bandwidth 100mbit -> 900mbit (live)". */
void changes_print(const json_t *changes);

/**
 * Print the result of an operation that put a configuration in force: its changes and the
 * generation, or, as @json, all of it.
 */
void changes_print_result(const json_t *result, bool json);

/** A request {"op": @op, "name": @path, "text": contents}; NULL after a message on stderr. */
json_t *changes_request(const char *op, const char *path);

#endif

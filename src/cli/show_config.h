/* SPDX-License-Identifier: BSD-3-Clause */
/* What `gateau show` prints of the configuration in force. */
#ifndef GATEAU_CLI_SHOW_CONFIG_H
#define GATEAU_CLI_SHOW_CONFIG_H

#include <stdbool.h>

/**
 * Print the generation and, as a file would have it, the configuration; as @json both in one
 * object. Returns an enum cli_exit.
 */
int show_config(const char *socket, bool json);

#endif

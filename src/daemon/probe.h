/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gateaud --probe: what the machine and its devices are, and whether a configuration fits them. It
 * opens the file's devices as a start would, and sends and receives nothing.
 */
#ifndef GATEAU_DAEMON_PROBE_H
#define GATEAU_DAEMON_PROBE_H

#include <stdbool.h>

#include <jansson.h>

#include "config/config.h"
#include "dataplane/machine.h"

/**
 * Find out and print.
 *
 * @param cfg   NULL: the machine alone; DPDK is not started
 * @param json  print it as JSON
 * @return 0; -ERANGE: the configuration does not fit; else -errno
 */
int probe(const struct gateau_config *cfg, bool json);

/** What was found about the machine, a new reference. */
json_t *probe_machine_json(const struct machine *m);

/** Print what probe() found, made of JSON, for a person. */
void probe_print_text(const json_t *found, FILE *out);

#endif

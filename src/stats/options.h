/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scheduler is told, as tc prints it. */
#ifndef GATEAU_STATS_OPTIONS_H
#define GATEAU_STATS_OPTIONS_H

#include <jansson.h>

#include "config/config.h"

/**
 * tc's object "options" of a cake: its keys, types and order (bandwidth in bytes/s, or "unlimited";
 * rtt in us; fwmark as a string). "profile" and "flows", which tc has not, follow.
 */
json_t *options_json(const struct cake_params *p);

/** The word that a port's file has for @value of its key @name, e.g. of "share". */
const char *options_port_word(const char *name, int value);

#endif

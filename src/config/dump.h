/* SPDX-License-Identifier: BSD-3-Clause */
/* From a configuration back to JSON, by the table of keys (schema.h): what is in force. */
#ifndef GATEAU_CONFIG_DUMP_H
#define GATEAU_CONFIG_DUMP_H

#include <jansson.h>

#include "config/config.h"

/**
 * All of @cfg as a file that config_parse() accepts: what the file left out has its default, what
 * follows from other keys (steer of several TX queues, mpu and atm of overhead's words) its value,
 * and keys that have neither are absent. Parsing it gives @cfg back.
 *
 * @return a new reference, NULL if out of memory
 */
json_t *config_dump(const struct gateau_config *cfg);

#endif

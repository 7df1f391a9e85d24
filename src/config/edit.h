/* SPDX-License-Identifier: BSD-3-Clause */
/* Changing single keys of a file, by words as on a command line. */
#ifndef GATEAU_CONFIG_EDIT_H
#define GATEAU_CONFIG_EDIT_H

#include <jansson.h>

#include "config/config.h"

/** The word that takes a key out of the file, so that it has its default again. */
#define CONFIG_EDIT_DEFAULT "default"

/**
 * Set @key of port @port, or of its scheduler, in @file, which has been parsed before, to what
 * @word says. Whether the value is accepted is seen when @file is parsed again.
 *
 * @param word  as a file has it, but without quotes: 900mbit, lan, true, 0xff, "pppoe-ptm
 *              ether-vlan"; what is no scalar as JSON; or CONFIG_EDIT_DEFAULT
 * @return 0, -EINVAL with @err: no such port or key, -ENOMEM
 */
int config_edit(json_t *file, const char *port, const char *key, const char *word,
		struct config_error *err);

#endif

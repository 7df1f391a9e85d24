/* SPDX-License-Identifier: BSD-3-Clause */
/* Address prefixes as people write them: "10.0.0.0/8", "2001:db8::/32". */
#ifndef GATEAU_CONFIG_PREFIX_H
#define GATEAU_CONFIG_PREFIX_H

#include <stddef.h>

#include "packet/rules.h"

/** Room for any prefix_format(): an IPv6 address, a length and the final 0. */
#define PREFIX_TEXT_MAX 52

/**
 * Read an address that inet_pton() takes, a slash and a length.
 *
 * @return 0; -EINVAL if it is nothing like that; -ENODATA without a length, @out being the address
 *         alone; -ERANGE if bits behind the prefix are set, @out being the prefix without them
 */
int prefix_parse(const char *s, struct packet_prefix *out);

/** The shortest spelling; parsing it gives the prefix back. Returns @buf. */
char *prefix_format(const struct packet_prefix *p, char *buf, size_t size);

#endif

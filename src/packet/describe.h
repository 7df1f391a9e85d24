/* SPDX-License-Identifier: BSD-3-Clause */
/* From parsed headers to the scheduler's input. */
#ifndef GATEAU_PACKET_DESCRIBE_H
#define GATEAU_PACKET_DESCRIBE_H

#include <gateau/cake.h>

#include "packet/hash.h"
#include "packet/packet.h"

/**
 * Fill @out for a frame of @len bytes on the wire: hashes, DSCP, ECN capability, network offset.
 * The caller sets handle and charge, and what it knows of marks and super-packets; those fields
 * are zero here.
 */
void packet_describe(const struct packet_headers *h, const struct packet_hashes *hashes,
		     uint32_t len, struct cake_packet *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a frame's headers: Ethernet, VLAN tags, IPv4, IPv6 and its extensions, 6in4, ports. */
#ifndef GATEAU_PACKET_PARSE_H
#define GATEAU_PACKET_PARSE_H

#include "packet/packet.h"

/**
 * Read @f's headers into @h, all of which is written. Never fails: what cannot be read is left as
 * PACKET_L3_OTHER, without addresses or without ports, whichever is the most that is certain.
 */
void packet_parse(const struct packet_frame *f, struct packet_headers *h);

#endif

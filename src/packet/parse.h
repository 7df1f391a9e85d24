/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a frame's headers: Ethernet, VLAN tags, IPv4, IPv6 and its extensions, 6in4, ports. */
#ifndef GATEAU_PACKET_PARSE_H
#define GATEAU_PACKET_PARSE_H

#include "packet/packet.h"

/**
 * Read @f's headers into @h, all of which is written. Never fails: from the first header on that
 * is cut short, fields stay 0. `l3` is what the ethertype says, also where no IP byte follows.
 *
 * VLAN tags (0x8100, 0x88a8) may be stacked; IPv6 extension headers 0, 43 and 60 are stepped over;
 * a fragment (IPv4, or IPv6 header 44) has no ports. IPv4 protocol 41 is looked into: the flow is
 * the inner IPv6 packet's. Headers are looked for in the first 512 bytes.
 */
void packet_parse(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h);

#endif

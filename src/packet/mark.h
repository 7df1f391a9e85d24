/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing to the IP header: CE and washing. Both touch only an IPv4 or IPv6 header that parsing
 * found and whose first byte agrees, also where its bytes lie in different segments, and keep
 * IPv4's checksum right by the incremental update of RFC 1624.
 */
#ifndef GATEAU_PACKET_MARK_H
#define GATEAU_PACKET_MARK_H

#include "packet/packet.h"

/**
 * Set ECN to CE. @l3 and @network_offset are those parsing found.
 * Returns whether the frame was changed (not if it is no IP, Not-ECT or CE already).
 */
bool packet_set_ce(const struct packet_frame *f, enum packet_l3 l3, uint16_t network_offset);

/** Clear DSCP, keep ECN. Returns whether the frame was changed. */
bool packet_wash(const struct packet_frame *f, enum packet_l3 l3, uint16_t network_offset);

#endif

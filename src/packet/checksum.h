/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Internet checksum (RFC 1071) over frames that may lie in several segments. Changing a header
 * whose checksum is right is mark.c's business: that needs no sum over the frame.
 */
#ifndef GATEAU_PACKET_CHECKSUM_H
#define GATEAU_PACKET_CHECKSUM_H

#include "packet/packet.h"

/**
 * One's complement sum of 16-bit words, as they lie in memory, over @n bytes at @off, all of them
 * present; a last odd byte counts as a word's first half. Not complemented, not folded: sums of
 * ranges with an even number of bytes may be added.
 */
uint64_t packet_sum(const struct packet_frame *f, uint32_t off, uint32_t n);

/** What to write to memory for a sum: folded to 16 bits and complemented. */
uint16_t packet_sum_finish(uint64_t sum);

/**
 * Compute the checksum of the TCP or UDP packet in the IP packet of @l3 at @network_offset, and
 * write it. Inside a tunnel nothing is computed. Returns whether it was: not if the packet is
 * something else or not all there.
 */
bool packet_complete_checksum(const struct packet_frame *f, enum packet_l3 l3,
			      uint32_t network_offset);

/**
 * What a device that computes the checksum itself wants in its place: the pseudo-header's sum, with
 * the packet's whole length. Returns whether there is a place, as above.
 */
bool packet_prepare_checksum(const struct packet_frame *f, enum packet_l3 l3,
			     uint32_t network_offset);

#endif

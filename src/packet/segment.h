/* SPDX-License-Identifier: BSD-3-Clause */
/* How a TCP super-packet is cut into frames: numbers only, no bytes move here. */
#ifndef GATEAU_PACKET_SEGMENT_H
#define GATEAU_PACKET_SEGMENT_H

#include "packet/packet.h"

struct packet_cut {
	uint32_t header;   /* bytes before the payload, repeated in each segment */
	uint32_t payload;  /* bytes to share out */
	uint32_t gso_size; /* payload bytes per segment */
	uint32_t segs;     /* 1 = not a super-packet */
};

/**
 * Plan the cut of a frame of @len bytes: a TCP frame whose payload is longer than @gso_size.
 * @gso_size 0 = never. Anything else is one segment.
 */
struct packet_cut packet_cut_plan(const struct packet_headers *h, uint32_t len, uint32_t gso_size);

/** Length of segment @i (0-based) as a frame. */
uint32_t packet_cut_len(const struct packet_cut *cut, uint32_t i);

#endif

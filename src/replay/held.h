/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame's bytes from its arrival to its departure, and marking it when it leaves. */
#ifndef GATEAU_REPLAY_HELD_H
#define GATEAU_REPLAY_HELD_H

#include "packet/packet.h"
#include "packet/segment.h"

struct held_frame {
	uint32_t len;            /* bytes on the wire */
	uint32_t captured;       /* bytes held, <= len */
	enum packet_l3 l3;       /* of the outer network header, ... */
	uint16_t network_offset; /* ... and the bytes before it */
	uint8_t bytes[];
};

/** A copy of @f as it is now, to be freed with free(); NULL if out of memory. */
struct held_frame *held_frame_copy(const struct packet_frame *f, const struct packet_headers *h);

/** The same for segment @i of a super-packet @f. */
struct held_frame *held_frame_cut(const struct packet_frame *f, const struct packet_headers *h,
				  const struct packet_cut *cut, uint32_t i);

/** Set Congestion Experienced in the bytes, if the captured ones have the IP header. */
void held_frame_set_ce(struct held_frame *held);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kind of frame that packet_parse() knows in its full depth, and what it has to find. */
#ifndef TESTS_UNIT_PACKET_KINDS_H
#define TESTS_UNIT_PACKET_KINDS_H

#include "frames.h"
#include "packet/packet.h"

struct frame_kind {
	const char *name;
	void (*build)(struct built_frame *b);
	uint8_t host;                   /* of the flow's addresses, see put_ipv4(); 0 = no IP */
	struct packet_headers expected; /* but for the addresses */
};

extern const struct frame_kind frame_kinds[];
extern const unsigned n_frame_kinds;

#endif

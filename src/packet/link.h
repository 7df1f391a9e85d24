/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a frame's first byte to its network header: Ethernet, VLAN tags, LLC, PPPoE, MPLS. Private
 * to src/packet/; used for a frame as it arrived and for one that a tunnel carries.
 */
#ifndef GATEAU_PACKET_LINK_H
#define GATEAU_PACKET_LINK_H

#include "packet/packet.h"

/** Bytes of Ethernet's header. */
#define LINK_HEADER_LEN 14

/** VLAN tags that are read; Linux gives up at as many. */
#define LINK_TAGS_MAX 8

/** MPLS labels that are read: more than equipment can put on, and 64 bytes of them. */
#define LINK_LABELS_MAX 16

struct packet_link {
	uint16_t ethertype; /* behind all that was read: 0x0800 and 0x86dd also in PPPoE and MPLS;
			       LINK_ETHERTYPE_LLC where a length stands in its place (Linux depth:
			       that length) */
	uint8_t n_tags;
	uint16_t tci[2];   /* of the two outermost tags */
	uint32_t tags_end; /* offset behind Ethernet's header and the tags */
	uint32_t network;  /* offset behind PPPoE's header and MPLS labels, too */
	enum packet_unclassified fault;
};

/** Linux's number for frames of IEEE 802.3 with LLC. */
#define LINK_ETHERTYPE_LLC 0x0004

/**
 * Read the Ethernet frame that begins at byte @off of @f and ends before byte @end, which may be
 * more than is present. All of @l is written; with a fault up to where it was found.
 */
void packet_link_read(const struct packet_frame *f, uint32_t off, uint32_t end,
		      enum packet_depth depth, struct packet_link *l);

#endif

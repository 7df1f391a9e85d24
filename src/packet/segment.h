/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cutting a TCP super-packet into the frames that a device with segmentation offload would make of
 * it: how many and how long, and their bytes.
 */
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

/**
 * Write segment @i of @f to @out: the headers with lengths, IPv4 identification, sequence number,
 * flags and checksums of their own, and its share of the payload. What is not a super-packet is
 * copied as it is.
 *
 * In a tunnel the outer and the flow's IP header are rewritten, but nothing between them. That is
 * right for IP in IP and for GRE without checksum; VXLAN's UDP header would keep its length.
 *
 * A capture may hold fewer bytes than the frame had. Then as many of the segment's bytes are
 * written as there are, and its TCP checksum, which cannot be known, is 0; a TCP header that is
 * itself cut short stays as it was.
 *
 * @param h    what parsing @f found; @cut was planned from it
 * @param out  segments to fill, of which only `segs` and `n_segs` are looked at, with room for
 *             packet_cut_len() bytes, the headers in the first
 * @return bytes written
 */
uint32_t packet_cut_write(const struct packet_frame *f, const struct packet_headers *h,
			  const struct packet_cut *cut, uint32_t i, const struct packet_frame *out);

#endif

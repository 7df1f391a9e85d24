/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of cutting a super-packet: every segment repeats the headers and carries gso_size
 * bytes of payload, the last one what remains.
 */
#include "packet/segment.h"

#include <netinet/in.h>

struct packet_cut packet_cut_plan(const struct packet_headers *h, uint32_t len, uint32_t gso_size)
{
	struct packet_cut whole = {.payload = len, .segs = 1};
	uint32_t payload;

	if (!gso_size || h->proto != IPPROTO_TCP || !h->payload_offset || len <= h->payload_offset)
		return whole;
	payload = len - h->payload_offset;
	if (payload <= gso_size)
		return whole;
	return (struct packet_cut){
		.header = h->payload_offset,
		.payload = payload,
		.gso_size = gso_size,
		.segs = (payload - 1) / gso_size + 1,
	};
}

uint32_t packet_cut_len(const struct packet_cut *cut, uint32_t i)
{
	if (i + 1 < cut->segs)
		return cut->header + cut->gso_size;
	return cut->header + cut->payload - (cut->segs - 1) * cut->gso_size;
}

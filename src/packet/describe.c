/* SPDX-License-Identifier: BSD-3-Clause */
/* From parsed headers to the scheduler's input: which field becomes which, and nothing else. */
#include "packet/describe.h"

void packet_describe(const struct packet_headers *h, const struct packet_hashes *hashes,
		     uint32_t len, struct cake_packet *out)
{
	*out = (struct cake_packet){
		.len = len,
		.flow_hash = hashes->flow,
		.src_hash = hashes->src_host,
		.dst_hash = hashes->dst_host,
		.network_offset = h->network_offset,
		.dscp = h->dscp,
		.ecn_capable = h->ecn != 0,
	};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities of flow, source host and destination host.
 *
 * 32-bit FNV-1a over the fields named in docs/architecture.md, finished with murmur3's fmix32; a
 * result of 0 becomes 1. Symmetric: addresses and ports are sorted, so both directions are one
 * flow, and a host hashes alike as source and as destination.
 */
#ifndef GATEAU_PACKET_HASH_H
#define GATEAU_PACKET_HASH_H

#include "packet/packet.h"

struct packet_hashes {
	uint32_t flow;
	uint32_t src_host; /* 0 where there is no IP */
	uint32_t dst_host;
};

void packet_hash(const struct packet_headers *h, struct packet_hashes *out);

#endif

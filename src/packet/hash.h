/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities of flow, source host and destination host.
 *
 * 32-bit FNV-1a, finished with murmur3's fmix32; a result of 0 becomes 1. The fields, big-endian:
 *
 *	ethertype 2, IP protocol 1, IPv6 flow label 4, VLAN TCI 2, zeros 4,
 *	lower port 2, higher port 2, lower address, higher address (4 or 16 each, none without IP)
 *
 * Symmetric: addresses and ports are sorted, each on their own, so both directions are one flow. A
 * flow label that is not 0 takes the place of the ports. A host's key has protocol, label, ports
 * and the other address 0, so a host hashes alike as source and as destination.
 */
#ifndef GATEAU_PACKET_HASH_H
#define GATEAU_PACKET_HASH_H

#include "packet/packet.h"

struct packet_hashes {
	uint32_t flow;
	uint32_t src_host; /* 0 where there is no IP */
	uint32_t dst_host;
};

/** Hash what packet_parse() found. */
void packet_hash(const struct packet_headers *h, struct packet_hashes *out);

#endif

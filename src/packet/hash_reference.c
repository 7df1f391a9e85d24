/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities without a key, as the golden tables have them (tests/golden/README.md): for replaying
 * those, and for nothing else.
 *
 * 32-bit FNV-1a, finished with murmur3's fmix32; a result of 0 becomes 1. The fields, big-endian:
 *
 *	ethertype 2, IP protocol 1, IPv6 flow label 4, VLAN TCI 2, zeros 4,
 *	lower port 2, higher port 2, lower address, higher address (4 or 16 each, none without IP)
 *
 * In a host's key protocol, label, ports and the other address are 0.
 *
 * FNV-1a takes a byte b as h = (h ^ b) * prime, so a zero byte is a multiplication alone. Zeros
 * sort first: all but the last address is the same for both hosts of a packet and is computed once.
 */
#include "packet/hash.h"

#include <string.h>

#include "packet/hash_message.h"

#define FNV_BASIS 2166136261u
#define FNV_PRIME 16777619u

static uint32_t fnv_bytes(uint32_t hash, const uint8_t *p, unsigned n)
{
	while (n--)
		hash = (hash ^ *p++) * FNV_PRIME;
	return hash;
}

static uint32_t fnv_zeros(uint32_t hash, unsigned n)
{
	while (n--)
		hash *= FNV_PRIME;
	return hash;
}

static uint32_t fnv_be16(uint32_t hash, uint16_t v)
{
	hash = (hash ^ v >> 8) * FNV_PRIME;
	return (hash ^ (v & 0xff)) * FNV_PRIME;
}

static uint32_t fnv_be32(uint32_t hash, uint32_t v)
{
	return fnv_be16(fnv_be16(hash, v >> 16), v);
}

/* murmur3's finalizer: FNV-1a leaves its low bits poorly mixed. */
static uint32_t finish(uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= 0x85ebca6b;
	hash ^= hash >> 13;
	hash *= 0xc2b2ae35;
	hash ^= hash >> 16;
	return hash_nonzero(hash);
}

static uint32_t hash_flow(const struct packet_headers *h)
{
	bool ports = !h->flow_label; /* the label stands in for them */
	bool swap_ports = h->sport > h->dport;
	bool swap_addrs = memcmp(h->src, h->dst, h->addr_len) > 0;
	uint16_t low = swap_ports ? h->dport : h->sport;
	uint16_t high = swap_ports ? h->sport : h->dport;
	uint32_t hash = fnv_be16(FNV_BASIS, h->ethertype);

	hash = (hash ^ h->proto) * FNV_PRIME;
	hash = fnv_be32(hash, h->flow_label);
	hash = fnv_be16(hash, h->vlan_tci);
	hash = fnv_zeros(hash, 4);
	hash = fnv_be16(hash, ports ? low : 0);
	hash = fnv_be16(hash, ports ? high : 0);
	hash = fnv_bytes(hash, swap_addrs ? h->dst : h->src, h->addr_len);
	hash = fnv_bytes(hash, swap_addrs ? h->src : h->dst, h->addr_len);
	return finish(hash);
}

static void reference_compute(const struct packet_hasher *hasher, const struct packet_headers *h,
			      struct packet_hashes *out)
{
	uint32_t common;

	(void)hasher;
	*out = (struct packet_hashes){.flow = hash_flow(h)};
	if (!h->addr_len)
		return;
	common = fnv_be16(FNV_BASIS, h->ethertype);
	common = fnv_zeros(common, 1 + 4); /* protocol, label */
	common = fnv_be16(common, h->vlan_tci);
	common = fnv_zeros(common, 4 + 2 + 2 + h->addr_len); /* padding, ports, other address */
	out->src_host = finish(fnv_bytes(common, h->src, h->addr_len));
	out->dst_host = finish(fnv_bytes(common, h->dst, h->addr_len));
}

static void reference_compute_burst(const struct packet_hasher *hasher, struct packet_view *views,
				    unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		reference_compute(hasher, &views[i].headers, &views[i].hashes);
}

void hash_reference_init(struct packet_hasher *hasher)
{
	hasher->name = "FNV-1a, not keyed";
	hasher->compute = reference_compute_burst;
}

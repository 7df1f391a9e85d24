/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities by SipHash-1-3, cut to 32 bits: for processors without AES instructions, and where
 * every machine is to give the same result.
 *
 * 1-3 is what its authors suggest for hash tables, whose hashes nobody sees: two rounds less for
 * each word than 2-4, the one to sign with. The kind of a message is its last byte.
 */
#include "packet/hash.h"

#include "base/hot.h"
#include "packet/hash_message.h"
#include "packet/siphash.h"

/* Inlined, so that the number of words is a constant and no loop is left. */
HOT uint32_t sip(const struct packet_hasher *hasher, enum packet_hash_kind kind,
		 const uint64_t *words, unsigned n)
{
	uint64_t last = (uint64_t)(8 * n + 1) << 56 | kind;

	return hash_nonzero((uint32_t)siphash(hasher->sip_key, 1, 3, words, n, last));
}

static uint32_t sip_flow4(const struct packet_hasher *hasher, const struct packet_headers *h)
{
	const uint64_t words[] = {message_addresses4(h), message_ports(h)};

	return sip(hasher, PACKET_HASH_FLOW4, words, 2);
}

static uint32_t sip_flow6(const struct packet_hasher *hasher, const struct packet_headers *h)
{
	uint64_t words[5] = {h->flow_label ? message_label(h) : message_ports(h)};

	message_addresses6(h, words + 1);
	return sip(hasher, h->flow_label ? PACKET_HASH_FLOW6_LABEL : PACKET_HASH_FLOW6_PORTS, words,
		   5);
}

static uint32_t sip_flow_other(const struct packet_hasher *hasher, const struct packet_headers *h)
{
	const uint64_t words[] = {message_ethertype(h)};

	return sip(hasher, PACKET_HASH_FLOW_OTHER, words, 1);
}

static uint32_t sip_host4(const struct packet_hasher *hasher, const struct packet_headers *h,
			  const uint8_t *address)
{
	const uint64_t words[] = {message_host4(h, address)};

	return sip(hasher, PACKET_HASH_HOST4, words, 1);
}

static uint32_t sip_host6(const struct packet_hasher *hasher, const struct packet_headers *h,
			  const uint8_t *address)
{
	const uint64_t words[] = {message_tags(h), load_le64(address), load_le64(address + 8)};

	return sip(hasher, PACKET_HASH_HOST6, words, 3);
}

static void sip_compute(const struct packet_hasher *hasher, const struct packet_headers *h,
			struct packet_hashes *out)
{
	bool flow = hasher->needed & CAKE_FLOWS;
	bool src = hasher->needed & CAKE_SRCHOST, dst = hasher->needed & CAKE_DSTHOST;

	switch (h->addr_len) {
	case 4:
		out->flow = flow ? sip_flow4(hasher, h) : 0;
		out->src_host = src ? sip_host4(hasher, h, h->src) : 0;
		out->dst_host = dst ? sip_host4(hasher, h, h->dst) : 0;
		break;
	case 16:
		out->flow = flow ? sip_flow6(hasher, h) : 0;
		out->src_host = src ? sip_host6(hasher, h, h->src) : 0;
		out->dst_host = dst ? sip_host6(hasher, h, h->dst) : 0;
		break;
	default:
		*out = (struct packet_hashes){.flow = flow ? sip_flow_other(hasher, h) : 0};
		break;
	}
}

static void sip_compute_burst(const struct packet_hasher *hasher, struct packet_view *views,
			      unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sip_compute(hasher, &views[i].headers, &views[i].hashes);
}

void hash_sip_init(struct packet_hasher *hasher, const uint8_t *key)
{
	hasher->name = "SipHash-1-3";
	hasher->compute = sip_compute_burst;
	hasher->sip_key[0] = load_le64(key);
	hasher->sip_key[1] = load_le64(key + 8);
}

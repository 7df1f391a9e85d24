/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the keyed functions hash: the fields of an identity (hash.h) as words of 64 bits, and the
 * functions' set-up for hash.c. For hash*.c alone.
 *
 *	bits          0..31                       32..39     40..51    52..63
 *	fields word   lower port, higher port     protocol   VLAN id   inner VLAN id
 *	              or the flow label
 *	              or the ethertype            0
 *
 * So a flow is two words with IPv4 addresses, one AES block, and five with IPv6's.
 */
#ifndef GATEAU_PACKET_HASH_MESSAGE_H
#define GATEAU_PACKET_HASH_MESSAGE_H

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "packet/hash.h"

/** Returns false where the processor has no AES instructions, and leaves @hasher alone. */
bool hash_aes_init(struct packet_hasher *hasher, const uint8_t *key);
void hash_sip_init(struct packet_hasher *hasher, const uint8_t *key);
void hash_reference_init(struct packet_hasher *hasher);

/** 0 is kept for "no identity". */
static inline uint32_t hash_nonzero(uint32_t hash)
{
	return hash ? hash : 1;
}

static inline uint32_t load_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t load_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/** VLAN ids where they stand in every message. */
static inline uint64_t message_tags(const struct packet_headers *h)
{
	return (uint64_t)h->vlan_id << 40 | (uint64_t)h->inner_vlan_id << 52;
}

static inline uint64_t message_ports(const struct packet_headers *h)
{
	uint32_t low = h->sport < h->dport ? h->sport : h->dport;
	uint32_t high = h->sport < h->dport ? h->dport : h->sport;

	return message_tags(h) | (uint64_t)h->proto << 32 | high << 16 | low;
}

static inline uint64_t message_label(const struct packet_headers *h)
{
	return message_tags(h) | (uint64_t)h->proto << 32 | h->flow_label;
}

static inline uint64_t message_ethertype(const struct packet_headers *h)
{
	return message_tags(h) | h->ethertype;
}

/** An IPv4 host, whole. */
static inline uint64_t message_host4(const struct packet_headers *h, const uint8_t *address)
{
	return message_tags(h) | load_le32(address);
}

/*
 * Sorting addresses is a throw of a coin for each packet: a branch on it would be guessed wrong
 * half of the time, at 15 to 20 cycles. So both orders are computed, and one is chosen by a mask.
 */

/** Both IPv4 addresses; any order does that does not ask who is the source. */
static inline uint64_t message_addresses4(const struct packet_headers *h)
{
	uint64_t a = load_le32(h->src), b = load_le32(h->dst);
	uint64_t differ = (a ^ b) & -(uint64_t)(a > b);

	return (a ^ differ) | (b ^ differ) << 32;
}

/** Both IPv6 addresses, the lower one first. */
static inline void message_addresses6(const struct packet_headers *h, uint64_t words[4])
{
	const uint64_t a[] = {load_le64(h->src), load_le64(h->src + 8)};
	const uint64_t b[] = {load_le64(h->dst), load_le64(h->dst + 8)};
	uint64_t swap = -(uint64_t)(((unsigned __int128)a[0] << 64 | a[1]) >
				    ((unsigned __int128)b[0] << 64 | b[1]));

	for (unsigned i = 0; i < 2; i++) {
		uint64_t differ = (a[i] ^ b[i]) & swap;

		words[i] = a[i] ^ differ;
		words[2 + i] = b[i] ^ differ;
	}
}

#endif

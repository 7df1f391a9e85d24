/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities by AES-128: the Pelican MAC, cut to 32 bits.
 *
 * J. Daemen and V. Rijmen, "The Pelican MAC Function", IACR ePrint 2005/088; the construction is
 * ALRED ("A new MAC construction ALRED and a special case ALPHA-MAC", FSE 2005): a secret state
 * takes up the message block by block, with four rounds of AES without a key between two blocks,
 * and is encrypted at the end.
 *
 *	AES(key, kind) ─► ⊕ block 1 ─► 4 rounds ─► ⊕ block 2 ─► ... ⊕ block n ─► AES(key, ·)
 *
 * The first state is AES of the message's kind instead of AES of 0 and is computed beforehand; all
 * messages of a kind have one length, so none continues another. A message of one block (all of
 * IPv4) comes down to one AES-128 under a secret mask, and an IPv6 flow to 18 rounds instead of
 * CBC-MAC's 30.
 *
 * The three hashes of a packet do not depend on each other: a processor that executes out of order
 * runs their rounds side by side.
 */
#include "packet/hash.h"

#include "packet/aes.h"
#include "packet/hash_message.h"

#ifdef AES_PRESENT

AES_TARGET static inline aes_block start(const struct packet_hasher *hasher,
					 enum packet_hash_kind kind, aes_block block)
{
	return aes_xor(aes_load(hasher->aes.initial[kind]), block);
}

AES_TARGET static inline aes_block next(aes_block state, aes_block block)
{
	const aes_block no_key = aes_from_words(0, 0);

	state = aes_round(state, no_key);
	state = aes_round(state, no_key);
	state = aes_round(state, no_key);
	state = aes_round(state, no_key);
	return aes_xor(state, block);
}

AES_TARGET static inline uint32_t finish(const struct packet_hasher *hasher, aes_block state)
{
	return hash_nonzero(aes_first_word(aes_encrypt(hasher->aes.round_keys, state)));
}

AES_TARGET static inline uint32_t aes_flow4(const struct packet_hasher *hasher,
					    const struct packet_headers *h)
{
	aes_block block = aes_from_words(message_addresses4(h), message_ports(h));

	return finish(hasher, start(hasher, PACKET_HASH_FLOW4, block));
}

AES_TARGET static inline uint32_t aes_flow6(const struct packet_hasher *hasher,
					    const struct packet_headers *h)
{
	uint64_t addresses[4];
	bool label = h->flow_label != 0;
	uint64_t fields = label ? message_label(h) : message_ports(h);
	aes_block state = start(hasher, label ? PACKET_HASH_FLOW6_LABEL : PACKET_HASH_FLOW6_PORTS,
				aes_from_words(fields, 0));

	message_addresses6(h, addresses);
	state = next(state, aes_from_words(addresses[0], addresses[1]));
	state = next(state, aes_from_words(addresses[2], addresses[3]));
	return finish(hasher, state);
}

AES_TARGET static inline uint32_t aes_flow_other(const struct packet_hasher *hasher,
						 const struct packet_headers *h)
{
	aes_block block = aes_from_words(message_ethertype(h), 0);

	return finish(hasher, start(hasher, PACKET_HASH_FLOW_OTHER, block));
}

AES_TARGET static inline uint32_t aes_host4(const struct packet_hasher *hasher,
					    const struct packet_headers *h, const uint8_t *address)
{
	aes_block block = aes_from_words(message_host4(h, address), 0);

	return finish(hasher, start(hasher, PACKET_HASH_HOST4, block));
}

AES_TARGET static inline uint32_t aes_host6(const struct packet_hasher *hasher,
					    const struct packet_headers *h, const uint8_t *address)
{
	aes_block state = start(hasher, PACKET_HASH_HOST6, aes_from_words(message_tags(h), 0));

	return finish(hasher, next(state, aes_load(address)));
}

AES_TARGET static inline void aes_compute(const struct packet_hasher *hasher,
					  const struct packet_headers *h, struct packet_hashes *out)
{
	bool flow = hasher->needed & CAKE_FLOWS;
	bool src = hasher->needed & CAKE_SRCHOST, dst = hasher->needed & CAKE_DSTHOST;

	switch (h->addr_len) {
	case 4:
		out->flow = flow ? aes_flow4(hasher, h) : 0;
		out->src_host = src ? aes_host4(hasher, h, h->src) : 0;
		out->dst_host = dst ? aes_host4(hasher, h, h->dst) : 0;
		break;
	case 16:
		out->flow = flow ? aes_flow6(hasher, h) : 0;
		out->src_host = src ? aes_host6(hasher, h, h->src) : 0;
		out->dst_host = dst ? aes_host6(hasher, h, h->dst) : 0;
		break;
	default:
		*out = (struct packet_hashes){.flow = flow ? aes_flow_other(hasher, h) : 0};
		break;
	}
}

AES_TARGET static void aes_compute_burst(const struct packet_hasher *hasher,
					 struct packet_view *views, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		aes_compute(hasher, &views[i].headers, &views[i].hashes);
}

AES_TARGET static void set_key(struct packet_hasher *hasher, const uint8_t *key)
{
	aes_expand_key(key, hasher->aes.round_keys);
	for (uint64_t kind = 0; kind < PACKET_HASH_KINDS; kind++)
		aes_store(hasher->aes.initial[kind],
			  aes_encrypt(hasher->aes.round_keys, aes_from_words(kind, 0)));
}

bool hash_aes_init(struct packet_hasher *hasher, const uint8_t *key)
{
	if (!aes_supported())
		return false;
	hasher->name = "AES (Pelican)";
	hasher->compute = aes_compute_burst;
	set_key(hasher, key);
	return true;
}

#else

bool hash_aes_init(struct packet_hasher *hasher, const uint8_t *key)
{
	(void)hasher;
	(void)key;
	return false;
}

#endif

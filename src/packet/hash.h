/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities of flow, source host and destination host: 32 bits each, keyed.
 *
 * A sender who knows how flows are told apart can choose addresses and ports that meet in one slot
 * of the flow table, or that share one of its rivals. So the function is secret: a keyed one with a
 * key drawn at start. A NIC's RSS hash is no substitute: Toeplitz and CRC are linear, and what
 * collides once collides together with anything.
 *
 * What counts, in both keyed functions:
 *
 *	flow, IPv4         lower and higher address, lower and higher port, protocol, VLAN ids
 *	flow, IPv6         the same; a flow label that is not 0 takes the place of the ports
 *	flow, not IP       ethertype, VLAN ids
 *	host, IPv4, IPv6   its address, VLAN ids; no identity (0) without IP
 *
 * Addresses and ports are sorted, each on their own: both directions of a connection are one flow,
 * and a host is the same host as source and as destination. VLAN ids are without priority and DEI.
 * Fragments have no ports, all of a datagram alike. Two of these messages are never equal unless
 * they are of one kind and all their fields are.
 *
 * The result of one start means nothing to the next one.
 */
#ifndef GATEAU_PACKET_HASH_H
#define GATEAU_PACKET_HASH_H

#include <gateau/cake_config.h>

#include "packet/packet.h"

#define PACKET_HASH_KEY_BYTES 16

/** Kinds of messages, for each of which the keyed functions are separate ones. */
enum packet_hash_kind {
	PACKET_HASH_FLOW4,
	PACKET_HASH_FLOW6_PORTS,
	PACKET_HASH_FLOW6_LABEL,
	PACKET_HASH_FLOW_OTHER,
	PACKET_HASH_HOST4,
	PACKET_HASH_HOST6,
	PACKET_HASH_KINDS
};

enum packet_hash_method {
	PACKET_HASH_KEYED,     /* AES where the processor has instructions for it, else SipHash */
	PACKET_HASH_PORTABLE,  /* SipHash: the same key gives the same hashes on every machine */
	PACKET_HASH_REFERENCE, /* no key: the golden cases' function, see hash_reference.c */
};

/** How to hash: what is chosen for a program, whatever its schedulers. */
struct packet_hash_params {
	enum packet_hash_method method;
	uint8_t key[PACKET_HASH_KEY_BYTES]; /* uniformly random, secret; not read by the reference
					     */
};

struct packet_hashes {
	uint32_t flow;     /* never 0 */
	uint32_t src_host; /* 0 where there is no IP */
	uint32_t dst_host;
};

/** What was seen of a frame, and what identifies it. */
struct packet_view {
	struct packet_headers headers;
	struct packet_hashes hashes;
};

/**
 * One function with its key. Does not change while packets flow; any thread may read it. It holds
 * the key: do not print it.
 */
struct packet_hasher {
	void (*compute)(const struct packet_hasher *hasher, struct packet_view *views, unsigned n);
	const char *name;          /* the construction, for people */
	enum cake_flowmode needed; /* CAKE_FLOWS, CAKE_SRCHOST, CAKE_DSTHOST: what to compute */
	union {
		struct {
			/* aligned: an instruction takes its key from memory */
			_Alignas(16) uint8_t round_keys[11][16];
			uint8_t initial[PACKET_HASH_KINDS][16];
		} aes;
		uint64_t sip_key[2];
	};
};

/* Read for every packet: the whole of it should fit a corner of the first cache. */
_Static_assert(sizeof(struct packet_hasher) <= 5 * 64, "packet_hasher is five cache lines");

/**
 * Set up the function that @params asks for. Only the hashes that @mode looks at are computed, the
 * others are 0; the reference computes all three.
 */
void packet_hasher_init(struct packet_hasher *hasher, const struct packet_hash_params *params,
			enum cake_flowmode mode);

/** Hash what packet_parse() found of @n frames; hashes are written whole. */
static inline void packet_hash_burst(const struct packet_hasher *hasher, struct packet_view *views,
				     unsigned n)
{
	hasher->compute(hasher, views, n);
}

/** The same for one frame. */
static inline void packet_hash(const struct packet_hasher *hasher, const struct packet_headers *h,
			       struct packet_hashes *out)
{
	struct packet_view view = {.headers = *h};

	packet_hash_burst(hasher, &view, 1);
	*out = view.hashes;
}

#endif

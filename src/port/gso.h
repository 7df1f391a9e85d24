/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Super-packets: TCP segments that a virtual machine's kernel left in one, and its device handed on
 * so (RTE_MBUF_F_RX_LRO). mbuf_describe() finds them; here they become frames.
 *
 * Segments are copies. A payload that they shared with the super-packet would be held whole as long
 * as the last of them is queued, and what each of them pins could not be said.
 */
#ifndef GATEAU_PORT_GSO_H
#define GATEAU_PORT_GSO_H

#include <stdbool.h>

#include "port/mbuf.h"

/**
 * Segments a super-packet may have: 65,535 bytes at 128 each. Hosts' segments are not that small
 * (536 is IPv4's default, RFC 9293), and each of these takes a buffer.
 */
#define GSO_SEGS_MAX 512

/** Whether a described frame is a super-packet. */
static inline bool gso_is_super(struct rte_mbuf *m)
{
	return mbuf_private(m)->packet.gso_segs > 1;
}

/**
 * Cut super-packet @m, of at most GSO_SEGS_MAX segments, into frames in buffers of their own,
 * described as @m is. They are one arrival (cake_packet.more).
 *
 * @param out  room for GSO_SEGS_MAX
 * @return frames written, and @m is freed; 0 without buffers, and @m is as it was
 */
unsigned gso_cut(struct rte_mbuf *m, const struct mbuf_map *map, struct rte_mbuf **out);

/**
 * Make super-packet @m one that the device cuts (TSO).
 *
 * @param flags  RTE_MBUF_F_TX_ flags of what the device does: port.h's tso_flags
 * @return whether the driver takes it; if not, @m is to be cut here
 */
bool gso_offload(struct rte_mbuf *m, uint64_t flags, uint16_t port, uint16_t queue);

#endif

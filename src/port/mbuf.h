/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between DPDK's mbufs and what the scheduler and the packet library know: frames as segments,
 * packets as 32-bit handles. What parsing found rides in the mbuf's private area, so that a frame
 * is parsed once, on the lcore that received it.
 */
#ifndef GATEAU_PORT_MBUF_H
#define GATEAU_PORT_MBUF_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <gateau/cake.h>

#include "packet/describe.h"

/** Bytes of frame one mbuf holds, behind the headroom. */
#define MBUF_DATA_ROOM 2048

/** The longest frame there is: a super-packet of IP's 65,535 bytes, behind two VLAN tags. */
#define MBUF_FRAME_MAX (UINT16_MAX + 22)

/** mbufs of a frame at most. The longest takes 33; drivers may not fill each of them. */
#define MBUF_SEGS_MAX 40
static_assert(MBUF_SEGS_MAX * MBUF_DATA_ROOM >= MBUF_FRAME_MAX, "every frame fits");

/** Written by the lcore that received the frame, read by the one that runs the TX queue. */
struct mbuf_private {
	struct cake_packet packet;
	uint16_t network_offset; /* to the outer IP header, see packet_headers */
	uint8_t l3;              /* enum packet_l3 */
	uint8_t unclassified;    /* enum packet_unclassified */
	uint8_t shed_first;      /* enum shed_first, 0 until it was judged */
};

/* mbufs are cache-line aligned; one line keeps the private area from moving the data. */
static_assert(sizeof(struct mbuf_private) <= RTE_CACHE_LINE_SIZE, "private area: one line");
#define MBUF_PRIVATE_SIZE RTE_CACHE_LINE_SIZE

/* The record for an ACK filter has lines of its own, in pools whose frames may meet one: the
 * others do not pay for it. */
#define MBUF_TCP_SIZE RTE_CACHE_LINE_ROUNDUP(sizeof(struct cake_tcp))

/** Bytes of the private area; @tcp: with room for a record of TCP headers. */
static inline uint16_t mbuf_private_size(bool tcp)
{
	return MBUF_PRIVATE_SIZE + (tcp ? MBUF_TCP_SIZE : 0);
}

/** Size of the object rte_pktmbuf_pool_create() makes: header, private area, room. */
static inline uint32_t mbuf_object_size(bool tcp)
{
	return sizeof(struct rte_mbuf) + mbuf_private_size(tcp) + RTE_PKTMBUF_HEADROOM +
	       MBUF_DATA_ROOM;
}

/*
 * The pool that all frames come from.
 *
 * A handle is the mbuf's distance from the pool's lowest address in cache lines: 32 bits reach
 * 256 GB, which pool_create() checks.
 */
struct mbuf_map {
	struct rte_mempool *mempool;
	uintptr_t base;         /* its lowest address */
	uint32_t element_bytes; /* memory one mbuf pins, the pool's own overhead included */
};

static inline struct mbuf_private *mbuf_private(struct rte_mbuf *m)
{
	return rte_mbuf_to_priv(m);
}

/** Only in a pool that has room for it. */
static inline struct cake_tcp *mbuf_tcp(struct rte_mbuf *m)
{
	return RTE_PTR_ADD(rte_mbuf_to_priv(m), MBUF_PRIVATE_SIZE);
}

static inline uint32_t mbuf_to_handle(const struct mbuf_map *map, const struct rte_mbuf *m)
{
	return (uint32_t)(((uintptr_t)m - map->base) / RTE_CACHE_LINE_SIZE);
}

static inline struct rte_mbuf *mbuf_from_handle(const struct mbuf_map *map, uint32_t handle)
{
	return (struct rte_mbuf *)(map->base + (uintptr_t)handle * RTE_CACHE_LINE_SIZE);
}

/** What the NIC says of a frame, 0 = nothing. */
static inline uint32_t mbuf_mark(const struct rte_mbuf *m)
{
	return m->ol_flags & RTE_MBUF_F_RX_FDIR_ID ? m->hash.fdir.hi : 0;
}

/**
 * A frame as segments; @segs has room for MBUF_SEGS_MAX and must outlive the result. Of the last
 * mbuf, which is mostly the only one, the second line is not touched: it has no more than `next`.
 */
static inline struct packet_frame mbuf_frame(const struct rte_mbuf *m, struct packet_segment *segs)
{
	struct packet_frame f = {.segs = segs, .len = m->pkt_len, .mark = mbuf_mark(m)};
	const unsigned n = m->nb_segs < MBUF_SEGS_MAX ? m->nb_segs : MBUF_SEGS_MAX;

	for (;;) {
		segs[f.n_segs++] = (struct packet_segment){.data = rte_pktmbuf_mtod(m, uint8_t *),
							   .len = m->data_len};
		if (f.n_segs >= n)
			return f;
		m = m->next;
	}
}

/**
 * Whether a received frame is one buffer of the pool, nobody else's, with all its tags, as almost
 * every one is. Told by the mbuf's first line alone.
 */
static inline bool mbuf_is_plain(const struct rte_mbuf *m, const struct mbuf_map *map)
{
	const uint64_t otherwise = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL |
				   RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED;

	return m->nb_segs == 1 && m->pool == map->mempool && !(m->ol_flags & otherwise) &&
	       rte_mbuf_refcnt_read(m) == 1;
}

/** mbuf_make_own() for all others. */
int mbuf_copy_or_restore(struct rte_mbuf **m, const struct mbuf_map *map);

/**
 * Make a received frame one that may be written to, and whole: what shares its buffers with others
 * (reference count, clones, external memory) is copied to buffers of its own, VLAN tags that the
 * driver moved out of it are put back in.
 *
 * Nothing behind this ever sees a shared buffer. So a mark can be written when it is due without a
 * buffer to be had then, what is charged is what a frame pins, and the device may free mbufs
 * without looking (RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE).
 *
 * @return 0; -ENOMEM if there is no buffer, with @m as it was
 */
static inline int mbuf_make_own(struct rte_mbuf **m, const struct mbuf_map *map)
{
	return mbuf_is_plain(*m, map) ? 0 : mbuf_copy_or_restore(m, map);
}

/** Frames looked at together, at most. */
#define MBUF_BURST 32

/**
 * Free frames that have been through mbuf_make_own(): nobody else has their buffers, so that none
 * of what rte_pktmbuf_free_bulk() looks for can be. Leaves @pkts in disorder.
 */
void mbuf_free_bulk(struct rte_mbuf **pkts, unsigned n);

/**
 * Look at @n received frames, at most MBUF_BURST, as @d says and fill their private areas: headers,
 * hashes, handle, charge, and gso_segs if one is a super-packet (gso.h).
 * Each is at least an Ethernet header long, has been through mbuf_make_own(), and its pool has room
 * for what @d reads of TCP.
 */
void mbuf_describe_burst(struct rte_mbuf **pkts, unsigned n, const struct packet_describer *d,
			 const struct mbuf_map *map);

/** The same of one. */
static inline void mbuf_describe(struct rte_mbuf *m, const struct packet_describer *d,
				 const struct mbuf_map *map)
{
	mbuf_describe_burst(&m, 1, d, map);
}

/**
 * The frame is described: its TCP or UDP checksum is not computed yet, and would be dropped for.
 */
void mbuf_complete_checksum(struct rte_mbuf *m);

/** Set ECN to CE, clear DSCP: packet/mark.h. Only after mbuf_describe(). */
void mbuf_set_ce(struct rte_mbuf *m);
void mbuf_wash(struct rte_mbuf *m);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mbuf pool: one for all ports, large enough that no queue can starve reception.
 *
 * Every place where an mbuf can stay is bounded; the pool has the sum. A queue that is full to its
 * memory limit drops, and what it drops is free again, so RX always finds buffers.
 */
#ifndef GATEAU_PORT_POOL_H
#define GATEAU_PORT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "port/mbuf.h"

/** mbufs each lcore keeps at hand. */
#define POOL_CACHE 256

/** Where the mbufs of one port, or of the workers, can be. Counts but the descriptors are of
 * frames. */
struct pool_demand {
	uint64_t memory_limit;   /* bytes its schedulers may hold: cake_memory_limit() */
	uint32_t rx_descriptors; /* of all its RX queues */
	uint32_t tx_descriptors; /* of all its TX queues */
	uint32_t deferred;       /* entries of its defer rings */
	uint32_t in_hand;        /* on their way in, out, or dropped and not yet freed */
	uint32_t segments;       /* mbufs: super-packets that came in, and what they are cut into */
	uint32_t max_frame;      /* bytes, largest frame that can arrive */
	bool tcp;                /* its schedulers have an ACK filter: see mbuf_tcp() */
};

/** The sum, in mbufs by place, and what one and all of them take. */
struct pool_plan {
	uint32_t queued, descriptors, deferred, in_hand, caches;
	uint32_t element_bytes;
	uint32_t elements;
	uint64_t bytes;
	bool tcp; /* each mbuf has room for mbuf_tcp() */
};

struct pool {
	struct rte_mempool *mempool;
	struct mbuf_map map;
};

/** Bytes one mbuf takes in a pool, with room for mbuf_tcp() or not. DPDK need not run yet. */
uint32_t pool_element_bytes(bool tcp);

/** mbufs a frame of @len bytes is spread over. */
static inline uint32_t pool_mbufs_of(uint32_t len)
{
	return (len + MBUF_DATA_ROOM - 1) / MBUF_DATA_ROOM;
}

/** Add up what @n demands and @lcores (with a cache each) make. -ERANGE if it is absurdly much. */
int pool_plan(struct pool_plan *plan, const struct pool_demand *ports, unsigned n, unsigned lcores);

/** @name is unique; @node is the NUMA node the memory is to be on, -1 = any, also where that has
 * too little, which is a warning. 0; -ENOMEM; -ERANGE if its addresses do not fit a handle. Says
 * why. */
int pool_create(struct pool *pool, const char *name, const struct pool_plan *plan, int node);

/** mbufs not in the pool nor in a cache. 0 once everything has been returned. */
uint32_t pool_missing(const struct pool *pool);

void pool_destroy(struct pool *pool);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* See pool.h. */
#include "port/pool.h"

#include <errno.h>

#include <rte_eal.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>

#include "base/log.h"

/* A cache is flushed above 1.5 times its size and may take a refill of its size besides. */
#define CACHE_MOST (2 * POOL_CACHE)

uint32_t pool_element_bytes(bool tcp)
{
	struct rte_mempool_objsz size;

	return rte_mempool_calc_obj_size(mbuf_object_size(tcp), 0, &size);
}

int pool_plan(struct pool_plan *plan, const struct pool_demand *ports, unsigned n, unsigned lcores)
{
	uint64_t queued = 0, elements;

	*plan = (struct pool_plan){.caches = lcores * CACHE_MOST};
	for (unsigned i = 0; i < n; i++)
		plan->tcp |= ports[i].tcp;
	plan->element_bytes = pool_element_bytes(plan->tcp);
	for (unsigned i = 0; i < n; i++) {
		const struct pool_demand *p = &ports[i];
		uint32_t per_frame = pool_mbufs_of(p->max_frame);

		/* Each mbuf is charged what it takes, so the limit is a number of mbufs. */
		queued += p->memory_limit / plan->element_bytes;
		plan->descriptors += p->rx_descriptors + p->tx_descriptors;
		plan->deferred += p->deferred * per_frame;
		plan->in_hand += p->in_hand * per_frame + p->segments;
	}
	elements = queued + plan->descriptors + plan->deferred + plan->in_hand + plan->caches;
	if (elements > UINT32_MAX / 2)
		return -ERANGE;
	plan->queued = (uint32_t)queued;
	plan->elements = (uint32_t)elements;
	plan->bytes = elements * plan->element_bytes;
	return 0;
}

struct address_range {
	uintptr_t low, high;
};

static void widen_range(struct rte_mempool *mp, void *arg, struct rte_mempool_memhdr *chunk,
			unsigned index)
{
	struct address_range *range = arg;

	(void)mp;
	(void)index;
	range->low = RTE_MIN(range->low, (uintptr_t)chunk->addr);
	range->high = RTE_MAX(range->high, (uintptr_t)chunk->addr + chunk->len);
}

/*
 * What rte_pktmbuf_pool_create() does, with a choice of flags: without hugepages it would let no
 * element cross a page of 4 KB, and so take 4,096 bytes for each of 2,496. No device does DMA there
 * by physical addresses, so nothing has to be contiguous in them.
 */
static struct rte_mempool *create_mempool(const char *name, const struct pool_plan *plan, int node)
{
	struct rte_pktmbuf_pool_private room = {
		.mbuf_data_room_size = RTE_PKTMBUF_HEADROOM + MBUF_DATA_ROOM,
		.mbuf_priv_size = mbuf_private_size(plan->tcp),
	};
	unsigned flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
	struct rte_mempool *mp;

	mp = rte_mempool_create_empty(name, plan->elements, mbuf_object_size(plan->tcp), POOL_CACHE,
				      sizeof(room), node, flags);
	if (!mp)
		return NULL;
	if (rte_mempool_set_ops_byname(mp, rte_mbuf_best_mempool_ops(), NULL))
		goto err;
	rte_pktmbuf_pool_init(mp, &room);
	if (rte_mempool_populate_default(mp) < 0)
		goto err;
	rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
	return mp;

err:
	rte_mempool_free(mp);
	return NULL;
}

int pool_create(struct pool *pool, const char *name, const struct pool_plan *plan, int node)
{
	struct address_range range = {.low = UINTPTR_MAX};

	pool->mempool = create_mempool(name, plan, node);
	if (!pool->mempool && node != SOCKET_ID_ANY) {
		pool->mempool = create_mempool(name, plan, SOCKET_ID_ANY);
		if (pool->mempool)
			log_warning("NUMA node %d, where the ports are, has too little memory for "
				    "the packet buffers: they are on others, too",
				    node);
	}
	if (!pool->mempool) {
		log_error("no memory for %u packet buffers of %u bytes", plan->elements,
			  plan->element_bytes);
		return -ENOMEM;
	}
	rte_mempool_mem_iter(pool->mempool, widen_range, &range);
	/* The lowest mbuf lies behind its header in the lowest chunk, whose start need not be
	 * aligned; handles count whole lines from a line's start. */
	range.low = RTE_ALIGN_FLOOR(range.low, RTE_CACHE_LINE_SIZE);
	if ((range.high - range.low) / RTE_CACHE_LINE_SIZE > UINT32_MAX) {
		log_error("packet buffers lie too far apart: %#zx to %#zx", (size_t)range.low,
			  (size_t)range.high);
		pool_destroy(pool);
		return -ERANGE;
	}
	pool->map = (struct mbuf_map){
		.mempool = pool->mempool,
		.base = range.low,
		.element_bytes = plan->element_bytes,
	};
	return 0;
}

uint32_t pool_missing(const struct pool *pool)
{
	return pool->mempool->size - rte_mempool_avail_count(pool->mempool);
}

void pool_destroy(struct pool *pool)
{
	rte_mempool_free(pool->mempool);
	pool->mempool = NULL;
}

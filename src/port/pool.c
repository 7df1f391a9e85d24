/* SPDX-License-Identifier: BSD-3-Clause */
/* See pool.h. */
#include "port/pool.h"

#include <errno.h>

#include <rte_errno.h>
#include <rte_mempool.h>

#include "base/log.h"

/* A cache is flushed above 1.5 times its size and may take a refill of its size besides. */
#define CACHE_MOST (2 * POOL_CACHE)

uint32_t pool_element_bytes(void)
{
	struct rte_mempool_objsz size;

	return rte_mempool_calc_obj_size(MBUF_OBJECT_SIZE, 0, &size);
}

int pool_plan(struct pool_plan *plan, const struct pool_demand *ports, unsigned n, unsigned lcores)
{
	uint64_t queued = 0, elements;

	*plan = (struct pool_plan){
		.element_bytes = pool_element_bytes(),
		.caches = lcores * CACHE_MOST,
	};
	for (unsigned i = 0; i < n; i++) {
		const struct pool_demand *p = &ports[i];
		uint32_t per_frame = pool_mbufs_of(p->max_frame);

		/* Each mbuf is charged what it takes, so the limit is a number of mbufs. */
		queued += p->memory_limit / plan->element_bytes;
		plan->descriptors += p->rx_descriptors + p->tx_descriptors;
		plan->deferred += p->deferred * per_frame;
		plan->in_hand += p->in_hand * per_frame;
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

int pool_create(struct pool *pool, const struct pool_plan *plan)
{
	struct address_range range = {.low = UINTPTR_MAX};

	pool->mempool =
		rte_pktmbuf_pool_create("gateau", plan->elements, POOL_CACHE, MBUF_PRIVATE_SIZE,
					RTE_PKTMBUF_HEADROOM + MBUF_DATA_ROOM, SOCKET_ID_ANY);
	if (!pool->mempool) {
		log_error("no memory for %u packet buffers of %u bytes (%s)", plan->elements,
			  plan->element_bytes, rte_strerror(rte_errno));
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
	pool->map = (struct mbuf_map){.base = range.low, .element_bytes = plan->element_bytes};
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

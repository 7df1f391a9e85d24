/* SPDX-License-Identifier: BSD-3-Clause */
/* See defer.h. */
#include "txq/defer.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

/* RTS: a producer that is preempted in the middle delays when its frames become visible, but
 * makes no other producer spin. */
#define DEFER_FLAGS (RING_F_MP_RTS_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ)

int defer_create(struct rte_ring **out)
{
	/* One more than it holds, up to a power of 2, is what RING_F_EXACT_SZ makes of it. */
	ssize_t size = rte_ring_get_memsize(2 * DEFER_SIZE);
	struct rte_ring *ring =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_CACHE_LINE_ROUNDUP((size_t)size));

	if (!ring)
		return -ENOMEM;
	rte_ring_init(ring, "defer", DEFER_SIZE, DEFER_FLAGS);
	/* An eighth of the ring by default: once the others have put in that much behind the
	 * preempted one, they would spin all the same. With the whole of it the ring is full
	 * before it comes to that, and what does not fit is dropped. */
	rte_ring_set_prod_htd_max(ring, DEFER_SIZE);
	*out = ring;
	return 0;
}

void defer_destroy(struct rte_ring *ring)
{
	free(ring);
}

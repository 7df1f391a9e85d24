/* SPDX-License-Identifier: BSD-3-Clause */
/* See defer.h. */
#include "txq/defer.h"

#include <errno.h>

#include <rte_lcore.h>

/* RTS: a producer that is preempted in the middle delays when its frames become visible, but
 * makes no other producer spin. */
#define DEFER_FLAGS (RING_F_MP_RTS_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ)

int defer_create(struct rte_ring **out, const char *name)
{
	struct rte_ring *ring =
		rte_ring_create(name, DEFER_SIZE, (int)rte_socket_id(), DEFER_FLAGS);

	if (!ring)
		return -ENOMEM;
	/* An eighth of the ring by default: once the others have put in that much behind the
	 * preempted one, they would spin all the same. With the whole of it the ring is full
	 * before it comes to that, and what does not fit is dropped. */
	rte_ring_set_prod_htd_max(ring, DEFER_SIZE);
	*out = ring;
	return 0;
}

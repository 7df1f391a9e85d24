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
	*out = rte_ring_create(name, DEFER_SIZE, (int)rte_socket_id(), DEFER_FLAGS);
	return *out ? 0 : -ENOMEM;
}

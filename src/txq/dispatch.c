/* SPDX-License-Identifier: BSD-3-Clause */
/* See dispatch.h. */
#include "txq/dispatch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "port/mbuf.h"
#include "share/share.h"

struct dispatch {
	unsigned n, lcore;
	enum steer steer;
	struct txq *queues[SHARE_QUEUES_MAX];
	struct txq_dead *dead;
	struct dispatch_counters counters;
};

int dispatch_create(struct dispatch **out, struct txq *const *queues, unsigned n, enum steer steer,
		    unsigned lcore, struct txq_dead *dead)
{
	struct dispatch *d = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_CACHE_LINE_ROUNDUP(sizeof(*d)));

	assert(n <= SHARE_QUEUES_MAX);
	if (!d)
		return -ENOMEM;
	memset(d, 0, sizeof(*d));
	d->n = n;
	d->lcore = lcore;
	d->steer = steer;
	d->dead = dead;
	memcpy(d->queues, queues, n * sizeof(*queues));
	*out = d;
	return 0;
}

void dispatch_destroy(struct dispatch *d)
{
	free(d);
}

/** Append to the ring; what it has no room for is dropped here. */
static void defer(struct dispatch *d, struct txq *q, struct rte_mbuf **pkts, unsigned n)
{
	unsigned taken = txq_defer(q, pkts, n);

	counter_add(&d->counters.deferred, taken);
	if (taken == n)
		return;
	txq_free(q, pkts + taken, n - taken);
	counter_add(&d->counters.defer, n - taken);
}

/** All frames of @pkts are for queue @q. */
static void hand_over(struct dispatch *d, struct txq *q, struct rte_mbuf **pkts, unsigned n,
		      uint64_t now)
{
	/* Claimed for this alone: whatever holds this lcore up elsewhere, others may run it. */
	if (txq_home(q) != d->lcore || !txq_claim(q)) {
		defer(d, q, pkts, n);
		return;
	}
	txq_enqueue(q, pkts, n, now, d->dead);
	txq_release(q);
	txq_free_dead(q, d->dead);
}

void dispatch_burst(struct dispatch *d, struct rte_mbuf **pkts, unsigned n, uint64_t now)
{
	struct rte_mbuf *group[DISPATCH_BURST];
	uint8_t to[DISPATCH_BURST];
	unsigned left = n;

	if (d->n == 1 || (n && mbuf_private(pkts[0])->packet.more)) {
		unsigned q =
			d->n == 1 ? 0 : steer_queue(d->steer, &mbuf_private(pkts[0])->packet, d->n);

		if (n)
			hand_over(d, d->queues[q], pkts, n, now);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		to[i] = steer_queue(d->steer, &mbuf_private(pkts[i])->packet, d->n);
	/* In turn by the first frame that is left: each group in order. */
	while (left) {
		unsigned q = to[0], n_group = 0, kept = 0;

		for (unsigned i = 0; i < left; i++) {
			if (to[i] == q) {
				group[n_group++] = pkts[i];
			} else {
				to[kept] = to[i];
				pkts[kept++] = pkts[i];
			}
		}
		hand_over(d, d->queues[q], group, n_group, now);
		left = kept;
	}
}

const struct dispatch_counters *dispatch_counters(const struct dispatch *d)
{
	return &d->counters;
}

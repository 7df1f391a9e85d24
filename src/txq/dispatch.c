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
	uint32_t marks[SHARE_QUEUES_MAX]; /* txq_mark() behind the last frame put on its ring */
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

/** Append to the ring of queue @to; what it has no room for is dropped here. */
static void defer(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n)
{
	struct txq *q = d->queues[to];
	unsigned taken = txq_defer(q, pkts, n);

	if (taken) {
		d->marks[to] = txq_mark(q);
		counter_add(&d->counters.deferred, taken);
	}
	if (taken < n) {
		txq_free(q, pkts + taken, n - taken);
		counter_add(&d->counters.defer, n - taken);
	}
}

/** Straight into queue @to, claimed for this alone: whatever holds this lcore up elsewhere, others
 * may run it. False: it is not this lcore's to do, or not yet. */
static bool enqueue(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n,
		    uint64_t now)
{
	struct txq *q = d->queues[to];
	bool taken;

	if (txq_home(q) != d->lcore || !txq_claim(q, now))
		return false;
	taken = txq_enqueue(q, pkts, n, d->marks[to], now, d->dead);
	txq_release(q);
	txq_free_dead(q, d->dead);
	return taken;
}

/** All frames of @pkts are for queue @to. */
static void hand_over(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n,
		      uint64_t now)
{
	if (!enqueue(d, to, pkts, n, now))
		defer(d, to, pkts, n);
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
			hand_over(d, q, pkts, n, now);
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
		hand_over(d, q, group, n_group, now);
		left = kept;
	}
}

const struct dispatch_counters *dispatch_counters(const struct dispatch *d)
{
	return &d->counters;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See dispatch.h. */
#include "txq/dispatch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "port/mbuf.h"
#include "share/share.h"
#include "txq/shed_table.h"

struct dispatch {
	unsigned n, lcore;
	enum steer steer;
	struct txq *queues[SHARE_QUEUES_MAX];
	uint32_t marks[SHARE_QUEUES_MAX]; /* txq_mark() behind the last frame put on its ring */
	struct shed_table *flows[SHARE_QUEUES_MAX];
	struct txq_dead *dead;
	struct dispatch_counters counters;
};

int dispatch_create(struct dispatch **out, struct txq *const *queues, unsigned n, enum steer steer,
		    unsigned lcore, struct txq_dead *dead)
{
	struct dispatch *d = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_CACHE_LINE_ROUNDUP(sizeof(*d)));
	int ret;

	assert(n <= SHARE_QUEUES_MAX);
	if (!d)
		return -ENOMEM;
	memset(d, 0, sizeof(*d));
	d->lcore = lcore;
	d->steer = steer;
	d->dead = dead;
	for (; d->n < n; d->n++) {
		d->queues[d->n] = queues[d->n];
		ret = shed_table_create(&d->flows[d->n], txq_shed(queues[d->n]), lcore);
		if (ret) {
			dispatch_destroy(d);
			return ret;
		}
	}
	*out = d;
	return 0;
}

void dispatch_destroy(struct dispatch *d)
{
	for (unsigned i = 0; d && i < d->n; i++)
		shed_table_destroy(d->flows[i]);
	free(d);
}

void dispatch_set_steer(struct dispatch *d, enum steer steer)
{
	d->steer = steer;
}

/** The queue is not to have this frame: it is told how much that was. */
static void refuse(struct dispatch *d, unsigned to, struct rte_mbuf *m)
{
	const struct cake_packet *p = &mbuf_private(m)->packet;

	shed_refused(d->flows[to], shed_tin_of(d->flows[to], p), p->len);
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
		for (unsigned i = taken; i < n; i++)
			refuse(d, to, pkts[i]);
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

/** An arrival of @n frames and @bytes, of which @p is the first, was judged. Returns whether it
 * passes; what does not is counted. */
static inline bool note_verdict(struct dispatch *d, unsigned to, struct mbuf_private *p,
				enum shed_verdict verdict, enum shed_first first, unsigned tin,
				unsigned n, uint32_t bytes)
{
	p->shed_first = (uint8_t)first;
	if (verdict == SHED_PASS)
		return true;
	counter_add(verdict == SHED_DROP ? &d->counters.shed[tin] : &d->counters.defer, n);
	shed_refused(d->flows[to], tin, bytes);
	return false;
}

/** All frames are segments of one super-packet, which passes as a whole or not at all. */
static bool arrival_passes(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n)
{
	struct mbuf_private *p = mbuf_private(pkts[0]);
	unsigned tin = shed_tin_of(d->flows[to], &p->packet);
	enum shed_verdict verdict;
	enum shed_first first;
	uint32_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += mbuf_private(pkts[i])->packet.len;
	verdict = shed_judge(d->flows[to], &p->packet, tin, bytes, &first);
	return note_verdict(d, to, p, verdict, first, tin, n, bytes);
}

/** Each frame is an arrival. Those that are refused are moved to @refused. Returns how many are
 * left. */
static unsigned sort(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n,
		     struct rte_mbuf **refused)
{
	struct shed_table *flows = d->flows[to];
	uint64_t hashes[DISPATCH_BURST];
	uint8_t tins[DISPATCH_BURST];
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct cake_packet *p = &mbuf_private(pkts[i])->packet;

		tins[i] = (uint8_t)shed_tin_of(flows, p);
		hashes[i] = shed_prefetch(flows, p, tins[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *m = pkts[i];
		struct mbuf_private *p = mbuf_private(m);
		const uint32_t bytes = p->packet.len;
		enum shed_first first;
		enum shed_verdict verdict =
			shed_judge_hashed(flows, &p->packet, tins[i], hashes[i], bytes, &first);

		if (note_verdict(d, to, p, verdict, first, tins[i], 1, bytes))
			pkts[kept++] = m;
		else
			refused[i - kept] = m;
	}
	return kept;
}

/** The queue is overloaded: only what is not ahead of its share goes on, the rest is freed. Returns
 * how many. */
static unsigned shed(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n)
{
	struct rte_mbuf *refused[DISPATCH_BURST];
	unsigned kept;

	if (mbuf_private(pkts[0])->packet.more) {
		if (arrival_passes(d, to, pkts, n))
			return n;
		txq_free(d->queues[to], pkts, n);
		return 0;
	}
	kept = sort(d, to, pkts, n, refused);
	if (kept < n)
		txq_free(d->queues[to], refused, n - kept);
	return kept;
}

static void note(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct cake_packet *p = &mbuf_private(pkts[i])->packet;

		shed_note(d->flows[to], p, shed_tin_of(d->flows[to], p));
	}
}

/** All frames of @pkts are for queue @to. */
static void hand_over(struct dispatch *d, unsigned to, struct rte_mbuf **pkts, unsigned n,
		      uint64_t now)
{
	if (shed_begin(d->flows[to], txq_half_full(d->queues[to]), now))
		n = shed(d, to, pkts, n);
	else if (shed_samples(d->flows[to]))
		note(d, to, pkts, n);
	if (!n)
		return;
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

uint64_t dispatch_shed_collisions(const struct dispatch *d)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < d->n; i++)
		sum += counter_get(shed_collisions(d->flows[i]));
	return sum;
}

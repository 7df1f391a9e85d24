/* SPDX-License-Identifier: BSD-3-Clause */
/* See cost.h. */
#include "cost.h"

#include "share/share.h"

/*
 * parse, ring, enqueue, dequeue, drop and shed are the figures that the algorithms were designed
 * with: a consumer of 20 million packets/s, which files here and their limits speak of. What is
 * measured is in docs/performance.md, on an AMD EPYC that nobody else used at the time: parse 25,
 * ring 3, shed 10, run 20, enqueue 13, dequeue 23, drop 50. All limits of the short runs hold with
 * those, too. A contended atomic operation was measured at 29 ns between two threads of a core;
 * across sockets it is some 100 ns. A line that another lcore has written is a cache miss that
 * others overlap with.
 */
void cost_default(struct cost *c)
{
	*c = (struct cost){
		.poll = 10,
		.parse = 12,
		.ring = 1,
		.shed = 6,
		.run = 20,
		.enqueue = 25,
		.dequeue = 25,
		.drop = 30,
		.line = 10,
		.reserve = 29,
	};
}

/** Of looking at the others, ns; and of what Linux did then, for all tins but the @tins in use. */
static uint64_t cost_of_sync(const struct cost *c, unsigned siblings, unsigned tins)
{
	return (uint64_t)c->line * (siblings - 1) +
	       (uint64_t)c->clear * (CAKE_MAX_TINS - tins) * CAKE_FLOWS_DEFAULT;
}

uint64_t cost_of_queue(const struct cost *c, const struct txq *q, unsigned siblings, unsigned tins,
		       struct cost_queue *seen)
{
	const struct txq_counters *counters = txq_counters(q);
	struct share_counters share = {0};
	struct cost_queue now = {
		.sent = counter_get(&counters->sent_packets),
		.inside = txq_queued(q) + txq_held(q),
	};
	uint64_t sent, dropped, entered, ns;

	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		now.dropped += counter_get(&counters->dropped[d]);
	txq_share_counters(q, &share);
	now.syncs = share.syncs;
	now.reservations = share.reservations;
	sent = now.sent - seen->sent;
	dropped = now.dropped - seen->dropped;
	entered = sent + dropped + now.inside - seen->inside;
	ns = entered * c->enqueue + sent * c->dequeue + dropped * c->drop +
	     (now.syncs - seen->syncs) * cost_of_sync(c, siblings, tins) +
	     (now.reservations - seen->reservations) * c->reserve;
	*seen = now;
	return ns;
}

uint64_t cost_of_dispatch(const struct cost *c, const struct dispatch *d,
			  struct cost_dispatch *seen)
{
	const struct dispatch_counters *counters = dispatch_counters(d);
	struct cost_dispatch now = {.ring = counter_get(&counters->deferred) +
					    counter_get(&counters->defer)};
	uint64_t ns;

	for (unsigned t = 0; t < CAKE_MAX_TINS; t++)
		now.shed += counter_get(&counters->shed[t]);
	ns = (now.ring - seen->ring) * c->ring + (now.shed - seen->shed) * c->shed;
	*seen = now;
	return ns;
}

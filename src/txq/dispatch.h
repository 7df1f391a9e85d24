/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a burst from the lcore that received it into the TX queues of a port: steer, shed,
 * then straight into a queue that this lcore runs, or onto its ring.
 *
 * A struct dispatch is one lcore's for one port. Frames are grouped by queue, so that a ring is
 * touched once per group; packets of a flow stay in order.
 */
#ifndef GATEAU_TXQ_DISPATCH_H
#define GATEAU_TXQ_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <gateau/cake.h>

#include "base/counter.h"
#include "share/steer.h"
#include "txq/txq.h"

/** Why a frame did not reach a scheduler. Writer: the lcore. */
struct dispatch_counters {
	counter_t deferred;            /* frames put on a ring; not a drop */
	counter_t defer;               /* dropped: the ring was full */
	counter_t shed[CAKE_MAX_TINS]; /* dropped: ahead of its share of an overloaded queue */
};

struct dispatch;

/**
 * @param queues  of the port, 1..SHARE_QUEUES_MAX
 * @param lcore   number of it: queues whose home it is are served directly
 * @param dead    the lcore's; empty between calls
 * @return 0, -ENOMEM
 */
int dispatch_create(struct dispatch **out, struct txq *const *queues, unsigned n, enum steer steer,
		    unsigned lcore, struct txq_dead *dead);
void dispatch_destroy(struct dispatch *d);

/** The lcore that uses it: choose queues by something else from now on. For flows to stay in order
 * see regroup.h. */
void dispatch_set_steer(struct dispatch *d, enum steer steer);

/** Frames taken at once, at most: an RX burst, or the segments of one super-packet. */
#define DISPATCH_BURST GSO_SEGS_MAX

/**
 * Take @n described frames, at most DISPATCH_BURST. All are the queues' from here on, or were freed
 * and counted. Segments of a super-packet (cake_packet.more) come alone. @pkts is left in disorder.
 */
void dispatch_burst(struct dispatch *d, struct rte_mbuf **pkts, unsigned n, uint64_t now);

const struct dispatch_counters *dispatch_counters(const struct dispatch *d);

/** Frames of flows that shed_table.h had no room for: they may have been shed for others. */
uint64_t dispatch_shed_collisions(const struct dispatch *d);

#endif

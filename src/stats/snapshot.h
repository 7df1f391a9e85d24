/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The statistics of the whole data plane at one time, while it runs or after its end, and whether
 * they add up: every frame received, or cut out of a super-packet, was sent, dropped for a named
 * reason, or is still inside. docs/operations.md describes every number.
 */
#ifndef GATEAU_STATS_SNAPSHOT_H
#define GATEAU_STATS_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_stats.h>

#include "base/sojourn.h"
#include "dataplane/dataplane.h"

/** Reasons a frame is dropped for: those before a scheduler, then the scheduler's. */
#define STATS_REASONS (WORKER_DROPS + CAKE_DECISIONS - CAKE_DROP_OVERFLOW)

/** A TX queue. */
struct stats_queue {
	uint16_t port, queue; /* index into the configuration's ports; which of its queues */
	uint16_t cpu;         /* of the worker that it is dealt to */
	uint64_t tx_packets, tx_bytes;    /* taken by the device */
	uint64_t dropped[CAKE_DECISIONS]; /* by its scheduler */
	uint64_t gso_no_buffer;           /* super-packets, cut late */
	uint64_t link_down;               /* dropped: the link was down for too long */
	uint64_t segments_added;
	uint64_t queued, deferred, held;
	uint64_t marked, device_full;
	uint64_t stalls; /* times its holder was seen to have stopped inside */
	bool stalled;    /* its holder did not answer: what only that one can tell, which is all
			    below, queued and held, is what it said last */
	bool shares;     /* its rate, with the others of the port */
	struct share_counters share;
	struct cake_stats cake;
	struct sojourn sojourn[CAKE_MAX_TINS]; /* of what left the scheduler; internal index */
};

/** Of its TX queues the sums. */
struct stats_port {
	uint64_t rx_packets, rx_bytes;
	uint64_t segments_added;       /* frames made of super-packets, less these */
	uint64_t tx_packets, tx_bytes; /* taken by the device */
	uint64_t dropped[STATS_REASONS];
	uint64_t unclassified[PACKET_UNCLASSIFIED_REASONS]; /* of those received */
	uint64_t queued, deferred, held;
	uint64_t ring_packets; /* that came, or are to come, through a ring from another lcore */
	uint64_t marked, device_full;
	struct port_nic_stats nic;      /* what the device says of itself: no part of the balance */
	bool link_up;                   /* when last seen */
	uint64_t link_downs;            /* times it went down */
	uint64_t shed[CAKE_MAX_TINS];   /* part of what was dropped, by tin: internal index */
	uint64_t shed_collisions;       /* of those received: dispatch_shed_collisions() */
	unsigned first_queue, n_queues; /* in `queues`; 0: no link leads to the port */
	unsigned stalled_queues;
	struct cake_stats cake; /* cake_stats_add() */
	struct sojourn sojourn[CAKE_MAX_TINS];
};

struct stats_worker {
	uint16_t cpu;
	uint64_t passes, busy_passes, stalls, stall_ns, max_stall_ns;
	uint64_t taken_up; /* other workers' TX queues, in their stead */
	uint64_t busy_cycles, sleeps, slept_ns, interrupts, late_wakeups;
};

/** Zero it to begin with. */
struct stats_snapshot {
	const struct gateau_config *config;
	uint64_t uptime_ns;
	uint64_t hz, error_ppb, dpdk_hz;
	unsigned n_workers, n_queues;
	struct stats_queue *queues; /* by port, then in order */
	struct stats_worker workers[CONFIG_LCORES_MAX];
	struct stats_port ports[CONFIG_PORTS_MAX];

	/* The balance: sums over all ports. */
	uint64_t received, segments_added, sent, dropped, queued, deferred, held;
	uint64_t moved; /* frames received or made while it was collected; 0 at rest */

	uint32_t mbufs, mbufs_lost;
};

/** A short lower-case name of a reason, e.g. "runt", "codel". */
const char *stats_reason_name(unsigned reason);

/** How long a queue's holder may take to answer, ms: a machine that takes its CPU away is no fault,
 * and who asks waits meanwhile. */
#define STATS_PATIENCE_MS 500

enum stats_when {
	STATS_LIVE,    /* while the workers run: each queue is copied by its holder (txq/visit.h) */
	STATS_AT_REST, /* before they start, or after they have ended and before ports are closed */
};

/**
 * Collect everything. A queue whose holder does not answer in time is `stalled` and keeps what it
 * had in @s, which is the snapshot before this one.
 *
 * At rest it balances. A live one is made of moments: workers' counters first, then each queue as a
 * whole. What was on its way between the two is off the balance, so that without stalled queues
 *
 *	-(moved + workers * DISPATCH_BURST) <= stats_difference() <= workers * DISPATCH_BURST
 *
 * where `moved` came in between the first look and the last, and a worker has one burst in hand. A
 * cut super-packet is a burst of its own. While nothing arrives it balances.
 *
 * @return 0, -ENOMEM. Free with stats_free(), also if it fails.
 */
int stats_collect(struct stats_snapshot *s, struct dataplane *dp, enum stats_when when,
		  uint64_t uptime_ns);
void stats_free(struct stats_snapshot *s);

/** Frames received, or made of super-packets, and not accounted for; 0 = balanced. Below 0:
 * accounted for twice. */
int64_t stats_difference(const struct stats_snapshot *s);

#endif

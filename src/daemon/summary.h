/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened between start and stop, and whether it adds up: every frame received, or cut out of
 * a super-packet, was sent, dropped for a named reason, or is still inside. docs/operations.md
 * describes both forms.
 */
#ifndef GATEAU_DAEMON_SUMMARY_H
#define GATEAU_DAEMON_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <gateau/cake_stats.h>

#include "dataplane/dataplane.h"

/** Reasons a frame is dropped for: those before a scheduler, then the scheduler's. */
#define SUMMARY_REASONS (WORKER_DROPS + CAKE_DECISIONS - CAKE_DROP_OVERFLOW)

/** A TX queue. */
struct summary_queue {
	uint16_t port, queue; /* index into the configuration's ports; which of its queues */
	uint16_t cpu;         /* of the worker that it is dealt to */
	uint64_t tx_packets, tx_bytes;    /* taken by the device */
	uint64_t dropped[CAKE_DECISIONS]; /* by its scheduler */
	uint64_t gso_no_buffer;           /* super-packets, cut late */
	uint64_t segments_added;
	uint64_t queued, deferred, held;
	uint64_t marked, device_full;
	uint64_t stalls; /* times its holder was seen to have stopped inside */
	bool shares;     /* its rate, with the others of the port */
	struct share_counters share;
	struct cake_stats cake;
};

/** Of its TX queues the sums. */
struct summary_port {
	uint64_t rx_packets, rx_bytes;
	uint64_t segments_added;       /* frames made of super-packets, less these */
	uint64_t tx_packets, tx_bytes; /* taken by the device */
	uint64_t dropped[SUMMARY_REASONS];
	uint64_t unclassified[PACKET_UNCLASSIFIED_REASONS]; /* of those received */
	uint64_t queued, deferred, held;
	uint64_t marked, device_full;
	struct port_nic_stats nic;      /* what the device says of itself: no part of the balance */
	uint64_t shed[CAKE_MAX_TINS];   /* part of what was dropped, by tin: internal index */
	uint64_t shed_collisions;       /* of those received: dispatch_shed_collisions() */
	unsigned first_queue, n_queues; /* in summary.queues; 0: no link leads to the port */
	struct cake_stats cake;         /* cake_stats_add() */
};

struct summary_worker {
	uint16_t cpu;
	uint64_t passes, busy_passes, stalls, stall_ns, max_stall_ns;
	uint64_t taken_up; /* other workers' TX queues, in their stead */
	uint64_t busy_cycles, sleeps, slept_ns, late_wakeups;
};

struct summary {
	const struct gateau_config *config;
	uint64_t uptime_ns;
	uint64_t hz, error_ppb, dpdk_hz;
	unsigned n_workers, n_queues;
	struct summary_queue *queues; /* by port, then in order */
	struct summary_worker workers[CONFIG_LCORES_MAX];
	struct summary_port ports[CONFIG_PORTS_MAX];

	/* The balance: sums over all ports. */
	uint64_t received, segments_added, sent, dropped, queued, deferred, held;

	uint32_t mbufs, mbufs_lost;
};

/** A short lower-case name of a reason, e.g. "runt", "codel". */
const char *summary_reason_name(unsigned reason);

/**
 * Collect everything; after the workers have ended and before the ports are closed.
 *
 * @return 0, -ENOMEM. Free with summary_free(), also if it fails.
 */
int summary_collect(struct summary *s, const struct dataplane *dp, uint64_t uptime_ns);
void summary_free(struct summary *s);

/** Frames received, or made of super-packets, and not accounted for; 0 = balanced. Below 0:
 * accounted for twice. */
int64_t summary_difference(const struct summary *s);

void summary_print_text(const struct summary *s, FILE *out);

/** 0, -ENOMEM, or -EIO. */
int summary_print_json(const struct summary *s, FILE *out);

#endif

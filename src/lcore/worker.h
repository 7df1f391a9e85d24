/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: the loop of one lcore that polls its RX queues (receive.h), runs its TX queues
 * (serve.h), and those of others that do not come round (rescue.h).
 *
 * Nothing here waits for anyone. Time is read once per pass and passed down. A worker that finds
 * nothing to do for a while rests (rest.h). A worker is
 *built while it does not run (worker_init, worker_add_*), and everything it counts it alone writes.
 *
 * Stopping is a short march in step, so that nobody purges a queue that another still feeds:
 *
 *	WORKER_RUN ──► WORKER_STOP_RX ──► (all workers are there) ──► WORKER_DRAIN ──► ended
 *	                no reception          no producer is left       until empty or late; purge
 */
#ifndef GATEAU_LCORE_WORKER_H
#define GATEAU_LCORE_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#include "base/counter.h"
#include "base/tsc_clock.h"
#include "config/config.h"
#include "lcore/idle.h"
#include "lcore/rescue.h"
#include "lcore/rest.h"
#include "lcore/serve.h"
#include "lcore/sleeper.h"
#include "port/mbuf.h"
#include "share/share.h"
#include "txq/dispatch.h"
#include "txq/txq.h"
#include "txq/visit.h"

/** Frames taken from an RX queue at once. */
#define WORKER_RX_BURST 32

/**
 * A pass that begins this long after the one before it counts as a stall of the machine; after a
 * rest, this long after the time it was to end at.
 */
#define WORKER_STALL_NS 1000000

enum worker_phase {
	WORKER_RUN,
	WORKER_STOP_RX, /* receive no more, go on sending */
	WORKER_DRAIN,   /* end once all TX queues are empty or the drain time is over */
	WORKER_ABANDON, /* end now */
	WORKER_ENDED,   /* only as a worker's answer */
};

/** What all workers of a process are told. */
struct worker_control {
	_Atomic int phase; /* enum worker_phase; main thread: wo, workers: ro */
	uint64_t drain_ns; /* longest time from WORKER_DRAIN to the end */
	const struct tsc_clock *clock;
	struct mbuf_map map;
	struct worker *workers; /* all of them */
	unsigned n_workers;
};

/** Why a frame never reached a scheduler. */
enum worker_drop {
	WORKER_DROP_RUNT,      /* shorter than an Ethernet header */
	WORKER_DROP_TOO_LONG,  /* longer than the egress port's MTU allows, or its segments are */
	WORKER_DROP_NO_BUFFER, /* to copy a frame to whose buffers others have, too */
	WORKER_DROP_GSO_SEGMENTS,  /* a super-packet of more than GSO_SEGS_MAX segments */
	WORKER_DROP_GSO_NO_BUFFER, /* to cut a super-packet into */
	WORKER_DROP_DEFER,         /* the TX queue's ring was full: counted in dispatch.h */
	WORKER_DROP_SHED,          /* ahead of its share of an overloaded queue: likewise */
	WORKER_DROP_LINK_DOWN, /* of the TX queue, for longer than "link_hold": likewise, txq.h */
	WORKER_DROPS
};

/** A short lower-case name for statistics, e.g. "too-long". */
const char *worker_drop_name(enum worker_drop reason);

/**
 * What one worker counts about one port: as the one that frames came in by, but for
 * WORKER_DROP_GSO_NO_BUFFER and segments added, which are the port's that they should leave by.
 * What happened on the way into that port's queues is counted in dispatch.h. Writer: the worker.
 */
struct worker_port_counters {
	counter_t rx_packets, rx_bytes;
	counter_t segments_added; /* frames made of super-packets, less these */
	counter_t dropped[WORKER_DROPS];
	counter_t unclassified[PACKET_UNCLASSIFIED_REASONS]; /* not a drop: they flow */
} __rte_cache_aligned;

/** Writer: the worker. */
struct worker_counters {
	counter_t passes;
	counter_t busy_passes; /* that moved at least one frame */
	counter_t stalls;
	counter_t stall_ns;
	counter_t max_stall_ns;
	counter_t busy_cycles; /* of the TSC, in passes that moved frames */
	counter_t sleeps;
	counter_t slept_ns;
	counter_t interrupts;   /* RX interrupts that ended one */
	counter_t late_wakeups; /* more than IDLE_LATE_NS after the time asked for */
};

struct worker_rx {
	uint16_t device, queue;                   /* DPDK's */
	uint16_t port, to_port;                   /* indices for the counters: ingress and egress */
	uint16_t mtu;                             /* of the egress port */
	bool split_gso;                           /* super-packets are cut before they are queued */
	struct dispatch *to;                      /* this worker's, of the egress port */
	const struct packet_describer *describer; /* of the egress port's scheduler */
};

struct worker {
	/* Written before the worker starts. */
	struct worker_control *control;
	uint16_t lcore; /* DPDK's */
	uint16_t cpu;
	uint16_t n_rx, n_tx;
	uint16_t n_left_out; /* behind the n_rx of `rx`: worker_leave_out() */
	struct worker_rx *rx;
	struct dispatch *to[CONFIG_PORTS_MAX]; /* NULL: it receives nothing that leaves there */
	struct worker_tx *tx;                  /* it is the home of these */
	struct idle_means means;               /* but for `proven`, which is the worker's: once */
	struct visit_door door; /* a visitor is received between two passes; it gets no queue */

	/* Worker: rw. */
	struct tsc_clock_reader time __rte_cache_aligned;
	uint64_t last_pass_ns;  /* when it began, or was to; 0 = none yet */
	uint64_t last_pass_tsc; /* likewise, read in the loop */
	bool last_pass_moved;   /* frames */
	uint64_t busy_ns;       /* the last pass that moved any, or RX interrupt */
	struct share_view views[CONFIG_PORTS_MAX]; /* what it knows of each port's queues */
	struct rescue rescue;
	struct rest rest;
	struct txq_dead dead;

	/* Worker: rw, others: ro; whoever rings: rw. */
	struct sleeper sleeper;

	/* Worker: wo, main thread: ro. */
	_Atomic int reached __rte_cache_aligned; /* enum worker_phase */
	struct worker_counters counters;
	struct worker_port_counters ports[CONFIG_PORTS_MAX];
};

/**
 * 0, -ENOMEM, or what the kernel says that has no descriptor left. Free with worker_fini().
 *
 * @param max_rx,max_tx  queues that may be added; of TX queues this many as home and as many others
 */
int worker_init(struct worker *w, struct worker_control *control, unsigned max_rx, unsigned max_tx);
void worker_fini(struct worker *w);

void worker_add_rx(struct worker *w, const struct worker_rx *rx);

/** A TX queue whose home this worker is; one that it may run when its home does not come round. */
void worker_add_tx(struct worker *w, const struct worker_tx *tx);
void worker_add_foreign(struct worker *w, const struct worker_tx *tx);

/**
 * One pass at @now: receive, run its TX queues, and others that need it. Only its own are run when
 * told not to receive. Returns frames moved.
 */
unsigned worker_pass(struct worker *w, uint64_t now, bool receiving);

/** Once round the loop: such a pass, and a rest if that is due. */
void worker_turn(struct worker *w, uint64_t now, bool receiving);

/**
 * RX interrupts of all its RX queues are to end its rests: "idle": "interrupt". While its devices
 * are started; the main thread while the worker does not run, or the worker's visitor.
 *
 * @param refused  set on failure: the queue whose device has none
 * @return 0 or -errno
 */
int worker_watch_rx(struct worker *w, const struct worker_rx **refused);

/** They are not to any more: before its devices are stopped. */
void worker_unwatch_rx(struct worker *w);

/**
 * The worker's visitor: it no longer receives from port @port, and waits for no interrupt of it.
 * Its other RX queues keep their order.
 */
void worker_leave_out(struct worker *w, unsigned port);

/**
 * The worker's visitor: it receives again from port @port, whose device has been started, if it did
 * before. What leaves by that port may be as long as @mtu allows.
 */
void worker_take_in(struct worker *w, unsigned port, uint16_t mtu);

/**
 * Any thread: see to it that the worker comes round, since there is something for it: its queue's
 * ring, a visit, a phase. Call it after that is visible; it does nothing to a worker that is awake.
 */
void worker_wake(struct worker *w);

/** The loop, for rte_eal_remote_launch(): until control->phase says to end. Returns 0. */
int worker_main(void *worker);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a worker rests, how, and for how long. Numbers only: no DPDK, no clock, no threads.
 *
 *	last frame    IDLE_POLL_NS           ...                  IDLE_MONITOR_NS
 *	    │    poll      │   naps that grow, or the monitor           │   naps
 *	    └──────────────┴────────────────────────────────────────────┴────────►  adaptive
 *	    │    poll      │   until an RX interrupt; at first no longer than a nap
 *	    └──────────────┴─────────────────────────────────────────────────────►  interrupt
 *
 * Under load there is a frame in every other pass and nobody gets here. A nap lasts an eighth of
 * the time that it has been quiet, so that what comes after a gap waits no more than an eighth of
 * that gap longer, and no longer than IDLE_NAP_NS whatever the gap was.
 *
 * A worker that waits for a departure is back before it (IDLE_EARLY_NS) and polls until then: the
 * scheduler's times do not depend on how well the kernel keeps its own.
 */
#ifndef GATEAU_LCORE_IDLE_H
#define GATEAU_LCORE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

/** Polling goes on for this long after the last frame, ns: 1,000 pps of traffic rarely sleeps. */
#define IDLE_POLL_NS 200000

/**
 * Longest nap, ns. With IDLE_LATE_NS for the kernel to wake the worker a frame waits 500 us at
 * most. 2,270 times a second, at 5 us of the kernel's and the drivers' time, is 1 % of a CPU; a
 * virtual machine may need 20 us.
 */
#define IDLE_NAP_NS 440000

/** A worker that is back this much later than it asked for has been woken late, ns. */
#define IDLE_LATE_NS 60000

/**
 * An RX interrupt ends a wait at once; this only bounds what a lost one would cost, ns: 100 times a
 * second is 0.1 % of a CPU.
 */
#define IDLE_WAIT_NS 10000000

/**
 * The monitor notices one device's frames at once and nothing else: the rest is looked at this
 * often, ns.
 */
#define IDLE_MONITOR_REST_NS 50000

/**
 * The monitor is used for so long, ns. It saves power and is back in a microsecond, but to the
 * kernel the CPU is busy: later the CPU is for others.
 */
#define IDLE_MONITOR_NS 100000000

/** Back this long before a departure, ns: waking takes some 10 us, from a deep sleep 50. */
#define IDLE_EARLY_NS 60000

/** A rest that would be shorter than this is not worth the way to the kernel and back, ns. */
#define IDLE_LEAST_NS 10000

enum idle_how {
	IDLE_POLL,    /* no rest: look again at once */
	IDLE_MONITOR, /* the CPU waits, itself, for a write to the next RX descriptor */
	IDLE_NAP,     /* asleep; frames do not end it */
	IDLE_WAIT,    /* asleep; RX interrupts end it */
};

/** What a worker may rest by. */
struct idle_means {
	enum config_idle mode;
	bool monitor; /* its CPU and the devices of its RX queues can */
	bool others;  /* there are other workers: they feed its queues, it looks after theirs */
	bool proven;  /* there has been an RX interrupt: some drivers promise what never comes */
};

struct idle_rest {
	enum idle_how how;
	uint64_t until; /* ns; @now for IDLE_POLL */
};

/**
 * What a worker is to do that has just found nothing to do.
 *
 * @param busy  when it moved a frame last, or was interrupted for one, ns
 * @param due   when one of its queues has something to do by itself, ns: the earliest
 *              txq_next_time(); a time that has passed means now
 */
struct idle_rest idle_rest(const struct idle_means *m, uint64_t now, uint64_t busy, uint64_t due);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port in virtual time for the tests of src/share: several queues, each a real CAKE instance that
 * takes part in one rate, served one after the other by a loop that is a little late each time.
 * What is sent is metered, so that any window of the run can be held against the rate.
 *
 * A queue is kept filled, by putting in a packet for each that left, or gets one packet per period,
 * or both. No checks of behaviour here, but that packets are conserved.
 */
#ifndef GATEAU_TESTS_SHARE_PORT_H
#define GATEAU_TESTS_SHARE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "share/share.h"

#include "kit.h"

#define PORT_FLOWS_MAX 1024 /* of a queue */
#define PORT_STEP_NS   (50 * NS_PER_US)

/** What a queue's packets are. Set before port_start(). */
struct port_load {
	unsigned flows;    /* kept filled; 0 = none */
	unsigned depth;    /* packets per flow, to begin with */
	unsigned hosts;    /* the flows' sources; 0 = one each */
	bool uneven;       /* host i has twice as many flows as host i + 1 */
	uint32_t sizes[4]; /* frame lengths, in turn at random; the first only if the next is 0 */
	uint64_t period;   /* ns: besides, a packet of period_size bytes every so often; 0 = none */
	uint64_t phase;    /* ns: the first of them */
	uint32_t period_size;
	uint8_t tins; /* flows' packets are in tins 1..tins by turns (priority_tin); 0 = no matter
		       */
};

struct port_queue {
	struct port_load load;
	struct cake *cake;
	struct share_queue *share;
	struct prng rng;
	uint64_t poll_ns;       /* next event */
	uint64_t arrival_ns;    /* next of the periodic packets */
	uint64_t delay_ns;      /* it is polled up to so late */
	uint64_t stalled_until; /* ns */
	bool filled;            /* on: what leaves is replaced */
	bool primed;            /* what it is to be filled with was put in */
	uint16_t host_of[PORT_FLOWS_MAX];
	uint64_t in, out, dropped; /* packets */
	uint64_t sent_bytes;       /* adjusted lengths */
	uint64_t flow_bytes[PORT_FLOWS_MAX];
	uint64_t period_out; /* periodic packets sent */
	uint64_t wait_max;   /* ns, of those */
};

struct port {
	struct share_params params;
	struct cake_params cake;
	struct share *share;
	struct share_view view;                    /* one lcore's; */
	struct share_view views[SHARE_QUEUES_MAX]; /* or one per queue */
	bool own_views;
	struct port_queue queues[SHARE_QUEUES_MAX];
	uint64_t now;
	uint64_t sent_bytes;
	uint64_t *sent_at; /* sent_bytes every PORT_STEP_NS since T0 */
	unsigned steps, max_steps;
};

/**
 * Start from port_init() at @bps over @queues, change `cake`, `params` and `queues[].load`, then
 * port_start(). Times run from T0.
 */
void port_init(struct port *p, uint64_t bps, unsigned queues);
void port_start(struct port *p, uint64_t run_ns);
void port_stop(struct port *p);

/** Fill queue @q from now on, or no longer. */
void port_fill(struct port *p, unsigned q, bool filled);

/** Run until @until, ns since T0. */
void port_run(struct port *p, uint64_t until);

/** How far a window of @ns that begins within [@from, @to - @ns] was off at most: bytes. */
struct port_error {
	int64_t over, under; /* >= 0 */
};
struct port_error port_error(const struct port *p, uint64_t ns, uint64_t from, uint64_t to);

/** Sums over the queues. */
struct share_counters port_counters(const struct port *p);
uint64_t port_packets_sent(const struct port *p);

#endif

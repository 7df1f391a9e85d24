/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A box in virtual time: ports, their queues, the lcores that run them, and who sends.
 *
 *	sources ──► RX rings ──► lcores: dispatch ──► TX queues (CAKE) ──► wire ──► deliveries
 *	   closed-loop senders ◄───────────────────────────────────────────────────────┘
 *
 * What is between the RX rings and the wire is the code under src/txq and src/share, as the daemon
 * runs it.
 * There is one world at a time: the functions that src/txq calls back know no other.
 */
#ifndef GATEAU_SCENARIO_WORLD_H
#define GATEAU_SCENARIO_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

#include "base/prng.h"
#include "cake/adjust.h"
#include "cost.h"
#include "event.h"
#include "flow.h"
#include "frame.h"
#include "lcore.h"
#include "meter.h"
#include "nic.h"
#include "phase.h"
#include "share/share.h"
#include "share/steer.h"
#include "txq/dispatch.h"

/** Virtual time begins here, ns: well above zero, as CAKE wants it. */
#define WORLD_START 1000000000ull

struct world_params {
	struct cake_params cake;
	unsigned ports;  /* 1, or 2: two directions, each with RX rings, queues and rate of its own;
			    all lcores serve both */
	unsigned queues; /* TX queues of a port */
	enum share_mode share;
	enum steer steer;
	unsigned rx_lcores; /* as many RX queues per port, one each */
	unsigned tx_lcores; /* TX queues are dealt to them */
	bool apart;         /* those that receive are others than those that send */
	unsigned rx_ring;   /* frames */
	unsigned tx_ring;
	uint64_t wire_bps; /* 0 = infinitely fast */
	uint64_t delay_ns; /* from the wire to who receives */
	struct cost cost;
	uint64_t duration; /* ns */
	uint32_t seed;
	bool sleepless; /* lcores poll where they might sleep: slow, for a test of the same result
			 */
};

struct port {
	struct world *world;
	unsigned index, n, n_rx;
	struct txq *txqs[SHARE_QUEUES_MAX];
	struct cost_queue work[SHARE_QUEUES_MAX];
	uint64_t queue_bytes[SHARE_QUEUES_MAX]; /* sent */
	struct lcore *homes[SHARE_QUEUES_MAX];
	struct share *share; /* NULL: one queue, or no rate */
	struct rxq *rxqs;
	struct lcore **receivers; /* by RX queue */
	struct wire wire;
	struct meter meter;
	struct adjust adjust;
};

#define GROUP_NAME_MAX 32

/** Flows that a scenario names together. */
struct group {
	char name[GROUP_NAME_MAX];
	unsigned first, n; /* of the world's flows */
};

struct world {
	struct world_params params;
	struct events *events;
	struct frames *frames;
	struct prng rng;
	struct port ports[PHASE_PORTS_MAX];
	struct lcore *lcores;
	unsigned n_lcores, n_idle, n_stopped;
	struct flow **flows;
	unsigned n_flows;
	struct group *groups;
	unsigned n_groups;
	struct phase *phases; /* the caller's */
	unsigned n_phases;
	bool ending; /* what is dropped now is no loss */
};

/** 0, -EINVAL, -ENOMEM. */
int world_create(struct world **out, const struct world_params *params);
void world_destroy(struct world *w);

static inline uint64_t world_now(const struct world *w)
{
	return events_now(w->events);
}

/** A new group without flows, which is the last. Returns its number. */
unsigned world_add_group(struct world *w, const char *name);

/** Add a flow, of the last group. The caller fills it in before its first packet. */
struct flow *world_add_flow(struct world *w);

/** RX queue that a NIC puts a flow with this hash in. */
unsigned world_rss(const struct world *w, uint32_t hash);

/** A hash that the port's steering sends to TX queue @queue. */
uint32_t world_hash_for(struct world *w, unsigned queue);

/** A packet of @flow arrives at the NIC now: closed-loop senders. @cookie comes back with it. */
void world_send(struct world *w, struct flow *flow, uint32_t len, uint64_t cookie);

/** What @flow asked at @sent, ns, was answered at @now. */
void world_note_rtt(struct world *w, const struct flow *flow, uint64_t sent, uint64_t now);

/** What the queues of port @index have done so far. */
void world_mark_port(struct world *w, unsigned index, struct phase_port *out);

/**
 * Run for params.duration and measure @phases. Flows are all there.
 *
 * @return NULL, or what is wrong: a packet appeared or vanished
 */
const char *world_run(struct world *w, struct phase *phases, unsigned n);

/** Free what world_run() measured. */
void world_free_phases(struct phase *phases, unsigned n);

#endif

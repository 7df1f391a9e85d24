/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least network a connection can be tested in: one FIFO link of fixed rate for data, with a
 * limit and a threshold for marks, then propagation; ACKs come back with propagation alone.
 */
#ifndef GATEAU_SCENARIO_TOY_LINK_H
#define GATEAU_SCENARIO_TOY_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tcp.h"

#define TOY_FLOWS_MAX 4

/** Packets on their way in one direction, at most. */
#define TOY_RING 65536

struct toy_packet {
	uint64_t at; /* ns: arrives */
	struct tcp *to;
	tcp_cookie cookie;
	bool ce;
};

struct toy_ring {
	uint64_t head, tail;
	struct toy_packet packets[TOY_RING];
};

struct toy_link {
	/* Set these. */
	uint64_t frame_ns;       /* time of a data frame on the link */
	uint64_t propagation_ns; /* each way */
	uint64_t limit;          /* frames waiting, beyond which they are dropped */
	uint64_t mark_from;      /* frames waiting, from which ECN-capable ones are marked */
	/* Frames to lose beyond that: data and ACKs, counted from 0 as they are sent. May be NULL.
	 */
	bool (*lose)(const struct toy_link *l, bool ack, uint64_t number);

	/* Read these. */
	uint64_t now;
	uint64_t data, acks; /* sent into it */
	uint64_t lost_data, lost_acks;
	uint64_t marked;
	uint64_t not_capable; /* data frames that could not carry a mark */

	uint64_t busy_until;
	struct toy_ring to_receiver, to_sender;
	struct {
		struct tcp *tcp;
		uint64_t at[TCP_TIMERS];
	} flows[TOY_FLOWS_MAX];
	unsigned n_flows;
};

/** The ctx of these is the link. */
extern const struct tcp_ops toy_ops;

/** A connection over @l that starts now. Destroyed with the link. */
struct tcp *toy_connect(struct toy_link *l, const struct tcp_params *params);

/** Let everything happen that happens until @until, ns. */
void toy_run(struct toy_link *l, uint64_t until);

/** Data frames between the ends now. */
uint64_t toy_data_under_way(const struct toy_link *l);

struct toy_link *toy_create(void);
void toy_destroy(struct toy_link *l);

#endif

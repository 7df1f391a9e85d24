/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TCP connection (tcp.h) through a world of two ports: its data leave by one, its ACKs by the
 * other, as packets like all others. Both are one flow to the schedulers, as for the daemon.
 */
#ifndef GATEAU_SCENARIO_CONNECTION_H
#define GATEAU_SCENARIO_CONNECTION_H

#include <stdint.h>

#include "tcp.h"

struct flow;
struct world;

struct connection_params {
	enum tcp_algorithm algorithm;
	bool ecn;
	struct flow *data, *acks; /* of different ports; deliver, arg and ecn are set here, and the
				     data's tally of payload and retransmissions is kept */
	uint64_t start;           /* ns: when it begins to send */
};

struct connection;

/** The flows are all else filled in. It starts by itself when the world gets there. */
struct connection *connection_create(struct world *w, const struct connection_params *p);

/** Before its world. */
void connection_destroy(struct connection *c);

#endif

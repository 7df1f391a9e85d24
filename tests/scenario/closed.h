/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of closed-loop senders, as a scenario writes them: TCP connections and probes. Both need
 * two ports. What comes back is a group of its own, "NAME.back", that leaves by the other port.
 */
#ifndef GATEAU_SCENARIO_CLOSED_H
#define GATEAU_SCENARIO_CLOSED_H

#include <stdbool.h>
#include <stdint.h>

#include "tcp.h"
#include "world.h"

#define CLOSED_DSCPS_MAX 8

/** Connections that have always something to send. */
struct closed_tcp_params {
	char name[GROUP_NAME_MAX];
	unsigned port; /* that data leaves by */
	unsigned flows;
	unsigned n_dscps;
	uint16_t dscps[CLOSED_DSCPS_MAX]; /* dealt to the flows in turn; ACKs have their data's */
	enum tcp_algorithm algorithm;
	bool ecn;
	uint64_t from, within; /* ns since the start: they begin at a random time in this span */
};

/** Pings: small packets and their echoes. */
struct closed_probe_params {
	char name[GROUP_NAME_MAX];
	unsigned port; /* that requests leave by */
	unsigned flows;
	uint8_t dscp;
	unsigned size;        /* bytes of the frames */
	uint64_t interval_ns; /* of each flow, on average */
};

struct closed;

struct closed *closed_create_tcp(struct world *w, const struct closed_tcp_params *p);
struct closed *closed_create_probes(struct world *w, const struct closed_probe_params *p);

/** Before its world. */
void closed_destroy(struct closed *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two ends of the box: RX rings, which lose what does not fit, and the wire behind the TX
 * rings.
 *
 * Open-loop packets are made when somebody looks into an RX ring, not when they arrive: nothing
 * takes frames out of it in between, so it comes to the same, and an overload of 600 million
 * packets/s costs no events.
 */
#ifndef GATEAU_SCENARIO_NIC_H
#define GATEAU_SCENARIO_NIC_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "event.h"
#include "frame.h"
#include "source.h"

struct rxq {
	struct frames *frames;
	struct rte_mbuf **ring;
	unsigned size, head, count;
	struct source **sources; /* a heap: the next to send is the first */
	unsigned n_sources;
	uint64_t lost; /* packets: the ring was full */
};

void rxq_init(struct rxq *q, struct frames *frames, unsigned size);
void rxq_fini(struct rxq *q);

/** From now on @s, which becomes the queue's, sends to it. */
void rxq_add_source(struct rxq *q, struct source *s);

/** A packet of @flow arrives at @now. What came before it is in the ring first. */
void rxq_arrive(struct rxq *q, struct flow *flow, uint32_t len, uint64_t cookie, uint64_t now);

/** Take out at most @max frames of what has arrived by @now. */
unsigned rxq_poll(struct rxq *q, struct rte_mbuf **pkts, unsigned max, uint64_t now);

/** When there will be something in it, ns; 0 = now, UINT64_MAX = not as far as is known. */
uint64_t rxq_next(const struct rxq *q);

/** Descriptors of a TX queue, and when the last frame in each has left. */
struct tx_ring {
	uint64_t *done_ns;
	unsigned size, head, count;
};

/** A frame on its way to a closed-loop sender. */
struct delivery {
	uint64_t at;
	struct flow *flow;
	uint64_t cookie;
	uint32_t len;
	bool ce;
};

/** Frames of all TX queues go over it in the order in which the queues gave them. */
struct wire {
	struct events *events;
	double ns_per_byte; /* 0 = it takes no time */
	uint64_t delay_ns;  /* from its end to who receives */
	double free_ns;     /* when the last frame has left */
	struct tx_ring *rings;
	unsigned n_rings;
	struct delivery *under_way; /* a ring: they arrive in order */
	unsigned room, head, count;
	struct event arrival;
};

/** @bps 0 = infinitely fast: then it takes whatever it is given. */
void wire_init(struct wire *w, struct events *events, uint64_t bps, uint64_t delay_ns,
	       unsigned n_rings, unsigned ring_size);
void wire_fini(struct wire *w);

/** Frames that TX queue @queue takes at @now, at most @n. */
unsigned wire_room(struct wire *w, unsigned queue, unsigned n, uint64_t now);

/** It takes this one; there is room. Its sender hears of it if it wants to. */
void wire_send(struct wire *w, unsigned queue, struct rte_mbuf *m, uint64_t now);

/** When there is room in TX queue @queue, ns. */
uint64_t wire_room_at(const struct wire *w, unsigned queue);

#endif

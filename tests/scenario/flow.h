/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flow as the simulator sees it: who it is for the code under test, and what became of its
 * packets. Flows belong to groups, which are what a scenario names and measures.
 */
#ifndef GATEAU_SCENARIO_FLOW_H
#define GATEAU_SCENARIO_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/** Packets of a flow, or of many, since the run began. */
struct tally {
	uint64_t offered_packets, offered_bytes; /* that reached the NIC */
	uint64_t sent_packets, sent_bytes;
	uint64_t lost; /* packets: dropped by anyone, by the NIC too */
	uint64_t late; /* packets sent after a later one of the flow */

	/* Of a TCP connection's data. */
	uint64_t payload; /* bytes that its receiver has handed on, in order */
	uint64_t again;   /* packets: retransmissions */
};

struct flow;

/** A packet has crossed the wire: closed-loop senders. @ce: it carries the mark. */
typedef void (*flow_deliver_fn)(void *arg, struct flow *flow, uint64_t cookie, uint32_t len,
				bool ce, uint64_t now);

/** A packet has left the box: it was sent, or dropped by anyone. */
typedef void (*flow_gone_fn)(void *arg, struct flow *flow, uint64_t now);

struct flow {
	uint32_t flow_hash, src_hash, dst_hash;
	unsigned port;  /* that it leaves by */
	unsigned rx;    /* the RX queue it comes in by */
	unsigned group; /* of the world */
	unsigned host;  /* source host, of the group's */
	uint8_t dscp;
	bool ecn;
	bool unordered; /* comes in by several RX queues: it has no order to keep */

	uint32_t number;    /* of the next packet */
	uint32_t next_sent; /* one more than the highest number sent */
	struct tally tally;

	flow_deliver_fn deliver; /* NULL = nobody waits for it */
	void *arg;
	flow_gone_fn gone; /* likewise */
	void *gone_arg;
};

static inline void flow_packet_gone(struct flow *flow, uint64_t now)
{
	if (flow->gone)
		flow->gone(flow->gone_arg, flow, now);
}

#endif

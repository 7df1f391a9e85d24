/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames: mbufs in plain memory, that the real code under src/txq takes for a driver's. Of a
 * frame's bytes only the Ethernet and IPv4 headers exist, since marking writes there.
 */
#ifndef GATEAU_SCENARIO_FRAME_H
#define GATEAU_SCENARIO_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "port/mbuf.h"

/** Bytes of a frame that exist. */
#define FRAME_BYTES 64

struct flow;

/** What the simulator knows of a packet, beside the descriptor in the private area. */
struct frame_note {
	struct flow *flow;
	uint64_t arrived_ns; /* in the NIC's RX queue */
	uint64_t cookie;     /* the sender's */
	uint32_t number;     /* in its flow */
};

struct frame {
	struct rte_mbuf m;
	uint8_t private[MBUF_PRIVATE_SIZE];
	uint8_t bytes[FRAME_BYTES];
	struct frame_note note;
} __rte_cache_aligned;

struct frames;

struct frames *frames_create(void);
void frames_destroy(struct frames *f);

/** For struct txq_params. */
struct mbuf_map frames_map(const struct frames *f);

/** A frame of @len bytes; the program ends if there are none left. */
struct rte_mbuf *frame_get(struct frames *f, uint32_t len);
void frame_put(struct frames *f, struct rte_mbuf *m);

/** Frames that are out: 0 when a run has ended. */
uint64_t frames_out(const struct frames *f);

static inline struct frame_note *frame_note(struct rte_mbuf *m)
{
	return &((struct frame *)m)->note;
}

/** Write the headers that @p is about: DSCP and ECN. */
void frame_write(struct rte_mbuf *m, const struct cake_packet *p);

/** Whether the ECN field says Congestion Experienced. */
bool frame_has_ce(const struct rte_mbuf *m);

#endif

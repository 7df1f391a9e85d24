/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of a port's queues a packet goes to, and what follows from it: the hashes it takes, and
 * what the queues' parts of the rate have to go by so that hosts stay fair across queues.
 */
#ifndef GATEAU_SHARE_STEER_H
#define GATEAU_SHARE_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>
#include <gateau/cake_config.h>

#include "share/share.h"

/** What of a packet chooses its queue: all packets that are alike in it meet in one queue. */
enum steer {
	STEER_FLOW,
	STEER_SRC_HOST,
	STEER_DST_HOST,
};

/**
 * Queue of @p among @n. Packets without the identity asked for have their flow's. The upper bits of
 * a hash choose the queue, the lower ones a flow's place in CAKE: one says nothing about the other.
 */
static inline unsigned steer_queue(enum steer steer, const struct cake_packet *p, unsigned n)
{
	uint32_t hash = steer == STEER_SRC_HOST   ? p->src_hash
			: steer == STEER_DST_HOST ? p->dst_hash
						  : p->flow_hash;

	return (uint64_t)(hash ? hash : p->flow_hash) * n >> 32;
}

/**
 * What @mode is steered by unless a person says otherwise: by the host that it isolates, so that
 * the host is in one queue, else by flow.
 *
 * @return false if that is for a person to say: the mode looks at both hosts, and a packet's queue
 *         can be chosen by one of them alone
 */
bool steer_by_mode(enum cake_flowmode mode, enum steer *out);

/**
 * What the queues' parts of the rate go by. Where the mode isolates the host that steers, by such
 * hosts, each of which is in one queue; where it isolates one that does not, by these as well, of
 * which some are in several queues then; else by what the mode calls a flow.
 */
enum share_weight steer_weight(enum steer steer, enum cake_flowmode mode);

/** The hashes that steer_queue() reads: CAKE_FLOWS, CAKE_SRCHOST or CAKE_DSTHOST. */
enum cake_flowmode steer_hashes(enum steer steer);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TX queues of a port in virtual time: an instance each, one rate for all of them, and the
 * links that they send on.
 *
 * A queue has one deadline, its wake-up. What is asked for packets when is replay.c's affair.
 */
#ifndef GATEAU_REPLAY_QUEUES_H
#define GATEAU_REPLAY_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "replay/replay.h"
#include "share/share.h"

/** Takes a packet at a time: it is busy for the packet's, and until somebody frees it. */
struct replay_link {
	bool busy;
	uint64_t free_ns; /* while it is busy: when it is to be freed */
	unsigned last;    /* the queue that it had its last packet from */
};

struct replay_queue {
	struct cake *cake;
	struct share_queue *share; /* NULL: it has no part in a rate */
	struct replay_link *link;
};

struct replay_queues {
	const struct replay_options *opt;
	unsigned n;
	struct replay_queue queues[SHARE_QUEUES_MAX];
	unsigned n_links;
	struct replay_link links[SHARE_QUEUES_MAX];
	struct share *share; /* NULL: one queue, or no rate */
	struct share_view view;
	struct prng rng; /* of all of them */
};

/** What happens next, but for arrivals. */
struct replay_event {
	uint64_t time;   /* ns; CAKE_NEVER = nothing */
	bool frees_link; /* link @index is free again; else queue @index wakes up */
	unsigned index;
};

/**
 * Make those that @opt asks for; it is kept.
 *
 * @param burst  packets of an arrival, at most
 * @param now    ns: all begin then
 * @return 0, -EINVAL (parameters), -ENOMEM; in any case to be destroyed
 */
int queues_create(struct replay_queues *q, const struct replay_options *opt, uint32_t burst,
		  uint64_t now);
void queues_destroy(struct replay_queues *q);

/**
 * One arrival, @n packets, into the queue that it is for. Returns which one that is. What each pins
 * is filled in.
 */
unsigned queues_enqueue(struct replay_queues *q, struct cake_packet *pkts, unsigned n,
			uint64_t now);

/** Whether queue @i has a packet to send, @out. */
bool queues_dequeue(struct replay_queues *q, unsigned i, struct cake_verdict *out, uint64_t now);

/** A packet of @len bytes of queue @i is on its link. */
void queues_occupy_link(struct replay_queues *q, unsigned i, uint32_t len, uint64_t now);

/** The next event after @now, of those at one time wake-ups first, by queue. */
struct replay_event queues_next(const struct replay_queues *q, uint64_t now);

/** Packets in all of them. */
uint64_t queues_backlog(const struct replay_queues *q);

/** Into @out, of each and of all. */
void queues_result(const struct replay_queues *q, struct replay_result *out);

#endif

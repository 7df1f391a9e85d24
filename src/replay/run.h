/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A replay under way: what arrivals (arrive.c), decisions (conclude.c) and the order of events
 * (replay.c) have in common.
 */
#ifndef GATEAU_REPLAY_RUN_H
#define GATEAU_REPLAY_RUN_H

#include "packet/describe.h"
#include "replay/pending.h"
#include "replay/queues.h"
#include "replay/replay.h"

/** The schedulers' clock at the first arrival, ns. */
#define START_NS 1000000000000ull

/** Segments of a super-packet, at most: what cake_packet.gso_segs can count. */
#define SEGS_MAX UINT16_MAX

struct run {
	const struct replay_options *opt;
	struct replay_result *result;
	struct capture *in;
	struct replay_queues queues;
	/* Of one arrival: room for one, or for SEGS_MAX where there are super-packets. */
	struct cake_packet *pkts;

	struct capture_packet next; /* the next arrival */
	bool have_next;
	uint64_t first_time; /* of the capture */
	uint64_t next_ns;    /* virtual time of the next arrival */

	struct pending_table pending;

	size_t mark_at;
	uint64_t rows;
	int csv_fault; /* 0 or -errno: a full disk ends the replay */
};

/** Read up to the next arrival. Returns 0, also if there is none, or what is wrong. */
int run_read_next(struct run *r);

/** The next arrival, with what it drops; then read on. Returns 0 and its @queue, or what is wrong.
 */
int run_arrive(struct run *r, unsigned *queue);

/** Log what was decided about a packet of @queue, and forget the packet. */
void run_conclude(struct run *r, unsigned queue, const struct cake_verdict *v, uint64_t now);

/** The same for all that @queue has dropped. */
void run_conclude_drops(struct run *r, unsigned queue, uint64_t now);

/** Log that a super-packet was cut into segments, @first of them in @queue. */
void run_log_split(struct run *r, unsigned queue, const struct pending *info, uint32_t len,
		   const struct cake_packet *first);

#endif

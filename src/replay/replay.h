/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A capture through a port in virtual time: a CAKE instance, or several TX queues with one each
 * that share one rate.
 *
 * Time is the capture's own, moved so that the first frame arrives at 0; the instances' clock is
 * then at 1,000 s, since a scheduler that has just been switched on is a special case. Events at
 * one instant happen in the order arrival, wake-up of a queue, end of a transmission; after each
 * the queue is asked for packets one at a time until it has none or the link is busy. Where queues
 * have one link, they are asked in turn when it is free, from the one on that did not send last.
 */
#ifndef GATEAU_REPLAY_REPLAY_H
#define GATEAU_REPLAY_REPLAY_H

#include <stdint.h>
#include <stdio.h>

#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include "base/prng.h"
#include "packet/describe.h"
#include "replay/capture.h"
#include "replay/capture_writer.h"
#include "replay/sent.h"
#include "share/share.h"
#include "share/steer.h"

/** What is known of a packet beside its bytes. */
struct replay_mark {
	uint64_t idx; /* packet number in the capture, from 0 */
	uint32_t mark;
	uint8_t priority_tin; /* see cake_packet */
};

struct replay_result;

struct replay_options {
	struct cake_params params; /* min_charge and burst are set by replay_run() */
	struct packet_describer describer;
	struct prng rng;
	unsigned queues;        /* TX queues, at most SHARE_QUEUES_MAX; 0 = 1 */
	enum share_mode share;  /* how several queues have one rate */
	enum steer steer;       /* whose hash the describer computes */
	uint64_t link_rate_bps; /* bit/s of the link behind the shaper, 0 = infinite */
	bool link_per_queue;    /* each has such a link; else there is one */
	uint32_t gso_size; /* TCP frames with more payload are super-packets, bytes; 0 = none */
	const struct replay_mark *marks; /* ascending idx */
	size_t n_marks;
	FILE *csv;                  /* one row per decision; NULL = none */
	struct capture_writer *out; /* the frames sent, as the wire sees them; NULL = none */
	/* Called now and then with what is known so far; NULL = nobody is watching. */
	void (*progress)(void *arg, const struct replay_result *r);
	void *progress_arg;
};

struct replay_queue_result {
	struct cake_stats stats;     /* at the end; the queue is empty */
	struct share_counters share; /* if it shares a rate */
};

struct replay_result {
	uint64_t received;       /* frames read */
	uint64_t segments_added; /* frames that cutting super-packets added */
	uint64_t runts;          /* frames shorter than an Ethernet header: not replayed */
	uint64_t backwards;      /* frames with an earlier time than the one before: moved to it */
	uint64_t unclassified[PACKET_UNCLASSIFIED_REASONS]; /* of those received */
	uint64_t duration_ns; /* from the first arrival to the last departure */
	bool damaged;         /* the capture ended in the middle; what came before was replayed */
	struct cake_stats stats; /* of all queues, see cake_stats_add() */
	struct replay_sent sent;
	bool shares; /* the queues share a rate */
	unsigned n_queues;
	struct replay_queue_result queues[SHARE_QUEUES_MAX];
};

/**
 * Run @in to its end and until the queues are empty.
 *
 * received + segments_added = sent + dropped + runts holds for every result.
 *
 * @return 0; -EINVAL (parameters, or several queues whose rate follows what arrives), -ENOMEM,
 * -E2BIG (a super-packet of more than 65,535 segments); -EPROTONOSUPPORT as capture_next(); what
 * writing @opt's `out` returned, or -errno where it was the CSV (its ferror() is set)
 */
int replay_run(const struct replay_options *opt, struct capture *in, struct replay_result *out);

#endif

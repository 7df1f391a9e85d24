/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group of open-loop flows, as a scenario writes it: who they are, which queues they meet in and
 * what they send.
 */
#ifndef GATEAU_SCENARIO_SENDER_H
#define GATEAU_SCENARIO_SENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "source.h"
#include "world.h"

#define SENDER_TEXT_MAX 32

struct sender_params {
	char name[GROUP_NAME_MAX];
	unsigned port; /* that they leave by: 0 or 1 */
	unsigned flows;

	/* What they send: one of the first four; load and rate are the whole group's while it is
	 * on. */
	char load[SENDER_TEXT_MAX]; /* of the port's rate, see sender_load() */
	uint64_t bps;               /* frame lengths */
	uint64_t interval_ns;       /* of each flow */
	uint64_t over_ns; /* with a window: flows begin one after another over this time */
	unsigned window;  /* packets of each flow that are always on their way */
	unsigned zipf;    /* 0 = alike; else flow i's part goes by 1 / i^(zipf/100) */
	unsigned n_sizes;
	uint16_t sizes[SOURCE_SIZES_MAX];
	unsigned burst, jitter;
	uint64_t from, until; /* ns since the start; until 0 = the end */
	uint64_t on_ns, off_ns;
	bool random, together;

	/* Who they are. */
	unsigned hosts, dst_hosts; /* the group's own; flows are dealt to them */
	bool uneven; /* host i (from 1) has flows in proportion to i, and its flows are those behind
			host i - 1's, instead of all having as many */
	char queues[SENDER_TEXT_MAX]; /* TX queues that their hashes are chosen for, see
					 sender_span(); "" = as chance has it */
	char rx[SENDER_TEXT_MAX];     /* RX queues, likewise */
	bool spray;                   /* every packet to another RX queue */
	uint64_t hop_ns; /* how often each becomes another flow, elsewhere; 0 = never */
	uint8_t dscp;
	bool ecn;
};

/** A part of a load: "80%", "50%/1025" = a 1025th of half. False: it is none. */
bool sender_load(const char *text, double *part);

/** "3", "1-7", "1-" (to the last of @n). False: it is none, or there are not that many. */
bool sender_span(const char *text, unsigned n, unsigned *first, unsigned *count);

struct sender;

/** Add the group to @w. NULL: a load of a port without rate, or queues that are not there. */
struct sender *sender_create(struct world *w, const struct sender_params *p);
void sender_destroy(struct sender *s);

#endif

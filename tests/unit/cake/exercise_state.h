/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of an exercise, for the files that are one: exercise.c, its life, traffic and checks;
 * exercise_change.c, what is changed meanwhile.
 */
#ifndef GATEAU_TESTS_CAKE_EXERCISE_STATE_H
#define GATEAU_TESTS_CAKE_EXERCISE_STATE_H

#include <stdbool.h>

#include <gateau/cake_stats.h>

#include "base/prng.h"
#include "cake/state.h"
#include "exercise.h"
#include "kit.h"

enum {
	HANDLES = 16384,
	STREAMS = 40, /* 5-tuples offered */
	BURST = 64,
	FLOWS_MAX_DRAWN = 64, /* per tin */
	PATHS = 4096,
};

/*
 * The link as an observer sees it: when it has carried all that was sent. Nothing may be sent
 * before that time. Bytes are counted from `since` on, so that rounding does not add up.
 */
struct link {
	uint64_t bytes_per_s; /* 0 = unlimited */
	uint64_t since;       /* ns */
	uint64_t bytes, packets;
	bool unchecked;
};

/* A packet that was handed over. */
struct handed {
	struct cake_packet packet; /* as it went in */
	uint64_t came;             /* ns */
	uint32_t arrival;
	uint32_t path; /* the tins that it was in, one octal digit each */
	uint8_t stream;
	bool in, moved;
};

/* The tins that a stream's packets take, one after the other: on one path they keep their order. */
struct path {
	uint32_t path;
	uint8_t stream;
	uint32_t next[2]; /* least arrival that may come next, dropped and sent */
};

/* What the outside knows: which handles are in, and each stream's order. */
struct exercise {
	struct choices choices;
	struct prng dice; /* the instance's */
	struct cake *c;
	struct cake
		*before; /* it is being emptied into c, and takes what arrives; NULL = none is */
	uint64_t now;
	struct link link;

	bool shaped; /* there is a rate, or was one */

	struct handed *handed; /* by handle; `room` of them */
	uint32_t next_handle, room;

	/* Numbers of arrival grow, and what shares a queue leaves it in their order: the least
	 * that may come next, of those dropped and of those sent. */
	uint32_t arrivals;
	uint32_t next_of_slot[2][CAKE_MAX_TINS][FLOWS_MAX_DRAWN];
	struct path paths[PATHS];
	bool collided; /* in an instance that is no more */
	struct cake_stats last;
	enum cake_diffserv last_mode;

	struct cake_tcp acks[BURST];
	uint32_t next_ack;

	uint64_t entered, sent, taken_drops, sent_bytes;
	uint64_t since_emptied; /* packets in since the drop list was last emptied */
};

/* The next choice: 0..n-1. */
uint32_t exercise_roll(struct exercise *x, uint32_t n);

/* The rate is another, by autorate or @changed by us. */
void exercise_follow_rate(struct exercise *x, bool changed);

/* Whether flows have shared a slot. */
bool exercise_collided(const struct cake *c);

/* What the ACK filter is told; good until the packet has been put in. */
const struct cake_tcp *exercise_ack(struct exercise *x, unsigned stream);

void exercise_take_all_drops(struct exercise *x);

/* exercise_change.c: another instance begins; so many packets as drawn move to it, and the last one
 * ends it. */
void exercise_begin_move(struct exercise *x);
void exercise_move_some(struct exercise *x);

/* exercise_change.c: parameters, or a limit like those that there are, or none. */
void exercise_change_limits(struct exercise *x);

#endif

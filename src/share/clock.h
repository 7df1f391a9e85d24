/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of a port in demand mode: the end of the last slot that somebody has reserved.
 *
 *	   slot of queue 3   slot of 0    slot of 5
 *	──┼───────────────┼────────────┼──────────────┼──►  time
 *	          ▲ now                               ▲ clock
 *
 * Memory order: relaxed throughout. All that must hold is that slots do not overlap, and that
 * follows from the order of changes of this one variable alone, which every memory order keeps:
 * each exchange begins where the one before it in that order ended. Nothing else is published by
 *it, so there is nothing for a barrier to put before or after: what a queue writes about itself
 *goes from one holder to the next with the claim (txq.h), and lines are hints. A load that comes
 *late makes a queue wait a little longer or shorter for its turn; a reservation goes by what the
 * exchange saw.
 */
#ifndef GATEAU_SHARE_CLOCK_H
#define GATEAU_SHARE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

/**
 * The clock may lag this far behind now, ns. It is the only credit for time in which nobody sent:
 * enough that a lone queue that is polled this rarely sends at the full rate, and, with all other
 * credit, less than 0.25 % of 20 ms, which are 50 us.
 */
#define CLOCK_SLACK_NS 25000ull

/** Of a slow port the slack is this part of a frame instead, if that is more. */
#define CLOCK_SLACK_PART 32

struct share_clock {
	_Atomic uint64_t end; /* ns; writer: every queue of the port, once per slot */
};

static inline uint64_t clock_read(const struct share_clock *c)
{
	return atomic_load_explicit(&c->end, memory_order_relaxed);
}

/** Reserve the next @length ns, not before @soonest. Returns where they start. */
static inline uint64_t clock_reserve(struct share_clock *c, uint64_t length, uint64_t soonest)
{
	uint64_t end = clock_read(c), start;

	do {
		start = end < soonest ? soonest : end;
	} while (!atomic_compare_exchange_weak_explicit(
		&c->end, &end, start + length, memory_order_relaxed, memory_order_relaxed));
	return start;
}

/** A slot was used for @length ns more than it was long; negative: for less, somebody else may. */
static inline void clock_settle(struct share_clock *c, int64_t length)
{
	atomic_fetch_add_explicit(&c->end, length, memory_order_relaxed);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The deficit shaper: a rate is a time at which the next packet may go, moved on by each packet's
 * duration. No token bucket, so no burst: idle time gives no credit, a packet's debt is kept.
 *
 * The failsafe runs 1.5 times as fast and is not charged for drops: in ingress mode, where drops
 * push `next` far ahead, it lets through two thirds of the rate.
 */
#ifndef GATEAU_CAKE_SHAPER_H
#define GATEAU_CAKE_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A rate as ns per byte in fixed point: duration = bytes * ns_per_byte >> shift. The mantissa has
 * at most 34 bits, so a 72 kB length (17 bits) stays within 64 bits by far.
 */
struct rate {
	uint64_t bytes_per_s; /* 0 = unlimited */
	uint64_t ns_per_byte;
	unsigned shift;
	uint64_t fraction; /* of a product, what rounding to whole ns leaves and is to be kept:
			      docs/deviations.md; 0 = nothing */
	uint64_t carry;    /* that, in units of 2^-shift ns */
};

/** @exact: rate_spend() errs by less than 1 ns in all, instead of per packet. */
struct rate rate_from_bytes(uint64_t bytes_per_s, bool exact);

/** How long @bytes take, ns, rounded down. */
static inline uint64_t rate_duration(const struct rate *r, uint64_t bytes)
{
	return bytes * r->ns_per_byte >> r->shift;
}

/**
 * The same for bytes that are sent now. 60 bytes at 100 Gbit/s take 4.8 ns: rounded down for each
 * packet, as in Linux, the rate would be 20 % too high.
 */
static inline uint64_t rate_spend(struct rate *r, uint64_t bytes)
{
	uint64_t time = bytes * r->ns_per_byte + r->carry;

	r->carry = time & r->fraction;
	return time >> r->shift;
}

/*
 * Of several queues that share one rate each sends in its slots on a clock that all share: `next`
 * is a time on that clock, too. It is charged at the full rate, so slots that do not overlap cannot
 * add up to more. A slot that has passed unused is still good: its time was taken off the clock.
 */
struct slot {
	bool on;
	uint64_t start, end;   /* ns; no credit is left once `next` comes to the end */
	uint64_t queued_bytes; /* adjusted lengths of what waits, with and without slots */
	uint32_t queued;       /* packets that wait */
};

#define SHAPER_NEVER UINT64_MAX

struct shaper {
	struct rate rate;
	struct rate share; /* with slots: what of the rate is likely this queue's */
	uint64_t next;     /* ns: the next packet may go */
	uint64_t failsafe; /* ns: or from here on; SHAPER_NEVER: with slots, but in ingress mode */
	uint64_t catch_up; /* ns: most that may be made up for after a stall; UINT64_MAX = all */
	struct slot slot;
};

/** What is left of the slot, ns; negative: the next one pays. */
static inline int64_t shaper_slot_left(const struct shaper *s)
{
	return (int64_t)(s->slot.end - s->next);
}

/**
 * The slot has no room for another packet, rounded to the nearest: less than half of the average
 * packet that waits is left. That average is a quotient; here its divisor stands on the other side.
 */
static inline bool shaper_slot_used_up(const struct shaper *s)
{
	const struct slot *slot = &s->slot;
	int64_t left = shaper_slot_left(s);

	if (!slot->on)
		return false;
	if (left <= 0)
		return true;
	/* Nearly always in 64 bits: 34 of the mantissa, 512 MB; 4 s, 2^31 packets. */
	if (slot->queued_bytes < 1u << 29 && left <= UINT32_MAX)
		return (uint64_t)left * 2 * slot->queued <
		       rate_duration(&s->rate, slot->queued_bytes);
	return (unsigned __int128)left * 2 * slot->queued <
	       (unsigned __int128)slot->queued_bytes * s->rate.ns_per_byte >> s->rate.shift;
}

/** When it lets a packet through; of a slot that is used up: at once, once there is a new one. */
static inline uint64_t shaper_wake(const struct shaper *s)
{
	uint64_t next = s->next;

	if (s->slot.on) {
		if (next < s->slot.start)
			next = s->slot.start;
		if (shaper_slot_used_up(s))
			next = SHAPER_NEVER;
	}
	return next < s->failsafe ? next : s->failsafe;
}

/** The shaper holds everything back at @now. */
static inline bool shaper_blocks(const struct shaper *s, uint64_t now)
{
	if (!s->slot.on)
		return s->next > now && s->failsafe > now;
	return shaper_wake(s) > now;
}

/**
 * Traffic arrives after idle time: the missed time is no credit. Nor is it for the failsafe while
 * drops have `next` far ahead, but in Linux (docs/deviations.md).
 */
static inline void shaper_restart(struct shaper *s, uint64_t now)
{
	if (s->slot.on) {
		if (s->failsafe < now)
			s->failsafe = now;
	} else if (s->next < now) {
		s->next = now;
		s->failsafe = now;
	} else if (s->failsafe < now && s->catch_up != UINT64_MAX) {
		s->failsafe = now;
	}
}

/** A packet of @bytes was sent, or dropped at the shaper's expense. */
static inline void shaper_charge(struct shaper *s, uint32_t bytes, bool sent)
{
	uint64_t duration = rate_spend(&s->rate, bytes);

	s->next += duration;
	/* Slots are the full rate's, the failsafe is that of the queue's part of it. */
	if (s->slot.on)
		duration = rate_duration(&s->share, bytes);
	if (sent && s->failsafe != SHAPER_NEVER)
		s->failsafe += duration + duration / 2;
}

/**
 * A tin's own schedule: behind time it advances by the duration, else to at least now + duration.
 */
static inline void tin_schedule_charge(uint64_t *next, struct rate *r, uint32_t bytes, uint64_t now)
{
	uint64_t duration = rate_spend(r, bytes);

	if (*next < now)
		*next += duration;
	else if (*next < now + duration)
		*next = now + duration;
}

/**
 * Until when the link is taken at @now: it was until @time as long as it ran at @from bytes/s (0 =
 * unlimited), and goes on at @to. What was sent takes no longer than it did, or would have taken.
 */
uint64_t shaper_rescale(uint64_t time, uint64_t now, uint64_t from, uint64_t to);

/**
 * Give up time that a stalled queue missed beyond catch_up. Returns how much, ns. Without this a
 * queue that was not served for 100 ms would send 100 ms' worth at the line's speed.
 */
uint64_t shaper_limit_catch_up(struct shaper *s, uint64_t now);

#endif

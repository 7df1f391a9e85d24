/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates in fixed point and the limit on catching up; see shaper.h. */
#include "cake/shaper.h"

#define NS_PER_S 1000000000ull

struct rate rate_from_bytes(uint64_t bytes_per_s, bool exact)
{
	struct rate r = {.bytes_per_s = bytes_per_s, .shift = 34};

	if (!bytes_per_s) {
		r.shift = 0;
		return r;
	}
	/* Below 64 bytes/s a frame's duration would leave the range that the arithmetic is for. */
	r.ns_per_byte = (NS_PER_S << 34) / (bytes_per_s > 64 ? bytes_per_s : 64);
	while (r.ns_per_byte >> 34) {
		r.ns_per_byte >>= 1;
		r.shift--;
	}
	r.fraction = exact ? (1ull << r.shift) - 1 : 0;
	return r;
}

uint64_t shaper_rescale(uint64_t time, uint64_t now, uint64_t from, uint64_t to)
{
	if (time <= now || time == SHAPER_NEVER)
		return time;
	if (!to)
		return now;
	if (to <= from || !from)
		return time;
	return now + (uint64_t)((unsigned __int128)(time - now) * from / to);
}

uint64_t shaper_limit_catch_up(struct shaper *s, uint64_t now)
{
	uint64_t floor = s->catch_up < now ? now - s->catch_up : 0;
	uint64_t given_up;

	/* A slot is no more than a round's worth, and was taken off the clock: docs/multi-queue.md
	 */
	if (s->slot.on || shaper_wake(s) >= floor)
		return 0;
	given_up = floor - shaper_wake(s);
	if (s->next < floor)
		s->next = floor;
	if (s->failsafe < floor)
		s->failsafe = floor;
	return given_up;
}

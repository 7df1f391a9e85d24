/* SPDX-License-Identifier: BSD-3-Clause */
/* COBALT's arithmetic; see cobalt.h. Nothing here knows packets or queues. */
#include "cake/cobalt.h"

/* BLUE's steps: 1/256 up, 1/4096 down. */
#define BLUE_INC (1u << 24)
#define BLUE_DEC (1u << 20)

/* 1/sqrt(n) for n = 0..15, 0.32 fixed point. Newton's step below is inexact for small n; these are
 * the values Linux arrives at. */
static const uint32_t inv_sqrt_small[16] = {
	UINT32_MAX, UINT32_MAX, 3037000500, 2479700525, 2147483647, 1920767767,
	1753413056, 1623345051, 1518500250, 1431655765, 1358187914, 1294981364,
	1239850263, 1191209601, 1147878294, 1108955788,
};

/* x' = x (3 - count x^2) / 2, one step from the last value, RFC 8289 appendix A. */
static void update_inv_sqrt(struct cobalt *v)
{
	uint32_t x = v->rec_inv_sqrt;
	uint32_t x2 = (uint64_t)x * x >> 32;
	uint64_t step = (3ull << 32) - (uint64_t)v->count * x2;

	if (v->count < 16) {
		v->rec_inv_sqrt = inv_sqrt_small[v->count];
		return;
	}
	step >>= 2; /* room for the product */
	v->rec_inv_sqrt = step * x >> (32 - 2 + 1);
}

/* The next signal after @t: interval / sqrt(count) later. */
static uint64_t control_law(const struct cobalt *v, const struct cobalt_config *cfg, uint64_t t)
{
	uint64_t interval = cfg->interval32 ? (uint32_t)cfg->interval : cfg->interval;

	return t + (uint64_t)((unsigned __int128)interval * v->rec_inv_sqrt >> 32);
}

/*
 * Signals that one step of backing off takes back. In hours of a flood that does not listen they
 * come to 2^32, and a pause then took that many steps in one call. A 256th at a time it is 4,500
 * steps at most, 256 ln(2^32 / 256) + 256, and the schedule is off by a 512th.
 */
static uint32_t stride(const struct cobalt *v, const struct cobalt_config *cfg)
{
	return cfg->stride ? 1 + v->count / 256 : 1;
}

static void set_count(struct cobalt *v, uint32_t count)
{
	v->count = count;
	update_inv_sqrt(v);
}

static bool blue_step_due(const struct cobalt *v, const struct cobalt_config *cfg, uint64_t now)
{
	return now > v->blue_timer && now - v->blue_timer > cfg->target;
}

static void blue_lower(struct cobalt *v, uint32_t p)
{
	v->p_drop = p > BLUE_DEC ? p - BLUE_DEC : 0;
}

/*
 * gateau profile: p halves for every 2 * target without an overflow. An overflowing flow moves the
 * timer every target, so its p only grows; once the overload is over, 1/4 takes at most ten
 * halvings (100 ms with a target of 5 ms) to 0, as 1/4 = 2^10 BLUE_DEC.
 */
static void blue_fade(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now)
{
	while (v->p_drop && now > v->blue_timer && now - v->blue_timer > 2 * cfg->target) {
		v->blue_timer += 2 * cfg->target;
		blue_lower(v, v->p_drop / 2);
	}
}

static bool signal_due(const struct cobalt *v, uint64_t now)
{
	return v->count && now >= v->drop_next;
}

/* CoDel: whether to signal now. @due: the next signal was, when the packet came up. */
static bool codel_signals(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now,
			  uint64_t sojourn, uint32_t bulk_flows, bool due)
{
	bool over = sojourn > cfg->target && sojourn > 4 * cfg->mtu_time &&
		    sojourn > 2 * cfg->mtu_time * bulk_flows;

	if (!over) {
		v->dropping = false;
	} else if (!v->dropping) {
		v->dropping = true;
		v->drop_next = control_law(v, cfg, now);
		if (!v->count)
			v->count = 1; /* rec_inv_sqrt stays: 0 in a slot that never signalled */
	}
	if (due && v->dropping) {
		set_count(v, v->count == UINT32_MAX ? v->count : v->count + 1);
		v->drop_next = control_law(v, cfg, v->drop_next);
		return true;
	}
	while (due) {
		uint32_t n = stride(v, cfg);

		set_count(v, v->count - n);
		v->drop_next += n * (control_law(v, cfg, v->drop_next) - v->drop_next);
		due = signal_due(v, now);
	}
	return false;
}

enum cobalt_verdict cobalt_judge(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now,
				 uint64_t sojourn, uint32_t bulk_flows, bool ecn_capable,
				 struct prng *rng, bool *ce)
{
	uint64_t schedule = v->drop_next;
	bool due = signal_due(v, now);
	enum cobalt_verdict verdict = COBALT_PASS;
	bool signals = codel_signals(v, cfg, now, sojourn, bulk_flows, due);

	/* The schedule is what stood on entry, unless signalling or backing off moved it. */
	if (due)
		schedule = v->drop_next;

	*ce = signals && ecn_capable;
	if (signals && !ecn_capable)
		verdict = COBALT_CODEL;

	if (cfg->fade)
		blue_fade(v, cfg, now);
	if (v->p_drop && verdict == COBALT_PASS && prng_u32(rng) < v->p_drop)
		verdict = COBALT_BLUE;

	if (!v->count)
		v->drop_next = now + cfg->interval; /* the slot stays this flow's for so long */
	else if (now > schedule && verdict == COBALT_PASS)
		v->drop_next = now;
	return verdict;
}

void cobalt_overflow(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now)
{
	bool due = blue_step_due(v, cfg, now);

	/* What an earlier overload left must not count as part of this one. */
	if (cfg->fade)
		blue_fade(v, cfg, now);
	if (due) {
		v->p_drop = v->p_drop < cfg->p_max - BLUE_INC ? v->p_drop + BLUE_INC : cfg->p_max;
		v->blue_timer = now;
	}
	v->dropping = true;
	v->drop_next = now;
	if (!v->count)
		v->count = 1;
}

void cobalt_empty(struct cobalt *v, const struct cobalt_config *cfg, uint64_t now)
{
	if (cfg->fade)
		blue_fade(v, cfg, now);
	if (v->p_drop && blue_step_due(v, cfg, now)) {
		blue_lower(v, cfg->fade ? v->p_drop / 2 : v->p_drop);
		v->blue_timer = now;
	}
	v->dropping = false;
	if (signal_due(v, now)) {
		set_count(v, v->count - 1);
		v->drop_next = control_law(v, cfg, v->drop_next);
	}
}

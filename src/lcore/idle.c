/* SPDX-License-Identifier: BSD-3-Clause */
/* See idle.h. */
#include "lcore/idle.h"

/* What a nap is of the time that it has been quiet. */
#define NAP_PART 8

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static enum idle_how choose_how(const struct idle_means *m, uint64_t quiet)
{
	if (m->mode == CONFIG_IDLE_INTERRUPT)
		return IDLE_WAIT;
	return m->monitor && quiet < IDLE_MONITOR_NS ? IDLE_MONITOR : IDLE_NAP;
}

/** Longest rest if nothing is due. */
static uint64_t choose_length(const struct idle_means *m, enum idle_how how, uint64_t quiet)
{
	switch (how) {
	case IDLE_MONITOR:
		return IDLE_MONITOR_REST_NS;
	case IDLE_NAP:
		return least(quiet / NAP_PART, IDLE_NAP_NS);
	default:
		/* Nobody interrupts for a queue whose worker has stopped (rescue.h); a driver may
		 * show a frame a little later than it interrupts for it (net_tap), or take the
		 * request for interrupts and send none (net_e1000_em with the 82574). */
		if (m->others || !m->proven || quiet < IDLE_WAIT_NS)
			return IDLE_NAP_NS;
		return IDLE_WAIT_NS;
	}
}

struct idle_rest idle_rest(const struct idle_means *m, uint64_t now, uint64_t busy, uint64_t due)
{
	const uint64_t quiet = now > busy ? now - busy : 0;
	struct idle_rest rest = {.how = IDLE_POLL, .until = now};
	uint64_t until;

	if (m->mode == CONFIG_IDLE_SPIN || quiet < IDLE_POLL_NS)
		return rest;
	rest.how = choose_how(m, quiet);
	until = least(now + choose_length(m, rest.how, quiet),
		      due > IDLE_EARLY_NS ? due - IDLE_EARLY_NS : 0);
	if (until < now + IDLE_LEAST_NS)
		rest.how = IDLE_POLL;
	else
		rest.until = until;
	return rest;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See rest.h. */
#include "lcore/rest.h"

#include <rte_common.h>
#include <rte_pause.h>

#include "lcore/monitor.h"
#include "lcore/worker.h"

#define NS_S UINT64_C(1000000000)

/** When one of the queues that it runs has something to do by itself, ns. */
static uint64_t next_time(struct worker *w, uint64_t now)
{
	uint64_t next = w->rescue.n_taken_up ? now : CAKE_NEVER;

	for (unsigned i = 0; i < w->n_tx && next > now; i++)
		next = RTE_MIN(next, serve_next_time(&w->tx[i], now));
	return next;
}

/** Sleep, if another pass since that was announced has found nothing. */
static void sleep_until(struct worker *w, uint64_t now, uint64_t until)
{
	if (!sleeper_is_announced(&w->sleeper)) {
		sleeper_announce(&w->sleeper);
		return;
	}
	w->rest = (struct rest){.from = now, .until = until};
	w->rest.end = sleeper_sleep(&w->sleeper, until - now);
}

static void monitor_until(struct worker *w, uint64_t now, uint64_t until)
{
	w->rest = (struct rest){.from = now, .until = until, .end = SLEEPER_TIME};
	monitor_wait(w->rx, w->n_rx, (until - now) * w->control->clock->hz / NS_S);
}

void rest_begin(struct worker *w, uint64_t now)
{
	struct idle_rest r = {.how = IDLE_POLL};

	if (now - w->busy_ns >= IDLE_POLL_NS && w->means.mode != CONFIG_IDLE_SPIN)
		r = idle_rest(&w->means, now, w->busy_ns, next_time(w, now));
	if (r.how == IDLE_POLL)
		rte_pause();
	else if (r.how == IDLE_MONITOR)
		monitor_until(w, now, r.until);
	else
		sleep_until(w, now, r.until);
}

/** A rest is no stall, but to be late for its end is. */
void rest_end(struct worker *w, uint64_t now, bool receiving)
{
	struct worker_counters *c = &w->counters;
	const struct rest *r = &w->rest;

	counter_add(&c->sleeps, 1);
	counter_add(&c->slept_ns, now - r->from);
	if (now > r->until + IDLE_LATE_NS)
		counter_add(&c->late_wakeups, 1);
	w->last_pass_ns = RTE_MIN(now, r->until);
	if (receiving)
		rescue_make_up(&w->rescue, now, now - r->from, &w->dead);
	if (r->end == SLEEPER_RX) {
		counter_add(&c->interrupts, 1);
		w->means.proven = true;
		/* The driver may show the frame a little later. */
		w->busy_ns = now;
		sleeper_revoke(&w->sleeper);
	}
	w->rest.until = 0;
}

static bool has_deferred(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_tx; i++)
		if (txq_deferred(w->tx[i].queue))
			return true;
	return false;
}

/** Frames that went into the ring of a queue whose home sleeps are to wake it. */
static void wake_others(const struct worker *w)
{
	/* what went into a ring, before what its home says of itself: sleeper.h */
	atomic_thread_fence(memory_order_seq_cst);
	for (unsigned i = 0; i < w->control->n_workers; i++) {
		struct worker *other = &w->control->workers[i];

		if (sleeper_is_announced(&other->sleeper) && has_deferred(other))
			worker_wake(other);
	}
}

void rest_forget(struct worker *w, uint64_t now)
{
	w->busy_ns = now;
	if (sleeper_is_armed(&w->sleeper))
		sleeper_revoke(&w->sleeper);
	if (w->means.others && w->means.mode != CONFIG_IDLE_SPIN)
		wake_others(w);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See worker.h. */
#include "lcore/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "lcore/receive.h"

const char *worker_drop_name(enum worker_drop reason)
{
	static const char *const names[WORKER_DROPS] = {
		[WORKER_DROP_RUNT] = "runt",
		[WORKER_DROP_TOO_LONG] = "too-long",
		[WORKER_DROP_NO_BUFFER] = "no-buffer",
		[WORKER_DROP_GSO_SEGMENTS] = "gso-segments",
		[WORKER_DROP_GSO_NO_BUFFER] = "gso-no-buffer",
		[WORKER_DROP_DEFER] = "defer",
		[WORKER_DROP_SHED] = "shed",
		[WORKER_DROP_LINK_DOWN] = "link-down",
	};

	return names[reason];
}

int worker_init(struct worker *w, struct worker_control *control, unsigned max_rx, unsigned max_tx)
{
	int ret;

	memset(w, 0, sizeof(*w));
	w->control = control;
	w->rx = calloc(max_rx, sizeof(*w->rx));
	w->tx = calloc(max_tx, sizeof(*w->tx));
	if ((!w->rx && max_rx) || (!w->tx && max_tx) || rescue_init(&w->rescue, max_tx)) {
		worker_fini(w);
		return -ENOMEM;
	}
	ret = sleeper_init(&w->sleeper, max_rx);
	if (ret)
		worker_fini(w);
	return ret;
}

void worker_fini(struct worker *w)
{
	for (unsigned i = 0; i < CONFIG_PORTS_MAX; i++)
		dispatch_destroy(w->to[i]);
	rescue_fini(&w->rescue);
	sleeper_fini(&w->sleeper);
	free(w->rx);
	free(w->tx);
}

void worker_add_rx(struct worker *w, const struct worker_rx *rx)
{
	w->rx[w->n_rx++] = *rx;
}

void worker_add_tx(struct worker *w, const struct worker_tx *tx)
{
	w->tx[w->n_tx++] = *tx;
}

void worker_add_foreign(struct worker *w, const struct worker_tx *tx)
{
	rescue_add(&w->rescue, tx);
}

static void note_stall(struct worker *w, uint64_t now)
{
	uint64_t gap = now - w->last_pass_ns;

	if (w->last_pass_ns && gap > WORKER_STALL_NS) {
		struct worker_counters *c = &w->counters;
		uint64_t max = counter_get(&c->max_stall_ns);

		counter_add(&c->stalls, 1);
		counter_add(&c->stall_ns, gap);
		if (gap > max)
			counter_add(&c->max_stall_ns, gap - max);
	}
	w->last_pass_ns = now;
}

unsigned worker_pass(struct worker *w, uint64_t now, bool receiving)
{
	unsigned moved = 0;

	note_stall(w, now);
	if (visit_waits(&w->door))
		visit_serve(&w->door, NULL, now);
	for (unsigned i = 0; receiving && i < w->n_rx; i++)
		moved += receive(w, &w->rx[i], now);
	for (unsigned i = 0; i < w->n_tx; i++)
		moved += serve(&w->tx[i], now, &w->dead);
	/* Once every worker has ceased to receive a queue is its home's alone, to be purged. */
	if (receiving)
		moved += rescue_pass(&w->rescue, now, &w->dead);
	counter_add(&w->counters.passes, 1);
	if (moved)
		counter_add(&w->counters.busy_passes, 1);
	return moved;
}

static bool is_empty(const struct worker *w)
{
	for (unsigned i = 0; i < w->n_tx; i++)
		if (txq_queued(w->tx[i].queue) || txq_deferred(w->tx[i].queue) ||
		    txq_held(w->tx[i].queue))
			return false;
	return true;
}

static uint64_t worker_now(struct worker *w)
{
	return tsc_clock_read(w->control->clock, &w->time, rte_rdtsc());
}

/** Returns when a pass begins, ns. Where one ends that moved frames, its cycles count. */
static uint64_t begin_pass(struct worker *w)
{
	uint64_t tsc = rte_rdtsc();

	if (w->last_pass_moved)
		counter_add(&w->counters.busy_cycles, tsc - w->last_pass_tsc);
	w->last_pass_tsc = tsc;
	return tsc_clock_read(w->control->clock, &w->time, tsc);
}

void worker_turn(struct worker *w, uint64_t now, bool receiving)
{
	if (w->rest.until)
		rest_end(w, now, receiving);
	w->last_pass_moved = worker_pass(w, now, receiving) > 0;
	if (w->last_pass_moved)
		rest_forget(w, now);
	else if (receiving)
		rest_begin(w, now);
	else
		rte_pause();
}

/** Polling, and sending alone once told to stop, until the phase allows to drain. */
static int forward(struct worker *w)
{
	int phase;

	for (;;) {
		phase = atomic_load_explicit(&w->control->phase, memory_order_acquire);
		if (phase >= WORKER_DRAIN)
			return phase;
		/* Published after the last frame went to anyone's ring, which main waits for. */
		if (phase != atomic_load_explicit(&w->reached, memory_order_relaxed))
			atomic_store_explicit(&w->reached, phase, memory_order_release);
		worker_turn(w, begin_pass(w), phase == WORKER_RUN);
	}
}

static void drain(struct worker *w)
{
	uint64_t now = worker_now(w);
	const uint64_t deadline = now + w->control->drain_ns;

	while (!is_empty(w) && now < deadline) {
		if (atomic_load_explicit(&w->control->phase, memory_order_relaxed) ==
		    WORKER_ABANDON)
			return;
		if (!worker_pass(w, now, false))
			rte_pause();
		now = worker_now(w);
	}
}

/** Nobody else claims it any more, see worker_pass(); claiming takes over what the last one did. */
static void purge(struct txq *q, uint64_t now)
{
	if (!txq_claim(q, now))
		return;
	txq_purge(q);
	txq_release(q);
}

int worker_watch_rx(struct worker *w, const struct worker_rx **refused)
{
	for (unsigned i = 0; i < w->n_rx; i++) {
		int ret = sleeper_add_rx(&w->sleeper, w->rx[i].device, w->rx[i].queue);

		if (ret) {
			*refused = &w->rx[i];
			return ret;
		}
	}
	return 0;
}

void worker_unwatch_rx(struct worker *w)
{
	sleeper_forget_rx(&w->sleeper);
}

/** RX interrupts of those queues alone that it receives from. */
static void watch_anew(struct worker *w)
{
	const struct worker_rx *refused;

	if (w->means.mode != CONFIG_IDLE_INTERRUPT)
		return;
	worker_unwatch_rx(w);
	/* They had them before; without, it naps. */
	worker_watch_rx(w, &refused);
}

void worker_leave_out(struct worker *w, unsigned port)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < w->n_rx; i++) {
		const struct worker_rx rx = w->rx[i];

		if (rx.port == port)
			continue;
		memmove(&w->rx[kept + 1], &w->rx[kept], (i - kept) * sizeof(rx));
		w->rx[kept++] = rx;
	}
	w->n_left_out += w->n_rx - kept;
	w->n_rx = kept;
	watch_anew(w);
}

void worker_take_in(struct worker *w, unsigned port, uint16_t mtu)
{
	w->n_rx += w->n_left_out;
	w->n_left_out = 0;
	for (unsigned i = 0; i < w->n_rx; i++)
		if (w->rx[i].to_port == port)
			w->rx[i].mtu = mtu;
	watch_anew(w);
}

void worker_wake(struct worker *w)
{
	sleeper_ring(&w->sleeper);
}

int worker_main(void *worker)
{
	struct worker *w = worker;
	int phase;

	sleeper_enter();
	w->busy_ns = worker_now(w);
	phase = forward(w);
	if (sleeper_is_armed(&w->sleeper))
		sleeper_revoke(&w->sleeper);
	if (phase == WORKER_DRAIN)
		drain(w);
	for (unsigned i = 0; i < w->n_tx; i++)
		purge(w->tx[i].queue, worker_now(w));
	atomic_store_explicit(&w->reached, WORKER_ENDED, memory_order_release);
	return 0;
}

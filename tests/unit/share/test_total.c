/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share, "demand": what all queues of a port send together, against its rate, in any 20 ms from the
 * first packet on, slid in steps of 50 us, and over the whole run.
 *
 *	build/tests/unit/share/test_share_total		100 ms per row, limits checked
 *	build/tests/unit/share/test_share_total 1000	1 s per row
 *
 * prints the table of docs/multi-queue.md.
 *
 * The limit is the larger of 0.25 % of 20 ms and a maximum frame: a window of a flawless shaper has
 * one frame more or less by where it begins. On top comes what the polls are late, and where a
 * spread says so a number of frames, with the reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "port.h"

#define MBIT      1000000ull
#define FRAME     CAKE_MAX_FRAME_DEFAULT
#define WINDOW_NS (20 * NS_PER_MS)

static const uint64_t rates[] = {100 * MBIT, 1000 * MBIT, 10000 * MBIT, 25000 * MBIT};
static const unsigned counts[] = {1, 2, 4, 8, 32, 64};

static struct port port;
static uint64_t run_ns = 100 * NS_PER_MS;

/** A spread of load over the queues. */
struct spread {
	const char *name;
	void (*load)(unsigned queue, uint64_t bps, struct port_load *l);
	/** Called every millisecond before it runs, @ms; NULL = nothing happens. */
	void (*change)(unsigned ms);
	uint64_t delay_ns; /* of every other queue's polls; 0 = 2 us as all */
	unsigned more;     /* frames, on top of the limit, where one is more than 0.25 % */
	unsigned least;    /* queues */
	bool own_views;
	bool gaps; /* the port has nothing to send for a while: it may only not send too much */
};

static void fill_with(struct port_load *l, uint32_t size, unsigned depth)
{
	l->flows = 4;
	l->depth = depth;
	l->sizes[0] = size;
}

static void all_busy(unsigned queue, uint64_t bps, struct port_load *l)
{
	(void)queue;
	(void)bps;
	fill_with(l, FRAME, 20);
}

static void small_packets(unsigned queue, uint64_t bps, struct port_load *l)
{
	(void)queue;
	(void)bps;
	fill_with(l, 60, 200);
}

static void mixed_sizes(unsigned queue, uint64_t bps, struct port_load *l)
{
	(void)queue;
	(void)bps;
	fill_with(l, 60, 60);
	l->sizes[1] = 576;
	l->sizes[2] = FRAME;
}

static void one_loaded(unsigned queue, uint64_t bps, struct port_load *l)
{
	(void)bps;
	if (!queue) {
		fill_with(l, FRAME, 20);
		return;
	}
	l->period = 200 * NS_PER_US;
	l->period_size = 60;
	l->phase = queue * 7919 % l->period;
}

/* The i-th queue offers 1/i of the first, and that is 3/8 of the rate; the first has no end. */
static void zipf(unsigned queue, uint64_t bps, struct port_load *l)
{
	if (!queue) {
		fill_with(l, FRAME, 20);
		return;
	}
	l->period_size = FRAME;
	l->period = (queue + 1) * 8 * 8ull * FRAME * NS_PER_S / 3 / bps;
	l->phase = queue * 7919 % l->period;
}

static void set_filled(unsigned queue, bool filled)
{
	if (port.queues[queue].filled != filled)
		port_fill(&port, queue, filled);
}

static void on_and_off(unsigned ms)
{
	for (unsigned i = 1; i < port.params.queues; i++)
		set_filled(i, (ms + i * 5) % 9 < 3);
}

static void together(unsigned ms)
{
	for (unsigned i = 1; i < port.params.queues; i++)
		set_filled(i, ms % 9 < 3);
}

/* Up to four queues are filled, and every 5 ms these are others. */
static void hop(unsigned ms)
{
	const unsigned n = port.params.queues;

	if (ms % 5)
		return;
	for (unsigned i = 0; i < n; i++)
		set_filled(i, false);
	for (unsigned i = 0; i < 4; i++)
		set_filled((ms / 5 * 4 + i * 3) % n, true);
}

static void stall(unsigned ms)
{
	if (ms % 50 == 10)
		port.queues[1].stalled_until = port.now + 10 * NS_PER_MS;
}

static void stall_all(unsigned ms)
{
	for (unsigned i = 0; i < port.params.queues && ms % 50 == 10; i++)
		port.queues[i].stalled_until = port.now + 10 * NS_PER_MS + i;
}

/* The lcore of queue 1 never reads: what it goes by is what another saw a millisecond ago. */
static void stale(unsigned ms)
{
	static struct share_view seen;

	on_and_off(ms);
	port.views[1] = seen;
	port.views[1].read_ns = T0 + run_ns * 2;
	seen = port.views[0];
}

/*
 * More frames: sizes that are mixed do not add up to slots, so two queues' last packets may be off
 * in one window; of a queue that stalls a slot is lost, which is a frame where that is longer.
 */
static const struct spread spreads[] = {
	{.name = "all busy", .load = all_busy},
	{.name = "60-byte packets", .load = small_packets},
	{.name = "60, 576, 1514 bytes", .load = mixed_sizes, .more = 1},
	{.name = "one loaded", .load = one_loaded},
	{.name = "zipf", .load = zipf},
	{.name = "on and off", .load = all_busy, .change = on_and_off},
	{.name = "together", .load = all_busy, .change = together},
	{.name = "hopping", .load = all_busy, .change = hop},
	{.name = "stall of 10 ms", .load = all_busy, .change = stall, .more = 1, .least = 2},
	{.name = "all stall for 10 ms", .load = all_busy, .change = stall_all, .gaps = true},
	{.name = "stale by 1 ms", .load = all_busy, .change = stale, .own_views = true, .least = 2},
	{.name = "polls of 20 us", .load = all_busy, .delay_ns = 20 * NS_PER_US},
};

static void run(const struct spread *s, uint64_t bps, unsigned n)
{
	port_init(&port, bps, n);
	port.own_views = s->own_views;
	for (unsigned i = 0; i < n; i++) {
		s->load(i, bps, &port.queues[i].load);
		/* A burst of small packets is over so soon at 25 gbit. */
		if (port.queues[i].load.sizes[0] == 60)
			port.queues[i].delay_ns = NS_PER_US / 4;
		if (s->delay_ns && i % 2)
			port.queues[i].delay_ns = s->delay_ns;
	}
	port_start(&port, run_ns);
	if (!s->change)
		port_run(&port, run_ns);
	for (unsigned ms = 0; s->change && ms < run_ns / NS_PER_MS; ms++) {
		s->change(ms);
		port_run(&port, (ms + 1) * NS_PER_MS);
	}
}

static int64_t worse(const struct spread *s, struct port_error e)
{
	return s->gaps || e.over > e.under ? e.over : e.under;
}

static bool check(const struct spread *s, uint64_t bps, unsigned n)
{
	const int64_t window = bps / 8 * WINDOW_NS / NS_PER_S, whole = bps / 8 * run_ns / NS_PER_S;
	const int64_t late = bps / 8 * (s->delay_ns + 3 * NS_PER_US) / NS_PER_S;
	const bool slow = window / 400 < FRAME;
	int64_t limit = slow ? FRAME * (1 + s->more) : window / 400;
	int64_t total_limit = whole / 2000 > FRAME ? whole / 2000 : FRAME;
	struct port_error any = port_error(&port, WINDOW_NS, 0, run_ns);
	struct port_error total = port_error(&port, run_ns, 0, run_ns);
	bool good = worse(s, any) <= limit + (slow ? late : 0) && worse(s, total) <= total_limit;

	printf("%-20s %6llu mbit %2u queues: 20 ms %+.3f..%+.3f %%, all %+.4f %%%s\n", s->name,
	       (unsigned long long)(bps / MBIT), n, -100.0 * any.under / window,
	       100.0 * any.over / window, 100.0 * (total.over - total.under) / whole,
	       good ? "" : "  <-- too far off");
	return good;
}

static void the_ports_total_is_its_rate(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(spreads); i++)
		for (unsigned r = 0; r < COUNT(rates); r++)
			for (unsigned c = 0; c < COUNT(counts); c++) {
				if (counts[c] < spreads[i].least)
					continue;
				run(&spreads[i], rates[r], counts[c]);
				bad += !check(&spreads[i], rates[r], counts[c]);
				port_stop(&port);
			}
	assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ports_total_is_its_rate),
	};

	if (argc > 1)
		run_ns = strtoull(argv[1], NULL, 10) * NS_PER_MS;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

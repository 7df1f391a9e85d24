/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers that rest, in virtual time: what they are asked to sleep is noted down instead, and the
 * test goes on when it likes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include <rte_cpuflags.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_power_intrinsics.h>

#include "harness.h"
#include "lcore/monitor.h"
#include "pair.h"
#include "txq/claim.h"
#include "txq/visit.h"

#define US UINT64_C(1000)

/* A frame of 1,514 bytes at 10 Mbit/s, ns. */
#define FRAME_NS (UINT64_C(1514) * 8 * 100)

/* The last sleep that a worker was asked for, ns; 0: none since it was looked at. */
static uint64_t slept;
static enum sleeper_end ended_by;

enum sleeper_end __wrap_sleeper_sleep(struct sleeper *s, uint64_t ns);
enum sleeper_end __real_sleeper_sleep(struct sleeper *s, uint64_t ns);

enum sleeper_end __wrap_sleeper_sleep(struct sleeper *s, uint64_t ns)
{
	(void)s;
	slept = ns;
	return ended_by;
}

static uint64_t take_slept(void)
{
	uint64_t ns = slept;

	slept = 0;
	return ns;
}

/* A CPU and a driver with a monitor, as far as each is said to have one. */
static struct rte_cpu_intrinsics cpu;
static int driver_says = -ENOTSUP;
static uint64_t monitored; /* cycles, at most */

void __wrap_rte_cpu_get_intrinsics_support(struct rte_cpu_intrinsics *intrinsics);
int __wrap_rte_eth_get_monitor_addr(uint16_t port, uint16_t queue,
				    struct rte_power_monitor_cond *cond);
int __wrap_rte_power_monitor(const struct rte_power_monitor_cond *cond, const uint64_t until);

void __wrap_rte_cpu_get_intrinsics_support(struct rte_cpu_intrinsics *intrinsics)
{
	*intrinsics = cpu;
}

int __wrap_rte_eth_get_monitor_addr(uint16_t port, uint16_t queue,
				    struct rte_power_monitor_cond *cond)
{
	(void)port;
	(void)queue;
	(void)cond;
	return driver_says;
}

int __wrap_rte_power_monitor(const struct rte_power_monitor_cond *cond, const uint64_t until)
{
	(void)cond;
	monitored = until - rte_rdtsc();
	return 0;
}

static struct tsc_clock ghz = {.hz = 1000000000};

/** @tx runs the queue of OUT; both rest as @mode says. */
static void join_resting(unsigned tx, enum config_idle mode, uint64_t bandwidth_bps)
{
	struct cake_params params;

	cake_params_default(&params);
	params.bandwidth_bps = bandwidth_bps;
	params.rtt_ns = 10 * S; /* CoDel lets everything pass */
	join_with(tx, &params);
	for (unsigned i = 0; i < 2; i++) {
		workers[i].means = (struct idle_means){.mode = mode, .others = tx == 1};
		workers[i].busy_ns = START_NS;
	}
	workers[0].control->clock = &ghz;
	workers[0].control->workers = workers;
	workers[0].control->n_workers = 2;
	slept = 0;
	ended_by = SLEEPER_TIME;
}

/** A turn at @now. Returns when the next is: after the sleep, or 10 us later. */
static uint64_t turn(struct worker *w, uint64_t now)
{
	uint64_t ns;

	worker_turn(w, now, true);
	ns = take_slept();
	return now + (ns ? ns : 10 * US);
}

/** Turns until the worker is asked to sleep, from @now on. Returns when it is to be back. */
static uint64_t until_asleep(struct worker *w, uint64_t now)
{
	for (;;) {
		uint64_t next = turn(w, now);

		assert_true(now < START_NS + S);
		if (next - now != 10 * US)
			return next;
		now = next;
	}
}

static uint64_t sleeps(unsigned worker)
{
	return counter_get(&workers[worker].counters.sleeps);
}

static void a_quiet_worker_sleeps_and_serves_what_has_come_meanwhile(void **state)
{
	uint64_t now;

	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 0);
	now = until_asleep(&workers[0], START_NS);
	assert_in_range(now, START_NS + IDLE_POLL_NS, START_NS + 2 * IDLE_POLL_NS);
	for (unsigned i = 0; i < 100; i++)
		now = turn(&workers[0], now);
	assert_int_equal(turn(&workers[0], now) - now, IDLE_NAP_NS);
	give(frame(1, 0, 60, 0));
	now = turn(&workers[0], now + IDLE_NAP_NS);
	assert_int_equal(take_all(), 1);
	assert_int_equal(sleeps(0), 102);
	/* and polls again */
	assert_true(until_asleep(&workers[0], now) >= now + IDLE_POLL_NS);
	assert_conserved();
	part();
}

static void a_worker_that_spins_never_sleeps(void **state)
{
	(void)state;
	join_resting(0, CONFIG_IDLE_SPIN, 0);
	for (uint64_t now = START_NS; now < START_NS + 100 * MS; now += 10 * US)
		worker_turn(&workers[0], now, true);
	assert_int_equal(slept, 0);
	assert_int_equal(sleeps(0), 0);
	part();
}

static void a_sleep_is_no_stall_but_oversleeping_is(void **state)
{
	const struct worker_counters *c = &workers[0].counters;
	uint64_t now;

	(void)state;
	join_resting(0, CONFIG_IDLE_INTERRUPT, 0);
	workers[0].means.proven = true;
	workers[0].busy_ns = START_NS - IDLE_WAIT_NS;
	now = until_asleep(&workers[0], START_NS); /* for 10 ms */
	now = turn(&workers[0], now);
	assert_int_equal(counter_get(&c->sleeps), 1);
	assert_int_equal(counter_get(&c->slept_ns), IDLE_WAIT_NS);
	assert_int_equal(counter_get(&c->stalls), 0);
	assert_int_equal(counter_get(&c->late_wakeups), 0);
	/* a little late */
	now = turn(&workers[0], now + IDLE_LATE_NS + 1);
	assert_int_equal(counter_get(&c->late_wakeups), 1);
	assert_int_equal(counter_get(&c->stalls), 0);
	/* much too late */
	now = turn(&workers[0], now + 5 * MS);
	assert_int_equal(counter_get(&c->late_wakeups), 2);
	assert_int_equal(counter_get(&c->stalls), 1);
	assert_int_equal(counter_get(&c->stall_ns), 5 * MS);
	/* woken long before */
	turn(&workers[0], now - 9 * MS);
	assert_int_equal(counter_get(&c->sleeps), 4);
	assert_int_equal(counter_get(&c->slept_ns),
			 3 * IDLE_WAIT_NS + IDLE_LATE_NS + 1 + 5 * MS + MS);
	assert_int_equal(counter_get(&c->late_wakeups), 2);
	part();
}

static void what_comes_after_the_announcement_is_found_before_the_sleep(void **state)
{
	uint64_t now = START_NS;

	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 0);
	while (!sleeper_is_announced(&workers[0].sleeper))
		now = turn(&workers[0], now);
	give(frame(1, 0, 60, 0));
	turn(&workers[0], now);
	assert_int_equal(take_all(), 1);
	assert_int_equal(sleeps(0), 0);
	assert_false(sleeper_is_announced(&workers[0].sleeper));
	part();
}

/* The interrupt comes, the driver shows the frame only 50 us later. */
static void an_interrupt_is_followed_by_polling(void **state)
{
	uint64_t now;

	(void)state;
	join_resting(0, CONFIG_IDLE_INTERRUPT, 0);
	workers[0].busy_ns = START_NS - IDLE_WAIT_NS;
	ended_by = SLEEPER_RX;
	until_asleep(&workers[0], START_NS);
	ended_by = SLEEPER_TIME;
	now = START_NS + 5 * MS;
	assert_true(until_asleep(&workers[0], now) >= now + IDLE_POLL_NS);
	assert_int_equal(counter_get(&workers[0].counters.interrupts), 1);
	/* and from the first one on it is relied on */
	now = until_asleep(&workers[0], now + 2 * IDLE_WAIT_NS);
	assert_int_equal(turn(&workers[0], now), now + IDLE_WAIT_NS);
	part();
}

/* Ten frames at once: they leave as far apart as at any worker that never
 * sleeps. */
static void departures_are_met_to_the_pass(void **state)
{
	uint64_t now = START_NS, first = 0;
	unsigned left = 0, naps = 0;

	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 10000000);
	for (uint32_t i = 0; i < 10; i++)
		give(frame(1, i, 1514, 0));
	while (left < 10) {
		uint64_t next = turn(&workers[0], now);
		unsigned n = take_all();

		naps += next - now != 10 * US;
		if (n) {
			assert_int_equal(n, 1);
			first = first ? first : now;
			assert_in_range(now, first + left * FRAME_NS,
					first + left * FRAME_NS + 10 * US);
			left++;
		}
		now = next;
	}
	assert_true(naps > 10);
	part();
}

static void a_frame_for_a_sleeping_homes_ring_rings_its_bell(void **state)
{
	(void)state;
	join_resting(1, CONFIG_IDLE_ADAPTIVE, 0);
	until_asleep(&workers[1], START_NS);
	assert_true(sleeper_is_announced(&workers[1].sleeper));
	worker_turn(&workers[0], START_NS, true); /* nothing for it yet */
	assert_true(sleeper_is_announced(&workers[1].sleeper));
	give(frame(1, 0, 60, 0));
	worker_turn(&workers[0], START_NS, true);
	assert_false(sleeper_is_announced(&workers[1].sleeper));
	assert_int_equal(__real_sleeper_sleep(&workers[1].sleeper, 60 * S), SLEEPER_BELL);
	worker_turn(&workers[1], START_NS + MS, true);
	assert_int_equal(take_all(), 1);
	assert_conserved();
	part();
}

/* 1 Mbit/s: a frame every 12 ms, and others that look for queues nobody runs. */
static void who_sleeps_before_a_departure_has_not_abandoned_its_queue(void **state)
{
	uint64_t next = START_NS;

	(void)state;
	join_resting(1, CONFIG_IDLE_ADAPTIVE, 1000000);
	worker_add_foreign(&workers[0], &(struct worker_tx){.queue = txq});
	turn(&workers[1], START_NS);
	for (uint32_t i = 0; i < 10; i++)
		give(frame(1, i, 1514, 0));
	for (uint64_t now = START_NS; now < START_NS + 100 * MS; now += 10 * US) {
		worker_pass(&workers[0], now, true);
		if (now >= next)
			next = turn(&workers[1], now);
	}
	assert_int_equal(counter_get(&workers[0].rescue.taken_up), 0);
	assert_true(sleeps(1) > 100);
	assert_in_range(take_all(), 8, 9); /* 100 ms / 12.1 ms */
	part();
}

/* The home has stopped; worker 0, which has nothing else to do, is asleep when that shows. */
static void who_has_slept_looks_after_others_all_the_same(void **state)
{
	uint64_t now;

	(void)state;
	join_resting(1, CONFIG_IDLE_ADAPTIVE, 0);
	worker_add_foreign(&workers[0], &(struct worker_tx){.queue = txq});
	turn(&workers[1], START_NS);
	give(frame(1, 0, 60, 0));
	now = turn(&workers[0], START_NS);
	while (!counter_get(&workers[0].rescue.taken_up))
		now = turn(&workers[0], now);
	assert_in_range(now, START_NS + CLAIM_ABANDONED_NS,
			START_NS + CLAIM_ABANDONED_NS + 2 * IDLE_NAP_NS);
	assert_int_equal(take_all(), 1);
	/* and does not rest while it stands in */
	for (uint64_t end = now + 10 * MS; now < end; now += 10 * US)
		assert_int_equal(turn(&workers[0], now), now + 10 * US);
	part();
}

static void nobody_runs_anothers_queue_after_a_rest_once_reception_has_ended(void **state)
{
	(void)state;
	join_resting(1, CONFIG_IDLE_ADAPTIVE, 0);
	worker_add_foreign(&workers[0], &(struct worker_tx){.queue = txq});
	turn(&workers[1], START_NS);
	give(frame(1, 0, 60, 0));
	turn(&workers[0], START_NS);
	until_asleep(&workers[0], START_NS);
	worker_turn(&workers[0], START_NS + 2 * CLAIM_ABANDONED_NS, false);
	assert_int_equal(counter_get(&workers[0].rescue.taken_up), 0);
	assert_int_equal(txq_deferred(txq), 1);
	part();
}

static void note_visit(struct txq *q, void *arg, uint64_t now)
{
	(void)q;
	*(uint64_t *)arg = now;
}

static void a_visitor_is_no_time_to_sleep(void **state)
{
	uint64_t visited = 0;
	struct visit visit = {.run = note_visit, .arg = &visited};

	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 0);
	until_asleep(&workers[0], START_NS);
	assert_int_equal(txq_next_time(txq), CAKE_NEVER);
	assert_true(visit_post(txq_door(txq), &visit));
	assert_int_equal(txq_next_time(txq), 0);
	worker_wake(&workers[0]);
	assert_int_equal(__real_sleeper_sleep(&workers[0].sleeper, 60 * S), SLEEPER_BELL);
	worker_turn(&workers[0], START_NS + MS, true);
	assert_int_equal(visited, START_NS + MS);
	part();
}

static void the_monitor_needs_cpu_and_driver(void **state)
{
	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 0);
	cpu = (struct rte_cpu_intrinsics){0};
	driver_says = 0;
	assert_false(monitor_can(workers[0].rx, 1));
	cpu.power_monitor = 1;
	assert_true(monitor_can(workers[0].rx, 1));
	assert_false(monitor_can(workers[0].rx, 0));
	driver_says = -ENOTSUP;
	assert_false(monitor_can(workers[0].rx, 1));
	part();
}

/* 50 us, and the test may be held up before it looks at the clock. */
static void the_monitor_is_used_where_there_is_one(void **state)
{
	uint64_t now = START_NS;

	(void)state;
	join_resting(0, CONFIG_IDLE_ADAPTIVE, 0);
	cpu.power_monitor = 1;
	driver_says = 0;
	workers[0].means.monitor = true;
	for (monitored = 0; !monitored && now < START_NS + S; now += 10 * US)
		worker_turn(&workers[0], now, true);
	assert_in_range(now, START_NS + IDLE_POLL_NS, START_NS + 2 * IDLE_POLL_NS);
	assert_true((int64_t)monitored <= (int64_t)IDLE_MONITOR_REST_NS);
	worker_turn(&workers[0], now + IDLE_MONITOR_REST_NS, true);
	assert_int_equal(sleeps(0), 1);
	assert_int_equal(slept, 0);
	part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_quiet_worker_sleeps_and_serves_what_has_come_meanwhile),
		TEST(a_worker_that_spins_never_sleeps),
		TEST(a_sleep_is_no_stall_but_oversleeping_is),
		TEST(what_comes_after_the_announcement_is_found_before_the_sleep),
		TEST(an_interrupt_is_followed_by_polling),
		TEST(departures_are_met_to_the_pass),
		TEST(a_frame_for_a_sleeping_homes_ring_rings_its_bell),
		TEST(who_sleeps_before_a_departure_has_not_abandoned_its_queue),
		TEST(who_has_slept_looks_after_others_all_the_same),
		TEST(nobody_runs_anothers_queue_after_a_rest_once_reception_has_ended),
		TEST(a_visitor_is_no_time_to_sleep),
		TEST(the_monitor_needs_cpu_and_driver),
		TEST(the_monitor_is_used_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, pair_start, pair_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a worker rests: in virtual time, a worker whose passes take a microsecond and whose rests
 * end when they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "lcore/idle.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define START   (1000 * S)
#define NEVER   UINT64_MAX
#define PASS_NS US

/* What the issue asks for: back from a nap, and from anything that an interrupt or a write ends. */
#define BACK_NS      (500 * US)
#define BACK_FAST_NS (50 * US)

static const struct idle_means spin = {.mode = CONFIG_IDLE_SPIN};
static const struct idle_means adaptive = {.mode = CONFIG_IDLE_ADAPTIVE};
static const struct idle_means monitor = {.mode = CONFIG_IDLE_ADAPTIVE, .monitor = true};
static const struct idle_means interrupt = {.mode = CONFIG_IDLE_INTERRUPT, .proven = true};
static const struct idle_means interrupt_of_many = {
	.mode = CONFIG_IDLE_INTERRUPT, .proven = true, .others = true};
static const struct idle_means interrupt_yet_to_come = {.mode = CONFIG_IDLE_INTERRUPT};

static const struct idle_means *const all[] = {
	&spin, &adaptive, &monitor, &interrupt, &interrupt_of_many, &interrupt_yet_to_come,
};
#define N_ALL (sizeof(all) / sizeof(all[0]))

/** A worker that has moved a frame at START and then found nothing until @end. */
struct quiet {
	uint64_t passes, rests, rested_ns, longest_ns;
};

static struct quiet stay_quiet(const struct idle_means *m, uint64_t end)
{
	struct quiet q = {0};

	for (uint64_t now = START; now < end; now += PASS_NS) {
		struct idle_rest r = idle_rest(m, now, START, NEVER);

		q.passes++;
		if (r.how == IDLE_POLL)
			continue;
		assert_true(r.until > now);
		q.rests++;
		q.rested_ns += r.until - now;
		if (r.until - now > q.longest_ns)
			q.longest_ns = r.until - now;
		now = r.until;
	}
	return q;
}

static enum idle_how how(const struct idle_means *m, uint64_t quiet, uint64_t due)
{
	return idle_rest(m, START + quiet, START, due).how;
}

static void spin_never_rests(void **state)
{
	(void)state;
	assert_int_equal(stay_quiet(&spin, START + 10 * MS).rests, 0);
	assert_int_equal(how(&spin, 100 * S, NEVER), IDLE_POLL);
}

static void nobody_rests_right_after_a_frame(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_ALL; i++) {
		assert_int_equal(how(all[i], 0, NEVER), IDLE_POLL);
		assert_int_equal(how(all[i], IDLE_POLL_NS - 1, NEVER), IDLE_POLL);
	}
	/* a clock that another lcore's reading is ahead of */
	assert_int_equal(idle_rest(&adaptive, START, START + US, NEVER).how, IDLE_POLL);
}

static void what_comes_after_a_gap_waits_an_eighth_of_it_at_most(void **state)
{
	(void)state;
	for (uint64_t gap = IDLE_POLL_NS; gap < S; gap += gap / 100) {
		struct idle_rest r = idle_rest(&adaptive, START + gap, START, NEVER);
		uint64_t nap = r.until - (START + gap);

		assert_int_equal(r.how, IDLE_NAP);
		assert_true(nap <= gap / 8);
		assert_true(nap + IDLE_LATE_NS <= BACK_NS);
	}
	assert_int_equal(stay_quiet(&adaptive, START + S).longest_ns, IDLE_NAP_NS);
}

/* The second 100 ms of silence; a wake-up, with the pass, is given 10 us. */
static void a_quiet_worker_leaves_its_cpu_to_others(void **state)
{
	const struct idle_means *means[] = {&adaptive, &interrupt, &interrupt_of_many};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct quiet first = stay_quiet(means[i], START + 100 * MS);
		struct quiet both = stay_quiet(means[i], START + 200 * MS);

		assert_true((both.rests - first.rests) * 10 * US < 100 * MS / 20);
		assert_int_equal(both.passes - first.passes, both.rests - first.rests);
	}
}

/* It saves power, not CPU time: only while that may be short. */
static void the_monitor_is_left_after_a_while(void **state)
{
	(void)state;
	assert_int_equal(how(&monitor, IDLE_POLL_NS, NEVER), IDLE_MONITOR);
	assert_int_equal(how(&monitor, IDLE_MONITOR_NS - 1, NEVER), IDLE_MONITOR);
	assert_int_equal(how(&monitor, IDLE_MONITOR_NS, NEVER), IDLE_NAP);
	assert_true(stay_quiet(&monitor, START + 99 * MS).longest_ns <= BACK_FAST_NS);
	assert_int_equal(stay_quiet(&monitor, START + S).longest_ns, IDLE_NAP_NS);
}

/* A queue that was not run for a millisecond would be taken up by another. */
static void among_others_no_rest_is_long(void **state)
{
	(void)state;
	assert_int_equal(how(&interrupt, S, NEVER), IDLE_WAIT);
	assert_int_equal(stay_quiet(&interrupt, START + S).longest_ns, IDLE_WAIT_NS);
	assert_int_equal(stay_quiet(&interrupt_of_many, START + S).longest_ns, IDLE_NAP_NS);
}

/* Some drivers take the request for interrupts and send none: then it is as with naps. */
static void before_the_first_interrupt_no_rest_is_long(void **state)
{
	(void)state;
	assert_int_equal(how(&interrupt_yet_to_come, S, NEVER), IDLE_WAIT);
	assert_int_equal(stay_quiet(&interrupt_yet_to_come, START + S).longest_ns, IDLE_NAP_NS);
}

/* A driver may show a frame a little later than it interrupts for it. */
static void right_after_an_interrupt_no_rest_is_long(void **state)
{
	(void)state;
	for (uint64_t quiet = IDLE_POLL_NS; quiet < IDLE_WAIT_NS; quiet += 10 * US) {
		struct idle_rest r = idle_rest(&interrupt, START + quiet, START, NEVER);

		assert_int_equal(r.how, IDLE_WAIT);
		assert_true(r.until <= START + quiet + IDLE_NAP_NS);
	}
}

static void nobody_sleeps_into_a_departure(void **state)
{
	struct prng rng = prng_xorshift32(1);

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		const struct idle_means *m = all[i % N_ALL];
		/* quiet for up to a second, something due from 0.26 ms ago to 1.8 ms from now */
		uint64_t now = START + prng_u32(&rng) % (1 << 30);
		uint64_t due = now + prng_u32(&rng) % (1 << 21) - (1 << 18);
		struct idle_rest r = idle_rest(m, now, START, due);

		if (r.how == IDLE_POLL)
			assert_int_equal(r.until, now);
		else
			assert_true(r.until + IDLE_EARLY_NS <= due &&
				    r.until >= now + IDLE_LEAST_NS);
	}
}

/* 10 Mbit/s of full frames: one every 1.2 ms. Each leaves on time, and in between it rests. */
static void a_slow_queue_rests_between_departures(void **state)
{
	const uint64_t frame = 1211 * US;
	uint64_t now = START, rested = 0;

	(void)state;
	for (uint64_t due = START + frame; due < START + S; due += frame) {
		uint64_t busy = due - frame;

		while (now < due) {
			struct idle_rest r = idle_rest(&adaptive, now, busy, due);

			rested += r.until - now;
			now = r.until + PASS_NS;
		}
		assert_true(now < due + PASS_NS);
	}
	assert_true(rested > S / 2);
}

static void what_has_passed_is_due_now(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_ALL; i++) {
		assert_int_equal(how(all[i], S, 0), IDLE_POLL);
		assert_int_equal(how(all[i], S, START), IDLE_POLL);
		assert_int_equal(how(all[i], S, START + S), IDLE_POLL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spin_never_rests),
		cmocka_unit_test(nobody_rests_right_after_a_frame),
		cmocka_unit_test(what_comes_after_a_gap_waits_an_eighth_of_it_at_most),
		cmocka_unit_test(a_quiet_worker_leaves_its_cpu_to_others),
		cmocka_unit_test(the_monitor_is_left_after_a_while),
		cmocka_unit_test(among_others_no_rest_is_long),
		cmocka_unit_test(before_the_first_interrupt_no_rest_is_long),
		cmocka_unit_test(right_after_an_interrupt_no_rest_is_long),
		cmocka_unit_test(nobody_sleeps_into_a_departure),
		cmocka_unit_test(a_slow_queue_rests_between_departures),
		cmocka_unit_test(what_has_passed_is_due_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay/queues: which queue a packet is in, what happens next, whose turn a link is. Which
 * decisions are right is the golden suite's; what an operator sees is
 * tests/unit/cli/test_queues.py's.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/queues.h"

#define T0  1000000000000ull
#define LEN 1000

/* 8 Mbit/s: a frame takes 1 ms. */
#define FRAME_NS 1000000

static struct replay_options options(unsigned queues, uint64_t bandwidth_bps)
{
	struct replay_options opt = {
		.queues = queues,
		.share = SHARE_EQUAL,
		.rng = prng_xorshift32(1),
	};

	cake_params_default(&opt.params);
	opt.params.bandwidth_bps = bandwidth_bps;
	opt.params.profile = CAKE_PROFILE_LINUX;
	return opt;
}

/* A frame of the flow that @queue of @n has. */
static void arrive(struct replay_queues *q, unsigned queue, unsigned n, uint64_t now)
{
	struct cake_packet p = {
		.len = LEN,
		.flow_hash = (uint32_t)(((uint64_t)queue << 32) / n + 1),
	};

	assert_int_equal(queues_enqueue(q, &p, 1, now), queue);
	assert_int_equal(p.charge, 256 + 2048); /* align64(1,064) + 320 = 1,408 */
}

/* Queue @i sends now, and its link is busy. */
static void send(struct replay_queues *q, unsigned i, uint64_t now)
{
	struct cake_verdict v;

	assert_true(queues_dequeue(q, i, &v, now));
	queues_occupy_link(q, i, v.len, now);
}

static void assert_next(struct replay_queues *q, uint64_t now, uint64_t time, bool frees_link,
			unsigned index)
{
	struct replay_event e = queues_next(q, now);

	assert_int_equal(e.time, time);
	assert_int_equal(e.frees_link, frees_link);
	assert_int_equal(e.index, index);
}

static void what_cannot_be_is_refused(void **state)
{
	struct replay_options several = options(65, 8000000);
	struct replay_options autorate = options(2, 8000000);
	struct replay_options unlimited = options(2, 0);
	struct replay_queues q;

	(void)state;
	assert_int_equal(queues_create(&q, &several, 1, T0), -EINVAL);
	queues_destroy(&q);
	autorate.params.autorate_ingress = true;
	assert_int_equal(queues_create(&q, &autorate, 1, T0), -EINVAL);
	queues_destroy(&q);
	unlimited.params.autorate_ingress = true;
	assert_int_equal(queues_create(&q, &unlimited, 1, T0), -EINVAL);
	queues_destroy(&q);
}

static void no_queues_are_one(void **state)
{
	struct replay_options opt = options(0, 8000000);
	struct replay_queues q;

	(void)state;
	assert_int_equal(queues_create(&q, &opt, 1, T0), 0);
	assert_int_equal(q.n, 1);
	assert_null(q.share);
	arrive(&q, 0, 1, T0);
	assert_int_equal(queues_backlog(&q), 1);
	send(&q, 0, T0);
	assert_int_equal(queues_backlog(&q), 0);
	assert_next(&q, T0, CAKE_NEVER, false, 0);
	queues_destroy(&q);
}

/* Two queues wake up in the same moment: each has sent a frame, at the full rate still. */
static void of_wake_ups_at_one_time_the_lowest_queue_is_first(void **state)
{
	struct replay_options opt = options(4, 8000000);
	struct replay_queues q;

	(void)state;
	assert_int_equal(queues_create(&q, &opt, 1, T0), 0);
	for (unsigned n = 0; n < 2; n++) {
		arrive(&q, 3, 4, T0);
		arrive(&q, 1, 4, T0);
	}
	/* The first checks its share when the other has packets: half the rate for both. */
	send(&q, 3, T0);
	send(&q, 1, T0);
	assert_next(&q, T0, T0 + 2 * FRAME_NS, false, 1);
	assert_next(&q, T0 + 3 * FRAME_NS, T0 + 3 * FRAME_NS, false, 1); /* overdue is now */
	queues_destroy(&q);
}

static void of_events_at_one_time_wake_ups_are_before_links(void **state)
{
	struct replay_options opt = options(2, 8000000);
	struct replay_queues q;

	(void)state;
	opt.link_per_queue = true;
	opt.link_rate_bps = 4000000; /* as fast as a queue that has half of the rate */
	assert_int_equal(queues_create(&q, &opt, 1, T0), 0);
	assert_ptr_not_equal(q.queues[0].link, q.queues[1].link);
	arrive(&q, 0, 2, T0);
	arrive(&q, 1, 2, T0);
	arrive(&q, 1, 2, T0);
	send(&q, 0, T0);
	send(&q, 1, T0);
	assert_next(&q, T0, T0 + 2 * FRAME_NS, true, 0); /* queue 1 waits for its link */
	q.queues[1].link->busy = false;
	assert_next(&q, T0, T0 + 2 * FRAME_NS, false, 1);
	queues_destroy(&q);
}

static void a_link_that_all_have_is_busy_for_all(void **state)
{
	struct replay_options opt = options(2, 0);
	struct replay_queues q;

	(void)state;
	opt.link_rate_bps = 8000000;
	assert_int_equal(queues_create(&q, &opt, 1, T0), 0);
	assert_null(q.share);
	assert_ptr_equal(q.queues[0].link, q.queues[1].link);
	arrive(&q, 0, 2, T0);
	arrive(&q, 1, 2, T0);
	send(&q, 1, T0);
	assert_true(q.queues[0].link->busy);
	assert_int_equal(q.queues[0].link->last, 1);
	assert_next(&q, T0, T0 + FRAME_NS, true, 0);
	queues_destroy(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(no_queues_are_one),
		cmocka_unit_test(of_wake_ups_at_one_time_the_lowest_queue_is_first),
		cmocka_unit_test(of_events_at_one_time_wake_ups_are_before_links),
		cmocka_unit_test(a_link_that_all_have_is_busy_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

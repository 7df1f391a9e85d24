/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several lcores at once on the queues of one port: dispatch, claims, rings, rescue and the shared
 * rate, as threads that are preempted where it pleases the machine. crowd_run() checks that no flow
 * is out of order and that each frame meets one fate; under ThreadSanitizer, that nothing races.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "crowd.h"

#define GBIT UINT64_C(1000000000)

/* Of each lcore: as many as take seconds under ThreadSanitizer, a fraction of one without. */
#define FRAMES 40000

static void print(const char *what, const struct crowd_result *r)
{
	print_message(
		"%s: sent %lu, deferred %lu, refused %lu, shed %lu, overflow %lu, purged %lu; %lu times "
		"taken up; %.1f ms\n",
		what, r->sent, r->deferred, r->refused, r->shed, r->dropped[CAKE_DROP_OVERFLOW],
		r->dropped[CAKE_DROP_PURGE], r->taken_up,
		(double)(r->end_ns - CROWD_START_NS) / 1e6);
}

static void queues_without_a_rate_send_all_that_was_admitted(void **state)
{
	const struct crowd_params params = {.frames = FRAMES, .flows = 100};
	struct crowd_result r;

	(void)state;
	crowd_run(&params, &r);
	print("no rate", &r);
	assert_true(r.taken_up > 0);
	assert_true(r.deferred > 0);
	assert_int_equal(r.dropped[CAKE_DROP_OVERFLOW], 0);
}

static void flooded_queues_shed_and_lose_nothing_unnamed(void **state)
{
	const struct crowd_params params = {.frames = FRAMES,
					    .flows = 100,
					    .rate_bps = GBIT,
					    .memlimit = 300 * CROWD_ELEMENT_BYTES};
	struct crowd_result r;

	(void)state;
	crowd_run(&params, &r);
	print("flood", &r);
	assert_true(r.shed > 0);
}

static void check_shared(enum share_mode mode, const char *name, struct crowd_result *r)
{
	const struct crowd_params params = {.frames = FRAMES,
					    .flows = 100,
					    .rate_bps = 4 * GBIT,
					    .memlimit = 2000 * CROWD_ELEMENT_BYTES,
					    .shared = true,
					    .mode = mode};

	crowd_run(&params, r);
	print(name, r);
	for (unsigned q = 0; q < CROWD_QUEUES; q++)
		assert_true(r->by_queue[q] > 0);
}

static void one_rate_on_demand_is_never_exceeded(void **state)
{
	struct crowd_result r;
	uint64_t allowed;

	(void)state;
	check_shared(SHARE_DEMAND, "demand", &r);
	/* 4 Gbit/s; each queue's slot may have begun right at the end: a round and a frame. */
	allowed = (r.end_ns - CROWD_START_NS + CROWD_QUEUES * 100000) / 2 +
		  CROWD_QUEUES * CROWD_FRAME_BYTES;
	assert_true(r.sent_bytes <= allowed);
}

static void equal_parts_of_a_rate_are_served(void **state)
{
	struct crowd_result r;

	(void)state;
	check_shared(SHARE_EQUAL, "equal", &r);
}

/* Order and fates are crowd_run()'s to check. A queue is 4 MB: its change takes several runs. */
static void queues_change_while_all_is_going_on(void **state)
{
	static const struct {
		const char *name;
		bool shared;
		enum share_mode mode;
	} ways[] = {{"changes, own rates", false, SHARE_DEMAND},
		    {"changes, demand", true, SHARE_DEMAND},
		    {"changes, equal", true, SHARE_EQUAL}};

	(void)state;
	for (unsigned i = 0; i < RTE_DIM(ways); i++) {
		const struct crowd_params params = {.frames = FRAMES,
						    .flows = 100,
						    .rate_bps = 4 * GBIT,
						    .memlimit = 2000 * CROWD_ELEMENT_BYTES,
						    .shared = ways[i].shared,
						    .mode = ways[i].mode,
						    .changes = true};
		struct crowd_result r;

		crowd_run(&params, &r);
		print(ways[i].name, &r);
		print_message("%lu changes\n", r.changed);
		assert_true(r.changed > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_without_a_rate_send_all_that_was_admitted),
		cmocka_unit_test(flooded_queues_shed_and_lose_nothing_unnamed),
		cmocka_unit_test(one_rate_on_demand_is_never_exceeded),
		cmocka_unit_test(equal_parts_of_a_rate_are_served),
		cmocka_unit_test(queues_change_while_all_is_going_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

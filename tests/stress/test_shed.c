/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an overloaded queue publishes is never seen half written: holders change the line of a tin
 * all the time, and every look at it sees values that belong together.
 */
#include <assert.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "threads.h"
#include "txq/claim.h"
#include "txq/shed.h"

#define HOLDERS 2
#define READERS 3
#define CHANGES 100000 /* of all holders */
#define NOW     UINT64_C(1000000000000)
#define TIN     1

static struct shed *shed;
static struct claim claim;
static unsigned changes; /* whoever has the claim: rw */
static atomic_bool done;

/** All of it is made of @k. */
static void publish(uint64_t k)
{
	const struct shed_values v = {.on = true,
				      .v0 = k << SHED_V_SHIFT,
				      .t0 = NOW,
				      .began = k,
				      .tol = k,
				      .credit = (uint32_t)k,
				      .admit = (uint32_t)k};

	shed_publish(shed, TIN, &v);
}

static void *hold(void *arg)
{
	while (!atomic_load_explicit(&done, memory_order_relaxed)) {
		if (!claim_try(&claim, NOW)) {
			sched_yield();
			continue;
		}
		for (unsigned i = 0; i < 100; i++)
			publish(++changes);
		if (changes >= CHANGES)
			atomic_store_explicit(&done, true, memory_order_relaxed);
		claim_release(&claim);
	}
	return arg;
}

static void *look(void *arg)
{
	struct shed_view view = {0};
	uint64_t last = 0;

	while (!atomic_load_explicit(&done, memory_order_relaxed)) {
		assert(shed_on(shed) == 1u << TIN);
		shed_look(shed, TIN, NOW, &view);
		if (!view.on)
			continue; /* not one look has succeeded yet */
		assert(view.v >> SHED_V_SHIFT == view.began);
		assert(view.tol == view.began && view.credit == view.began);
		assert(view.admit == view.began);
		assert(view.began >= last);
		last = view.began;
	}
	return arg;
}

static void a_line_is_seen_whole(void **state)
{
	struct cake_params params;

	(void)state;
	cake_params_default(&params);
	assert_int_equal(shed_create(&shed, &params), 0);
	publish(++changes);
	for (unsigned i = 0; i < HOLDERS + READERS; i++)
		threads_add(i < HOLDERS ? hold : look, NULL);
	threads_go();
	threads_join();
	shed_destroy(shed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_seen_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

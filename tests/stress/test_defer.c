/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The defer ring and the claim alone: many producers that keep it full, and as many threads that
 * empty it in turn, whoever has the claim. What each producer put in comes out complete and in
 * order.
 */
#include <assert.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/prng.h"
#include "threads.h"
#include "txq/claim.h"
#include "txq/defer.h"

#define PRODUCERS 4
#define HOLDERS   3
#define BURST     32
#define ITEMS     100000 /* of each producer */

/* Only its address goes through the ring. */
struct item {
	uint32_t producer, number;
};

static struct rte_ring *ring;
static struct claim claim;
static struct item *items;
static uint32_t next_number[PRODUCERS]; /* whoever has the claim: rw */
static uint64_t taken, misordered;      /* likewise */
static _Atomic uint64_t left;           /* not taken yet, or a little less */

static void *produce(void *arg)
{
	const uint32_t producer = (uint32_t)(uintptr_t)arg;
	struct item *own = items + producer * ITEMS;
	struct prng rng = prng_xorshift32(producer + 1);

	for (uint32_t done = 0; done < ITEMS;) {
		unsigned n = RTE_MIN(1 + prng_u32(&rng) % BURST, ITEMS - done), put;
		bool whole = prng_u32(&rng) % 2;
		struct rte_mbuf *burst[BURST];
		uint32_t before = defer_mark(ring);

		for (unsigned i = 0; i < n; i++) {
			own[done + i] = (struct item){producer, done + i};
			burst[i] = (struct rte_mbuf *)&own[done + i];
		}
		put = whole ? defer_put_all(ring, burst, n) : defer_put(ring, burst, n);
		/* All or none; and what it put in is before what it sees then. */
		assert(!whole || put == 0 || put == n);
		assert((int32_t)(defer_mark(ring) - before) >= (int32_t)put);
		assert(defer_count(ring) <= DEFER_SIZE);
		done += put;
		if (put < n)
			sched_yield();
	}
	return NULL;
}

static void take_some(struct prng *rng)
{
	struct rte_mbuf *burst[BURST];
	unsigned ready = defer_ready(ring);
	unsigned n = RTE_MIN(ready, 1 + prng_u32(rng) % BURST);

	if (!n)
		return;
	/* What is ready is there. */
	if (defer_take(ring, burst, n) != n)
		abort();
	for (unsigned i = 0; i < n; i++) {
		const struct item *it = (const struct item *)burst[i];

		misordered += it->number != next_number[it->producer];
		next_number[it->producer] = it->number + 1;
	}
	taken += n;
	atomic_fetch_sub_explicit(&left, n, memory_order_relaxed);
}

static void *hold(void *arg)
{
	struct prng rng = prng_xorshift32(100 + (uint32_t)(uintptr_t)arg);

	while (atomic_load_explicit(&left, memory_order_relaxed)) {
		if (claim_try(&claim, 1)) {
			take_some(&rng);
			claim_release(&claim);
		}
		if (prng_u32(&rng) % 16 == 0)
			sched_yield();
	}
	return NULL;
}

static void nothing_is_lost_doubled_or_out_of_order(void **state)
{
	(void)state;
	items = malloc(sizeof(*items) * PRODUCERS * ITEMS);
	assert_non_null(items);
	assert_int_equal(defer_create(&ring), 0);
	atomic_store(&left, PRODUCERS * ITEMS);
	for (uintptr_t i = 0; i < PRODUCERS + HOLDERS; i++)
		threads_add(i < PRODUCERS ? produce : hold, (void *)i);
	threads_go();
	threads_join();
	assert_int_equal(taken, PRODUCERS * ITEMS);
	assert_int_equal(misordered, 0);
	assert_int_equal(defer_count(ring), 0);
	defer_destroy(ring);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_doubled_or_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

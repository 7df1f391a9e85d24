/* SPDX-License-Identifier: BSD-3-Clause */
/* The defer ring: that a producer held up in the middle holds up no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_ring.h>

#include "harness.h"
#include "txq/defer.h"

#define BURST 32

/* Longest wait for calls that never wait, seconds; SIGALRM ends the test then. */
#define PATIENCE_S 20

/** What a producer does first in an RTS ring: it claims @n slots. Preempted there, it has not
 * filled them. */
static void claim_slots(struct rte_ring *ring, uint32_t n)
{
	ring->rts_prod.head.val.pos += n;
	ring->rts_prod.head.val.cnt++;
}

/** What it does last: it was the only one left in the middle, so the tail goes up to the head. */
static void publish_slots(struct rte_ring *ring)
{
	ring->rts_prod.tail.raw = ring->rts_prod.head.raw;
}

static void a_preempted_producer_makes_no_other_wait(void **state)
{
	struct rte_mbuf *pkts[BURST] = {0};
	struct rte_ring *ring;
	unsigned taken = 0;
	uint32_t mark;

	(void)state;
	assert_int_equal(defer_create(&ring), 0);
	claim_slots(ring, BURST);
	alarm(PATIENCE_S);
	for (unsigned i = 0; i < 2 * DEFER_SIZE / BURST; i++)
		taken += defer_put(ring, pkts, BURST);
	alarm(0);
	/* All slots but the claimed ones; nothing is to be seen before those are filled. */
	assert_int_equal(taken, DEFER_SIZE - BURST);
	assert_int_equal(defer_ready(ring), 0);
	assert_int_equal(defer_take(ring, pkts, BURST), 0);
	/* but they are there, and whoever has put them in knows that they are not through */
	assert_int_equal(defer_count(ring), DEFER_SIZE);
	mark = defer_mark(ring);
	assert_false(defer_passed(ring, mark));
	publish_slots(ring);
	assert_int_equal(defer_ready(ring), DEFER_SIZE);
	for (taken = 0; defer_take(ring, pkts, BURST) == BURST;)
		taken += BURST;
	assert_int_equal(taken, DEFER_SIZE);
	assert_int_equal(defer_count(ring), 0);
	assert_true(defer_passed(ring, mark));
	defer_destroy(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preempted_producer_makes_no_other_wait),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

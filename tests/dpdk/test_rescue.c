/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TX queue whose home lcore stops coming round, between two runs or inside one, in virtual time.
 * Worker 0 receives; worker 1 is the queue's home; worker 0 may run it, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rte_ethdev.h>

#include "harness.h"
#include "pair.h"
#include "txq/claim.h"

#define US UINT64_C(1000)

static uint32_t number;

static void join_both(void)
{
	number = 0;
	join(1);
	worker_add_foreign(&workers[0], &(struct worker_tx){.queue = txq});
	worker_pass(&workers[1], START_NS, true);
}

static void give_one(void)
{
	give(frame(1, number++, 60, 0));
}

static uint64_t sent(void)
{
	return counter_get(&txq_counters(txq)->sent_packets);
}

static uint64_t taken_up(void)
{
	return counter_get(&workers[0].rescue.taken_up);
}

/** What left has the numbers from @first on, without a gap. Returns the one after them. */
static uint32_t assert_in_order(uint32_t first)
{
	for (struct rte_mbuf *m; (m = take()); first++) {
		assert_int_equal(frame_number(m), first);
		rte_pktmbuf_free(m);
	}
	return first;
}

/** What left has numbers from @first on that grow. Returns how many. */
static unsigned assert_growing(uint32_t first)
{
	unsigned n = 0;

	for (struct rte_mbuf *m; (m = take()); n++) {
		assert_true(frame_number(m) >= first);
		first = frame_number(m) + 1;
		rte_pktmbuf_free(m);
	}
	return n;
}

/** Worker 0 goes on alone, a frame and a pass every 10 us, until the queue is taken up. */
static uint64_t until_taken_up(uint64_t now)
{
	while (!taken_up()) {
		assert_true(now < START_NS + S);
		give_one();
		worker_pass(&workers[0], now += 10 * US, true);
	}
	return now;
}

static void a_queue_whose_home_stops_is_run_after_a_millisecond(void **state)
{
	uint64_t now;

	(void)state;
	join_both();
	now = until_taken_up(START_NS);
	assert_in_range(now, START_NS + CLAIM_ABANDONED_NS,
			START_NS + CLAIM_ABANDONED_NS + 2 * RESCUE_LOOK_NS);
	assert_int_equal(sent(), number);
	/* from then on in each pass */
	for (unsigned i = 0; i < 1000; i++) {
		give_one();
		worker_pass(&workers[0], now += US, true);
		assert_int_equal(assert_in_order(i ? number - 1 : 0), number);
	}
	assert_int_equal(taken_up(), 1);
	assert_conserved();
	part();
}

static void the_home_takes_it_back_by_running_it(void **state)
{
	uint64_t now;

	(void)state;
	join_both();
	now = until_taken_up(START_NS);
	worker_pass(&workers[1], now += US, true);
	for (unsigned i = 0; i < 50; i++) {
		uint64_t before = sent();

		give_one();
		worker_pass(&workers[0], now += US, true);
		assert_int_equal(sent(), before);
		worker_pass(&workers[1], now += US, true);
		assert_int_equal(sent(), number);
	}
	assert_int_equal(assert_in_order(0), number);
	/* and if it stops again, that is another time */
	for (unsigned i = 0; i < 103; i++)
		worker_pass(&workers[0], now += 10 * US, true);
	assert_int_equal(taken_up(), 1);
	give_one();
	worker_pass(&workers[0], now += 10 * US, true);
	assert_int_equal(taken_up(), 2);
	assert_int_equal(assert_in_order(number - 1), number);
	assert_conserved();
	part();
}

static void a_queue_with_nothing_to_do_is_left_alone(void **state)
{
	(void)state;
	join_both();
	for (uint64_t now = START_NS; now < START_NS + 10 * MS; now += 10 * US)
		worker_pass(&workers[0], now, true);
	assert_int_equal(taken_up(), 0);
	part();
}

static void what_waits_inside_is_reason_enough(void **state)
{
	(void)state;
	join_both();
	give_one();
	worker_pass(&workers[0], START_NS, true);
	/* The home takes it in; its device is full. */
	for (unsigned i = 0; i < RING_ROOM; i++) {
		struct rte_mbuf *m = buffer(60);

		assert_int_equal(rte_eth_tx_burst(ports[OUT].id, 0, &m, 1), 1);
	}
	worker_pass(&workers[1], START_NS, true);
	assert_int_equal(txq_deferred(txq), 0);
	assert_int_equal(txq_held(txq), 1);
	take_all();
	worker_pass(&workers[0], START_NS + CLAIM_ABANDONED_NS, true);
	assert_int_equal(sent(), 0);
	worker_pass(&workers[0], START_NS + CLAIM_ABANDONED_NS + RESCUE_LOOK_NS, true);
	assert_int_equal(sent(), 1);
	take_all();
	part();
}

static void a_holder_that_stops_inside_is_counted_once_and_not_forced(void **state)
{
	uint64_t now = START_NS;
	unsigned waiting, left;

	(void)state;
	join_both();
	assert_true(txq_claim(txq, now)); /* worker 1, and there it stops */
	while (now < START_NS + 20 * MS) {
		give_one();
		worker_pass(&workers[0], now += 10 * US, true);
		assert_int_equal(txq_stalls(txq), now - START_NS > CLAIM_STALLED_NS);
	}
	assert_int_equal(txq_stalled(txq, now), now - START_NS);
	assert_int_equal(taken_up(), 0);
	assert_int_equal(sent(), 0);
	assert_true(drops(OUT, WORKER_DROP_DEFER) > 0);
	/* Half of the ring is kept for flows that are not new, as this one is by now. */
	waiting = txq_deferred(txq);
	assert_in_range(waiting, DEFER_SIZE / 2 + 1, DEFER_SIZE);
	/* It goes on, and all is as ever. */
	txq_release(txq);
	assert_int_equal(txq_stalled(txq, now), 0);
	settle(&workers[1], now);
	left = assert_growing(0);
	settle(&workers[1], now);
	assert_int_equal(left + assert_growing(0), waiting);
	assert_int_equal(txq_stalls(txq), 1);
	assert_conserved();
	part();
}

static void nobody_runs_anothers_queue_once_reception_has_ended(void **state)
{
	(void)state;
	join_both();
	give_one();
	worker_pass(&workers[0], START_NS, true);
	for (uint64_t now = START_NS; now < START_NS + 10 * MS; now += 10 * US)
		worker_pass(&workers[0], now, false);
	assert_int_equal(taken_up(), 0);
	assert_int_equal(txq_deferred(txq), 1);
	part();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_queue_whose_home_stops_is_run_after_a_millisecond),
		TEST(the_home_takes_it_back_by_running_it),
		TEST(a_queue_with_nothing_to_do_is_left_alone),
		TEST(what_waits_inside_is_reason_enough),
		TEST(a_holder_that_stops_inside_is_counted_once_and_not_forced),
		TEST(nobody_runs_anothers_queue_once_reception_has_ended),
	};

	return cmocka_run_group_tests(tests, pair_start, pair_stop);
}

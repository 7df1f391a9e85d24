/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A TX queue whose link goes down and comes back, in virtual time: nothing is sent meanwhile, what
 * waits is kept for as long as was said and then dropped and counted, and no burst follows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"
#include "share/share.h"
#include "txq/txq.h"

#define FRAME_BYTES 1514
#define RATE_BPS    UINT64_C(1000000000)
#define FRAME_NS    (FRAME_BYTES * 8 * S / RATE_BPS)
#define HOLD_NS     (100 * MS)

static struct {
	unsigned room; /* frames it takes; UINT_MAX = any number */
	uint64_t packets;
} device;

static struct txq_dead dead;

static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t taken = (uint16_t)RTE_MIN((unsigned)n, device.room);

	(void)port;
	(void)queue;
	rte_pktmbuf_free_bulk(pkts, taken);
	device.packets += taken;
	return taken;
}

static struct txq *queue_with(enum cake_profile profile)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};
	struct txq *q;

	memset(&device, 0, sizeof(device));
	device.room = UINT32_MAX;
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = RATE_BPS;
	params.cake.profile = profile;
	params.cake.memlimit = 4 << 20;
	assert_int_equal(txq_create(&q, &params), 0);
	return q;
}

static void run(struct txq *q, uint64_t now)
{
	assert_true(txq_claim(q, now));
	txq_run(q, NULL, now, &dead);
	txq_release(q);
	txq_free_dead(q, &dead);
}

/** @n frames come, of as many flows, and a run. */
static void arrive(struct txq *q, unsigned n, uint64_t now)
{
	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *m = described((uint16_t)i, 0, FRAME_BYTES, 0);

		assert_true(txq_enqueue(q, &m, 1, 0, now, &dead));
		txq_free_dead(q, &dead);
	}
	run(q, now);
}

static uint64_t lost(const struct txq *q)
{
	return counter_get(&txq_counters(q)->link_down);
}

static unsigned inside(const struct txq *q)
{
	return txq_queued(q) + txq_held(q) + txq_deferred(q);
}

static void end(struct txq *q)
{
	txq_purge(q);
	txq_destroy(q);
}

static void nothing_is_sent_and_all_is_kept_while_it_is_held(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);

	(void)state;
	txq_link_down(q, START_NS, HOLD_NS);
	arrive(q, 50, START_NS);
	run(q, START_NS + HOLD_NS - 1);
	assert_int_equal(device.packets, 0);
	assert_int_equal(inside(q), 50);
	assert_int_equal(lost(q), 0);
	end(q);
}

static void after_that_what_is_there_and_what_comes_is_dropped_by_name(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);
	struct rte_mbuf *m;

	(void)state;
	device.room = 0;
	arrive(q, 3, START_NS); /* some are held for the device */
	assert_true(txq_held(q) > 0);
	txq_link_down(q, START_NS, HOLD_NS);
	device.room = UINT32_MAX;
	arrive(q, 47, START_NS + 1);
	run(q, START_NS + HOLD_NS);
	assert_int_equal(inside(q), 0);
	assert_int_equal(lost(q), 50);
	m = described(1, 0, FRAME_BYTES, 0);
	assert_int_equal(txq_defer(q, &m, 1), 1);
	arrive(q, 2, START_NS + 2 * HOLD_NS);
	assert_int_equal(inside(q), 0);
	assert_int_equal(lost(q), 53);
	assert_int_equal(device.packets, 0);
	/* By that name alone. */
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		assert_int_equal(counter_get(&txq_counters(q)->dropped[d]), 0);
	end(q);
}

/* 99 ms at 1 gbit are 8,173 frames: what would come at once if the time were made up for. At the
 * rate one goes at once and one after each 12.112 us. */
static void no_burst_follows(void **state)
{
	static const enum cake_profile profiles[] = {CAKE_PROFILE_GATEAU, CAKE_PROFILE_LINUX};

	(void)state;
	for (unsigned i = 0; i < RTE_DIM(profiles); i++) {
		struct txq *q = queue_with(profiles[i]);
		uint64_t up = START_NS + HOLD_NS - MS;

		txq_link_down(q, START_NS, HOLD_NS);
		arrive(q, 200, START_NS);
		txq_link_up(q, up);
		run(q, up);
		assert_int_equal(device.packets, 1);
		for (unsigned k = 1; k <= 10; k++) {
			run(q, up + k * FRAME_NS);
			assert_int_equal(device.packets, k + 1);
		}
		assert_int_equal(lost(q), 0);
		end(q);
	}
}

static void the_hold_begins_when_it_went_down_first(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);

	(void)state;
	txq_link_down(q, START_NS, HOLD_NS);
	arrive(q, 5, START_NS);
	txq_link_down(q, START_NS + HOLD_NS / 2, HOLD_NS);
	run(q, START_NS + HOLD_NS);
	assert_int_equal(lost(q), 5);
	end(q);
}

static void without_a_hold_all_is_dropped_at_once(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);

	(void)state;
	arrive(q, 5, START_NS);
	txq_link_down(q, START_NS, 0);
	run(q, START_NS);
	assert_int_equal(inside(q), 0);
	assert_int_equal(lost(q) + device.packets, 5);
	end(q);
}

static void its_next_time_is_the_end_of_the_hold(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);

	(void)state;
	txq_link_down(q, START_NS, HOLD_NS);
	assert_true(txq_next_time(q) == CAKE_NEVER);
	arrive(q, 5, START_NS);
	assert_true(txq_next_time(q) == START_NS + HOLD_NS);
	run(q, START_NS + HOLD_NS);
	assert_true(txq_next_time(q) == CAKE_NEVER);
	txq_link_up(q, START_NS + 2 * HOLD_NS);
	arrive(q, 2, START_NS + 2 * HOLD_NS);
	assert_int_equal(device.packets, 1);
	assert_true(txq_next_time(q) <= START_NS + 2 * HOLD_NS + FRAME_NS);
	end(q);
}

/* Where a queue without a share has nothing to do, one with a share has to say that it is empty; a
 * worker is not to be kept awake by that as long as a cable is out. */
static void a_queue_that_shares_its_rate_asks_for_nothing_when_all_is_dropped(void **state)
{
	struct share_params shared = {.bytes_per_s = RATE_BPS / 8,
				      .queues = 2,
				      .max_frame = FRAME_BYTES,
				      .now = START_NS};
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};
	struct txq *q;

	(void)state;
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = RATE_BPS;
	params.cake.slots = true;
	assert_int_equal(share_create(&params.share, &shared), 0);
	assert_int_equal(txq_create(&q, &params), 0);
	txq_link_down(q, START_NS, HOLD_NS);
	arrive(q, 5, START_NS);
	assert_true(txq_next_time(q) == START_NS + HOLD_NS);
	run(q, START_NS + HOLD_NS);
	assert_int_equal(inside(q), 0);
	assert_true(txq_next_time(q) == CAKE_NEVER);
	end(q);
	share_destroy(params.share);
}

/* 4 MiB of buffers are some 1,680 frames. */
static void memory_stays_bounded_while_it_is_held(void **state)
{
	struct txq *q = queue_with(CAKE_PROFILE_GATEAU);
	const uint64_t most = (4 << 20) / harness_pool.map.element_bytes;

	(void)state;
	txq_link_down(q, START_NS, HOLD_NS);
	for (unsigned i = 0; i < 40; i++)
		arrive(q, 64, START_NS + i);
	assert_int_equal(txq_queued(q), most);
	assert_int_equal(counter_get(&txq_counters(q)->dropped[CAKE_DROP_OVERFLOW]),
			 40 * 64 - most);
	end(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_sent_and_all_is_kept_while_it_is_held),
		TEST(after_that_what_is_there_and_what_comes_is_dropped_by_name),
		TEST(no_burst_follows),
		TEST(the_hold_begins_when_it_went_down_first),
		TEST(without_a_hold_all_is_dropped_at_once),
		TEST(its_next_time_is_the_end_of_the_hold),
		TEST(a_queue_that_shares_its_rate_asks_for_nothing_when_all_is_dropped),
		TEST(memory_stays_bounded_while_it_is_held),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways into several TX queues from several lcores, in virtual time: that flows keep their order
 * whoever holds the queues, that everything is accounted for, and how much a ring admits. The
 * lcores' steps are interleaved by hand or at random; threads do it in tests/stress.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "harness.h"
#include "txq/claim.h"
#include "txq/dispatch.h"

#define LCORES 3
#define QUEUES 4
#define FLOWS  60 /* flow f is received by lcore f % LCORES */

/* Of one more lcore, which is preempted while it puts a frame on the ring of queue q. */
#define HALFWAY_FLOW(q) (FLOWS + (q))

static struct txq *queues[QUEUES];
static struct rte_ring *rings[QUEUES];
static unsigned n_rings;
static struct dispatch *ways[LCORES];
static struct txq_dead dead[LCORES];

static struct {
	uint32_t next_number[FLOWS + QUEUES];
	uint32_t given[FLOWS + QUEUES];
	uint64_t sent, given_sum;
	unsigned room[QUEUES]; /* frames that the device still takes */
} wire;

/* Kept so that a test can stop a producer in the middle of its work. */
int __real_defer_create(struct rte_ring **out);
int __wrap_defer_create(struct rte_ring **out);
int __wrap_defer_create(struct rte_ring **out)
{
	int ret = __real_defer_create(out);

	rings[n_rings++ % QUEUES] = *out;
	return ret;
}

static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t taken = (uint16_t)RTE_MIN((unsigned)n, wire.room[queue]);

	(void)port;
	for (uint16_t i = 0; i < taken; i++) {
		uint16_t flow = frame_flow(pkts[i]);

		/* In order; what is missing was dropped. */
		assert_true(frame_number(pkts[i]) >= wire.next_number[flow]);
		wire.next_number[flow] = frame_number(pkts[i]) + 1;
	}
	wire.sent += taken;
	wire.room[queue] -= taken;
	rte_pktmbuf_free_bulk(pkts, taken);
	return taken;
}

/** Queue q's home is lcore q % LCORES. */
static void create(unsigned n_queues, uint64_t memlimit)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};

	memset(&wire, 0, sizeof(wire));
	n_rings = 0;
	cake_params_default(&params.cake);
	params.cake.memlimit = memlimit;
	for (unsigned q = 0; q < n_queues; q++) {
		params.queue = (uint16_t)q;
		params.home = q % LCORES;
		wire.room[q] = UINT32_MAX / 2;
		assert_int_equal(txq_create(&queues[q], &params), 0);
	}
	for (unsigned l = 0; l < LCORES; l++)
		assert_int_equal(
			dispatch_create(&ways[l], queues, n_queues, STEER_FLOW, l, &dead[l]), 0);
}

static uint64_t counted(unsigned n_queues)
{
	uint64_t sum = wire.sent;

	for (unsigned q = 0; q < n_queues; q++) {
		for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
			sum += counter_get(&txq_counters(queues[q])->dropped[d]);
		sum += txq_queued(queues[q]) + txq_deferred(queues[q]) + txq_held(queues[q]);
	}
	for (unsigned l = 0; l < LCORES; l++)
		sum += counter_get(&dispatch_counters(ways[l])->defer);
	return sum;
}

static void destroy(unsigned n_queues)
{
	assert_int_equal(wire.given_sum, counted(n_queues));
	for (unsigned q = 0; q < n_queues; q++)
		txq_purge(queues[q]);
	assert_int_equal(wire.given_sum, counted(n_queues));
	for (unsigned q = 0; q < n_queues; q++)
		txq_destroy(queues[q]);
	for (unsigned l = 0; l < LCORES; l++)
		dispatch_destroy(ways[l]);
}

static struct rte_mbuf *next_frame(uint16_t flow)
{
	wire.given_sum++;
	return described(flow, wire.given[flow]++, 60, 0);
}

/** @n frames of the flows from @flow on, each LCORES apart. */
static void receive(unsigned lcore, unsigned flow, unsigned n, uint64_t now)
{
	struct rte_mbuf *pkts[32];

	for (unsigned i = 0; i < n; i++)
		pkts[i] = next_frame((uint16_t)((flow / LCORES + i) * LCORES % FLOWS + lcore));
	dispatch_burst(ways[lcore], pkts, n, now);
}

static void run(unsigned lcore, unsigned q, uint64_t now)
{
	if (!txq_claim(queues[q], now))
		return;
	txq_run(queues[q], NULL, now, &dead[lcore]);
	txq_release(queues[q]);
	txq_free_dead(queues[q], &dead[lcore]);
}

/* A producer that has claimed a place in the ring and is preempted before it says so. */
static void put_halfway(struct rte_ring *ring, struct rte_mbuf *m)
{
	uint32_t at = ring->rts_prod.head.val.pos;

	((struct rte_mbuf **)(ring + 1))[at & ring->mask] = m;
	ring->rts_prod.head.val.pos = at + 1;
	ring->rts_prod.head.val.cnt++;
}

/** It goes on, and is the last one of all that were in the middle. */
static void finish_putting(struct rte_ring *ring)
{
	ring->rts_prod.tail.raw = ring->rts_prod.head.raw;
}

static void a_group_for_each_queue_goes_where_its_flow_belongs(void **state)
{
	(void)state;
	create(QUEUES, 0);
	for (unsigned i = 0; i < 20; i++)
		receive(0, i * 3, 20, START_NS);
	/* Of queues 0 and 3 it is the home. */
	for (unsigned q = 0; q < QUEUES; q++)
		assert_int_equal(!txq_deferred(queues[q]), q % LCORES == 0);
	assert_int_equal(counter_get(&dispatch_counters(ways[0])->deferred),
			 txq_deferred(queues[1]) + txq_deferred(queues[2]));
	for (unsigned q = 0; q < QUEUES; q++)
		run(q % LCORES, q, START_NS);
	assert_int_equal(wire.sent, 400);
	destroy(QUEUES);
}

static void who_could_not_claim_its_queue_goes_in_line(void **state)
{
	(void)state;
	create(1, 0);
	assert_true(txq_claim(queues[0], START_NS)); /* another lcore is running it */
	receive(0, 0, 1, START_NS);
	assert_int_equal(txq_deferred(queues[0]), 1);
	txq_release(queues[0]);
	receive(0, 0, 1, START_NS);
	assert_int_equal(txq_deferred(queues[0]), 0);
	assert_int_equal(txq_queued(queues[0]), 2);
	run(0, 0, START_NS);
	assert_int_equal(wire.sent, 2);
	destroy(1);
}

static void what_a_preempted_producer_hides_is_not_overtaken(void **state)
{
	(void)state;
	create(1, 0);
	put_halfway(rings[0], next_frame(HALFWAY_FLOW(0)));
	assert_true(txq_claim(queues[0], START_NS));
	receive(0, 0, 1, START_NS); /* behind it, not to be seen */
	txq_release(queues[0]);
	run(1, 0, START_NS);
	assert_int_equal(wire.sent, 0);
	for (unsigned i = 0; i < 5; i++)
		receive(0, 0, 1, START_NS);
	run(0, 0, START_NS);
	assert_int_equal(wire.sent, 0);
	assert_int_equal(txq_deferred(queues[0]), 7);
	finish_putting(rings[0]);
	/* and then it goes straight in again, once those before are in */
	receive(0, 0, 1, START_NS);
	assert_int_equal(txq_deferred(queues[0]), 0);
	run(0, 0, START_NS);
	assert_int_equal(wire.sent, 8);
	destroy(1);
}

static uint32_t below(struct prng *rng, uint32_t n)
{
	return (uint32_t)((uint64_t)prng_u32(rng) * n >> 32);
}

/** One step of one lcore: receive, run a queue, hold one for a while, be preempted while putting.
 */
static void step(struct prng *rng, bool held[QUEUES], bool halfway[QUEUES], uint64_t now)
{
	unsigned lcore = below(rng, LCORES), q = below(rng, QUEUES);

	switch (below(rng, 8)) {
	case 0:
		if (!held[q])
			held[q] = txq_claim(queues[q], now);
		break;
	case 1:
		if (held[q])
			txq_release(queues[q]);
		held[q] = false;
		break;
	case 2:
		if (!halfway[q] && txq_room(queues[q])) {
			put_halfway(rings[q], next_frame((uint16_t)HALFWAY_FLOW(q)));
			halfway[q] = true;
		}
		break;
	case 3:
		if (halfway[q])
			finish_putting(rings[q]);
		halfway[q] = false;
		break;
	case 4:
		wire.room[q] = below(rng, 100);
		break;
	case 5:
		run(lcore, q, now); /* home or not */
		break;
	default:
		receive(lcore, below(rng, FLOWS), 1 + below(rng, 3), now);
	}
}

static void no_flow_is_reordered_however_queues_change_hands(void **state)
{
	bool held[QUEUES] = {0}, halfway[QUEUES] = {0};
	struct prng rng = prng_xorshift32(1);
	uint64_t now = START_NS;

	(void)state;
	create(QUEUES, 0);
	for (unsigned i = 0; i < 200000; i++) {
		step(&rng, held, halfway, now += 100);
		/* What a full device leaves is a burst at most, not a list that grows. */
		for (unsigned q = 0; q < QUEUES; q++)
			assert_in_range(txq_held(queues[q]), 0, TXQ_BURST);
	}
	for (unsigned q = 0; q < QUEUES; q++) {
		if (held[q])
			txq_release(queues[q]);
		if (halfway[q])
			finish_putting(rings[q]);
		wire.room[q] = UINT32_MAX / 2;
	}
	for (unsigned i = 0; i < 100; i++)
		for (unsigned q = 0; q < QUEUES; q++)
			run(0, q, now);
	assert_true(wire.sent > wire.given_sum / 2);
	destroy(QUEUES);
}

/* 200 buffers of memory, and a device that takes nothing: 128 above what has room. */
static void a_queue_short_of_memory_admits_what_it_has_room_for(void **state)
{
	(void)state;
	create(1, 200 * harness_pool.map.element_bytes);
	wire.room[0] = 0;
	assert_int_equal(txq_room(queues[0]), 200 + TXQ_ROOM_MIN);
	for (unsigned i = 0; i < 20; i++)
		receive(1, 1, 20, START_NS);
	assert_int_equal(txq_deferred(queues[0]), 200 + TXQ_ROOM_MIN);
	assert_int_equal(counter_get(&dispatch_counters(ways[1])->defer), 400 - 328);
	run(0, 0, START_NS);
	/* Full: a burst for the device is out of it, and makes room. */
	assert_int_equal(txq_queued(queues[0]), 200 - TXQ_BURST);
	assert_int_equal(txq_room(queues[0]), TXQ_BURST + TXQ_ROOM_MIN);
	destroy(1);
}

/* As many as the last run sent are admitted to a full queue, since the next will send them. */
static void a_full_queue_admits_what_it_serves(void **state)
{
	(void)state;
	create(1, 1000 * harness_pool.map.element_bytes);
	wire.room[0] = 0;
	for (unsigned i = 0; i < 100; i++) {
		receive(1, 1, 20, START_NS);
		run(0, 0, START_NS);
	}
	assert_int_equal(txq_queued(queues[0]), 1000);
	assert_int_equal(txq_room(queues[0]), TXQ_ROOM_MIN);
	wire.room[0] = 200;
	run(0, 0, START_NS);
	assert_int_equal(wire.sent, 200);
	assert_int_equal(txq_room(queues[0]), 1000 - txq_queued(queues[0]) + 200);
	destroy(1);
}

static void a_queue_with_memory_uses_the_whole_ring(void **state)
{
	(void)state;
	create(1, 0);
	assert_int_equal(txq_room(queues[0]), DEFER_SIZE);
	for (unsigned i = 0; i < 60; i++)
		receive(1, 1, 20, START_NS);
	assert_int_equal(txq_deferred(queues[0]), DEFER_SIZE);
	assert_int_equal(txq_room(queues[0]), 0);
	assert_int_equal(counter_get(&dispatch_counters(ways[1])->defer), 1200 - DEFER_SIZE);
	destroy(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_group_for_each_queue_goes_where_its_flow_belongs),
		TEST(who_could_not_claim_its_queue_goes_in_line),
		TEST(what_a_preempted_producer_hides_is_not_overtaken),
		TEST(no_flow_is_reordered_however_queues_change_hands),
		TEST(a_queue_short_of_memory_admits_what_it_has_room_for),
		TEST(a_full_queue_admits_what_it_serves),
		TEST(a_queue_with_memory_uses_the_whole_ring),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

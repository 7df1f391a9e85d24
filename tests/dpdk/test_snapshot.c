/* SPDX-License-Identifier: BSD-3-Clause */
/* Collecting statistics while workers run: from each queue's holder, or what it said last. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"
#include "stats/flows.h"
#include "stats/snapshot.h"

#define QUEUES 2
#define START  UINT64_C(1000000000)

static struct gateau_config config = {
	.n_ports = 1,
	.ports[0] = {.name = "wan", .tx_queues = QUEUES},
};
static struct worker worker;
static struct dataplane dp = {
	.config = &config,
	.clock = {.hz = 1000000000},
	.n_workers = 1,
	.workers = &worker,
	.topology = {.n_tx = QUEUES, .tx = {{.queue = 0}, {.queue = 1}}},
};
static struct txq_dead dead;

static uint16_t device_takes_none(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)queue;
	(void)pkts;
	(void)n;
	return 0;
}

/** Queues of a device that takes nothing. */
static int open_queues(void **state)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes_none};

	(void)state;
	memset(&worker, 0, sizeof(worker));
	cake_params_default(&params.cake);
	config.ports[0].scheduler.cake = params.cake;
	for (unsigned i = 0; i < QUEUES; i++) {
		params.queue = i;
		assert_int_equal(txq_create(&dp.txqs[0][i], &params), 0);
	}
	return 0;
}

static int close_queues(void **state)
{
	(void)state;
	for (unsigned i = 0; i < QUEUES; i++) {
		txq_purge(dp.txqs[0][i]);
		txq_destroy(dp.txqs[0][i]);
	}
	return 0;
}

/** A frame of @flow, received and put into queue @queue by the worker, which is its home. */
static void receive_frame(unsigned queue, uint32_t flow)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(harness_pool.mempool);
	struct txq *q = dp.txqs[0][queue];

	assert_non_null(m);
	memset(rte_pktmbuf_append(m, 100), 0, 100);
	mbuf_private(m)->packet = (struct cake_packet){
		.handle = mbuf_to_handle(&harness_pool.map, m),
		.len = 100,
		.charge = harness_pool.map.element_bytes,
		.flow_hash = flow,
	};
	counter_add(&worker.ports[0].rx_packets, 1);
	assert_true(txq_claim(q, START));
	assert_true(txq_enqueue(q, &m, 1, 0, START, &dead));
	txq_release(q);
}

struct runner {
	unsigned queues; /* runs so many of them */
	_Atomic bool stop;
};

static void *run_queues(void *runner)
{
	struct runner *r = runner;

	for (uint64_t now = START; !r->stop; now++)
		for (unsigned i = 0; i < r->queues; i++) {
			if (!txq_claim(dp.txqs[0][i], now))
				continue;
			txq_run(dp.txqs[0][i], NULL, now, &dead);
			txq_release(dp.txqs[0][i]);
		}
	return NULL;
}

/** A live snapshot while the first @queues are run. */
static void collect(struct stats_snapshot *s, unsigned queues)
{
	struct runner r = {.queues = queues};
	pthread_t thread;

	pthread_create(&thread, NULL, run_queues, &r);
	assert_int_equal(stats_collect(s, &dp, STATS_LIVE, START), 0);
	r.stop = true;
	pthread_join(thread, NULL);
}

static void what_holders_say_adds_up(void **state)
{
	static struct stats_snapshot s;

	(void)state;
	receive_frame(0, 1);
	receive_frame(1, 2);
	receive_frame(1, 3);
	collect(&s, QUEUES);
	assert_int_equal(s.received, 3);
	assert_int_equal(s.queued + s.held, 3);
	assert_int_equal(stats_difference(&s), 0);
	assert_int_equal(s.moved, 0);
	assert_int_equal(s.ports[0].n_queues, QUEUES);
	assert_int_equal(s.ports[0].stalled_queues, 0);
	assert_int_equal(s.queues[1].cake.enqueued_packets, 2);
	assert_int_equal(s.ports[0].cake.enqueued_packets, 3);
	stats_free(&s);
}

static void a_queue_that_nobody_runs_keeps_what_it_said_last(void **state)
{
	static struct stats_snapshot s;

	(void)state;
	receive_frame(1, 2);
	collect(&s, QUEUES);
	assert_int_equal(s.queues[1].cake.enqueued_packets, 1);
	receive_frame(0, 1);
	receive_frame(1, 2);
	collect(&s, 1);
	assert_false(s.queues[0].stalled);
	assert_true(s.queues[1].stalled);
	assert_int_equal(s.ports[0].stalled_queues, 1);
	assert_int_equal(s.queues[0].cake.enqueued_packets, 1);
	assert_int_equal(s.queues[1].cake.enqueued_packets, 1);
	/* and then it is what it is again */
	collect(&s, QUEUES);
	assert_false(s.queues[1].stalled);
	assert_int_equal(s.queues[1].cake.enqueued_packets, 2);
	assert_int_equal(stats_difference(&s), 0);
	stats_free(&s);
}

/* The configuration is changed first: three tins, of which the third would have no name. */
static void tins_of_another_mode_are_left_out(void **state)
{
	static struct stats_snapshot s;

	(void)state;
	assert_int_equal(config.ports[0].scheduler.cake.diffserv, CAKE_DIFFSERV3);
	receive_frame(1, 2);
	collect(&s, QUEUES);
	assert_int_equal(s.queues[1].cake.tin_cnt, 3);
	config.ports[0].scheduler.cake.diffserv = CAKE_BESTEFFORT;
	collect(&s, 1);
	assert_true(s.queues[1].stalled);
	for (unsigned i = 0; i < QUEUES; i++)
		assert_int_equal(s.queues[i].cake.tin_cnt, 0);
	assert_int_equal(s.ports[0].cake.tin_cnt, 0);
	assert_int_equal(s.queues[1].cake.enqueued_packets, 1);
	/* One that has never answered does not hide the others' */
	stats_free(&s);
	config.ports[0].scheduler.cake.diffserv = CAKE_DIFFSERV3;
	collect(&s, 1);
	assert_int_equal(s.queues[1].cake.tin_cnt, 0);
	assert_int_equal(s.ports[0].cake.tin_cnt, 3);
	stats_free(&s);
}

static void at_rest_nobody_is_asked(void **state)
{
	static struct stats_snapshot s;

	(void)state;
	receive_frame(0, 1);
	assert_int_equal(stats_collect(&s, &dp, STATS_AT_REST, START), 0);
	assert_int_equal(s.queues[0].cake.enqueued_packets, 1);
	assert_int_equal(stats_difference(&s), 0);
	stats_free(&s);
}

static void flows_of_a_queue_that_nobody_runs_are_left_out(void **state)
{
	struct runner r = {.queues = 1};
	struct flows f;
	pthread_t thread;

	(void)state;
	/* More than a burst, which waits for the device. */
	for (unsigned i = 0; i < 2 * TXQ_BURST; i++) {
		receive_frame(0, 7);
		receive_frame(1, 3);
	}
	pthread_create(&thread, NULL, run_queues, &r);
	assert_int_equal(flows_collect(&f, &dp, -1, 2), 0);
	r.stop = true;
	pthread_join(thread, NULL);
	assert_false(f.complete);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.entries[0].queue, 0);
	assert_int_equal(f.entries[0].seen.flow, 7);
	assert_true(f.entries[0].there);
	assert_int_equal(f.entries[0].head_bytes, 100);
	flows_free(&f);
}

int main(void)
{
#define TEST_QUEUES(f) cmocka_unit_test_setup_teardown(f, open_queues, close_queues)
	const struct CMUnitTest tests[] = {
		TEST_QUEUES(what_holders_say_adds_up),
		TEST_QUEUES(a_queue_that_nobody_runs_keeps_what_it_said_last),
		TEST_QUEUES(tins_of_another_mode_are_left_out),
		TEST_QUEUES(at_rest_nobody_is_asked),
		TEST_QUEUES(flows_of_a_queue_that_nobody_runs_are_left_out),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

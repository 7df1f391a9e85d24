/* SPDX-License-Identifier: BSD-3-Clause */
/* Visiting queues: what is handed over runs in the holder's run, once or never. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/visits.h"
#include "harness.h"

#define QUEUES 3
#define START  UINT64_C(1000000000)

static struct worker home; /* of all queues; not one that could be asleep */
static struct dataplane dp = {.workers = &home};
static _Atomic bool stop;

static uint16_t device_takes_all(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)queue;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static struct txq *new_queue(void)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes_all};
	struct txq *q;

	cake_params_default(&params.cake);
	assert_int_equal(txq_create(&q, &params), 0);
	return q;
}

static int open_queues(void **state)
{
	(void)state;
	for (unsigned i = 0; i < QUEUES; i++)
		dp.txqs[0][i] = new_queue();
	return 0;
}

static int close_queues(void **state)
{
	(void)state;
	for (unsigned i = 0; i < QUEUES; i++)
		txq_destroy(dp.txqs[0][i]);
	return 0;
}

/** A worker that runs all queues but the last @idle. */
static void *run_queues(void *idle)
{
	static struct txq_dead dead;
	const unsigned n = QUEUES - *(unsigned *)idle;

	for (uint64_t now = START; !stop; now++)
		for (unsigned i = 0; i < n; i++) {
			struct txq *q = dp.txqs[0][i];

			if (!txq_claim(q, now))
				continue;
			txq_run(q, NULL, now, &dead);
			txq_release(q);
		}
	return NULL;
}

/** What a visitor notes. */
struct note {
	unsigned times;
	struct txq *queue;
	uint64_t now;
	struct cake_stats stats;
};

static void take_note(struct txq *q, void *arg, uint64_t now)
{
	struct note *note = arg;

	note->times++;
	note->queue = q;
	note->now = now;
	txq_stats(q, &note->stats);
}

/** Visit all queues, of which the last @idle are run by nobody. */
static int visit(struct queue_visit visits[QUEUES], struct note notes[QUEUES], unsigned idle,
		 unsigned patience_ms)
{
	pthread_t worker;
	int ret;

	for (unsigned i = 0; i < QUEUES; i++) {
		notes[i] = (struct note){0};
		visits[i] = (struct queue_visit){.queue = i,
						 .visit = {.run = take_note, .arg = &notes[i]}};
	}
	stop = false;
	pthread_create(&worker, NULL, run_queues, &idle);
	ret = visits_make(&dp, visits, QUEUES, patience_ms);
	stop = true;
	pthread_join(worker, NULL);
	return ret;
}

static void every_queue_is_visited_once_by_its_holder(void **state)
{
	struct queue_visit visits[QUEUES];
	struct note notes[QUEUES];

	(void)state;
	assert_int_equal(visit(visits, notes, 0, 60000), 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		assert_true(visit_is_done(&visits[i].visit));
		assert_int_equal(notes[i].times, 1);
		assert_ptr_equal(notes[i].queue, dp.txqs[0][i]);
		assert_true(notes[i].now >= START);
		assert_int_equal(notes[i].stats.tin_cnt, 3); /* diffserv3 */
	}
}

static void a_queue_that_nobody_runs_is_given_up_and_not_visited_later(void **state)
{
	static struct txq_dead dead;
	struct queue_visit visits[QUEUES];
	struct note notes[QUEUES];
	struct txq *last = dp.txqs[0][QUEUES - 1];

	(void)state;
	assert_int_equal(visit(visits, notes, 1, 20), -ETIMEDOUT);
	assert_false(visit_is_done(&visits[QUEUES - 1].visit));
	assert_true(txq_claim(last, 2 * START));
	txq_run(last, NULL, 2 * START, &dead);
	txq_release(last);
	assert_int_equal(notes[QUEUES - 1].times, 0);
	/* and others may come */
	assert_int_equal(visit(visits, notes, 0, 60000), 0);
	assert_int_equal(notes[QUEUES - 1].times, 1);
}

static void there_is_one_visitor_at_a_time(void **state)
{
	struct visit_door door = {NULL};
	struct note note = {0};
	struct visit first = {.run = take_note, .arg = &note};
	struct visit second = first;

	(void)state;
	assert_true(visit_post(&door, &first));
	assert_false(visit_post(&door, &second));
	assert_false(visit_withdraw(&door, &second));
	assert_true(visit_withdraw(&door, &first));
	assert_true(visit_post(&door, &second));
	visit_serve(&door, dp.txqs[0][0], START);
	assert_true(visit_is_done(&second));
	assert_false(visit_is_done(&first));
	assert_false(visit_waits(&door));
	assert_int_equal(note.times, 1);
}

int main(void)
{
#define TEST_QUEUES(f) cmocka_unit_test_setup_teardown(f, open_queues, close_queues)
	const struct CMUnitTest tests[] = {
		TEST_QUEUES(every_queue_is_visited_once_by_its_holder),
		TEST_QUEUES(a_queue_that_nobody_runs_is_given_up_and_not_visited_later),
		TEST_QUEUES(there_is_one_visitor_at_a_time),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

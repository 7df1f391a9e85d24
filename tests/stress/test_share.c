/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared rate alone: each thread runs queues of its own that always have packets, as fast as it
 * can, in a time that goes on with each of their turns. No claim orders what they do to the clock
 * and the lines that they have in common.
 */
#include <assert.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/prng.h"
#include "share/share.h"
#include "threads.h"

#define THREADS 4
#define QUEUES  8 /* queue q is run by thread q % THREADS */
#define TURNS   20000
#define STEP_NS 500
#define START   UINT64_C(1000000000000)
#define FRAME   1514
#define BYTES_S UINT64_C(1250000000) /* 10 Gbit/s */
#define STOCK   100                  /* packets that a queue is filled up to */

static struct share *share;
static struct queue {
	struct cake *cake;
	struct share_queue *part;
	struct prng rng;
	uint64_t sent_bytes;
} queues[QUEUES];
static _Atomic uint64_t clock_ns;

static void fill(struct queue *q, uint64_t now)
{
	while (cake_backlog(q->cake) < STOCK) {
		struct cake_packet p = {.handle = 1,
					.len = FRAME,
					.charge = FRAME,
					.flow_hash = 1 + prng_u32(&q->rng) % 16,
					.network_offset = 14};

		if (cake_enqueue(q->cake, &p, 1, now) != 1)
			abort();
	}
}

static void take_turn(struct queue *q, struct share_view *view, uint64_t now)
{
	struct cake_verdict out[32];
	unsigned n;

	fill(q, now);
	n = share_dequeue(q->part, view, out, 32, now);
	for (unsigned i = 0; i < n; i++)
		q->sent_bytes += out[i].len;
	while (cake_take_drops(q->cake, out, 32))
		;
}

static void *run(void *arg)
{
	const unsigned thread = (unsigned)(uintptr_t)arg;
	struct share_view view = {0};
	uint64_t last[QUEUES] = {0};

	for (unsigned turn = 0; turn < TURNS; turn++) {
		unsigned i = thread + turn % (QUEUES / THREADS) * THREADS;
		uint64_t now = atomic_fetch_add_explicit(&clock_ns, STEP_NS, memory_order_relaxed);

		assert(now >= last[i]);
		last[i] = now;
		take_turn(&queues[i], &view, now);
		if (turn % 64 == 0)
			sched_yield();
	}
	return NULL;
}

static void create(enum share_mode mode)
{
	const struct share_params sp = {.bytes_per_s = BYTES_S,
					.queues = QUEUES,
					.max_frame = FRAME,
					.mode = mode,
					.now = START};
	struct cake_params cp;

	cake_params_default(&cp);
	cp.bandwidth_bps = BYTES_S * 8;
	cp.slots = mode == SHARE_DEMAND;
	assert_int_equal(share_create(&share, &sp), 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct queue *q = &queues[i];

		*q = (struct queue){.rng = prng_xorshift32(i + 1)};
		assert_int_equal(cake_create(&q->cake, &cp, &q->rng), 0);
		assert_int_equal(share_queue_create(&q->part, share, i, q->cake), 0);
	}
}

/** Run all; returns the bytes sent. */
static uint64_t send_for_a_while(enum share_mode mode)
{
	uint64_t sum = 0;

	create(mode);
	atomic_store(&clock_ns, START);
	for (uintptr_t i = 0; i < THREADS; i++)
		threads_add(run, (void *)i);
	threads_go();
	threads_join();
	for (unsigned i = 0; i < QUEUES; i++) {
		assert_true(queues[i].sent_bytes > 0);
		sum += queues[i].sent_bytes;
		share_queue_destroy(queues[i].part);
		cake_purge(queues[i].cake);
		cake_destroy(queues[i].cake);
	}
	share_destroy(share);
	return sum;
}

/* Slots do not overlap: whatever the threads' luck, what was sent fits into the time that passed,
 * but for what a slot each that had just begun is used up early, 100 us and a frame. */
static void slots_of_different_threads_do_not_overlap(void **state)
{
	uint64_t sent = send_for_a_while(SHARE_DEMAND);
	uint64_t ns = atomic_load(&clock_ns) - START + QUEUES * 100000;

	(void)state;
	assert_true(sent <= ns * BYTES_S / 1000000000 + QUEUES * FRAME);
}

static void equal_parts_need_no_clock(void **state)
{
	(void)state;
	assert_true(send_for_a_while(SHARE_EQUAL) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_different_threads_do_not_overlap),
		cmocka_unit_test(equal_parts_need_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

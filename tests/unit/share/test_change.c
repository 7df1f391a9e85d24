/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share: a port whose rate or mode is changed while its queues are busy, queue by queue as they are
 * run. What all send together follows from the moment on at which the last of them has changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "port.h"

#define MBIT  1000000ull
#define FRAME CAKE_MAX_FRAME_DEFAULT

/* From one queue's change to the next one's. */
#define STAGGER_NS (3 * NS_PER_US)

static struct port port;

static void start(uint64_t bps, unsigned queues)
{
	port_init(&port, bps, queues);
	for (unsigned i = 0; i < queues; i++)
		port.queues[i].load = (struct port_load){.flows = 4, .depth = 20, .sizes = {FRAME}};
	port_start(&port, 300 * NS_PER_MS);
}

/* As a TX queue does it, in one run. */
static void change_queue(unsigned i, uint64_t bps, enum share_mode mode)
{
	struct port_queue *q = &port.queues[i];

	share_queue_leave(q->share);
	port.cake.bandwidth_bps = bps;
	port.cake.slots = mode == SHARE_DEMAND;
	assert_int_equal(cake_change(q->cake, &port.cake, port.now), 0);
	port.params.bytes_per_s = bps / 8;
	port.params.mode = mode;
	share_queue_join(q->share, q->cake, &port.params, port.now);
	q->poll_ns = port.now;
}

/* From @at on, ns since T0; returns when the last queue has changed. */
static uint64_t change_port(uint64_t at, uint64_t bps, enum share_mode mode)
{
	port_run(&port, at);
	for (unsigned i = 0; i < port.params.queues; i++, at += STAGGER_NS) {
		port_run(&port, at);
		change_queue(i, bps, mode);
	}
	return at;
}

/*
 * Any 20 ms after the change are as exact as those of a port that always had this rate: 0.25 %, or
 * a frame where that is more, and what polls are late. Within 2 ms of it the queues may be looking
 * for their parts: too little may be sent in the windows that begin there, a frame per queue, and
 * never too much.
 */
static void assert_exact_after(uint64_t at, uint64_t until)
{
	const uint64_t window = port.params.bytes_per_s * 20 / 1000;
	const int64_t frames = 2 * FRAME + (int64_t)(port.params.bytes_per_s * 4 / 1000000);
	const int64_t limit = window / 400 > (uint64_t)frames ? (int64_t)window / 400 : frames;
	struct port_error e = port_error(&port, 20 * NS_PER_MS, at + PORT_STEP_NS, until);

	assert_in_range(e.over, 0, limit);
	assert_in_range(e.under, 0, limit + (int64_t)port.params.queues * FRAME);
	e = port_error(&port, 20 * NS_PER_MS, at + 2 * NS_PER_MS, until);
	assert_in_range(e.under, 0, limit);
}

static const uint64_t rates[] = {10 * MBIT, 100 * MBIT, 1000 * MBIT, 10000 * MBIT};
static const unsigned counts[] = {1, 2, 8, 32};

static void the_port_is_exact_from_the_change_on(void **state)
{
	(void)state;
	for (unsigned from = 0; from < COUNT(rates); from++) {
		for (unsigned to = 0; to < COUNT(rates); to++) {
			for (unsigned c = 0; c < COUNT(counts); c++) {
				uint64_t at;

				start(rates[from], counts[c]);
				at = change_port(50 * NS_PER_MS, rates[to], SHARE_DEMAND);
				port_run(&port, 250 * NS_PER_MS);
				assert_exact_after(at, 250 * NS_PER_MS);
				port_stop(&port);
			}
		}
	}
}

/* What goes on at the rate before while the queues change one after the other: until the last one
 * has changed no more than at the higher rate, but for a frame each. */
static void meanwhile_no_more_is_sent_than_at_the_higher_rate(void **state)
{
	(void)state;
	for (unsigned from = 0; from < COUNT(rates); from++) {
		for (unsigned to = 0; to < COUNT(rates); to++) {
			uint64_t most = rates[from > to ? from : to] / 8, at, sent;

			start(rates[from], 32);
			port_run(&port, 50 * NS_PER_MS);
			sent = port.sent_bytes;
			at = change_port(50 * NS_PER_MS, rates[to], SHARE_DEMAND);
			port_run(&port, at);
			sent = port.sent_bytes - sent;
			assert_in_range(sent, 0,
					most * (at - 50 * NS_PER_MS) / NS_PER_S + 32 * FRAME);
			port_run(&port, 60 * NS_PER_MS);
			port_stop(&port);
		}
	}
}

/* "equal" is exact in what parts add up to, and finds them within 200 us; slots are at once. */
static void the_mode_changes_and_all_queues_go_on(void **state)
{
	uint64_t at, sent[8];

	(void)state;
	start(1000 * MBIT, 8);
	at = change_port(50 * NS_PER_MS, 500 * MBIT, SHARE_EQUAL);
	port_run(&port, at + NS_PER_MS);
	for (unsigned i = 0; i < 8; i++)
		sent[i] = port.queues[i].sent_bytes;
	port_run(&port, at + 101 * NS_PER_MS);
	for (unsigned i = 0; i < 8; i++) /* 100 ms at 62.5 mbit/s */
		assert_in_range(port.queues[i].sent_bytes - sent[i], 770000, 792000);
	at = change_port(at + 101 * NS_PER_MS, 1000 * MBIT, SHARE_DEMAND);
	port_run(&port, 300 * NS_PER_MS);
	assert_exact_after(at, 300 * NS_PER_MS);
	port_stop(&port);
}

static void a_queue_may_join_late_and_leave_for_good(void **state)
{
	struct share_queue *late;
	struct share_counters counters;

	(void)state;
	start(1000 * MBIT, 2);
	port_run(&port, 10 * NS_PER_MS);
	share_queue_leave(port.queues[1].share);
	assert_int_equal(share_queue_create(&late, port.share, 1, NULL), 0);
	share_queue_destroy(port.queues[1].share);
	port.queues[1].share = late;
	share_queue_join(late, port.queues[1].cake, &port.params, port.now);
	port_run(&port, 100 * NS_PER_MS);
	assert_exact_after(10 * NS_PER_MS, 100 * NS_PER_MS);
	share_counters_get(late, &counters);
	assert_int_equal(counters.active_queues, 2);
	port_stop(&port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_is_exact_from_the_change_on),
		cmocka_unit_test(meanwhile_no_more_is_sent_than_at_the_higher_rate),
		cmocka_unit_test(the_mode_changes_and_all_queues_go_on),
		cmocka_unit_test(a_queue_may_join_late_and_leave_for_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share, "demand": who gets the port's rate, what it costs, and what else a slot must hold:
 * adjusted lengths, drops in ingress mode, several tins. The sum over all queues is in
 * test_total.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "port.h"

#define MBIT  1000000ull
#define FRAME CAKE_MAX_FRAME_DEFAULT
#define RUN   (100 * NS_PER_MS)

static struct port port;

static void busy(unsigned queue, unsigned flows, uint32_t size)
{
	port.queues[queue].load = (struct port_load){
		.flows = flows,
		.depth = 300 / flows,
		.sizes = {size},
	};
}

static void all_busy(uint64_t bps, unsigned queues, uint32_t size)
{
	port_init(&port, bps, queues);
	for (unsigned i = 0; i < queues; i++)
		busy(i, 4, size);
}

/** Everything sent until now over everything due, for a port that always had packets. */
static double use(void)
{
	return (double)port.sent_bytes * NS_PER_S /
	       ((double)port.params.bytes_per_s * (port.now - T0));
}

static void what_others_leave_is_the_loaded_ones(void **state)
{
	static const uint64_t rates[] = {100 * MBIT, 1000 * MBIT, 25000 * MBIT};

	(void)state;
	for (unsigned r = 0; r < COUNT(rates); r++) {
		uint64_t others = 0, offered, waited = 0;

		port_init(&port, rates[r], 32);
		busy(0, 4, FRAME);
		for (unsigned i = 1; i < 32; i++)
			port.queues[i].load = (struct port_load){
				.period = 200 * NS_PER_US,
				.period_size = 60,
				.phase = i * 6 * NS_PER_US,
			};
		port_start(&port, NS_PER_S);
		port_run(&port, NS_PER_S);
		for (unsigned i = 1; i < 32; i++) {
			others += port.queues[i].sent_bytes;
			waited =
				port.queues[i].wait_max > waited ? port.queues[i].wait_max : waited;
		}
		offered = 31 * 60 * (NS_PER_S / (200 * NS_PER_US));
		printf("%llu mbit: all %.4f, loaded %.4f of the rest, others waited %llu us\n",
		       (unsigned long long)(rates[r] / MBIT), use(),
		       (double)port.queues[0].sent_bytes / (rates[r] / 8 - others),
		       (unsigned long long)(waited / NS_PER_US));
		assert_true(use() >= 0.99);
		assert_true(others >= offered * 99 / 100);
		assert_true(port.queues[0].sent_bytes >= (rates[r] / 8 - others) * 99 / 100);
		/* No frame of the loaded queue is before theirs but those on their way. */
		assert_true(waited < 1500 * NS_PER_US);
		port_stop(&port);
	}
}

static void a_lone_queue_has_the_whole_rate_whatever_is_configured(void **state)
{
	(void)state;
	for (unsigned queues = 1; queues <= SHARE_QUEUES_MAX; queues *= 4) {
		port_init(&port, 1000 * MBIT, queues);
		busy(0, 1, FRAME);
		port_start(&port, RUN);
		port_run(&port, RUN);
		assert_true(use() > 0.999);
		port_stop(&port);
	}
}

/* 60 bytes take 48 ns at 10 gbit, a part of a round is 12.5 us: 260 of them per atomic operation.
 */
static void small_packets_share_one_reservation(void **state)
{
	struct share_counters c;

	(void)state;
	all_busy(10000 * MBIT, 8, 60);
	for (unsigned i = 0; i < 8; i++)
		port.queues[i].delay_ns = NS_PER_US / 4;
	port_start(&port, RUN);
	port_run(&port, RUN);
	c = port_counters(&port);
	assert_true(use() > 0.999);
	assert_true((c.reservations + c.settlements) * 50 < port_packets_sent(&port));
	port_stop(&port);
}

/* Also where hardly ever two packets wait: a slot is no shorter than its part of 12.5 us. */
static void nearly_empty_queues_reserve_for_several_packets(void **state)
{
	struct share_counters c;

	(void)state;
	port_init(&port, 10000 * MBIT, 8);
	for (unsigned i = 0; i < 8; i++)
		/* 8 times 60 bytes in 600 ns are 64 % of the rate. */
		port.queues[i].load = (struct port_load){
			.period = 600,
			.period_size = 60,
			.phase = i * 75,
		};
	port_start(&port, RUN);
	port_run(&port, RUN);
	c = port_counters(&port);
	assert_true(port_packets_sent(&port) > 8 * RUN / 600 - 200);
	assert_true((c.reservations + c.settlements) * 20 < port_packets_sent(&port));
	port_stop(&port);
}

static void what_is_left_of_a_slot_is_given_back(void **state)
{
	struct share_counters c;

	(void)state;
	port_init(&port, 1000 * MBIT, 2);
	busy(0, 1, FRAME);
	port.queues[1].load = (struct port_load){
		.period = 10 * NS_PER_MS,
		.period_size = 60,
	};
	port_start(&port, RUN);
	port_run(&port, RUN);
	share_counters_get(port.queues[1].share, &c);
	/* 6.25 us are reserved, 480 ns used, each time. */
	assert_int_equal(c.reservations, 10);
	assert_int_equal(c.settlements, 10);
	assert_true(use() > 0.9998);
	port_stop(&port);
}

static void counters_say_who_is_active_and_what_part_it_has(void **state)
{
	struct share_counters c;

	(void)state;
	port_init(&port, 1000 * MBIT, 8);
	for (unsigned i = 0; i < 3; i++)
		busy(i, 2, FRAME);
	port_start(&port, RUN);
	port_run(&port, RUN);
	share_counters_get(port.queues[0].share, &c);
	assert_int_equal(c.active_queues, 3);
	assert_in_range(c.share_bytes_s, 36 * MBIT, 47 * MBIT);
	/* Every 200 us, +-12 %. */
	assert_in_range(c.syncs, RUN / (225 * NS_PER_US), RUN / (174 * NS_PER_US));
	port_stop(&port);
}

static void a_standing_load_changes_no_share(void **state)
{
	uint64_t before;

	(void)state;
	all_busy(1000 * MBIT, 8, FRAME);
	port_start(&port, 4 * RUN);
	port_run(&port, RUN);
	before = port_counters(&port).share_changes;
	port_run(&port, 4 * RUN);
	assert_int_equal(port_counters(&port).share_changes, before);
	port_stop(&port);
}

/* A frame of 1,514 bytes over ATM is 34 cells with overhead 44: 1,802 bytes; of 60, two cells. */
static void slots_count_adjusted_lengths(void **state)
{
	struct port_error e;

	(void)state;
	all_busy(1000 * MBIT, 8, FRAME);
	port.cake.atm = CAKE_ATM;
	port.cake.overhead_set = true;
	port.cake.overhead = 44;
	port.params.max_frame = 1855;
	for (unsigned i = 0; i < 8; i++)
		port.queues[i].load.sizes[1] = 60;
	port_start(&port, RUN);
	port_run(&port, RUN);
	e = port_error(&port, 20 * NS_PER_MS, 0, RUN);
	assert_true(e.over <= 6250 && e.under <= 6250); /* 0.25 % of 2.5 MB */
	assert_true(port.sent_bytes > port_packets_sent(&port) * (60 + FRAME) / 2 * 11 / 10);
	port_stop(&port);
}

/* 60 bytes less 64 are none at all, of profile linux, and take no time; others have all of it. */
static void packets_that_count_for_nothing_take_no_time(void **state)
{
	(void)state;
	all_busy(100 * MBIT, 8, FRAME);
	port.cake.profile = CAKE_PROFILE_LINUX;
	port.cake.overhead_set = true;
	port.cake.overhead = -64;
	for (unsigned i = 0; i < 4; i++)
		port.queues[i].load =
			(struct port_load){.period = 20 * NS_PER_US, .period_size = 60};
	port_start(&port, RUN);
	port_run(&port, RUN);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(port.queues[i].sent_bytes, 0);
		assert_true(port.queues[i].period_out >= RUN / (20 * NS_PER_US) * 99 / 100);
	}
	assert_true(use() > 0.99);
	port_stop(&port);
}

static void jumbo_frames_and_small_ones_share_slots(void **state)
{
	struct port_error e;

	(void)state;
	all_busy(10000 * MBIT, 8, 9014);
	port.params.max_frame = 9014;
	port.cake.max_frame = 9014;
	for (unsigned i = 0; i < 8; i++)
		port.queues[i].load.sizes[1] = 60;
	port_start(&port, RUN);
	port_run(&port, RUN);
	e = port_error(&port, 20 * NS_PER_MS, 0, RUN);
	assert_true(e.over <= 62500 && e.under <= 62500); /* 0.25 % of 25 MB */
	port_stop(&port);
}

static void tins_take_turns_within_slots(void **state)
{
	struct port_error e;

	(void)state;
	all_busy(1000 * MBIT, 8, FRAME);
	port.cake.diffserv = CAKE_DIFFSERV4;
	for (unsigned i = 0; i < 8; i++)
		port.queues[i].load.tins = 4;
	port_start(&port, 3 * RUN);
	port_run(&port, 3 * RUN);
	e = port_error(&port, 20 * NS_PER_MS, 0, 3 * RUN);
	assert_true(e.over <= 6250 && e.under <= 6250);
	/* Bulk, Best Effort, Video, Voice in tc's order: a 16th, what is left, a half, a quarter.
	 */
	for (unsigned i = 0; i < 8; i++) {
		const struct port_queue *q = &port.queues[i];

		assert_in_range(q->flow_bytes[0] * 100 / q->sent_bytes, 4, 9);
		assert_in_range(q->flow_bytes[2] * 100 / q->sent_bytes, 44, 56);
		assert_in_range(q->flow_bytes[3] * 100 / q->sent_bytes, 20, 30);
	}
	port_stop(&port);
}

/*
 * Ingress mode charges drops. Half of the queues are flooded far beyond their memory, so that
 * nearly all of their slots go to drops; the failsafe lets two thirds of their part through all the
 * same.
 */
static void drops_in_ingress_mode_use_slots_and_the_failsafe_stays_within(void **state)
{
	struct port_error e;

	(void)state;
	port_init(&port, 1000 * MBIT, 4);
	port.cake.ingress = true;
	port.cake.memlimit = 256 << 10;
	for (unsigned i = 0; i < 4; i++) {
		if (i < 2)
			busy(i, 1, FRAME);
		/* A frame each 12 us per queue: four times what is its part. */
		port.queues[i].load.depth = 50;
		port.queues[i].load.period = i < 2 ? 0 : 12112;
		port.queues[i].load.period_size = FRAME;
	}
	port_start(&port, 5 * RUN);
	port_run(&port, 5 * RUN);
	/* From when the floods have filled their memory. */
	e = port_error(&port, 20 * NS_PER_MS, RUN, 5 * RUN);
	assert_true(e.over <= 6250);
	for (unsigned i = 2; i < 4; i++) {
		const struct port_queue *q = &port.queues[i];

		assert_true(q->dropped > 1000);
		assert_in_range(q->sent_bytes, 31250000ull / 2 * 3 / 10, 31250000ull / 2 * 11 / 10);
	}
	/* The others have their quarters, whatever the flooded ones owe. */
	for (unsigned i = 0; i < 2; i++)
		assert_true(port.queues[i].sent_bytes > 31250000ull / 2 * 95 / 100);
	port_stop(&port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_leave_is_the_loaded_ones),
		cmocka_unit_test(a_lone_queue_has_the_whole_rate_whatever_is_configured),
		cmocka_unit_test(small_packets_share_one_reservation),
		cmocka_unit_test(nearly_empty_queues_reserve_for_several_packets),
		cmocka_unit_test(what_is_left_of_a_slot_is_given_back),
		cmocka_unit_test(counters_say_who_is_active_and_what_part_it_has),
		cmocka_unit_test(a_standing_load_changes_no_share),
		cmocka_unit_test(slots_count_adjusted_lengths),
		cmocka_unit_test(packets_that_count_for_nothing_take_no_time),
		cmocka_unit_test(jumbo_frames_and_small_ones_share_slots),
		cmocka_unit_test(tins_take_turns_within_slots),
		cmocka_unit_test(drops_in_ingress_mode_use_slots_and_the_failsafe_stays_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

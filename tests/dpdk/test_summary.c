/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary: what its lines say of workers and of the clock, and numbers beyond 32 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "daemon/summary.h"

static void assert_says(const struct stats_snapshot *s, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	summary_print_text(s, f);
	fclose(f);
	if (!strstr(text, expected))
		print_error("no \"%s\" in:\n%s", expected, text);
	assert_non_null(strstr(text, expected));
	free(text);
}

static void stalls_are_a_sum_and_a_longest(void **state)
{
	static const struct gateau_config cfg;
	static struct stats_snapshot s = {.config = &cfg, .hz = 1000000000, .n_workers = 1};

	(void)state;
	s.workers[0] = (struct stats_worker){.cpu = 1,
					     .stalls = 1973,
					     .stall_ns = 8887183000,
					     .max_stall_ns = 12149999,
					     .taken_up = 3,
					     .busy_cycles = 86400 * UINT64_C(1000000000),
					     .sleeps = 2500,
					     .slept_ns = 1000000000,
					     .late_wakeups = 7};
	assert_says(&s, "worker on CPU 1: 0 passes, 0 busy, 1973 stalls, 8.89s in all, longest "
			"12.1ms; took up 3 queues; busy 86400s; 2500 sleeps, 1s in all, 7 woken "
			"late\n");
}

static void less_than_a_ppm_is_0_without_a_sign(void **state)
{
	static const struct gateau_config cfg;
	static struct stats_snapshot s = {
		.config = &cfg, .hz = 2100000000, .error_ppb = 50, .uptime_ns = 20013999999};

	(void)state;
	/* a ppm of 2.1 GHz is 2,100 Hz */
	s.dpdk_hz = s.hz - 2099;
	assert_says(&s,
		    "ran 20s; clock 2100000000 Hz, within 50 ppb, DPDK's figure is 0 ppm off\n");
	s.dpdk_hz = s.hz - 2100;
	assert_says(&s, "is -1 ppm off");
	s.dpdk_hz = s.hz + 3990000;
	assert_says(&s, "is 1900 ppm off");
}

/* An hour of 60-byte frames at 100 Gbit/s: 5.4 x 10^11, of which one in five is dropped. */
static struct stats_snapshot *hour(void)
{
	static struct gateau_config cfg = {.n_ports = 1, .ports[0].name = "wan"};
	static struct stats_snapshot s = {.config = &cfg, .hz = 1000000000, .n_workers = 1};

	s.uptime_ns = 3600000000000;
	s.ports[0] = (struct stats_port){
		.rx_packets = 500000000000,
		.rx_bytes = 30000000000000,
		.segments_added = 10000000000,
		.tx_packets = 410000000000,
		.tx_bytes = 24600000000000,
		.dropped[WORKER_DROP_DEFER] = 100000000000,
	};
	s.workers[0] = (struct stats_worker){.passes = 360000000000, .busy_passes = 1ull << 32};
	s.received = s.ports[0].rx_packets;
	s.segments_added = s.ports[0].segments_added;
	s.sent = s.ports[0].tx_packets;
	s.dropped = s.ports[0].dropped[WORKER_DROP_DEFER];
	return &s;
}

static void an_hour_at_100_gbit_adds_up_and_is_told(void **state)
{
	const struct stats_snapshot *s = hour();

	(void)state;
	assert_int_equal(stats_difference(s), 0);
	assert_says(s, "port wan: received 500000000000 packets 30000000000000 bytes, sent "
		       "410000000000 packets 24600000000000 bytes");
	assert_says(s, "defer 100000000000");
	assert_says(s, ": 360000000000 passes, 4294967296 busy");
	assert_says(s, "received 500000000000 + segments added 10000000000 = sent 410000000000 + "
		       "dropped 100000000000 + queued 0 + deferred 0 + in flight 0: balanced\n");
}

static json_int_t number_at(json_t *o, const char *outer, const char *inner)
{
	return json_integer_value(json_object_get(json_object_get(o, outer), inner));
}

static json_t *as_json(const struct stats_snapshot *s)
{
	FILE *f = tmpfile();
	json_t *o;

	assert_int_equal(summary_print_json(s, f), 0);
	rewind(f);
	o = json_loadf(f, 0, NULL);
	fclose(f);
	assert_non_null(o);
	return o;
}

static void an_hour_at_100_gbit_is_told_to_programs(void **state)
{
	json_t *o = as_json(hour()), *port;

	(void)state;
	port = json_array_get(json_object_get(o, "ports"), 0);
	assert_int_equal(json_integer_value(json_object_get(port, "rx_bytes")), 30000000000000);
	assert_int_equal(json_integer_value(json_object_get(port, "tx_packets")), 410000000000);
	assert_int_equal(number_at(port, "drops", "defer"), 100000000000);
	assert_int_equal(number_at(o, "balance", "received"), 500000000000);
	assert_int_equal(number_at(o, "balance", "difference"), 0);
	json_decref(o);
}

/** Two queues of one port, the first of which shed and dropped. */
static struct stats_snapshot *two_queues(void)
{
	static struct gateau_config cfg = {
		.n_ports = 1,
		.ports[0] = {.name = "wan",
			     .tx_queues = 2,
			     .scheduler.cake.diffserv = CAKE_DIFFSERV3},
	};
	static struct stats_queue queues[2] = {
		{.queue = 0,
		 .cpu = 3,
		 .tx_packets = 41,
		 .tx_bytes = 4100,
		 .stalls = 1,
		 .shares = true,
		 .share = {.syncs = 7,
			   .reservations = 9,
			   .share_changes = 2,
			   .active_queues = 2,
			   .share_bytes_s = 625000}},
		{.queue = 1, .cpu = 4, .tx_packets = 1, .shares = true},
	};
	static struct stats_snapshot s = {
		.config = &cfg, .hz = 1000000000, .queues = queues, .n_queues = 2};

	queues[0].cake.drops = 5;
	s.ports[0] = (struct stats_port){.n_queues = 2,
					 .shed = {6, 0, 8},
					 .dropped[WORKER_DROP_SHED] = 14,
					 .shed_collisions = 3};
	s.ports[0].cake.tin_cnt = 3;
	return &s;
}

static void each_queue_has_a_row(void **state)
{
	const struct stats_snapshot *s = two_queues();

	(void)state;
	assert_says(s, "  queue  CPU       packets            bytes     dropped      marked"
		       "       full stalls active        part      syncs      slots  changes\n"
		       "  0        3            41             4100           5           0"
		       "          0      1      2       5mbit          7          9        2\n"
		       "  1        4             1 ");
}

/* Internally Best Effort comes first. */
static void what_was_shed_is_told_by_tin(void **state)
{
	(void)state;
	assert_says(two_queues(), " shed: Bulk 0, Best Effort 6, Voice 8; collisions 3\n");
}

static void queues_and_shed_tins_are_told_to_programs(void **state)
{
	json_t *o = as_json(two_queues()), *port, *tins;

	(void)state;
	port = json_array_get(json_object_get(o, "ports"), 0);
	assert_int_equal(json_array_size(json_object_get(port, "queues")), 2);
	assert_int_equal(number_at(json_array_get(json_object_get(port, "queues"), 0), "share",
				   "reservations"),
			 9);
	tins = json_object_get(json_object_get(port, "scheduler"), "tins");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(tins, 1), "shed")), 6);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(tins, 2), "shed")), 8);
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stalls_are_a_sum_and_a_longest),
		cmocka_unit_test(less_than_a_ppm_is_0_without_a_sign),
		cmocka_unit_test(an_hour_at_100_gbit_adds_up_and_is_told),
		cmocka_unit_test(an_hour_at_100_gbit_is_told_to_programs),
		cmocka_unit_test(each_queue_has_a_row),
		cmocka_unit_test(what_was_shed_is_told_by_tin),
		cmocka_unit_test(queues_and_shed_tins_are_told_to_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

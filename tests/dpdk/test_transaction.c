/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A change of the configuration, as the main thread makes it, while a worker runs the queues of two
 * ports in virtual time: what it does not name goes on as if nothing had happened.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "dataplane/change.h"
#include "dataplane/terms.h"
#include "harness.h"

enum { CHANGED, OTHER, PORTS };

#define QUEUES  32
#define PASS_NS 10000
#define LEN     1000
#define LOG_MAX 4096
#define FLOWS   16

static struct gateau_config *cfg;
static struct dataplane dp;
static struct worker worker;

/** Departures, by port. Written by the worker. */
static struct {
	unsigned n;
	uint64_t at[LOG_MAX];
} departures[PORTS];
static uint64_t now;
static _Atomic bool stop;

/** Of the flows that bring() makes: the last number that left, how many left, and by which queue.
 */
static struct {
	uint32_t last;
	unsigned left, reordered;
	uint16_t queue;
} flows[FLOWS];

static uint16_t device(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	for (unsigned i = 0; i < n; i++) {
		uint16_t flow = frame_flow(pkts[i]) % FLOWS;

		if (departures[port].n < LOG_MAX)
			departures[port].at[departures[port].n++] = now;
		flows[flow].reordered += frame_number(pkts[i]) < flows[flow].last;
		flows[flow].last = frame_number(pkts[i]);
		flows[flow].left++;
		flows[flow].queue = queue;
	}
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static const char file[] =
	"{\"ports\": [{\"name\": \"a\", \"device\": \"net_null0\", \"tx_queues\": 32,"
	"\"steer\": \"%s\", \"scheduler\": {\"bandwidth\": \"%s\", \"rtt\": \"%s\", \"flows\": 64}},"
	"{\"name\": \"b\", \"device\": \"net_null1\", \"tx_queues\": 32, \"steer\": \"flow\","
	"\"scheduler\": {\"bandwidth\": \"10mbit\", \"flows\": 64}}], \"drain\": \"60s\", \"links\": ["
	"{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"b\", \"to\": \"a\"}]}";

static struct gateau_config *parse_steered(const char *steer, const char *bandwidth,
					   const char *rtt)
{
	struct gateau_config *to;
	struct config_error err = {""};
	char text[2 * sizeof(file)];

	snprintf(text, sizeof(text), file, steer, bandwidth, rtt);
	config_parse("f", text, strlen(text), &to, &err);
	assert_string_equal(err.text, "");
	return to;
}

static struct gateau_config *parse(const char *bandwidth, const char *rtt)
{
	return parse_steered("flow", bandwidth, rtt);
}

static void add_queue(unsigned p, unsigned q)
{
	struct txq_params params = {
		.cake = cfg->ports[p].scheduler.cake,
		.map = harness_pool.map,
		.port = p,
		.queue = q,
		.tx = device,
		.share = dp.shares[p],
		.share_index = q,
	};

	params.cake.slots = true;
	assert_int_equal(txq_create(&dp.txqs[p][q], &params), 0);
	dp.topology.tx[dp.topology.n_tx++] = (struct topology_queue){.port = p, .queue = q};
	worker_add_tx(&worker, &(struct worker_tx){dp.txqs[p][q], &worker.views[p], 0});
}

static void add_port(unsigned p)
{
	struct share_params shared = terms_share(&dp, cfg, p);

	shared.now = now;
	assert_int_equal(share_create(&dp.shares[p], &shared), 0);
	dp.describers[p] = aligned_alloc(RTE_CACHE_LINE_SIZE,
					 RTE_CACHE_LINE_ROUNDUP(sizeof(*dp.describers[p])));
	assert_non_null(dp.describers[p]);
	terms_describer(dp.describers[p], &dp, cfg, p);
	for (unsigned q = 0; q < QUEUES; q++)
		add_queue(p, q);
}

static int set_up(void **state)
{
	(void)state;
	cfg = parse("1gbit", "100ms");
	dp = (struct dataplane){.config = cfg, .workers = &worker, .n_workers = 1, .n_running = 1};
	dp.plan.elements = UINT32_MAX;
	assert_int_equal(worker_init(&worker, &dp.control, 0, PORTS * QUEUES), 0);
	memset(departures, 0, sizeof(departures));
	memset(flows, 0, sizeof(flows));
	now = START_NS;
	for (unsigned p = 0; p < PORTS; p++)
		add_port(p);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	change_forget(&dp);
	for (unsigned p = 0; p < PORTS; p++) {
		for (unsigned q = 0; q < QUEUES; q++) {
			txq_purge(dp.txqs[p][q]);
			txq_destroy(dp.txqs[p][q]);
		}
		share_destroy(dp.shares[p]);
		free(dp.describers[p]);
	}
	worker_fini(&worker);
	config_free(cfg);
	return harness_no_buffer_is_lost(state);
}

/** @packets of a few flows into each of the first @queues of port @p. */
static void fill(unsigned p, unsigned queues, unsigned packets)
{
	for (unsigned i = 0; i < queues * packets; i++) {
		struct rte_mbuf *m = described(i % 7, i, LEN, 0);

		assert_int_equal(txq_defer(dp.txqs[p][i % queues], &m, 1), 1);
	}
}

static void pass_until(uint64_t end)
{
	for (; now < end; now += PASS_NS)
		worker_pass(&worker, now, false);
}

/** The worker while the main thread makes a change: time stands still meanwhile. */
static void *serve_visitors(void *arg)
{
	while (!stop)
		worker_pass(&worker, now, false);
	return arg;
}

static int change(struct gateau_config *to, struct config_error *err)
{
	pthread_t thread;
	int ret;

	stop = false;
	pthread_create(&thread, NULL, serve_visitors, NULL);
	ret = change_apply(&dp, to, err);
	stop = true;
	pthread_join(thread, NULL);
	return ret;
}

/** Until @until, while each of @to, a list that ends with NULL, comes into force at its @at. */
static void pass_time(uint64_t until, const uint64_t *at, struct gateau_config **to)
{
	struct config_error err;

	for (; to && *to; to++, at++) {
		pass_until(*at);
		assert_int_equal(change(*to, &err), 0);
		config_free(*to);
	}
	pass_until(until);
}

/** A worker to which a frame of each of the flows comes by turns, 12,000 in a second. */
static void *bring_frames(void *arg)
{
	for (uint32_t number = 1; !stop; now += PASS_NS) {
		if ((now - START_NS) / PASS_NS % 8 == 0) {
			struct rte_mbuf *m = described(number % FLOWS, number, LEN, 0);

			dispatch_burst(worker.to[CHANGED], &m, 1, now);
			number++;
		}
		worker_pass(&worker, now, false);
	}
	return arg;
}

static uint64_t count_changes(unsigned p)
{
	struct cake_stats stats;
	uint64_t n = 0;

	for (unsigned q = 0; q < QUEUES; q++) {
		txq_stats(dp.txqs[p][q], &stats);
		n += stats.changes;
	}
	return n;
}

static void a_rate_touches_each_instance_of_its_port_once(void **state)
{
	struct gateau_config *to[] = {parse("500mbit", "100ms"), parse("2gbit", "100ms"),
				      parse("2gbit", "100ms"), NULL};
	const uint64_t at[] = {START_NS + MS, START_NS + 2 * MS, START_NS + 3 * MS};

	(void)state;
	pass_time(START_NS + 5 * MS, at, to);
	/* 2 changes x 32 queues; the third is none */
	assert_int_equal(count_changes(CHANGED), 64);
	assert_int_equal(count_changes(OTHER), 0);
}

/** Departures of OTHER while CHANGED is changed or not. */
static unsigned departures_of_other(bool changes, uint64_t at[LOG_MAX])
{
	struct gateau_config *to[] = {parse("500mbit", "10ms"), parse("3mbit", "1s"), NULL};
	const uint64_t when[] = {START_NS + 7 * MS, START_NS + 13 * MS};

	fill(CHANGED, QUEUES, 10);
	fill(OTHER, 5, 20);
	pass_time(START_NS + S, when, changes ? to : NULL);
	memcpy(at, departures[OTHER].at, sizeof(departures[OTHER].at));
	if (changes)
		return departures[OTHER].n;
	config_free(to[0]);
	config_free(to[1]);
	return departures[OTHER].n;
}

static void another_port_s_departures_are_what_they_were(void **state)
{
	static uint64_t without[LOG_MAX], with[LOG_MAX];
	unsigned n = departures_of_other(false, without);

	assert_in_range(n, 50, 100); /* CoDel has dropped some */
	tear_down(state);
	set_up(state);
	assert_int_equal(departures_of_other(true, with), n);
	assert_memory_equal(without, with, sizeof(without));
	assert_int_equal(count_changes(OTHER), 0);
}

/* 2 MB in 32 queues at 1 Gbit/s take 16 ms; at 1 Mbit/s a packet of 1,000 bytes takes 8. */
static void what_is_queued_leaves_at_the_new_rate_from_the_next_packet_on(void **state)
{
	struct gateau_config *to[] = {parse("1mbit", "100ms"), NULL};
	const uint64_t at[] = {START_NS + 2 * MS};
	unsigned before, after = 0;

	(void)state;
	fill(CHANGED, QUEUES, 62);
	pass_time(START_NS + 2000 * MS, at, to);
	for (before = 0; before < departures[CHANGED].n; before++)
		if (departures[CHANGED].at[before] > START_NS + 2 * MS)
			break;
	for (unsigned i = before; i < departures[CHANGED].n; i++)
		after += departures[CHANGED].at[i] <= START_NS + 1002 * MS;
	assert_in_range(before, 200, 260); /* 250 in 2 ms */
	/* 125 in a second; each queue may have a packet on the way out */
	assert_in_range(after, 110, 125 + QUEUES);
}

static void wait_ms(unsigned ms)
{
	const struct timespec t = {.tv_nsec = ms * 1000000L};

	nanosleep(&t, NULL);
}

/* At 90 Mbit/s for 100 that come there is always something queued. All frames are of one host. */
static void flows_that_move_to_another_queue_stay_in_order(void **state)
{
	static const char *const ways[] = {"src-host", "flow"};
	struct gateau_config *to = parse("90mbit", "100ms");
	struct config_error err;
	pthread_t thread;

	(void)state;
	assert_int_equal(dispatch_create(&worker.to[CHANGED], dp.txqs[CHANGED], QUEUES, STEER_FLOW,
					 0, &worker.dead),
			 0);
	stop = false;
	pthread_create(&thread, NULL, bring_frames, NULL);
	assert_int_equal(change_apply(&dp, to, &err), 0);
	config_free(to);
	for (unsigned i = 0; i < 4; i++) {
		wait_ms(100);
		to = parse_steered(ways[i % 2], "90mbit", "100ms");
		assert_int_equal(change_apply(&dp, to, &err), 0);
		for (unsigned tries = 0; dp.changing && tries < 60; tries++)
			change_settle(&dp, 1000);
		assert_null(dp.changing);
		config_free(to);
		if (i == 0)
			wait_ms(100);
		for (unsigned f = 1; i == 0 && f < FLOWS; f++)
			assert_int_equal(flows[f].queue, flows[0].queue);
	}
	stop = true;
	pthread_join(thread, NULL);
	for (unsigned f = 0; f < FLOWS; f++) {
		assert_int_equal(flows[f].reordered, 0);
		assert_true(flows[f].left > 20);
	}
}

/** A worker that does not answer is no reason to change half. */
static void nothing_changes_where_a_worker_does_not_come_round(void **state)
{
	struct gateau_config *to = parse("1mbit", "1ms");
	struct config_error err = {""};

	(void)state;
	assert_int_equal(change_apply(&dp, to, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "does not come round"));
	assert_null(dp.changing);
	assert_int_equal(cfg->ports[0].scheduler.cake.bandwidth_bps, 1000000000);
	config_free(to);
	pass_time(now + MS, NULL, NULL);
	assert_int_equal(count_changes(CHANGED), 0);
}

static void what_the_buffers_have_no_room_for_is_refused_with_the_numbers(void **state)
{
	struct gateau_config *to = parse("1mbit", "1ms");
	struct config_error err = {""};

	(void)state;
	dp.plan.elements = 1000;
	assert_int_equal(change_apply(&dp, to, &err), -ENOMEM);
	assert_non_null(strstr(err.text, "there are 1000 of"));
	assert_null(dp.changing);
	config_free(to);
}

#define CHANGE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHANGE_TEST(a_rate_touches_each_instance_of_its_port_once),
		CHANGE_TEST(another_port_s_departures_are_what_they_were),
		CHANGE_TEST(what_is_queued_leaves_at_the_new_rate_from_the_next_packet_on),
		CHANGE_TEST(flows_that_move_to_another_queue_stay_in_order),
		CHANGE_TEST(nothing_changes_where_a_worker_does_not_come_round),
		CHANGE_TEST(what_the_buffers_have_no_room_for_is_refused_with_the_numbers),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links that change while workers run: whose queues are told, and when. The device is this file's:
 * what it says of its link and its counters, and whom it calls (meson.build has the linker replace
 * DPDK's functions).
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>

#include <cmocka.h>

#include <rte_ethdev.h>

#include "dataplane/links.h"
#include "harness.h"

#define QUEUES 2

static struct {
	uint16_t status;
	uint64_t received;
	rte_eth_dev_cb_fn callback;
	void *arg;
	bool refuses; /* to call anybody */
} nic;

int __wrap_rte_eth_link_get_nowait(uint16_t port, struct rte_eth_link *link);
int __wrap_rte_eth_stats_get(uint16_t port, struct rte_eth_stats *stats);
int __wrap_rte_eth_dev_callback_register(uint16_t port, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg);
int __wrap_rte_eth_dev_callback_unregister(uint16_t port, enum rte_eth_event_type event,
					   rte_eth_dev_cb_fn fn, void *arg);

int __wrap_rte_eth_link_get_nowait(uint16_t port, struct rte_eth_link *link)
{
	(void)port;
	*link = (struct rte_eth_link){.link_status = nic.status & 1};
	return 0;
}

int __wrap_rte_eth_stats_get(uint16_t port, struct rte_eth_stats *stats)
{
	(void)port;
	*stats = (struct rte_eth_stats){.ipackets = nic.received};
	return 0;
}

int __wrap_rte_eth_dev_callback_register(uint16_t port, enum rte_eth_event_type event,
					 rte_eth_dev_cb_fn fn, void *arg)
{
	(void)port;
	assert_int_equal(event, RTE_ETH_EVENT_INTR_LSC);
	if (nic.refuses)
		return -ENOTSUP;
	nic.callback = fn;
	nic.arg = arg;
	return 0;
}

int __wrap_rte_eth_dev_callback_unregister(uint16_t port, enum rte_eth_event_type event,
					   rte_eth_dev_cb_fn fn, void *arg)
{
	(void)port;
	(void)event;
	assert_ptr_equal(fn, nic.callback);
	assert_ptr_equal(arg, nic.arg);
	nic.callback = NULL;
	return 0;
}

static struct gateau_config cfg = {
	.n_ports = 1, .ports = {{.name = "wan", .tx_queues = QUEUES, .link_hold_ns = 1000 * S}}};
static struct worker home; /* of all queues; not one that could be asleep */
static struct dataplane dp;
static _Atomic bool stop;
static _Atomic unsigned run_from; /* queues before it are run by nobody */
static _Atomic uint64_t sent;
static pthread_t worker;

static uint16_t device_takes_all(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)queue;
	rte_pktmbuf_free_bulk(pkts, n);
	sent += n;
	return n;
}

/** Runs the queues, and has a frame for each of them in each turn. */
static void *work(void *unused)
{
	static struct txq_dead dead;

	(void)unused;
	for (uint64_t now = START_NS; !stop; now += 1000)
		for (unsigned i = run_from; i < QUEUES; i++) {
			struct txq *q = dp.txqs[0][i];
			struct rte_mbuf *m = NULL;

			if (txq_queued(q) < 16)
				m = described(1, 0, 60, 0);
			if (!txq_claim(q, now))
				continue;
			if (m)
				txq_enqueue(q, &m, 1, 0, now, &dead);
			txq_run(q, NULL, now, &dead);
			txq_release(q);
			txq_free_dead(q, &dead);
		}
	return NULL;
}

static int set_up(void **state)
{
	(void)state;
	memset(&nic, 0, sizeof(nic));
	memset(&dp, 0, sizeof(dp));
	nic.status = RTE_ETH_LINK_UP;
	dp.config = &cfg;
	dp.workers = &home;
	dp.ports[0] = (struct port){.config = &cfg.ports[0], .choice.link_events = true};
	for (unsigned i = 0; i < QUEUES; i++) {
		struct txq_params params = {.map = harness_pool.map, .tx = device_takes_all};

		cake_params_default(&params.cake);
		assert_int_equal(txq_create(&dp.txqs[0][i], &params), 0);
	}
	stop = false;
	run_from = 0;
	sent = 0;
	return pthread_create(&worker, NULL, work, NULL);
}

static int take_down(void **state)
{
	stop = true;
	pthread_join(worker, NULL);
	for (unsigned i = 0; i < QUEUES; i++) {
		txq_purge(dp.txqs[0][i]);
		txq_destroy(dp.txqs[0][i]);
	}
	return harness_no_buffer_is_lost(state);
}

/** Whether the queues send: as soon as they do it is seen, and that they do not for 20 looks. */
static bool sends(void)
{
	const struct timespec a_look = {.tv_nsec = 1000000};
	const uint64_t before = sent;

	for (unsigned i = 0; i < 20 && sent == before; i++)
		nanosleep(&a_look, NULL);
	return sent != before;
}

static void wait_until_they_send(void)
{
	while (!sends())
		;
}

static void queues_wait_while_the_link_is_down(void **state)
{
	(void)state;
	links_watch(&dp);
	wait_until_they_send();
	nic.status = RTE_ETH_LINK_DOWN;
	do /* a machine that is stopped for longer than the patience needs another look */
		links_watch(&dp);
	while (!dp.ports[0].queues_wait);
	assert_true(dp.ports[0].link_down);
	assert_int_equal(dp.ports[0].link_downs, 1);
	assert_false(sends());
	nic.status = RTE_ETH_LINK_UP;
	do
		links_watch(&dp);
	while (dp.ports[0].queues_wait);
	wait_until_they_send();
}

static void a_queue_that_was_not_reached_is_told_later(void **state)
{
	(void)state;
	run_from = 1;
	nic.status = RTE_ETH_LINK_DOWN;
	links_watch(&dp);
	assert_true(dp.ports[0].link_down);
	assert_false(dp.ports[0].queues_wait);
	run_from = 0;
	do
		links_watch(&dp);
	while (!dp.ports[0].queues_wait);
	assert_int_equal(dp.ports[0].link_downs, 1);
}

static void a_device_that_says_when_its_link_changes_wakes_the_main_thread(void **state)
{
	int fd = links_open(&dp);
	eventfd_t times;

	(void)state;
	assert_true(fd >= 0);
	assert_non_null(nic.callback);
	assert_false(links_need_looking(&dp));
	assert_int_equal(eventfd_read(fd, &times), -1);
	nic.callback(0, RTE_ETH_EVENT_INTR_LSC, nic.arg, NULL);
	assert_int_equal(eventfd_read(fd, &times), 0);
	links_close(&dp, fd);
	assert_null(nic.callback);
}

static void other_devices_are_looked_at(void **state)
{
	int fd;

	(void)state;
	dp.ports[0].choice.link_events = false;
	fd = links_open(&dp);
	assert_true(fd >= 0);
	assert_null(nic.callback);
	assert_true(links_need_looking(&dp));
	links_close(&dp, fd);
	/* ... as one is that does not do what it said. */
	dp.ports[0].choice.link_events = true;
	nic.refuses = true;
	fd = links_open(&dp);
	assert_true(links_need_looking(&dp));
	links_close(&dp, fd);
}

static void a_link_that_is_said_to_be_down_and_brings_frames_is_up(void **state)
{
	(void)state;
	nic.status = RTE_ETH_LINK_DOWN;
	links_watch(&dp);
	nic.received = 10; /* what was in the ring still */
	links_watch(&dp);
	links_watch(&dp);
	assert_true(dp.ports[0].link_down);
	for (unsigned i = 0; i < 2; i++) {
		nic.received++;
		links_watch(&dp);
	}
	assert_false(dp.ports[0].link_down);
	/* It stays so, also while nothing comes. */
	links_watch(&dp);
	assert_false(dp.ports[0].link_down);
	assert_int_equal(dp.ports[0].link_downs, 1);
	while (dp.ports[0].queues_wait)
		links_watch(&dp);
	wait_until_they_send();
}

#define LINK_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, take_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LINK_TEST(queues_wait_while_the_link_is_down),
		LINK_TEST(a_queue_that_was_not_reached_is_told_later),
		LINK_TEST(a_device_that_says_when_its_link_changes_wakes_the_main_thread),
		LINK_TEST(other_devices_are_looked_at),
		LINK_TEST(a_link_that_is_said_to_be_down_and_brings_frames_is_up),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

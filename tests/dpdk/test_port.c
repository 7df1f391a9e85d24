/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port: what its device may hold, and how it spreads frames over RX queues.
 *
 * No software device takes an RSS key. For that, two functions of DPDK are wrapped by the linker
 * (meson.build): net_null says it has a key, and what it is given is kept and may be refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_string_fns.h>

#include "harness.h"
#include "port/port.h"

#define TOO_MANY 100000

static void a_software_ring_longer_than_asked_for_is_known(void **state)
{
	const struct config_port config = {.name = "loop",
					   .device = "net_ring_loop",
					   .rx_queues = 1,
					   .tx_queues = 1,
					   .rx_descriptors = 64,
					   .tx_descriptors = 64,
					   .mtu = 1500};
	struct rte_mbuf *m;
	struct port port;
	unsigned held = 0;

	(void)state;
	assert_int_equal(port_open(&port, &config, false), 0);
	assert_int_equal(port_setup(&port, &harness_pool), 0);
	assert_int_equal(port_start(&port), 0);
	while (m = buffer(60), rte_eth_tx_burst(port.id, 0, &m, 1))
		assert_in_range(++held, 1, TOO_MANY);
	rte_pktmbuf_free(m);
	/* net_ring: 1,024 slots, one of them always empty */
	assert_int_equal(held, 1023);
	assert_true(port.choice.tx_room >= held);
	assert_true(port.choice.rx_room >= held);
	port_stop(&port);
	port_close(&port);
}

static void a_place_of_a_nic_holds_a_buffer_and_of_software_a_frame(void **state)
{
	(void)state;
	/* ceil(9,022 / 2,048) = 5 */
	assert_int_equal(port_buffers_per_place("0000:3b:00.0", 9022), 1);
	assert_int_equal(port_buffers_per_place("net_ring0", 9022), 5);
	assert_int_equal(port_buffers_per_place("net_ring0", 1522), 1);
}

static struct {
	uint8_t key_size; /* what devices say they have, 0 = what they really say */
	bool refuse_keys;
	unsigned calls; /* of rte_eth_dev_configure() */
	uint8_t key[CHOOSE_RSS_KEY_MAX];
	uint8_t key_len; /* given in the last of them */
	uint64_t fields;
} rss;

int __real_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info);
int __real_rte_eth_dev_configure(uint16_t port, uint16_t n_rx, uint16_t n_tx,
				 const struct rte_eth_conf *conf);
int __wrap_rte_eth_dev_configure(uint16_t port, uint16_t n_rx, uint16_t n_tx,
				 const struct rte_eth_conf *conf);

int __wrap_rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
	int ret = __real_rte_eth_dev_info_get(port, info);

	if (rss.key_size)
		info->hash_key_size = rss.key_size;
	return ret;
}

int __wrap_rte_eth_dev_configure(uint16_t port, uint16_t n_rx, uint16_t n_tx,
				 const struct rte_eth_conf *conf)
{
	struct rte_eth_conf without = *conf;

	rss.calls++;
	rss.key_len = conf->rx_adv_conf.rss_conf.rss_key_len;
	rss.fields = conf->rx_adv_conf.rss_conf.rss_hf;
	if (rss.key_len && rss.refuse_keys)
		return -EINVAL;
	if (rss.key_len)
		memcpy(rss.key, conf->rx_adv_conf.rss_conf.rss_key, rss.key_len);
	without.rx_adv_conf.rss_conf.rss_key = NULL;
	without.rx_adv_conf.rss_conf.rss_key_len = 0;
	return __real_rte_eth_dev_configure(port, n_rx, n_tx, &without);
}

static void set_up(const char *device, uint16_t rx_queues, uint8_t key_size, bool refuse_keys)
{
	struct config_port config = {
		.name = "spread", .rx_queues = rx_queues, .tx_queues = 1, .mtu = 1500};
	struct port port;

	memset(&rss, 0, sizeof(rss));
	rss.key_size = key_size;
	rss.refuse_keys = refuse_keys;
	strlcpy(config.device, device, sizeof(config.device));
	assert_int_equal(port_open(&port, &config, false), 0);
	assert_int_equal(port_setup(&port, &harness_pool), 0);
	port_close(&port);
	rss.key_size = 0;
}

/* 52 bytes are the E810's key. */
static void each_port_spreads_by_a_random_key_of_its_own(void **state)
{
	uint8_t first[52];

	(void)state;
	set_up("net_null0", 2, 52, false);
	assert_int_equal(rss.key_len, 52);
	assert_int_not_equal(rss.fields, 0);
	memcpy(first, rss.key, sizeof(first));
	set_up("net_null1", 2, 52, false);
	assert_int_equal(rss.key_len, 52);
	assert_memory_not_equal(first, rss.key, 52);
	/* 64 random bits, and what is there where nothing was written: 0 */
	assert_memory_not_equal(rss.key + 44, (uint8_t[8]){0}, 8);
}

static void a_device_that_refuses_a_key_spreads_by_its_own(void **state)
{
	(void)state;
	set_up("net_null2", 2, 40, true);
	assert_int_equal(rss.calls, 2);
	assert_int_equal(rss.key_len, 0);
	assert_int_not_equal(rss.fields, 0);
}

static void a_device_without_a_key_and_one_queue_get_none(void **state)
{
	(void)state;
	set_up("net_null3", 2, 0, false);
	assert_int_equal(rss.calls, 1);
	assert_int_equal(rss.key_len, 0);
	assert_int_not_equal(rss.fields, 0);
	set_up("net_null4", 1, 40, false);
	assert_int_equal(rss.key_len, 0);
	assert_int_equal(rss.fields, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_software_ring_longer_than_asked_for_is_known),
		TEST(a_place_of_a_nic_holds_a_buffer_and_of_software_a_frame),
		TEST(each_port_spreads_by_a_random_key_of_its_own),
		TEST(a_device_that_refuses_a_key_spreads_by_its_own),
		TEST(a_device_without_a_key_and_one_queue_get_none),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A port: that its device never holds more frames than the pool is sized for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rte_ethdev.h>

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
	assert_int_equal(port_open(&port, &config), 0);
	assert_int_equal(port_setup(&port, &harness_pool, false), 0);
	assert_int_equal(port_start(&port), 0);
	while (m = buffer(60), rte_eth_tx_burst(port.id, 0, &m, 1))
		assert_in_range(++held, 1, TOO_MANY);
	rte_pktmbuf_free(m);
	/* net_ring: 1,024 slots, one of them always empty */
	assert_int_equal(held, 1023);
	assert_true(port.tx_room >= held);
	assert_true(port.rx_room >= held);
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

#define TEST(f) cmocka_unit_test_teardown(f, harness_no_buffer_is_lost)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_software_ring_longer_than_asked_for_is_known),
		TEST(a_place_of_a_nic_holds_a_buffer_and_of_software_a_frame),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

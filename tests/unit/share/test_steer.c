/* SPDX-License-Identifier: BSD-3-Clause */
/* share/steer: which queue a packet goes to, and what the queues' parts of the rate go by. */
#include "share/steer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void each_way_of_steering_reads_its_own_hash(void **state)
{
	/* eighths of the range: queues 1, 4 and 7 of 8 */
	const struct cake_packet p = {
		.flow_hash = 0x20000000, .src_hash = 0x9fffffff, .dst_hash = 0xe0000000};

	(void)state;
	assert_int_equal(steer_queue(STEER_FLOW, &p, 8), 1);
	assert_int_equal(steer_queue(STEER_SRC_HOST, &p, 8), 4);
	assert_int_equal(steer_queue(STEER_DST_HOST, &p, 8), 7);
	assert_int_equal(steer_queue(STEER_DST_HOST, &p, 1), 0);
}

static void a_packet_without_hosts_goes_by_its_flow(void **state)
{
	const struct cake_packet p = {.flow_hash = 0xffffffff};

	(void)state;
	assert_int_equal(steer_queue(STEER_SRC_HOST, &p, 64), 63);
	assert_int_equal(steer_queue(STEER_DST_HOST, &p, 64), 63);
}

static void only_modes_with_one_host_or_none_say_what_steers(void **state)
{
	enum steer steer = STEER_FLOW;

	(void)state;
	assert_true(steer_by_mode(CAKE_DUAL_SRCHOST, &steer));
	assert_int_equal(steer, STEER_SRC_HOST);
	assert_true(steer_by_mode(CAKE_DSTHOST, &steer));
	assert_int_equal(steer, STEER_DST_HOST);
	assert_true(steer_by_mode(CAKE_FLOWS, &steer));
	assert_int_equal(steer, STEER_FLOW);
	assert_false(steer_by_mode(CAKE_TRIPLE_ISOLATE, &steer));
	assert_false(steer_by_mode(CAKE_HOSTS, &steer));
}

static void parts_go_by_hosts_where_these_are_isolated(void **state)
{
	(void)state;
	assert_int_equal(steer_weight(STEER_SRC_HOST, CAKE_DUAL_SRCHOST), SHARE_BY_SRC_HOSTS);
	assert_int_equal(steer_weight(STEER_DST_HOST, CAKE_DUAL_DSTHOST), SHARE_BY_DST_HOSTS);
	assert_int_equal(steer_weight(STEER_FLOW, CAKE_DUAL_DSTHOST), SHARE_BY_DST_HOSTS);
	assert_int_equal(steer_weight(STEER_SRC_HOST, CAKE_TRIPLE_ISOLATE), SHARE_BY_SRC_HOSTS);
	assert_int_equal(steer_weight(STEER_DST_HOST, CAKE_TRIPLE_ISOLATE), SHARE_BY_DST_HOSTS);
}

/* In srchost a flow is all that a host sends. */
static void parts_go_by_flows_where_a_flow_is_what_shares(void **state)
{
	(void)state;
	assert_int_equal(steer_weight(STEER_FLOW, CAKE_FLOWS), SHARE_BY_FLOWS);
	assert_int_equal(steer_weight(STEER_SRC_HOST, CAKE_FLOWS), SHARE_BY_FLOWS);
	assert_int_equal(steer_weight(STEER_SRC_HOST, CAKE_SRCHOST), SHARE_BY_FLOWS);
	assert_int_equal(steer_weight(STEER_DST_HOST, CAKE_HOSTS), SHARE_BY_FLOWS);
	assert_int_equal(steer_weight(STEER_FLOW, CAKE_TRIPLE_ISOLATE), SHARE_BY_FLOWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_of_steering_reads_its_own_hash),
		cmocka_unit_test(a_packet_without_hosts_goes_by_its_flow),
		cmocka_unit_test(only_modes_with_one_host_or_none_say_what_steers),
		cmocka_unit_test(parts_go_by_hosts_where_these_are_isolated),
		cmocka_unit_test(parts_go_by_flows_where_a_flow_is_what_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

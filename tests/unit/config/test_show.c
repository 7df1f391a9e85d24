/* SPDX-License-Identifier: BSD-3-Clause */
/* config/show: what is set, in tc's words. */
#include "config/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_shown(const struct config_scheduler *p, const char *expected)
{
	char text[CONFIG_SHOW_MAX];

	assert_string_equal(config_show_scheduler(p, text, sizeof(text)), expected);
}

static void defaults_are_four_words(void **state)
{
	struct config_scheduler p;

	(void)state;
	config_scheduler_default(&p);
	assert_shown(&p, "unlimited diffserv3 triple-isolate rtt 100ms");
}

static void everything_that_was_changed_is_shown(void **state)
{
	struct config_scheduler p;

	(void)state;
	config_scheduler_default(&p);
	p.cake.bandwidth_bps = 20000000;
	p.cake.diffserv = CAKE_BESTEFFORT;
	p.cake.flowmode = CAKE_DUAL_SRCHOST;
	p.cake.rtt_ns = 50000000;
	p.cake.overhead_set = true;
	p.cake.overhead = -4;
	p.cake.mpu = 64;
	p.cake.atm = CAKE_ATM;
	p.cake.wash = true;
	p.cake.ingress = true;
	p.cake.split_gso = false;
	p.cake.memlimit = 4 << 20;
	p.cake.flows = 2048;
	p.cake.fwmark = 0xf0;
	p.cake.profile = CAKE_PROFILE_LINUX;
	p.cake.catch_up_ns = 5000000;
	assert_shown(&p,
		     "20mbit besteffort dual-srchost rtt 50ms overhead -4 mpu 64 atm wash ingress "
		     "no split_gso memlimit 4mb flows 2048 fwmark 0xf0 profile linux catch-up 5ms");
}

/* tc: an overhead of 0 is something else than raw. */
static void an_overhead_of_0_is_shown_when_given(void **state)
{
	struct config_scheduler p;

	(void)state;
	config_scheduler_default(&p);
	p.cake.overhead_set = true;
	assert_shown(&p, "unlimited diffserv3 triple-isolate rtt 100ms overhead 0");
}

/* tc shows "raw overhead 4": bytes added to the frame's own. */
static void overhead_behind_raw_says_so(void **state)
{
	struct config_scheduler p;

	(void)state;
	config_scheduler_default(&p);
	p.cake.overhead = 4;
	assert_shown(&p, "unlimited diffserv3 triple-isolate rtt 100ms raw overhead 4");
}

static struct config_port port_with(enum cake_flowmode mode, enum steer steer)
{
	struct config_port p = {.tx_queues = 4, .steer = steer};

	config_scheduler_default(&p.scheduler);
	p.scheduler.cake.flowmode = mode;
	p.scheduler.cake.bandwidth_bps = 1000000000;
	return p;
}

static void assert_sharing(const struct config_port *p, const char *expected)
{
	char text[CONFIG_SHOW_MAX];

	assert_string_equal(config_show_sharing(p, text, sizeof(text)), expected);
}

static void assert_fair_to(enum cake_flowmode mode, enum steer steer, const char *expected)
{
	struct config_port p = port_with(mode, steer);
	char text[CONFIG_SHOW_MAX];

	assert_string_equal(config_show_fairness(&p, text, sizeof(text)), expected);
}

static void sharing_says_what_parts_go_by(void **state)
{
	struct config_port p = port_with(CAKE_TRIPLE_ISOLATE, STEER_SRC_HOST);

	(void)state;
	assert_sharing(&p, "share demand by source hosts, steer src-host");
	p.steer = STEER_FLOW;
	assert_sharing(&p, "share demand by flows, steer flow");
	p.scheduler.cake.flowmode = CAKE_DUAL_DSTHOST;
	p.steer = STEER_DST_HOST;
	assert_sharing(&p, "share demand by destination hosts, steer dst-host");
	p.share = SHARE_EQUAL;
	assert_sharing(&p, "share equal, steer dst-host");
	p.scheduler.cake.bandwidth_bps = 0;
	assert_sharing(&p, "no rate to share, steer dst-host");
}

static void hosts_are_fair_across_queues_where_all_of_one_meet(void **state)
{
	(void)state;
	assert_fair_to(CAKE_DUAL_SRCHOST, STEER_SRC_HOST, "source hosts across queues");
	assert_fair_to(CAKE_DUAL_SRCHOST, STEER_FLOW, "source hosts within each queue only");
	assert_fair_to(CAKE_DSTHOST, STEER_DST_HOST, "destination hosts across queues");
	assert_fair_to(CAKE_HOSTS, STEER_DST_HOST, "pairs of hosts across queues");
	assert_fair_to(CAKE_HOSTS, STEER_FLOW, "pairs of hosts within each queue only");
	assert_fair_to(CAKE_FLOWS, STEER_DST_HOST, "flows across queues");
	assert_fair_to(CAKE_FLOWBLIND, STEER_FLOW, "each queue is one flow");
	assert_fair_to(CAKE_TRIPLE_ISOLATE, STEER_SRC_HOST,
		       "source hosts across queues, destination hosts within each queue only");
	assert_fair_to(CAKE_TRIPLE_ISOLATE, STEER_DST_HOST,
		       "source hosts within each queue only, destination hosts across queues");
}

static void equal_parts_are_fair_to_nobody_across_queues(void **state)
{
	struct config_port p = port_with(CAKE_FLOWS, STEER_FLOW);
	char text[CONFIG_SHOW_MAX];

	(void)state;
	p.share = SHARE_EQUAL;
	assert_string_equal(config_show_fairness(&p, text, sizeof(text)),
			    "flows within each queue only");
	p.share = SHARE_DEMAND;
	p.scheduler.cake.bandwidth_bps = 0;
	assert_string_equal(config_show_fairness(&p, text, sizeof(text)),
			    "flows within each queue only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_four_words),
		cmocka_unit_test(everything_that_was_changed_is_shown),
		cmocka_unit_test(an_overhead_of_0_is_shown_when_given),
		cmocka_unit_test(overhead_behind_raw_says_so),
		cmocka_unit_test(sharing_says_what_parts_go_by),
		cmocka_unit_test(hosts_are_fair_across_queues_where_all_of_one_meet),
		cmocka_unit_test(equal_parts_are_fair_to_nobody_across_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

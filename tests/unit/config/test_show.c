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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_four_words),
		cmocka_unit_test(everything_that_was_changed_is_shown),
		cmocka_unit_test(an_overhead_of_0_is_shown_when_given),
		cmocka_unit_test(overhead_behind_raw_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

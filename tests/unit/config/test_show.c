/* SPDX-License-Identifier: BSD-3-Clause */
/* config/show: what is set, in tc's words. */
#include "config/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_shown(const struct cake_params *p, const char *expected)
{
	char text[CONFIG_SHOW_MAX];

	assert_string_equal(config_show_scheduler(p, text, sizeof(text)), expected);
}

static void defaults_are_four_words(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	assert_shown(&p, "unlimited diffserv3 triple-isolate rtt 100ms");
}

static void everything_that_was_changed_is_shown(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	p.bandwidth_bps = 20000000;
	p.diffserv = CAKE_BESTEFFORT;
	p.flowmode = CAKE_DUAL_SRCHOST;
	p.rtt_ns = 50000000;
	p.overhead_set = true;
	p.overhead = -4;
	p.mpu = 64;
	p.atm = CAKE_ATM;
	p.wash = true;
	p.ingress = true;
	p.split_gso = false;
	p.memlimit = 4 << 20;
	p.flows = 2048;
	p.fwmark = 0xf0;
	p.profile = CAKE_PROFILE_LINUX;
	p.catch_up_ns = 5000000;
	assert_shown(&p,
		     "20mbit besteffort dual-srchost rtt 50ms overhead -4 mpu 64 atm wash ingress "
		     "no split_gso memlimit 4mb flows 2048 fwmark 240 profile linux catch-up 5ms");
}

/* tc: an overhead of 0 is something else than raw. */
static void an_overhead_of_0_is_shown_when_given(void **state)
{
	struct cake_params p;

	(void)state;
	cake_params_default(&p);
	p.overhead_set = true;
	assert_shown(&p, "unlimited diffserv3 triple-isolate rtt 100ms overhead 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_four_words),
		cmocka_unit_test(everything_that_was_changed_is_shown),
		cmocka_unit_test(an_overhead_of_0_is_shown_when_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

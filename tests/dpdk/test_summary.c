/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary for people: what its lines say of workers and of the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/summary.h"

static void assert_says(const struct summary *s, const char *expected)
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
	static struct summary s = {.config = &cfg, .hz = 1000000000, .n_workers = 1};

	(void)state;
	s.workers[0] = (struct summary_worker){
		.cpu = 1, .stalls = 1973, .stall_ns = 8887183000, .max_stall_ns = 12149999};
	assert_says(&s, "worker on CPU 1: 0 passes, 0 busy, 1973 stalls, 8.89s in all, longest "
			"12.1ms\n");
}

static void less_than_a_ppm_is_0_without_a_sign(void **state)
{
	static const struct gateau_config cfg;
	static struct summary s = {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stalls_are_a_sum_and_a_longest),
		cmocka_unit_test(less_than_a_ppm_is_0_without_a_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

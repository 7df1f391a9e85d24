/* SPDX-License-Identifier: BSD-3-Clause */
/* What the main thread says of queues whose holder has stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/watch.h"
#include "harness.h"

static char said[256]; /* the last line */
static unsigned lines;

void __wrap_log_warning(const char *fmt, ...);
void __wrap_log_warning(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	lines++;
}

static struct gateau_config cfg = {.n_ports = 1, .ports = {{.name = "wan"}}};
static struct dataplane dp = {.config = &cfg,
			      .topology = {.n_tx = 2, .tx = {{.queue = 0}, {.queue = 5}}}};

static void a_stuck_queue_is_said_to_be_once_each_time(void **state)
{
	struct txq_params params = {.map = harness_pool.map};
	struct watch watch = {0};

	(void)state;
	cake_params_default(&params.cake);
	assert_int_equal(txq_create(&dp.txqs[0][0], &params), 0);
	assert_int_equal(txq_create(&dp.txqs[0][5], &params), 0);
	for (unsigned time = 1; time <= 2; time++) {
		uint64_t start = START_NS + time * 100 * S;

		assert_true(txq_claim(dp.txqs[0][5], start));
		/* what a busy machine does is counted, not told */
		watch_queues(&watch, &dp, start + 400 * MS);
		assert_int_equal(txq_stalls(dp.txqs[0][5]), time);
		assert_int_equal(lines, time - 1);
		for (unsigned s = 4; s < 40; s += 4)
			watch_queues(&watch, &dp, start + s * S);
		assert_int_equal(lines, time);
		assert_non_null(strstr(said, "port wan: TX queue 5 "));
		assert_non_null(strstr(said, " 4000 ms"));
		txq_release(dp.txqs[0][5]);
		watch_queues(&watch, &dp, start + 41 * S);
	}
	assert_int_equal(txq_stalls(dp.txqs[0][0]), 0);
	txq_destroy(dp.txqs[0][0]);
	txq_destroy(dp.txqs[0][5]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stuck_queue_is_said_to_be_once_each_time),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping: a worker that its driver does not let go is given up, a slow one is waited for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/dataplane.h"

#define DRAIN_MS 300

static struct gateau_config config = {.drain_ns = DRAIN_MS * UINT64_C(1000000)};
static struct worker worker = {.cpu = 1};
static struct dataplane dp;
static uint64_t waited_ms;

/* What the worker does while the main thread waits. */
static enum worker_phase (*answer)(uint64_t ms);

static bool wait_ms(unsigned ms)
{
	waited_ms += ms;
	worker.reached = answer(waited_ms);
	return false;
}

static int stop(enum worker_phase (*how)(uint64_t ms))
{
	dp = (struct dataplane){.config = &config, .workers = &worker, .n_running = 1};
	worker.reached = WORKER_RUN;
	waited_ms = 0;
	answer = how;
	return dataplane_stop(&dp, wait_ms);
}

static enum worker_phase never(uint64_t ms)
{
	(void)ms;
	return WORKER_RUN;
}

static enum worker_phase not_out_of_the_drain(uint64_t ms)
{
	(void)ms;
	return WORKER_STOP_RX;
}

static enum worker_phase just_in_time(uint64_t ms)
{
	if (ms < DATAPLANE_PATIENCE_MS)
		return WORKER_RUN;
	return ms < 2 * DATAPLANE_PATIENCE_MS + DRAIN_MS ? WORKER_STOP_RX : WORKER_ENDED;
}

static void a_worker_that_never_stops_is_given_up(void **state)
{
	(void)state;
	assert_int_equal(stop(never), -ETIMEDOUT);
	assert_int_equal(waited_ms, DATAPLANE_PATIENCE_MS);
}

static void a_worker_has_the_drain_s_time_on_top(void **state)
{
	(void)state;
	assert_int_equal(stop(not_out_of_the_drain), -ETIMEDOUT);
	/* it answers within the first ms */
	assert_int_equal(waited_ms, 1 + DRAIN_MS + DATAPLANE_PATIENCE_MS);
}

static void a_worker_that_is_slow_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(stop(just_in_time), 0);
	assert_int_equal(waited_ms, 2 * DATAPLANE_PATIENCE_MS + DRAIN_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_that_never_stops_is_given_up),
		cmocka_unit_test(a_worker_has_the_drain_s_time_on_top),
		cmocka_unit_test(a_worker_that_is_slow_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

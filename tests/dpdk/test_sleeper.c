/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who wakes a sleeping worker: real sleeps, of a minute where something else than time is to end
 * them, so that no stall of the machine is taken for a lost wake-up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "lcore/sleeper.h"

#define MINUTE UINT64_C(60000000000)

/* Races tried; each is a few switches between threads. */
#define RACES 2000

static struct sleeper s;

/* A device with RX interrupts on queue 0, which are an eventfd. */
static int device_fd;
static struct rte_epoll_event device_event;
static unsigned enabled, disabled;

int __wrap_rte_eth_dev_rx_intr_ctl_q(uint16_t port, uint16_t queue, int epfd, int op, void *data);
int __wrap_rte_eth_dev_rx_intr_enable(uint16_t port, uint16_t queue);
int __wrap_rte_eth_dev_rx_intr_disable(uint16_t port, uint16_t queue);

int __wrap_rte_eth_dev_rx_intr_ctl_q(uint16_t port, uint16_t queue, int epfd, int op, void *data)
{
	(void)port;
	(void)data;
	if (queue)
		return -ENOTSUP;
	device_event.epdata.event = EPOLLIN | EPOLLET;
	return rte_epoll_ctl(epfd, op == RTE_INTR_EVENT_ADD ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
			     device_fd, &device_event);
}

int __wrap_rte_eth_dev_rx_intr_enable(uint16_t port, uint16_t queue)
{
	(void)port;
	(void)queue;
	enabled++;
	return 0;
}

int __wrap_rte_eth_dev_rx_intr_disable(uint16_t port, uint16_t queue)
{
	(void)port;
	(void)queue;
	disabled++;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	enabled = disabled = 0;
	device_fd = eventfd(0, EFD_NONBLOCK);
	return device_fd < 0 || sleeper_init(&s, 1);
}

static int end(void **state)
{
	(void)state;
	sleeper_fini(&s);
	return close(device_fd);
}

static void time_ends_a_sleep(void **state)
{
	(void)state;
	sleeper_announce(&s);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
	/* and it may sleep again at once */
	assert_true(sleeper_is_announced(&s));
}

static void the_kernel_is_asked_for_a_microsecond(void **state)
{
	(void)state;
	sleeper_enter();
	assert_int_equal(prctl(PR_GET_TIMERSLACK), 1000);
}

static void *ring(void *arg)
{
	(void)arg;
	sleeper_ring(&s);
	return NULL;
}

static void the_bell_ends_a_sleep(void **state)
{
	pthread_t other;

	(void)state;
	sleeper_announce(&s);
	assert_int_equal(pthread_create(&other, NULL, ring, NULL), 0);
	assert_int_equal(sleeper_sleep(&s, MINUTE), SLEEPER_BELL);
	pthread_join(other, NULL);
	assert_false(sleeper_is_announced(&s));
	/* once */
	sleeper_announce(&s);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
}

static void it_is_not_rung_for_who_is_awake(void **state)
{
	(void)state;
	sleeper_ring(&s);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
	sleeper_announce(&s);
	sleeper_revoke(&s);
	sleeper_ring(&s);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
}

static void two_rings_end_one_sleep(void **state)
{
	(void)state;
	sleeper_announce(&s);
	sleeper_ring(&s);
	sleeper_ring(&s);
	assert_int_equal(sleeper_sleep(&s, MINUTE), SLEEPER_BELL);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
}

/* What one thread has put down for the other, and what that has found. */
static _Atomic unsigned put, found;

static void *put_and_ring(void *arg)
{
	(void)arg;
	for (unsigned i = 1; i <= RACES; i++) {
		atomic_store_explicit(&put, i, memory_order_relaxed);
		sleeper_ring(&s);
		while (atomic_load(&found) != i)
			sched_yield();
	}
	return NULL;
}

/* As a worker does it: announce, look once more, sleep only if there was nothing. */
static void nothing_is_lost_between_the_last_look_and_the_sleep(void **state)
{
	pthread_t other;

	(void)state;
	put = found = 0;
	assert_int_equal(pthread_create(&other, NULL, put_and_ring, NULL), 0);
	for (unsigned last = 0; last < RACES;) {
		unsigned now;

		sleeper_announce(&s);
		now = atomic_load_explicit(&put, memory_order_relaxed);
		if (now == last)
			assert_int_not_equal(sleeper_sleep(&s, MINUTE), SLEEPER_TIME);
		atomic_store(&found, last = now);
	}
	pthread_join(other, NULL);
}

static void an_rx_interrupt_ends_a_sleep(void **state)
{
	(void)state;
	assert_int_equal(sleeper_add_rx(&s, 0, 0), 0);
	sleeper_announce(&s);
	assert_int_equal(enabled, 1);
	assert_int_equal(eventfd_write(device_fd, 1), 0);
	assert_int_equal(sleeper_sleep(&s, MINUTE), SLEEPER_RX);
	sleeper_revoke(&s);
	assert_int_equal(disabled, 1);
	/* both at once: the frame is what counts, and the bell does not ring again */
	sleeper_announce(&s);
	sleeper_ring(&s);
	assert_int_equal(eventfd_write(device_fd, 1), 0);
	assert_int_equal(sleeper_sleep(&s, MINUTE), SLEEPER_RX);
	sleeper_announce(&s);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
}

static void a_queue_is_no_more_listened_to_once_forgotten(void **state)
{
	(void)state;
	assert_int_equal(sleeper_add_rx(&s, 0, 0), 0);
	sleeper_forget_rx(&s);
	sleeper_announce(&s);
	assert_int_equal(enabled, 0);
	assert_int_equal(eventfd_write(device_fd, 1), 0);
	assert_int_equal(sleeper_sleep(&s, 1000), SLEEPER_TIME);
}

static void a_device_without_interrupts_is_refused(void **state)
{
	(void)state;
	assert_int_equal(sleeper_add_rx(&s, 0, 1), -ENOTSUP);
	sleeper_announce(&s);
	assert_int_equal(enabled, 0);
}

#define SLEEPER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SLEEPER_TEST(time_ends_a_sleep),
		SLEEPER_TEST(the_kernel_is_asked_for_a_microsecond),
		SLEEPER_TEST(the_bell_ends_a_sleep),
		SLEEPER_TEST(it_is_not_rung_for_who_is_awake),
		SLEEPER_TEST(two_rings_end_one_sleep),
		SLEEPER_TEST(nothing_is_lost_between_the_last_look_and_the_sleep),
		SLEEPER_TEST(an_rx_interrupt_ends_a_sleep),
		SLEEPER_TEST(a_queue_is_no_more_listened_to_once_forgotten),
		SLEEPER_TEST(a_device_without_interrupts_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

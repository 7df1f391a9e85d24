/* SPDX-License-Identifier: BSD-3-Clause */
/* See sleeper.h. */
#include "lcore/sleeper.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_interrupts.h>

#define NS_S UINT64_C(1000000000)

/* The kernel may wake the thread this much later than asked, ns, to wake others with it. */
#define TIMER_SLACK_NS 1000UL

/* Events looked at, at once; what is more stays for the next sleep, which then ends at once. */
#define EVENTS 8

static int open_bell(struct sleeper *s)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	s->bell = fd;
	s->bell_event.epdata.event = EPOLLIN;
	return rte_epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->bell, &s->bell_event);
}

int sleeper_init(struct sleeper *s, unsigned max_rx)
{
	int fd;

	*s = (struct sleeper){0};
	s->rx = calloc(max_rx, sizeof(*s->rx));
	if (!s->rx && max_rx)
		return -ENOMEM;
	fd = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0)
		return -errno;
	s->epoll = fd;
	return open_bell(s);
}

void sleeper_forget_rx(struct sleeper *s)
{
	for (unsigned i = 0; i < s->n_rx; i++)
		rte_eth_dev_rx_intr_ctl_q(s->rx[i].device, s->rx[i].queue, s->epoll,
					  RTE_INTR_EVENT_DEL, NULL);
	s->n_rx = 0;
}

void sleeper_fini(struct sleeper *s)
{
	if (s->bell)
		close(s->bell);
	if (s->epoll)
		close(s->epoll);
	free(s->rx);
	*s = (struct sleeper){0};
}

int sleeper_add_rx(struct sleeper *s, uint16_t device, uint16_t queue)
{
	int ret = rte_eth_dev_rx_intr_ctl_q(device, queue, s->epoll, RTE_INTR_EVENT_ADD, NULL);

	if (ret)
		return ret;
	s->rx[s->n_rx++] = (struct sleeper_rx){.device = device, .queue = queue};
	return 0;
}

void sleeper_enter(void)
{
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
}

/** A device that has nothing to switch on (net_tap) interrupts always. */
void sleeper_announce(struct sleeper *s)
{
	for (unsigned i = 0; i < s->n_rx; i++)
		rte_eth_dev_rx_intr_enable(s->rx[i].device, s->rx[i].queue);
	s->armed = true;
	atomic_store_explicit(&s->announced, true, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

void sleeper_revoke(struct sleeper *s)
{
	atomic_store_explicit(&s->announced, false, memory_order_relaxed);
	for (unsigned i = 0; i < s->n_rx; i++)
		rte_eth_dev_rx_intr_disable(s->rx[i].device, s->rx[i].queue);
	s->armed = false;
}

/** What is ready is taken away, so that it does not end the next sleep, too. */
static enum sleeper_end take_events(struct sleeper *s)
{
	struct rte_epoll_event events[EVENTS];
	enum sleeper_end end = SLEEPER_BELL;
	int n = rte_epoll_wait(s->epoll, events, EVENTS, 0);
	eventfd_t rings;

	for (int i = 0; i < n; i++) {
		if (events[i].fd == s->bell)
			eventfd_read(s->bell, &rings);
		else
			end = SLEEPER_RX;
	}
	return end;
}

enum sleeper_end sleeper_sleep(struct sleeper *s, uint64_t ns)
{
	struct timespec time = {.tv_sec = (time_t)(ns / NS_S), .tv_nsec = (long)(ns % NS_S)};
	struct pollfd ready = {.fd = s->epoll, .events = POLLIN};
	int n = ppoll(&ready, 1, &time, NULL);

	if (!n)
		return SLEEPER_TIME;
	return n < 0 ? SLEEPER_BELL : take_events(s);
}

void sleeper_ring(struct sleeper *s)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&s->announced, memory_order_relaxed) &&
	    atomic_exchange_explicit(&s->announced, false, memory_order_relaxed))
		eventfd_write(s->bell, 1);
}

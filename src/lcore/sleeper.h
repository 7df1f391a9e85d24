/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a worker sleeps and who wakes it: its time, RX interrupts, or a bell that other threads ring.
 * When it does so is not said here (idle.h).
 *
 * Nothing gets lost between the last look and the sleep. The worker first announces that it is
 * going to sleep (sleeper_announce()), then makes one pass more, and sleeps only if that found
 * nothing. What others did before they could see the announcement, that pass sees; who does
 * something later sees the announcement, and rings. The fences of sleeper_announce() and
 * sleeper_ring() are the two halves of that.
 */
#ifndef GATEAU_LCORE_SLEEPER_H
#define GATEAU_LCORE_SLEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_epoll.h>

/** What ended a sleep. */
enum sleeper_end {
	SLEEPER_TIME,
	SLEEPER_BELL, /* or a signal */
	SLEEPER_RX,
};

/** An RX queue whose interrupts wake the worker. */
struct sleeper_rx {
	uint16_t device, queue; /* DPDK's */
};

/** A worker's. */
struct sleeper {
	/* Written before the worker starts. */
	int epoll, bell; /* descriptors; 0 = none: it is standard input's */
	struct rte_epoll_event bell_event;
	struct sleeper_rx *rx;
	unsigned n_rx;

	/* The worker: rw. RX interrupts are on. */
	bool armed;

	/* The worker sets it, whoever rings clears it. */
	_Atomic bool announced __rte_cache_aligned;
};

/** For at most @max_rx queues. 0 or -errno; undo with sleeper_fini(), also if it fails. */
int sleeper_init(struct sleeper *s, unsigned max_rx);
void sleeper_fini(struct sleeper *s);

/**
 * Interrupts of a started device's RX queue are to end sleeps. The main thread while the worker
 * does not run, or the worker.
 *
 * @return 0, or -errno if the device has none: -ENOTSUP, -EPERM, ...
 */
int sleeper_add_rx(struct sleeper *s, uint16_t device, uint16_t queue);

/** None of them is to any more: before a device is stopped, likewise. */
void sleeper_forget_rx(struct sleeper *s);

/** The worker's thread, once: the kernel is to be exact, 1 us instead of the usual 50. */
void sleeper_enter(void);

/** The worker: from now on others ring and RX interrupts are on. A pass has to follow. */
void sleeper_announce(struct sleeper *s);

/** The worker: no more of that. */
void sleeper_revoke(struct sleeper *s);

/** The worker: whether there is something to revoke. */
static inline bool sleeper_is_armed(const struct sleeper *s)
{
	return s->armed;
}

/** The worker: whether sleeper_announce() holds, since nobody has rung. */
static inline bool sleeper_is_announced(const struct sleeper *s)
{
	return atomic_load_explicit(&s->announced, memory_order_relaxed);
}

/** The worker: sleep for @ns at most. Returns what ended it. */
enum sleeper_end sleeper_sleep(struct sleeper *s, uint64_t ns);

/**
 * Any thread, after it has given the worker something to do: see to it that the worker looks. Rings
 * only if that is asleep, or about to be.
 */
void sleeper_ring(struct sleeper *s);

#endif

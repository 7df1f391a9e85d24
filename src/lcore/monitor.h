/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for a frame in the CPU itself, in a light sleep that a write to the next RX descriptor
 * ends (umwait, mwaitx): for CPUs and drivers that can. Other lcores cannot end it; it is for
 * microseconds.
 */
#ifndef GATEAU_LCORE_MONITOR_H
#define GATEAU_LCORE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

struct worker_rx;

/** RX queues that are monitored at once, at most. */
#define MONITOR_MAX 16

/** Whether the CPU can wait for all of @n RX queues of started devices. */
bool monitor_can(const struct worker_rx *rx, unsigned n);

/** Wait until one of them has a frame, or for @cycles of the TSC; it may end earlier. */
void monitor_wait(const struct worker_rx *rx, unsigned n, uint64_t cycles);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter that one thread writes and any thread reads: 64 bits, never torn, no locked
 * instruction. Who writes it is said where it is declared.
 */
#ifndef GATEAU_BASE_COUNTER_H
#define GATEAU_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t counter_t;

static inline uint64_t counter_get(const counter_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/** Only for the counter's writer: two plain moves and an addition. */
static inline void counter_add(counter_t *c, uint64_t n)
{
	atomic_store_explicit(c, counter_get(c) + n, memory_order_relaxed);
}

#endif

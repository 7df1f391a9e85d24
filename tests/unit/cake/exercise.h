/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arbitrary use of an instance: bursts, super-packets, dequeues, purges, jumps in time, changes of
 * rate, limit and mode through the public interface, each followed by the checks that may never
 * fail. A ledger of handles checks what comes out, a model of the link that nothing leaves early,
 * audit.h the state inside.
 *
 * Which operation comes next, and with what, is drawn from a source: random numbers in
 * test_invariants.c, the fuzzer's bytes in tests/fuzz/fuzz_cake.c.
 */
#ifndef GATEAU_TESTS_CAKE_EXERCISE_H
#define GATEAU_TESTS_CAKE_EXERCISE_H

#include <stdint.h>

#include <gateau/cake.h>

/** Where choices come from. */
struct choices {
	uint32_t (*below)(void *source, uint32_t n); /* 0..n-1; n > 0 */
	void *source;
};

/** An instance being used. */
struct exercise;

/** Draw the options that are neither mode, rate nor profile; the others stay as they are. */
void exercise_draw_options(struct cake_params *p, struct choices choices);

/** Create an instance to use; @seed is its dice's. */
struct exercise *exercise_begin(const struct cake_params *p, struct choices choices, uint32_t seed);

/** One operation and all checks. */
void exercise_step(struct exercise *x);

/** Serve until nothing is left: every packet that went in must have come out. Frees @x. */
void exercise_end(struct exercise *x);

#endif

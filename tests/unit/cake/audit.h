/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold of an instance's running state, whatever was done to it. For the random tests and
 * for the fuzzer; what was done, and what came out, is exercise.h's business.
 */
#ifndef GATEAU_TESTS_CAKE_AUDIT_H
#define GATEAU_TESTS_CAKE_AUDIT_H

#include <stdint.h>

#include <gateau/cake.h>

#include "cake/overflow.h"

/**
 * Recompute every sum from the packets up and compare: flows, tins, instance, memory, flow states,
 * lists, hosts, the tree of the fattest, descriptors in use. The test fails where they differ.
 * Returns how many packets wait on the drop list.
 */
uint32_t audit_state(const struct cake *c);

/**
 * Every leaf of the tree says whose it is and, while the tree is kept, every node is the largest of
 * what is below it.
 */
void audit_overflow(const struct overflow *o);

/** The same of the chain of free descriptors, which is long. */
void audit_slab(const struct cake *c);

#endif

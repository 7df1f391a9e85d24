/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that begin together: one that is started while others are still to be made would be done
 * before there is anybody to race with.
 */
#ifndef TESTS_STRESS_THREADS_H
#define TESTS_STRESS_THREADS_H

#define THREADS_MAX 16

/** One more; it waits for threads_go(). */
void threads_add(void *(*run)(void *arg), void *arg);

void threads_go(void);

/** Wait for all to end. After that the next set may be added. */
void threads_join(void);

#endif

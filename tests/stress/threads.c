/* SPDX-License-Identifier: BSD-3-Clause */
/* See threads.h. */
#include "threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct thread {
	pthread_t id;
	void *(*run)(void *arg);
	void *arg;
} threads[THREADS_MAX];
static unsigned n_threads;

/* Held by the one that adds until all are to go. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *begin(void *arg)
{
	const struct thread *t = arg;

	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return t->run(t->arg);
}

void threads_add(void *(*run)(void *arg), void *arg)
{
	struct thread *t = &threads[n_threads];

	assert_true(n_threads < THREADS_MAX);
	if (!n_threads++)
		pthread_mutex_lock(&gate);
	t->run = run;
	t->arg = arg;
	assert_int_equal(pthread_create(&t->id, NULL, begin, t), 0);
}

void threads_go(void)
{
	pthread_mutex_unlock(&gate);
}

void threads_join(void)
{
	while (n_threads)
		pthread_join(threads[--n_threads].id, NULL);
}

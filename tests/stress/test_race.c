/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A claim that does not release, which the suite has to find: if this test passes, the others prove
 * nothing. Only in a build for ThreadSanitizer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static uint64_t guarded;
static _Atomic uint64_t since = 1; /* held, as in txq/claim.h */

static void *take_over(void *arg)
{
	while (atomic_load_explicit(&since, memory_order_acquire))
		;
	guarded++;
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, take_over, NULL))
		return 0;
	guarded++;
	atomic_store_explicit(&since, 0, memory_order_relaxed);
	pthread_join(thread, NULL);
	return 0;
}

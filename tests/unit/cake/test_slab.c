/* SPDX-License-Identifier: BSD-3-Clause */
/* cake/slab: descriptors handed out once each, and queues that keep their order. */
#include "cake/slab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"

static void every_descriptor_is_handed_out_once_lowest_first(void **state)
{
	struct slab s;

	(void)state;
	assert_int_equal(slab_init(&s, 5, false),
			 0); /* odd: the allocation is padded to cache lines */
	assert_int_equal(s.n, 5);
	assert_int_equal(s.n_free, 5);
	assert_int_equal((uintptr_t)s.descs % 64, 0);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(slab_get(&s), i);
	assert_int_equal(s.n_free, 0);
	slab_fini(&s);
}

static void the_descriptor_put_back_last_is_taken_first(void **state)
{
	struct slab s;

	(void)state;
	assert_int_equal(slab_init(&s, 4, false), 0);
	for (uint32_t i = 0; i < 4; i++)
		slab_get(&s);
	slab_put(&s, 2);
	slab_put(&s, 0);
	assert_int_equal(s.n_free, 2);
	assert_int_equal(slab_get(&s), 0);
	assert_int_equal(slab_get(&s), 2);
	assert_int_equal(s.n_free, 0);
	slab_fini(&s);
}

static void a_queue_gives_back_in_order_and_then_nothing(void **state)
{
	struct slab s;
	struct fifo q;

	(void)state;
	assert_int_equal(slab_init(&s, 8, false), 0);
	fifo_init(&q);
	assert_int_equal(fifo_pop(&q, &s), SLAB_NONE);
	for (int round = 0; round < 2; round++) { /* a drained queue is as good as a new one */
		fifo_push(&q, &s, 5);
		fifo_push(&q, &s, 1);
		fifo_push(&q, &s, 3);
		assert_int_equal(fifo_pop(&q, &s), 5);
		fifo_push(&q, &s, 5);
		assert_int_equal(fifo_pop(&q, &s), 1);
		assert_int_equal(fifo_pop(&q, &s), 3);
		assert_int_equal(fifo_pop(&q, &s), 5);
		assert_int_equal(fifo_pop(&q, &s), SLAB_NONE);
		assert_int_equal(q.head, SLAB_NONE);
	}
	slab_fini(&s);
}

/* Three queues share 16 descriptors; each must give back what it was given, in order. */
static void queues_that_share_a_slab_do_not_mix(void **state)
{
	enum { DESCS = 16, QUEUES = 3, STEPS = 20000 };
	struct prng rng = prng_xorshift32(1);
	struct fifo q[QUEUES];
	uint32_t pushed[QUEUES] = {0}, popped[QUEUES] = {0};
	unsigned held = 0;
	struct slab s;

	(void)state;
	assert_int_equal(slab_init(&s, DESCS, false), 0);
	for (unsigned i = 0; i < QUEUES; i++)
		fifo_init(&q[i]);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned k = prng_u32(&rng) % QUEUES;

		if (prng_u32(&rng) & 1 && s.n_free) {
			uint32_t i = slab_get(&s);

			s.descs[i].handle = k << 24 | pushed[k]++;
			fifo_push(&q[k], &s, i);
			held++;
		} else {
			uint32_t i = fifo_pop(&q[k], &s);

			assert_true((i == SLAB_NONE) == (pushed[k] == popped[k]));
			if (i == SLAB_NONE)
				continue;
			assert_int_equal(s.descs[i].handle, k << 24 | popped[k]++);
			slab_put(&s, i);
			held--;
		}
		assert_int_equal(s.n_free, DESCS - held);
	}
	assert_true(popped[0] > 1000 && popped[1] > 1000 && popped[2] > 1000);
	slab_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_descriptor_is_handed_out_once_lowest_first),
		cmocka_unit_test(the_descriptor_put_back_last_is_taken_first),
		cmocka_unit_test(a_queue_gives_back_in_order_and_then_nothing),
		cmocka_unit_test(queues_that_share_a_slab_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

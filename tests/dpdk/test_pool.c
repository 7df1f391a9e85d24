/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool: that its sum has every place in it, and that handles name its mbufs, all of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"

static void the_sum_has_every_place_of_every_port(void **state)
{
	const uint32_t element = pool_element_bytes(false);
	const struct pool_demand ports[] = {
		{.memory_limit = 1000 * (uint64_t)element,
		 .rx_descriptors = 512,
		 .tx_descriptors = 256,
		 .deferred = 1024,
		 .in_hand = 64,
		 .segments = 500,
		 .max_frame = 1522},
		/* jumbo: ceil(9,022 / 2,048) = 5 buffers per frame, wherever frames are counted */
		{.memory_limit = 100 * (uint64_t)element + 1,
		 .rx_descriptors = 2048,
		 .tx_descriptors = 128,
		 .deferred = 10,
		 .in_hand = 3,
		 .max_frame = 9022},
	};
	struct pool_plan plan;

	(void)state;
	assert_int_equal(pool_plan(&plan, ports, 2, 3), 0);
	assert_int_equal(plan.queued, 1100);
	assert_int_equal(plan.descriptors, 512 + 256 + 2048 + 128);
	assert_int_equal(plan.deferred, 1024 + 10 * 5);
	/* segments are counted in buffers */
	assert_int_equal(plan.in_hand, 64 + 500 + 3 * 5);
	/* a cache holds 1.5 times its size before it is flushed, and is filled by its size */
	assert_int_equal(plan.caches, 3 * 2 * POOL_CACHE);
	assert_int_equal(plan.elements, 1100 + 2944 + 1074 + 579 + 1536);
	assert_int_equal(plan.bytes, (uint64_t)plan.elements * element);
}

static void an_absurd_sum_is_refused(void **state)
{
	const struct pool_demand port = {.memory_limit = UINT64_C(1) << 44, .max_frame = 1522};
	struct pool_plan plan;

	(void)state;
	assert_int_equal(pool_plan(&plan, &port, 1, 1), -ERANGE);
}

static void an_element_is_charged_all_it_takes(void **state)
{
	(void)state;
	/* mbuf, private line, headroom and room, and the pool's own header of at least a line */
	assert_true(pool_element_bytes(false) >= 128 + 64 + 128 + 2048 + 64);
	assert_int_equal(harness_pool.map.element_bytes,
			 harness_pool.mempool->header_size + harness_pool.mempool->elt_size +
				 harness_pool.mempool->trailer_size);
}

/* 84 bytes are two lines: only where one of the ports has an ACK filter. */
static void room_for_tcp_is_where_a_port_asks_for_it(void **state)
{
	const struct pool_demand ports[] = {{.max_frame = 1522}, {.max_frame = 1522, .tcp = true}};
	struct pool_plan plan;

	(void)state;
	assert_int_equal(pool_plan(&plan, ports, 1, 1), 0);
	assert_int_equal(plan.element_bytes, pool_element_bytes(false));
	assert_int_equal(pool_plan(&plan, ports, 2, 1), 0);
	assert_int_equal(plan.element_bytes, pool_element_bytes(true));
	assert_int_equal(pool_element_bytes(true), pool_element_bytes(false) + 128);
}

static void check_handle(struct rte_mempool *mp, void *arg, void *object, unsigned index)
{
	uint32_t handle = mbuf_to_handle(&harness_pool.map, object);

	(void)mp;
	(void)index;
	assert_ptr_equal(mbuf_from_handle(&harness_pool.map, handle), object);
	(*(unsigned *)arg)++;
}

static void every_mbuf_has_a_handle_and_back(void **state)
{
	unsigned n = 0;

	(void)state;
	rte_mempool_obj_iter(harness_pool.mempool, check_handle, &n);
	assert_int_equal(n, harness_pool.mempool->size);
}

static void add_chunk(struct rte_mempool *mp, void *arg, struct rte_mempool_memhdr *chunk,
		      unsigned index)
{
	(void)mp;
	(void)index;
	*(uint64_t *)arg += chunk->len;
}

static void elements_lie_side_by_side(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	rte_mempool_mem_iter(harness_pool.mempool, add_chunk, &bytes);
	/* one page of 4 KB for each element of 2.5 KB would be 64 % more; 1 % is for rounding */
	assert_in_range(bytes, 0,
			(uint64_t)harness_pool.mempool->size * pool_element_bytes(true) * 101 /
				100);
}

static void a_missing_buffer_is_noticed(void **state)
{
	struct rte_mbuf *m = buffer(60);

	(void)state;
	assert_int_equal(pool_missing(&harness_pool), 1);
	rte_pktmbuf_free(m);
	assert_int_equal(pool_missing(&harness_pool), 0);
}

static void what_memory_cannot_hold_is_an_error(void **state)
{
	struct pool_demand port = {.memory_limit = UINT64_C(1) << 33, .max_frame = 1522};
	struct pool_plan plan;
	struct pool pool;

	(void)state;
	/* 8 GiB out of 256 MB */
	assert_int_equal(pool_plan(&plan, &port, 1, 1), 0);
	assert_int_equal(pool_create(&pool, "large", &plan, -1), -ENOMEM);
}

/* Whatever a driver takes out next is as rte_mbuf_raw_alloc() promises. */
static void what_is_freed_in_bulk_comes_back_whole(void **state)
{
	struct rte_mbuf *pkts[] = {buffer(5000), buffer(60), buffer(60), buffer(9000), buffer(60)};
	struct rte_mbuf *taken[16];

	(void)state;
	mbuf_free_bulk(pkts, RTE_DIM(pkts));
	assert_int_equal(pool_missing(&harness_pool), 0);
	for (unsigned i = 0; i < RTE_DIM(taken); i++) {
		taken[i] = rte_mbuf_raw_alloc(harness_pool.mempool);
		assert_int_equal(rte_mbuf_refcnt_read(taken[i]), 1);
		assert_int_equal(taken[i]->nb_segs, 1);
		assert_null(taken[i]->next);
	}
	mbuf_free_bulk(taken, RTE_DIM(taken));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_sum_has_every_place_of_every_port),
		TEST(an_absurd_sum_is_refused),
		TEST(an_element_is_charged_all_it_takes),
		TEST(room_for_tcp_is_where_a_port_asks_for_it),
		TEST(every_mbuf_has_a_handle_and_back),
		TEST(elements_lie_side_by_side),
		TEST(a_missing_buffer_is_noticed),
		TEST(what_memory_cannot_hold_is_an_error),
		TEST(what_is_freed_in_bulk_comes_back_whole),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at flows: all that queue are found once, in bounded steps, with their hosts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gateau/cake_stats.h>

#include "base/prng.h"
#include "kit.h"

static struct prng rng;

static struct cake *create(uint32_t flows)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 8000000);

	rng = prng_xorshift32(1);
	p.flows = flows;
	return kit_create(&p, &rng);
}

/** A packet of flow @flow from host @src to @dst. */
static void put(struct cake *c, uint32_t handle, uint32_t len, uint32_t flow, uint32_t src,
		uint32_t dst, uint64_t now)
{
	struct cake_packet p = kit_packet(handle, len, flow);

	p.src_hash = src;
	p.dst_hash = dst;
	kit_enqueue(c, p, now);
}

static void flows_that_queue_are_listed_with_their_bytes_and_hosts(void **state)
{
	struct cake *c = create(64);
	struct cake_flow_seen seen[8];
	uint32_t next = 0;

	(void)state;
	put(c, 1, 1000, 3, 100, 200, T0);
	put(c, 2, 500, 3, 100, 200, T0);
	put(c, 3, 700, 9, 101, 200, T0);
	assert_int_equal(cake_list_flows(c, &next, seen, 8), 2);
	assert_int_equal(next, 0);
	assert_int_equal(seen[0].flow, 3);
	assert_int_equal(seen[0].backlog, 1500);
	assert_int_equal(seen[0].src_host, 100);
	assert_int_equal(seen[0].dst_host, 200);
	assert_int_equal(seen[0].set, CAKE_SET_SPARSE);
	assert_int_equal(seen[1].flow, 9);
	assert_int_equal(seen[1].backlog, 700);
	assert_int_equal(seen[1].src_host, 101);
	cake_purge(c);
	assert_int_equal(cake_list_flows(c, &next, seen, 8), 0);
	cake_destroy(c);
}

static void hosts_that_are_not_isolated_are_not_known(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 8000000);
	struct cake_flow_seen seen;
	uint32_t next = 0;
	struct cake *c;

	(void)state;
	rng = prng_xorshift32(1);
	p.flowmode = CAKE_DUAL_DSTHOST;
	c = kit_create(&p, &rng);
	put(c, 1, 1000, 3, 100, 200, T0);
	assert_int_equal(cake_list_flows(c, &next, &seen, 1), 1);
	assert_int_equal(seen.src_host, 0);
	assert_int_equal(seen.dst_host, 200);
	cake_destroy(c);
}

static void a_full_list_goes_on_where_it_stopped(void **state)
{
	struct cake *c = create(64);
	unsigned steps = 0, found = 0;
	uint32_t next = 0;
	bool met[64] = {false};

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		put(c, i, 100, 1 + i, 0, 0, T0);
	do {
		struct cake_flow_seen seen[3];
		unsigned n = cake_list_flows(c, &next, seen, 3);

		for (unsigned i = 0; i < n; i++) {
			assert_false(met[seen[i].flow]);
			met[seen[i].flow] = true;
		}
		found += n;
		steps++;
	} while (next);
	assert_int_equal(found, 10);
	assert_int_equal(steps, 4);
	cake_destroy(c);
}

static void a_step_is_bounded_by_the_slots_it_looks_at(void **state)
{
	struct cake *c = create(4 * CAKE_LIST_SLOTS);
	struct cake_flow_seen seen;
	unsigned steps = 0;
	uint32_t next = 0;

	(void)state;
	do {
		assert_int_equal(cake_list_flows(c, &next, &seen, 1), 0);
		steps++;
	} while (next);
	assert_int_equal(steps, 3 * 4); /* tins of diffserv3 */
	cake_destroy(c);
}

static void the_head_is_the_packet_that_leaves_next(void **state)
{
	struct cake *c = create(64);
	struct cake_waiting head;
	struct cake_verdict out;

	(void)state;
	put(c, 7, 1000, 3, 0, 0, T0);
	put(c, 8, 500, 3, 0, 0, T0 + 5);
	assert_int_equal(cake_flow_head(c, 0, 3, &head), 0);
	assert_int_equal(head.handle, 7);
	assert_int_equal(head.len, 1000);
	assert_int_equal(head.enqueued_ns, T0);
	assert_int_equal(cake_dequeue(c, &out, 1, T0 + 10), 1);
	assert_int_equal(out.handle, 7);
	assert_int_equal(cake_flow_head(c, 0, 3, &head), 0);
	assert_int_equal(head.handle, 8);
	assert_int_equal(cake_flow_head(c, 0, 4, &head), -ENOENT);
	assert_int_equal(cake_flow_head(c, 0, 64, &head), -ENOENT);
	assert_int_equal(cake_flow_head(c, 3, 0, &head), -ENOENT);
	cake_purge(c);
	cake_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_that_queue_are_listed_with_their_bytes_and_hosts),
		cmocka_unit_test(hosts_that_are_not_isolated_are_not_known),
		cmocka_unit_test(a_full_list_goes_on_where_it_stopped),
		cmocka_unit_test(a_step_is_bounded_by_the_slots_it_looks_at),
		cmocka_unit_test(the_head_is_the_packet_that_leaves_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

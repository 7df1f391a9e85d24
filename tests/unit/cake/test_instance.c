/* SPDX-License-Identifier: BSD-3-Clause */
/* cake/instance: rates and limits that change while packets are queued; the memory of an instance,
 * and the largest that there may be. */
#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "audit.h"
#include "base/prng.h"
#include "cake/state.h"
#include "kit.h"

/* 1000 bytes last 8 ms at 1 mbit/s, 0.8 ms at 10 mbit/s. After 1 ms 7 ms are left, or 0.7 ms. */
static void a_new_rate_holds_from_the_next_packet_on(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	struct cake_verdict v;
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.target_ns = 500 * NS_PER_MS; /* no signal meanwhile */
	p.room = 16 << 20;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 4; i++)
		kit_enqueue(c, kit_packet(i, 1000, 1), T0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	assert_int_equal(kit_set_bandwidth(c, 10000000, T0 + NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), T0 + NS_PER_MS); /* ask again */
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), T0 + 1700 * NS_PER_US); /* the first is on its way */
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 1700 * NS_PER_US), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 1700 * NS_PER_US), 0);
	assert_int_equal(cake_next_time(c), T0 + 2500 * NS_PER_US);
	assert_int_equal(kit_set_bandwidth(c, 0, T0 + 2000 * NS_PER_US), 0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 2000 * NS_PER_US), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 2000 * NS_PER_US), 1);
	assert_int_equal(v.handle, 3);
	assert_int_equal(kit_set_bandwidth(c, 7, T0 + 2000 * NS_PER_US), -EINVAL);
	cake_stats_get(c, &s);
	assert_int_equal(s.tins[0].threshold_rate, 0);
	assert_int_equal(s.changes, 2);
	cake_destroy(c);
}

/* tc's weights on an unlimited link: 1024 for Best Effort, 256 for Voice, so 4 frames of 5. */
static void a_link_made_unlimited_is_shared_by_weight_from_then_on(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	uint64_t now = T0;
	unsigned best_effort = 0;
	struct cake_verdict v;
	struct cake *c;

	(void)state;
	p.target_ns = 500 * NS_PER_S;
	p.room = 16 << 20;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 300; i++) {
		struct cake_packet packet = kit_packet(i, 1000, 1 + i % 2);

		packet.dscp = i % 2 ? 46 : 0;
		kit_enqueue(c, packet, now);
	}
	for (unsigned i = 0; i < 100; i++, now += 8 * NS_PER_MS)
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
	assert_int_equal(kit_set_bandwidth(c, 0, now), 0);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
		best_effort += v.tin == 0;
	}
	assert_in_range(best_effort, 39, 41);
	cake_destroy(c);
}

/* Packets of 60 bytes are charged 768. */
static void a_new_memory_limit_holds_at_once(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_constant(UINT32_MAX, 0);
	struct cake_verdict v;
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.memlimit = 10 * 768;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 10; i++)
		kit_enqueue(c, kit_packet(i, 60, 1), T0);
	assert_int_equal(cake_set_memlimit(c, 8 * 768 + 767, T0), 0);
	assert_int_equal(cake_backlog(c), 8);
	for (uint32_t i = 0; i < 2; i++) { /* the oldest */
		assert_int_equal(cake_take_drops(c, &v, 1), 1);
		assert_int_equal(v.handle, i);
		assert_int_equal(v.decision, CAKE_DROP_OVERFLOW);
	}
	assert_int_equal(cake_take_drops(c, &v, 1), 0);
	assert_int_equal(kit_set_bandwidth(c, 2000000, T0), 0); /* another rate: the limit stays */
	cake_stats_get(c, &s);
	assert_int_equal(s.memory_limit, 8 * 768 + 767);
	assert_int_equal(cake_set_memlimit(c, 10 * 768 + 1, T0), -ENOSPC);
	assert_int_equal(cake_set_memlimit(c, 0, T0), 0);
	cake_stats_get(c, &s);
	assert_int_equal(s.memory_limit, 10 * 768);
	cake_destroy(c);
}

/* Bytes asked of the C library since it was last 0; --wrap brings the scheduler's calls here. */
static uint64_t allocated;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
	allocated += size;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	allocated += n * size;
	return __real_calloc(n, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	allocated += size;
	return __real_aligned_alloc(alignment, size);
}

/* But for what is rounded up to whole cache lines: the tags of each tin and the descriptors. */
static void the_footprint_is_what_is_allocated(void **state)
{
	static const uint32_t flows[] = {8, 64, 1024, 32768, 65536, 131072};
	struct prng dice = prng_xorshift32(1);

	(void)state;
	for (unsigned i = 0; i < COUNT(flows) * (CAKE_TRIPLE_ISOLATE + 1); i++) {
		struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
		unsigned tins;
		struct cake *c;

		p.flows = flows[i % COUNT(flows)];
		p.flowmode = i / COUNT(flows);
		p.diffserv = i % (CAKE_DIFFSERV8 + 1);
		p.ack_filter = i % 2;
		p.memlimit = 1000 * i;
		tins = cake_tin_count(p.diffserv);
		allocated = 0;
		c = kit_create(&p, &dice);
		assert_in_range(allocated - cake_footprint(&p), 0, (tins + 1) * 63);
		cake_destroy(c);
	}
}

/*
 * The largest tables, and 100,000 flows of three full frames each, of which every second has a
 * source with 3 others and the rest one with 15. All sources' and destinations' hashes are spread
 * as by a multiplicative hash, so that no two meet.
 */
#define MANY      100000u
#define FRAMES    3
#define FRAME_LEN 1514
#define SPREAD    0x9e3779b1u /* odd: as many products modulo a power of 2 as factors */

static bool light(uint32_t flow)
{
	return flow % 2 == 0;
}

static uint32_t source_of(uint32_t flow)
{
	return light(flow) ? flow / 2 / 4 : MANY + flow / 2 / 16;
}

static struct cake *fill_largest(struct cake_params *p, struct prng *dice)
{
	struct cake *c;

	p->flows = CAKE_FLOWS_MAX;
	p->diffserv = CAKE_BESTEFFORT;
	p->min_charge = kit_charge(FRAME_LEN);
	p->memlimit = MANY * FRAMES * kit_charge(FRAME_LEN);
	c = kit_create(p, dice);
	for (uint32_t i = 0; i < FRAMES * MANY; i++) {
		struct cake_packet packet = kit_packet(i, FRAME_LEN, i % MANY * SPREAD);

		packet.src_hash = source_of(i % MANY) * SPREAD;
		packet.dst_hash = i % MANY / 2 * SPREAD;
		assert_int_equal(cake_enqueue(c, &packet, 1, T0), 1);
		assert_int_equal(packet.flow, i % MANY * SPREAD % CAKE_FLOWS_MAX);
	}
	return c;
}

/* Sends @n packets, in what number of calls it takes; returns how many are of light sources. */
static uint32_t send_of_light(struct cake *c, uint32_t n)
{
	uint32_t of_light = 0;

	for (uint32_t sent = 0, calls = 0; sent < n; calls++) {
		struct cake_verdict v;

		assert_true(calls < 10 * MANY);
		if (!cake_dequeue(c, &v, 1, T0))
			continue;
		assert_int_equal(v.decision, CAKE_SEND);
		assert_int_equal(v.flow, v.handle % MANY * SPREAD % CAKE_FLOWS_MAX);
		of_light += light(v.handle % MANY);
		sent++;
	}
	return of_light;
}

/*
 * Every flow is new and sends its first frame on its first turn, the second on its first turn as a
 * bulk flow: any deficit above 0 lets it. For the third it waits until its shares have made up for
 * the second: 4 or 5 turns at a quarter of 1514 bytes each, 15 or 16 at a 16th.
 */
static void the_largest_instance_isolates_the_hosts_of_100000_flows(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = fill_largest(&p, &dice);
	const struct tin *t = &c->tins[0];
	struct cake_flow_stats f;
	struct cake_verdict v;

	(void)state;
	assert_int_equal(t->way_collisions, 0);
	assert_int_equal(tin_sparse(t), MANY);
	assert_int_equal(audit_state(c), 0);
	assert_int_equal(send_of_light(c, MANY), MANY / 2);
	assert_int_equal(send_of_light(c, MANY), MANY / 2);
	assert_int_equal(tin_bulk(t), MANY);
	assert_int_equal(t->busy_src_hosts, MANY / 2 / 4 + MANY / 2 / 16);
	assert_int_equal(t->busy_dst_hosts, MANY / 2);
	assert_int_equal(audit_state(c), 0);
	assert_int_equal(send_of_light(c, MANY / 2), MANY / 2); /* none of the others */
	assert_int_equal(audit_state(c), 0);
	assert_int_equal(send_of_light(c, MANY / 2), 0);

	assert_int_equal(cake_backlog(c), 0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 0);
	assert_int_equal(audit_state(c), 0);
	audit_slab(c);
	assert_int_equal(cake_flow_stats_get(c, 0, CAKE_FLOWS_MAX - 1, T0, &f), 0);
	assert_int_equal(cake_flow_stats_get(c, 0, CAKE_FLOWS_MAX, T0, &f), -ENOENT);
	cake_destroy(c);
}

/* Room for as many packets is left as there are flows: each keeps one, the newest. */
static void the_largest_instance_drops_from_the_fattest_of_100000_flows(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = fill_largest(&p, &dice);
	struct cake_verdict v;
	uint32_t dropped = 0;

	(void)state;
	assert_int_equal(cake_set_memlimit(c, MANY * kit_charge(FRAME_LEN), T0), 0);
	assert_int_equal(cake_backlog(c), MANY);
	assert_int_equal(audit_state(c), (FRAMES - 1) * MANY);
	for (; cake_take_drops(c, &v, 1); dropped++) {
		assert_int_equal(v.decision, CAKE_DROP_OVERFLOW);
		assert_true(v.handle < (FRAMES - 1) * MANY);
	}
	assert_int_equal(dropped, (FRAMES - 1) * MANY);
	assert_int_equal(cake_purge(c), MANY);
	assert_int_equal(audit_state(c), MANY);
	cake_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_rate_holds_from_the_next_packet_on),
		cmocka_unit_test(a_link_made_unlimited_is_shared_by_weight_from_then_on),
		cmocka_unit_test(a_new_memory_limit_holds_at_once),
		cmocka_unit_test(the_footprint_is_what_is_allocated),
		cmocka_unit_test(the_largest_instance_isolates_the_hosts_of_100000_flows),
		cmocka_unit_test(the_largest_instance_drops_from_the_fattest_of_100000_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

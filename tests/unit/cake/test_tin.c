/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/tin: rates of a tin, where its flows are found, the states they go through, host isolation.
 *
 * target = max(1.5 x mtu_time, configured), interval = max(configured + target - configured target,
 * 2 x target), mtu_time = a frame of 1514 bytes; flow quantum = rate / 4096 in 300..1514 bytes.
 */
#include "cake/tin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "kit.h"

#define FLOWS 64

/* Hashes with own way or entry @own that differ above it. */
#define HASH(n, own) ((n)*0x10000u + (own))

static struct prng dice = {.constant = true, .u16 = 32768};

static void tin_make(struct tin *t, enum cake_flowmode mode)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);

	p.flows = FLOWS;
	p.flowmode = mode;
	assert_int_equal(tin_init(t, &p), 0);
	tin_set_rate(t, 0, &p);
}

/* Rates */

static void aqm_parameters_follow_the_rate(void **state)
{
	static const struct {
		uint64_t bits_per_s;
		uint64_t mtu_time, target, interval;
		uint32_t flow_quantum;
	} samples[] = {
		/* 64 B/s: 1514 x 15,625,000 ns */
		{512, 23656250000, 35484375000, 70968750000, 300},
		/* 350 B/s: x 1.5 and x 3, rounded down */
		{2800, 4325714285, 6488571427, 12977142854, 300},
		/* 1 mbit: 100 + 18.168 - 5 ms is more than twice 18.168 ms */
		{1000000, 12112000, 18168000, 113168000, 300},
		/* from 3.63 mbit on the configured target is the larger; 1.25e6 / 4096 = 305.2 */
		{10000000, 1211200, 5 * NS_PER_MS, 100 * NS_PER_MS, 305},
		/* 12.5e6 / 4096 = 3051 */
		{100000000, 121120, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
		{10000000000, 1211, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
		{400000000000, 30, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
		{1ull << 32, 2820, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
		/* 2^32 bytes/s: a quantum kept in 32 bits must not become that of 0 */
		{8ull << 32, 352, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
		{0, 0, 5 * NS_PER_MS, 100 * NS_PER_MS, 1514},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct cake_params p = kit_params(CAKE_PROFILE_LINUX, samples[i].bits_per_s);
		struct tin t = {0};

		tin_set_rate(&t, samples[i].bits_per_s / 8, &p);
		assert_int_equal(t.rate.bytes_per_s, samples[i].bits_per_s / 8);
		assert_int_equal(t.cobalt.mtu_time, samples[i].mtu_time);
		assert_int_equal(t.cobalt.target, samples[i].target);
		assert_int_equal(t.cobalt.interval, samples[i].interval);
		assert_int_equal(t.flow_quantum, samples[i].flow_quantum);
	}
}

static void the_quantum_is_a_4096th_of_a_second_between_its_bounds(void **state)
{
	static const struct {
		uint64_t bytes_per_s;
		uint32_t quantum;
	} samples[] = {
		{300 * 4096 - 1, 300},   {301 * 4096 - 1, 300}, {301 * 4096, 301},
		{1514 * 4096 - 1, 1513}, {1514 * 4096, 1514},   {1515 * 4096, 1514},
	};
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct tin t = {0};

		tin_set_rate(&t, samples[i].bytes_per_s, &p);
		assert_int_equal(t.flow_quantum, samples[i].quantum);
	}
}

static void larger_frames_take_longer(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct tin t = {0};

	(void)state;
	p.max_frame = 9014;
	tin_set_rate(&t, 125000, &p);
	assert_int_equal(t.cobalt.mtu_time, 9014 * 8000);
	assert_int_equal(t.cobalt.target, 9014 * 12000);
}

static void the_profile_sets_the_aqms_oddities(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 1000000);
	struct tin t = {0};

	(void)state;
	tin_set_rate(&t, 125000, &p);
	assert_int_equal(t.cobalt.p_max, UINT32_MAX);
	assert_false(t.cobalt.fade);
	assert_true(t.cobalt.interval32);
	p.profile = CAKE_PROFILE_GATEAU;
	tin_set_rate(&t, 125000, &p);
	assert_int_equal(t.cobalt.p_max, 1u << 30); /* a quarter of 2^32 */
	assert_true(t.cobalt.fade);
	assert_false(t.cobalt.interval32);
}

/* Where flows are found */

static void each_mode_tells_flows_apart_by_its_own_hashes(void **state)
{
	enum { FLOW = HASH(1, 1), SRC = HASH(2, 2), DST = HASH(4, 4) };
	static const struct {
		enum cake_flowmode mode;
		uint32_t key;
		bool src_hosts, dst_hosts;
	} modes[] = {
		{CAKE_SRCHOST, SRC, false, false},      {CAKE_DSTHOST, DST, false, false},
		{CAKE_HOSTS, HASH(6, 6), false, false}, /* 2 ^ 4 */
		{CAKE_FLOWS, FLOW, false, false},       {CAKE_DUAL_SRCHOST, FLOW, true, false},
		{CAKE_DUAL_DSTHOST, FLOW, false, true}, {CAKE_TRIPLE_ISOLATE, FLOW, true, true},
	};
	struct cake_packet p = kit_packet(0, 100, FLOW);

	(void)state;
	p.src_hash = SRC;
	p.dst_hash = DST;
	for (unsigned i = 0; i < COUNT(modes); i++) {
		struct tin t;
		uint32_t slot;

		tin_make(&t, modes[i].mode);
		slot = tin_find_flow(&t, modes[i].mode, &p);
		assert_int_equal(slot, modes[i].key % FLOWS);
		assert_int_equal(t.table.tags[slot], modes[i].key);
		assert_int_equal(t.way_misses, 1);
		assert_int_equal(t.src_hosts.tags != NULL, modes[i].src_hosts);
		assert_int_equal(t.dst_hosts.tags != NULL, modes[i].dst_hosts);
		if (t.src_hosts.tags)
			assert_int_equal(t.src_hosts.tags[2], SRC);
		if (t.dst_hosts.tags)
			assert_int_equal(t.dst_hosts.tags[4], DST);
		tin_fini(&t);
	}
}

static void flowblind_has_one_queue_and_looks_nothing_up(void **state)
{
	struct cake_packet p = kit_packet(0, 100, HASH(1, 33));
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_FLOWBLIND);
	assert_int_equal(tin_find_flow(&t, CAKE_FLOWBLIND, &p), 0);
	assert_int_equal(t.table.tags[0], 0);
	assert_int_equal(t.way_misses + t.way_indirect_hits + t.way_collisions, 0);
	tin_fini(&t);
}

static uint32_t find(struct tin *t, uint32_t flow, uint32_t src, uint32_t dst)
{
	struct cake_packet p = kit_packet(0, 100, flow);

	p.src_hash = src;
	p.dst_hash = dst;
	return tin_find_flow(t, CAKE_TRIPLE_ISOLATE, &p);
}

/* A flow with its packet counted as bulk. */
static uint32_t bulk_flow(struct tin *t, uint32_t flow, uint32_t src, uint32_t dst)
{
	uint32_t slot = find(t, flow, src, dst);

	tin_activate_flow(t, slot, &dice);
	tin_set_flow(t, &t->table.flows[slot], CAKE_SET_BULK);
	return slot;
}

static void ends_of_lookups_are_counted(void **state)
{
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	for (unsigned way = 0; way < 8; way++)
		tin_activate_flow(&t, find(&t, HASH(1 + way, 8), 1, 1), &dice);
	assert_int_equal(t.way_misses, 8);
	assert_int_equal(t.way_indirect_hits, 0);
	find(&t, HASH(1, 8), 1, 1); /* direct: not counted */
	assert_int_equal(t.way_indirect_hits, 0);
	find(&t, HASH(2, 8), 1, 1);
	assert_int_equal(t.way_indirect_hits, 1);
	find(&t, HASH(9, 8), 1, 1);
	assert_int_equal(t.way_collisions, 1);
	assert_int_equal(t.way_misses, 8);
	tin_fini(&t);
}

static void an_active_slot_keeps_its_hosts(void **state)
{
	struct tin t;
	uint32_t slot;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	slot = bulk_flow(&t, HASH(1, 8), 10, 20);
	assert_int_equal(t.table.flows[slot].src_host, 10);
	assert_int_equal(t.table.flows[slot].dst_host, 20);
	find(&t, HASH(1, 8), 11, 21); /* same tag: the packet's hosts are not looked at */
	assert_int_equal(t.table.flows[slot].src_host, 10);
	assert_int_equal(t.table.flows[slot].dst_host, 20);
	assert_int_equal(t.src_hosts.tags[11], 0);
	tin_set_flow(&t, &t.table.flows[slot], CAKE_SET_NONE);
	find(&t, HASH(1, 8), 11, 21); /* idle: it does */
	assert_int_equal(t.table.flows[slot].src_host, 11);
	assert_int_equal(t.table.flows[slot].dst_host, 21);
	tin_fini(&t);
}

/* As above, of a flow that had to go aside: slot 9, as 8 is taken. */
static void a_slot_in_another_way_keeps_its_hosts_as_long_as_it_is_in_use(void **state)
{
	struct flow *f;
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	bulk_flow(&t, HASH(1, 8), 10, 20);
	assert_int_equal(bulk_flow(&t, HASH(2, 8), 11, 21), 9);
	f = &t.table.flows[9];
	assert_int_equal(find(&t, HASH(2, 8), 12, 22), 9);
	assert_int_equal(f->src_host, 11);
	assert_int_equal(f->dst_host, 21);
	assert_int_equal(t.way_indirect_hits, 1);
	tin_set_flow(&t, f, CAKE_SET_NONE);
	assert_int_equal(find(&t, HASH(2, 8), 12, 22), 9);
	assert_int_equal(f->src_host, 12);
	assert_int_equal(f->dst_host, 22);
	assert_int_equal(t.way_indirect_hits, 2);
	assert_int_equal(t.way_misses, 2);
	tin_fini(&t);
}

static void a_collision_moves_a_bulk_flows_weight_to_the_new_hosts(void **state)
{
	struct tin t;
	uint32_t slot;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	for (unsigned way = 0; way < 8; way++)
		bulk_flow(&t, HASH(1, 8 + way), 10, 20);
	assert_int_equal(t.src_hosts.bulk_flows[10], 8);
	assert_int_equal(t.dst_hosts.bulk_flows[20], 8);
	slot = find(&t, HASH(2, 11), 12, 20);
	assert_int_equal(slot, 11);
	assert_int_equal(t.way_collisions, 1);
	assert_int_equal(t.table.flows[slot].set, CAKE_SET_BULK);
	assert_int_equal(tin_bulk(&t), 8);
	assert_int_equal(t.src_hosts.bulk_flows[10], 7);
	assert_int_equal(t.src_hosts.bulk_flows[12], 1);
	assert_int_equal(t.dst_hosts.bulk_flows[20], 8);
	tin_fini(&t);
}

static void a_collision_with_a_sparse_flow_weighs_on_no_host(void **state)
{
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	for (unsigned way = 0; way < 8; way++)
		tin_activate_flow(&t, find(&t, HASH(1, 8 + way), 10, 20), &dice);
	assert_int_equal(find(&t, HASH(2, 11), 12, 22), 11);
	assert_int_equal(t.table.flows[11].src_host, 12);
	assert_int_equal(t.src_hosts.bulk_flows[10], 0);
	assert_int_equal(t.src_hosts.bulk_flows[12], 0);
	assert_int_equal(t.dst_hosts.bulk_flows[22], 0);
	tin_fini(&t);
}

/* States */

static void assert_counts(const struct tin *t, uint32_t sparse, uint32_t bulk, uint32_t decaying)
{
	assert_int_equal(tin_sparse(t), sparse);
	assert_int_equal(tin_bulk(t), bulk);
	assert_int_equal(t->flows_in[CAKE_SET_DECAYING], decaying);
}

static void an_arrival_makes_an_idle_or_decaying_flow_sparse_with_a_fresh_deficit(void **state)
{
	static const enum cake_flow_set from[] = {CAKE_SET_NONE, CAKE_SET_DECAYING};

	(void)state;
	for (unsigned i = 0; i < COUNT(from); i++) {
		struct tin t;
		struct flow *f;

		tin_make(&t, CAKE_TRIPLE_ISOLATE);
		f = &t.table.flows[5];
		tin_set_flow(&t, f, from[i]);
		if (from[i] == CAKE_SET_DECAYING)
			flow_append(&t.table, FLOWS_DECAYING, 5);
		f->deficit = -4000;
		tin_activate_flow(&t, 5, &dice);
		assert_int_equal(f->set, CAKE_SET_SPARSE);
		assert_int_equal(flow_first(&t.table, FLOWS_NEW), 5);
		assert_int_equal(flow_first(&t.table, FLOWS_DECAYING), FLOW_NONE);
		assert_int_equal(f->deficit, 1514); /* set, not added */
		assert_counts(&t, 1, 0, 0);
		tin_fini(&t);
	}
}

static void an_arrival_makes_a_waiting_sparse_flow_bulk_where_it_stands(void **state)
{
	struct tin t;
	struct flow *f;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	f = &t.table.flows[find(&t, HASH(1, 5), 10, 20)];
	tin_set_flow(&t, f, CAKE_SET_SPARSE_WAIT);
	flow_append(&t.table, FLOWS_OLD, 5);
	f->deficit = -7;
	assert_counts(&t, 1, 0, 0);
	tin_activate_flow(&t, 5, &dice);
	assert_int_equal(f->set, CAKE_SET_BULK);
	assert_int_equal(flow_first(&t.table, FLOWS_OLD), 5);
	assert_int_equal(f->deficit, -7);
	assert_counts(&t, 0, 1, 0);
	assert_int_equal(t.src_hosts.bulk_flows[10], 1);
	assert_int_equal(t.dst_hosts.bulk_flows[20], 1);
	tin_fini(&t);
}

static void an_arrival_changes_nothing_for_sparse_and_bulk_flows_and_throws_no_dice(void **state)
{
	struct prng rng = prng_xorshift32(1);
	struct tin t;
	uint32_t dice_before;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	tin_activate_flow(&t, 5, &rng);
	bulk_flow(&t, HASH(1, 6), 10, 20);
	t.table.flows[5].deficit = 3;
	t.table.flows[6].deficit = 4;
	dice_before = rng.u32;
	tin_activate_flow(&t, 5, &rng);
	tin_activate_flow(&t, 6, &rng);
	assert_int_equal(rng.u32, dice_before);
	assert_int_equal(t.table.flows[5].deficit, 3);
	assert_int_equal(t.table.flows[6].deficit, 4);
	assert_counts(&t, 1, 1, 0);
	assert_int_equal(t.src_hosts.bulk_flows[10], 1);
	tin_fini(&t);
}

static void every_change_of_state_moves_the_flow_between_the_counts(void **state)
{
	struct flow *f;
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	f = &t.table.flows[find(&t, HASH(1, 5), 10, 20)];
	for (int from = CAKE_SET_NONE; from <= CAKE_SET_DECAYING; from++) {
		for (int to = CAKE_SET_NONE; to <= CAKE_SET_DECAYING; to++) {
			bool sparse = to == CAKE_SET_SPARSE || to == CAKE_SET_SPARSE_WAIT;

			tin_set_flow(&t, f, from);
			tin_set_flow(&t, f, to);
			assert_counts(&t, sparse, to == CAKE_SET_BULK, to == CAKE_SET_DECAYING);
			assert_int_equal(t.src_hosts.bulk_flows[10], to == CAKE_SET_BULK);
			assert_int_equal(t.dst_hosts.bulk_flows[20], to == CAKE_SET_BULK);
			assert_int_equal(t.busy_src_hosts, to == CAKE_SET_BULK);
			assert_int_equal(t.busy_dst_hosts, to == CAKE_SET_BULK);
		}
	}
	tin_fini(&t);
}

static void a_tin_is_active_as_long_as_a_flow_is_new_or_old(void **state)
{
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_FLOWS);
	assert_false(tin_active(&t));
	tin_activate_flow(&t, 5, &dice);
	assert_true(tin_active(&t));
	flow_move_first(&t.table, FLOWS_NEW, FLOWS_OLD);
	assert_true(tin_active(&t));
	flow_move_first(&t.table, FLOWS_OLD, FLOWS_DECAYING);
	assert_false(tin_active(&t));
	tin_set_flow(&t, &t.table.flows[5], CAKE_SET_DECAYING);
	tin_activate_flow(&t, 5, &dice);
	assert_true(tin_active(&t));
	tin_reset(&t);
	assert_false(tin_active(&t));
	tin_fini(&t);
}

static void reset_forgets_flows_and_hosts_but_not_rate_and_counters(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	tin_set_rate(&t, 125000, &p);
	bulk_flow(&t, HASH(1, 5), 10, 20);
	tin_activate_flow(&t, find(&t, HASH(1, 6), 10, 20), &dice);
	t.unresponsive = 1;
	tin_reset(&t);
	assert_counts(&t, 0, 0, 0);
	assert_int_equal(t.unresponsive, 0);
	assert_int_equal(t.src_hosts.tags[10], 0);
	assert_int_equal(t.src_hosts.bulk_flows[10], 0);
	assert_int_equal(t.dst_hosts.bulk_flows[20], 0);
	assert_int_equal(flow_first(&t.table, FLOWS_NEW), FLOW_NONE);
	assert_int_equal(t.way_misses, 2);
	assert_int_equal(t.rate.bytes_per_s, 125000);
	tin_fini(&t);
}

/* Shares: (quantum x floor(65535 / load) + rnd16) >> 16 */

static void load_hosts(struct tin *t, uint32_t src_load, uint32_t dst_load)
{
	t->table.flows[0].src_host = 1;
	t->table.flows[0].dst_host = 2;
	if (t->src_hosts.tags)
		t->src_hosts.bulk_flows[1] = src_load;
	if (t->dst_hosts.tags)
		t->dst_hosts.bulk_flows[2] = dst_load;
}

static int32_t refill(const struct tin *t, uint16_t random)
{
	struct prng rng = prng_constant(0, random);

	return tin_flow_refill(t, &t->table.flows[0], &rng);
}

static void a_flow_without_neighbours_gets_its_quantum_or_one_byte_less(void **state)
{
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_TRIPLE_ISOLATE);
	load_hosts(&t, 0, 0); /* 1514 x 65535 = 1513 x 65536 + 64022 */
	assert_int_equal(refill(&t, 0), 1513);
	assert_int_equal(refill(&t, 1513), 1513);
	assert_int_equal(refill(&t, 1514), 1514);
	assert_int_equal(refill(&t, 65535), 1514);
	load_hosts(&t, 1, 1); /* alone on its hosts: the same */
	assert_int_equal(refill(&t, 1513), 1513);
	assert_int_equal(refill(&t, 1514), 1514);
	tin_fini(&t);
}

static void the_more_loaded_host_rules_where_the_mode_looks_at_it(void **state)
{
	static const struct {
		enum cake_flowmode mode;
		int32_t share; /* of 1514 with 4 flows at the source, 10 at the destination */
	} samples[] = {
		/* 1514 x 16383 / 65536 = 378.5; x 6553 = 151.4; the dice at a half */
		{CAKE_DUAL_SRCHOST, 378}, {CAKE_DUAL_DSTHOST, 151}, {CAKE_TRIPLE_ISOLATE, 151},
		{CAKE_FLOWS, 1514},       {CAKE_HOSTS, 1514},       {CAKE_SRCHOST, 1514},
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(samples); i++) {
		struct tin t;

		tin_make(&t, samples[i].mode);
		load_hosts(&t, 4, 10);
		assert_int_equal(refill(&t, 32768), samples[i].share);
		tin_fini(&t);
	}
}

/*
 * Over all 65536 throws the refills add up to quantum x floor(65535 / load) exactly, as the sum of
 * floor((a + r) / m) over r = 0..m-1 is a (Hermite's identity).
 */
static void dithering_adds_up_to_the_exact_share(void **state)
{
	static const uint32_t loads[] = {1, 2, 3, 7, 64, 1000, 1024, 65535};

	(void)state;
	for (unsigned i = 0; i < COUNT(loads); i++) {
		uint64_t sum = 0;
		struct tin t;

		tin_make(&t, CAKE_DUAL_SRCHOST);
		load_hosts(&t, loads[i], 0);
		for (uint32_t random = 0; random < 65536; random++)
			sum += refill(&t, random);
		assert_int_equal(sum, 1514 * (65535 / loads[i]));
		tin_fini(&t);
	}
}

static void dithering_with_the_real_dice_has_the_same_mean(void **state)
{
	enum { THROWS = 1000000 };
	struct prng rng = prng_xorshift32(5);
	uint64_t sum = 0;
	double mean, share = 1514.0 / 300;
	struct tin t;

	(void)state;
	tin_make(&t, CAKE_DUAL_SRCHOST);
	load_hosts(&t, 300, 0);
	for (unsigned i = 0; i < THROWS; i++)
		sum += tin_flow_refill(&t, &t.table.flows[0], &rng);
	mean = (double)sum / THROWS;
	/* floor(65535 / 300) = 218 of 218.45: 0.2 % short; the mean of 10^6 is within 0.0005 */
	assert_true(mean > share * 0.997 && mean < share * 1.001);
	tin_fini(&t);
}

/* Delays */

/* EWMA: avg 1/256; peak 1/4 up, 1/256 down; base 1/256 up, 1/4 down. */
static void delays_are_averaged_fast_towards_what_they_are_named_after(void **state)
{
	struct tin t = {0};

	(void)state;
	tin_note_delay(&t, 256000);
	assert_int_equal(t.avg_delay, 1000);
	assert_int_equal(t.peak_delay, 64000);
	assert_int_equal(t.base_delay, 1000);
	tin_note_delay(&t, 0);
	assert_int_equal(t.avg_delay, 1000 - 3); /* 1000 / 256 = 3.9 */
	assert_int_equal(t.peak_delay, 64000 - 250);
	assert_int_equal(t.base_delay, 1000 - 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aqm_parameters_follow_the_rate),
		cmocka_unit_test(the_quantum_is_a_4096th_of_a_second_between_its_bounds),
		cmocka_unit_test(larger_frames_take_longer),
		cmocka_unit_test(the_profile_sets_the_aqms_oddities),
		cmocka_unit_test(each_mode_tells_flows_apart_by_its_own_hashes),
		cmocka_unit_test(flowblind_has_one_queue_and_looks_nothing_up),
		cmocka_unit_test(ends_of_lookups_are_counted),
		cmocka_unit_test(an_active_slot_keeps_its_hosts),
		cmocka_unit_test(a_slot_in_another_way_keeps_its_hosts_as_long_as_it_is_in_use),
		cmocka_unit_test(a_collision_moves_a_bulk_flows_weight_to_the_new_hosts),
		cmocka_unit_test(a_collision_with_a_sparse_flow_weighs_on_no_host),
		cmocka_unit_test(
			an_arrival_makes_an_idle_or_decaying_flow_sparse_with_a_fresh_deficit),
		cmocka_unit_test(an_arrival_makes_a_waiting_sparse_flow_bulk_where_it_stands),
		cmocka_unit_test(
			an_arrival_changes_nothing_for_sparse_and_bulk_flows_and_throws_no_dice),
		cmocka_unit_test(every_change_of_state_moves_the_flow_between_the_counts),
		cmocka_unit_test(a_tin_is_active_as_long_as_a_flow_is_new_or_old),
		cmocka_unit_test(reset_forgets_flows_and_hosts_but_not_rate_and_counters),
		cmocka_unit_test(a_flow_without_neighbours_gets_its_quantum_or_one_byte_less),
		cmocka_unit_test(the_more_loaded_host_rules_where_the_mode_looks_at_it),
		cmocka_unit_test(dithering_adds_up_to_the_exact_share),
		cmocka_unit_test(dithering_with_the_real_dice_has_the_same_mean),
		cmocka_unit_test(delays_are_averaged_fast_towards_what_they_are_named_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

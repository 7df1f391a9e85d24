/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/stats: the counters an operator reads, through the public interface alone but for those
 * that are set to be near 2^32.
 *
 * Names and meaning are those of `tc -s qdisc show` for sch_cake.
 */
#include <gateau/cake_stats.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "cake/state.h"
#include "kit.h"

static struct cake_stats stats_of(const struct cake *c)
{
	struct cake_stats s;

	cake_stats_get(c, &s);
	return s;
}

static void a_new_instance_reads_as_configured_and_otherwise_zero(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 100000000);
	struct prng rng = prng_constant(0, 0);
	struct cake_stats s, zero = {0};
	struct cake *c;

	(void)state;
	p.diffserv = CAKE_DIFFSERV4;
	c = kit_create(&p, &rng);
	s = stats_of(c);
	assert_int_equal(s.capacity_estimate, 12500000);
	assert_int_equal(s.memory_limit, 5000000); /* 0.4 s at 12.5 MB/s */
	assert_int_equal(s.tin_cnt, 4);
	for (unsigned i = 0; i < 4; i++) {
		static const uint64_t thresholds[] = {12500000, 781250, 6250000, 3125000};
		/* 781,250 B/s: 1.5 x 1514 x 1.28 us = 2.9 ms < 5 ms; / 4096 = 190, at least 300 */
		static const uint32_t quanta[] = {1514, 300, 1514, 762};

		assert_int_equal(s.tins[i].threshold_rate, thresholds[i]);
		assert_int_equal(s.tins[i].flow_quantum, quanta[i]);
		assert_int_equal(s.tins[i].target_us, 5000);
		assert_int_equal(s.tins[i].interval_us, 100000);
		s.tins[i].threshold_rate = 0;
		s.tins[i].flow_quantum = 0;
		s.tins[i].target_us = 0;
		s.tins[i].interval_us = 0;
	}
	s.capacity_estimate = 0;
	s.memory_limit = 0;
	s.tin_cnt = 0;
	assert_memory_equal(&s, &zero, sizeof(s));
	cake_destroy(c);
}

static void assert_tin_load(const struct cake *c, unsigned tin, uint64_t packets, uint64_t bytes,
			    uint64_t queued)
{
	struct cake_tin_load load;

	cake_tin_load_get(c, tin, &load);
	assert_int_equal(load.arrived_packets, packets);
	assert_int_equal(load.arrived_bytes, bytes);
	assert_int_equal(load.queued_bytes, queued);
}

static void arrivals_and_departures_are_counted_by_tin_and_in_all(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_packet voice = kit_packet(2, 200, 2);
	struct cake_verdict v[3];
	struct cake_stats s;

	(void)state;
	voice.dscp = 46;
	kit_enqueue(c, kit_packet(0, 1514, 1), T0);
	kit_enqueue(c, kit_packet(1, 60, 1), T0);
	kit_enqueue(c, voice, T0);
	assert_int_equal(cake_backlog(c), 3);

	s = stats_of(c);
	assert_int_equal(s.enqueued_packets, 3);
	assert_int_equal(s.enqueued_bytes, 1774);
	assert_int_equal(s.qlen, 3);
	assert_int_equal(s.backlog, 1774);
	assert_int_equal(s.packets, 0);
	assert_int_equal(s.tins[0].sent_packets, 2); /* as tc: what went in */
	assert_int_equal(s.tins[0].sent_bytes, 1574);
	assert_int_equal(s.tins[0].backlog_bytes, 1574);
	assert_int_equal(s.tins[0].backlog_packets, 2);
	assert_int_equal(s.tins[0].max_pkt_len, 1514);
	assert_int_equal(s.tins[0].sparse_flows, 1);
	assert_int_equal(s.tins[0].way_misses, 1);
	assert_int_equal(s.tins[2].sent_packets, 1);
	assert_int_equal(s.tins[2].backlog_bytes, 200);
	assert_int_equal(s.tins[2].max_pkt_len, 200);
	assert_int_equal(s.memory_used, 2304 + 768 + 1280); /* kit_charge() */
	assert_int_equal(s.min_network_size, 60);           /* raw: the frame */
	assert_int_equal(s.max_network_size, 1514);
	assert_int_equal(s.min_adj_size, 60);
	assert_int_equal(s.max_adj_size, 1514);

	assert_tin_load(c, 0, 2, 1574, 1574);
	assert_tin_load(c, 2, 1, 200, 200);

	assert_int_equal(cake_dequeue(c, v, 3, T0), 3);
	assert_tin_load(c, 0, 2, 1574, 0);
	assert_tin_load(c, 1, 0, 0, 0);
	assert_tin_load(c, 2, 1, 200, 0);
	s = stats_of(c);
	assert_int_equal(s.packets, 3);
	assert_int_equal(s.bytes, 1774);
	assert_int_equal(s.decisions[CAKE_SEND], 3);
	assert_int_equal(s.qlen, 0);
	assert_int_equal(s.backlog, 0);
	assert_int_equal(s.tins[0].backlog_bytes, 0);
	assert_int_equal(s.tins[0].backlog_packets, 0);
	assert_int_equal(s.tins[2].backlog_packets, 0);
	assert_int_equal(s.tins[0].sent_packets, 2);
	assert_int_equal(s.memory_used, 2304 + 768 + 1280); /* the most ever */
	cake_destroy(c);
}

/* Flow 1 is found empty on the way to flow 2 and decays: its activity timeout is an interval. */
static void decaying_flows_are_listed_as_sparse(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v[2];

	(void)state;
	kit_enqueue(c, kit_packet(0, 60, 1), T0);
	kit_enqueue(c, kit_packet(1, 60, 2), T0);
	assert_int_equal(cake_dequeue(c, v, 2, T0), 2);
	assert_int_equal(stats_of(c).tins[0].sparse_flows, 2);
	assert_int_equal(cake_next_time(c), T0 + 5 * NS_PER_MS); /* target: something decays */
	assert_int_equal(cake_dequeue(c, v, 2, T0 + 5 * NS_PER_MS), 0);
	assert_int_equal(cake_next_time(c), CAKE_NEVER); /* an empty instance asks only once */
	cake_destroy(c);
}

static void delays_are_those_of_sent_packets_in_microseconds(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v;
	struct cake_stats s;

	(void)state;
	kit_enqueue(c, kit_packet(0, 1514, 1), T0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 512 * NS_PER_US), 1);
	s = stats_of(c);
	assert_int_equal(s.tins[0].peak_delay_us, 128); /* 512 / 4 */
	assert_int_equal(s.tins[0].avg_delay_us, 2);    /* 512 / 256 */
	assert_int_equal(s.tins[0].base_delay_us, 2);
	cake_destroy(c);
}

/* Two frames fit; of three in one flow the first is dropped, of a thinner flow none. */
static void overflow_drops_are_counted_and_peak_memory_shows_the_excess(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	struct cake_verdict v[4];
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.memlimit = 2 * 2304;
	c = kit_create(&p, &rng);
	for (uint32_t i = 0; i < 3; i++)
		kit_enqueue(c, kit_packet(i, 1514, 1), T0);
	s = stats_of(c);
	assert_int_equal(s.drops, 1);
	assert_int_equal(s.decisions[CAKE_DROP_OVERFLOW], 1);
	assert_int_equal(s.tins[0].drops, 1);
	assert_int_equal(s.tins[0].unresponsive_flows, 1);
	assert_int_equal(s.memory_used, 3 * 2304);
	assert_int_equal(s.qlen, 2);
	assert_int_equal(cake_take_drops(c, v, 4), 1);
	assert_int_equal(v[0].handle, 0);
	assert_int_equal(v[0].decision, CAKE_DROP_OVERFLOW);
	assert_int_equal(cake_take_drops(c, v, 4), 0);
	cake_destroy(c);
}

/* Linux gives a slot that never signalled no grace: its second late packet is signalled. */
static void marks_and_codel_drops_are_told_apart(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 0);
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v[8];
	struct cake_stats s;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct cake_packet capable = kit_packet(10 + i, 100, 2);

		capable.ecn_capable = true;
		kit_enqueue(c, kit_packet(i, 100, 1), T0);
		kit_enqueue(c, capable, T0);
	}
	/* Flow 1: 0 sent, 1 dropped, 2 sent; flow 2: 10 sent, 11 marked, 12 sent. */
	assert_int_equal(cake_dequeue(c, v, 8, T0 + NS_PER_S), 5);
	s = stats_of(c);
	assert_int_equal(s.decisions[CAKE_DROP_CODEL], 1);
	assert_int_equal(s.decisions[CAKE_SEND_CE], 1);
	assert_int_equal(s.decisions[CAKE_SEND], 4);
	assert_int_equal(s.packets, 5);
	assert_int_equal(s.drops, 1);
	assert_int_equal(s.tins[0].drops, 1);
	assert_int_equal(s.tins[0].ecn_mark, 1);
	assert_int_equal(cake_take_drops(c, v, 8), 1);
	assert_int_equal(v[0].handle, 1);
	assert_false(v[0].ce);
	cake_destroy(c);
}

static void a_wait_for_the_shaper_counts_once_however_often_it_is_polled(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 1000000);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v;
	uint64_t now = T0;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		kit_enqueue(c, kit_packet(i, 1514, 1), T0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(stats_of(c).overlimits, i);
		assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
		for (unsigned poll = 0; poll < 3; poll++)
			assert_int_equal(cake_dequeue(c, &v, 1, now + poll), 0);
		assert_int_equal(stats_of(c).overlimits, i + 1);
		now = cake_next_time(c);
	}
	/* The last packet leaves nothing to wait for; one that comes meanwhile waits again. */
	assert_int_equal(cake_dequeue(c, &v, 1, now), 1);
	assert_int_equal(cake_dequeue(c, &v, 1, now), 0);
	assert_int_equal(stats_of(c).overlimits, 4);
	kit_enqueue(c, kit_packet(5, 1514, 1), now + 1);
	assert_int_equal(cake_dequeue(c, &v, 1, now + 1), 0);
	assert_int_equal(stats_of(c).overlimits, 5);
	cake_destroy(c);
}

static void purged_packets_are_counted_and_leave_all_gauges_at_zero(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v[8];
	struct cake_stats s;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		kit_enqueue(c, kit_packet(i, 1514, 1 + i % 3), T0);
	assert_int_equal(cake_dequeue(c, v, 1, T0), 1);
	assert_int_equal(cake_purge(c), 7);
	assert_int_equal(cake_purge(c), 0);
	assert_int_equal(cake_next_time(c), CAKE_NEVER);
	s = stats_of(c);
	assert_int_equal(s.decisions[CAKE_DROP_PURGE], 7);
	assert_int_equal(s.drops, 7);
	assert_int_equal(s.qlen, 0);
	assert_int_equal(s.backlog, 0);
	for (unsigned i = 0; i < s.tin_cnt; i++) {
		assert_int_equal(s.tins[i].backlog_bytes, 0);
		assert_int_equal(s.tins[i].backlog_packets, 0);
		assert_int_equal(s.tins[i].sparse_flows, 0);
		assert_int_equal(s.tins[i].bulk_flows, 0);
		assert_int_equal(s.tins[i].unresponsive_flows, 0);
	}
	assert_int_equal(cake_take_drops(c, v, 8), 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(v[i].decision, CAKE_DROP_PURGE);
	kit_enqueue(c, kit_packet(9, 1514, 1), T0 + NS_PER_S); /* as good as new */
	assert_int_equal(cake_dequeue(c, v, 8, T0 + NS_PER_S), 1);
	cake_destroy(c);
}

static void the_average_header_offset_is_rounded_to_bytes(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng rng = prng_constant(0, 32768);
	struct cake *c = kit_create(&p, &rng);
	struct cake_verdict v;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		struct cake_packet tagged = kit_packet(i, 1518, 1);

		tagged.network_offset = 18;
		kit_enqueue(c, tagged, T0);
		assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	}
	assert_int_equal(stats_of(c).avg_hdr_offset, 18);
	cake_destroy(c);
}

static void every_decision_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int a = 0; a < CAKE_DECISIONS; a++) {
		assert_non_null(cake_decision_name(a));
		for (int b = 0; b < a; b++)
			assert_string_not_equal(cake_decision_name(a), cake_decision_name(b));
	}
	assert_string_equal(cake_decision_name(CAKE_DROP_CODEL), "codel");
}

/* Room for two frames: the third drops the head of the flow, BLUE's first step of 2^32 / 256. */
static void a_flow_reads_as_tc_shows_a_class(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 100000000);
	struct prng rng = prng_constant(0, 0);
	struct cake_flow_stats f;
	struct cake *c;

	(void)state;
	p.diffserv = CAKE_BESTEFFORT;
	p.memlimit = 2 * 2304;
	c = kit_create(&p, &rng);
	for (uint32_t i = 0; i < 3; i++)
		kit_enqueue(c, kit_packet(i, 1514, 5), T0);

	assert_int_equal(cake_flow_stats_get(c, 0, 5, T0 + NS_PER_MS, &f), 0);
	assert_int_equal(f.set, CAKE_SET_SPARSE);
	assert_int_equal(f.backlog, 2 * 1514);
	assert_int_equal(f.drops, 1);
	assert_int_equal(f.deficit, 1513); /* 1514 x 65535 / 65536, undithered */
	assert_int_equal(f.cobalt_count, 1);
	assert_true(f.dropping);
	assert_int_equal(f.drop_next_us, -1000);
	assert_int_equal(f.blue_prob, 1u << 24);
	assert_int_equal(f.blue_timer_us, -1000);

	assert_int_equal(cake_flow_stats_get(c, 0, 6, T0, &f), 0);
	assert_int_equal(f.set, CAKE_SET_NONE);
	assert_int_equal(f.backlog + f.drops, 0);
	assert_int_equal(cake_flow_stats_get(c, 1, 0, T0, &f), -ENOENT);
	assert_int_equal(cake_flow_stats_get(c, 0, 1024, T0, &f), -ENOENT);
	cake_destroy(c);
}

/* Every counter of packets, bytes and times stands at its most in 32 bits: @n were sent, @n sent
 * marked and @n dropped for each of the five reasons. */
static void set_counters(struct cake *c, uint64_t n)
{
	struct tin *t = &c->tins[0];

	t->in.packets = t->out.packets = (2 + 5) * n;
	t->in.bytes = t->out.bytes = (2 + 5) * n;
	c->dropped_bytes = 5 * n;
	c->overlimits = c->catch_ups = c->catch_up_ns = n;
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		c->decisions[d] = n;
	t->drops = t->ecn_marks = t->ack_drops = n;
	t->way_indirect_hits = t->way_misses = t->way_collisions = n;
	t->table.flows[1].drops = n;
}

/*
 * Linux gives a slot that never signalled no grace: of three late packets the second is dropped,
 * or marked. Of flow 1 one is dropped so, of 2 one marked, of 3 an ACK thinned, and what comes
 * later is purged.
 */
static void counters_pass_2_to_32(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_LINUX, 0);
	struct cake_tcp tcp = {.version = 4, .supersedes = true, .pure = true};
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	const uint64_t edge = UINT32_MAX;
	struct cake_flow_stats f;
	struct cake_verdict v[16];
	struct cake_stats s;
	struct cake *c;

	(void)state;
	p.ack_filter = CAKE_ACK_FILTER_AGGRESSIVE;
	c = kit_create(&p, &rng);
	set_counters(c, edge);
	for (uint32_t i = 0; i < 3; i++) {
		struct cake_packet capable = kit_packet(i, 100, 2);

		capable.ecn_capable = true;
		kit_enqueue(c, kit_packet(i, 100, 1), T0);
		kit_enqueue(c, capable, T0);
	}
	for (tcp.ack = 0; tcp.ack < 2; tcp.ack++) {
		struct cake_packet ack = kit_packet(9, 100, 3);

		ack.tcp = &tcp;
		kit_enqueue(c, ack, T0);
	}
	assert_int_equal(cake_dequeue(c, v, 16, T0 + NS_PER_S), 6);
	kit_enqueue(c, kit_packet(10, 100, 1), T0 + NS_PER_S);
	assert_int_equal(cake_purge(c), 1);

	s = stats_of(c);
	assert_int_equal(s.enqueued_packets, 7 * edge + 9);
	assert_int_equal(s.enqueued_bytes, 7 * edge + 900);
	assert_int_equal(s.packets, 2 * edge + 6);
	assert_int_equal(s.bytes, 2 * edge + 600);
	assert_int_equal(s.decisions[CAKE_SEND], edge + 5);
	assert_int_equal(s.decisions[CAKE_SEND_CE], edge + 1);
	assert_int_equal(s.decisions[CAKE_DROP_CODEL], edge + 1);
	assert_int_equal(s.decisions[CAKE_DROP_ACK], edge + 1);
	assert_int_equal(s.decisions[CAKE_DROP_PURGE], edge + 1);
	assert_int_equal(s.drops, 5 * edge + 3); /* five reasons */
	assert_int_equal(s.tins[0].sent_packets, 7 * edge + 9);
	assert_int_equal(s.tins[0].sent_bytes, 7 * edge + 900);
	assert_int_equal(s.tins[0].drops, edge + 2);
	assert_int_equal(s.tins[0].ecn_mark, edge + 1);
	assert_int_equal(s.tins[0].ack_drops, edge + 1);
	assert_int_equal(s.tins[0].way_misses, edge + 3);
	assert_int_equal(cake_flow_stats_get(c, 0, 1, T0, &f), 0);
	assert_int_equal(f.drops, edge + 2);
	cake_destroy(c);
}

/** Statistics whose every number is different, from @n on. */
static struct cake_stats numbered(uint64_t n)
{
	return (struct cake_stats){
		.bytes = n,
		.packets = n + 1,
		.overlimits = n + 2,
		.qlen = n + 3,
		.memory_used = n + 4,
		.capacity_estimate = 1000,
		.max_network_size = n + 5,
		.min_network_size = n + 6,
		.decisions[CAKE_DROP_BLUE] = n + 7,
		.catch_up_ns = n + 8,
		.tin_cnt = 2,
		.tins[1] = {.threshold_rate = 500,
			    .sent_packets = n + 9,
			    .bulk_flows = n + 10,
			    .peak_delay_us = n + 11,
			    .base_delay_us = n + 12,
			    .max_pkt_len = 64},
	};
}

static void queues_add_up_but_their_rates_and_delays(void **state)
{
	const struct cake_stats idle = {.capacity_estimate = 1000, .tin_cnt = 2};
	const struct cake_stats a = numbered(100), b = numbered(1000);
	struct cake_stats sum = {0};

	(void)state;
	cake_stats_add(&sum, &idle);
	cake_stats_add(&sum, &b);
	cake_stats_add(&sum, &a);
	assert_int_equal(sum.bytes, 1100);
	assert_int_equal(sum.packets, 1102);
	assert_int_equal(sum.overlimits, 1104);
	assert_int_equal(sum.qlen, 1106);
	assert_int_equal(sum.memory_used, 1108);
	assert_int_equal(sum.decisions[CAKE_DROP_BLUE], 1114);
	assert_int_equal(sum.catch_up_ns, 1116);
	assert_int_equal(sum.tins[1].sent_packets, 1118);
	assert_int_equal(sum.tins[1].bulk_flows, 1120);
	/* the largest */
	assert_int_equal(sum.capacity_estimate, 1000);
	assert_int_equal(sum.max_network_size, 1005);
	assert_int_equal(sum.tins[1].threshold_rate, 500);
	assert_int_equal(sum.tins[1].peak_delay_us, 1011);
	assert_int_equal(sum.tins[1].max_pkt_len, 64);
	/* the least; a queue that has seen nothing does not count */
	assert_int_equal(sum.min_network_size, 106);
	assert_int_equal(sum.tins[1].base_delay_us, 112);
	assert_int_equal(sum.tin_cnt, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_instance_reads_as_configured_and_otherwise_zero),
		cmocka_unit_test(arrivals_and_departures_are_counted_by_tin_and_in_all),
		cmocka_unit_test(decaying_flows_are_listed_as_sparse),
		cmocka_unit_test(delays_are_those_of_sent_packets_in_microseconds),
		cmocka_unit_test(overflow_drops_are_counted_and_peak_memory_shows_the_excess),
		cmocka_unit_test(marks_and_codel_drops_are_told_apart),
		cmocka_unit_test(a_wait_for_the_shaper_counts_once_however_often_it_is_polled),
		cmocka_unit_test(purged_packets_are_counted_and_leave_all_gauges_at_zero),
		cmocka_unit_test(the_average_header_offset_is_rounded_to_bytes),
		cmocka_unit_test(every_decision_has_a_name_of_its_own),
		cmocka_unit_test(a_flow_reads_as_tc_shows_a_class),
		cmocka_unit_test(counters_pass_2_to_32),
		cmocka_unit_test(queues_add_up_but_their_rates_and_delays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

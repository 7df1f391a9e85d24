/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floods of flows that do not respond, against a queue that can serve a tenth or a thirtieth of
 * them: it goes on sending at its full rate, flows below their share lose nothing, and flows above
 * it get equal parts. In virtual time; lcores, ring and holder are flood.c's, CAKE and shedding the
 * real ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flood.h"

#define MS 1000000ull

/* The flood begins after flows that were there before have been seen for as long. */
#define FLOOD_AT (800 * MS)
#define FLOOD_NS (60 * MS)
#define FLOOD_TO (FLOOD_AT + FLOOD_NS)

#define GBIT    1000000000ull
#define FRAME   64
#define CPU_PPS (1e9 / (FLOOD_ENQUEUE_NS + 1 + FLOOD_DEQUEUE_NS)) /* what the holder can do */

static struct flood_params params;
static struct flood_result result;

/** A queue of @rate bit/s, 0 = as fast as its holder can, that receives by four lcores. */
static void queue(uint64_t rate)
{
	params = (struct flood_params){
		.lcores = 4, .ns = FLOOD_TO + 110 * MS, .from = FLOOD_AT + 10 * MS};
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = rate;
	params.cake.diffserv = CAKE_BESTEFFORT;
	params.cake.flowmode = CAKE_FLOWS;
	params.cake.flows = 4096;
}

static double capacity(void)
{
	return params.cake.bandwidth_bps ? params.cake.bandwidth_bps / 8.0 / FRAME : CPU_PPS;
}

static struct flood_count *add(struct flood_group group)
{
	params.group[params.groups] = group;
	return &result.group[params.groups++];
}

/** @flows new flows offer @times the capacity together. */
static struct flood_count *flood(unsigned flows, double times)
{
	return add((struct flood_group){.flows = flows,
					.pps = capacity() * times / flows,
					.len = FRAME,
					.start = FLOOD_AT,
					.end = FLOOD_TO});
}

/** 200 flows of 100 packets/s of 60 bytes, there from the beginning. */
static struct flood_count *sparse(void)
{
	return add((struct flood_group){
		.flows = 200, .pps = 100, .jitter = 0.2, .len = 60, .end = UINT64_MAX});
}

/** One that sends at half of what each of @flows others may. */
static struct flood_count *paced(unsigned flows)
{
	return add((struct flood_group){
		.flows = 1, .pps = capacity() / (flows + 1) / 2, .len = FRAME, .end = UINT64_MAX});
}

/** Sent in the 10 ms windows @from to @to - 1 after the flood began, of what could be sent. */
static double goodput(unsigned from, unsigned to)
{
	const unsigned first = FLOOD_AT / (10 * MS);
	double packets = 0;

	for (unsigned i = first + from; i < first + to; i++)
		packets += result.packets[i];
	return packets / (capacity() * (to - from) / 100);
}

static void assert_conserved(void)
{
	uint64_t in = 0, out = result.left;

	for (unsigned g = 0; g < params.groups; g++) {
		const struct flood_count *c = &result.group[g];

		in += c->offered;
		out += c->sent + c->shed + c->refused + c->dropped;
	}
	assert_int_equal(in, out);
}

static uint64_t lost(const struct flood_count *c)
{
	return c->shed + c->refused + c->dropped;
}

/* Goodput is that of a queue that nobody floods, but for the first 10 ms; and what was there before
 * neither loses a packet nor waits. */
static void assert_no_collapse(const struct flood_count *few, const struct flood_count *half)
{
	flood_run(&params, &result);
	assert_conserved();
	for (unsigned i = 1; i + 2 <= FLOOD_NS / (10 * MS); i++)
		assert_true(goodput(i, i + 2) >= 0.95);
	assert_true(goodput(0, FLOOD_NS / (10 * MS)) >= 0.97);
	assert_int_equal(lost(few), 0);
	assert_int_equal(lost(half), 0);
	assert_true(few->wait_max < 1 * MS);
	/* Over at once, and forgotten within 100 ms. */
	assert_true(result.off_at > FLOOD_TO);
	assert_true(result.off_at < FLOOD_TO + 100 * MS);
	assert_int_equal(result.left, 0);
}

static void a_shaped_queue_is_not_flooded(unsigned flows, double times)
{
	const struct flood_count *few, *half, *many;

	queue(GBIT);
	many = flood(flows, times);
	few = sparse();
	half = paced(flows);
	assert_no_collapse(few, half);
	assert_true(goodput(0, FLOOD_NS / (10 * MS)) >= 0.98);
	if (flows <= 64) {
		assert_true(many->spread_low > -0.05);
		assert_true(many->spread_high < 0.05);
	}
}

static void one_flow_at_10_times_1_gbit(void **state)
{
	(void)state;
	a_shaped_queue_is_not_flooded(1, 10);
}

static void flows_16_at_30_times_1_gbit(void **state)
{
	(void)state;
	a_shaped_queue_is_not_flooded(16, 30);
}

static void flows_1024_at_10_times_1_gbit(void **state)
{
	(void)state;
	a_shaped_queue_is_not_flooded(1024, 10);
}

static void flows_1024_at_10_times_what_the_holder_can_do(void **state)
{
	const struct flood_count *few, *half, *many;

	(void)state;
	queue(0);
	many = flood(1024, 10);
	few = sparse();
	half = paced(1024);
	assert_no_collapse(few, half);
	assert_true(many->spread_low > -0.05);
	assert_true(many->spread_high < 0.05);
}

/* The same without shedding: the ring drops whatever comes, and of a flow below its share as much
 * as of all others. It is the reason for all this. */
static void without_shedding_all_lose_alike(void **state)
{
	const struct flood_count *few;

	(void)state;
	queue(0);
	params.unshed = true;
	flood(1024, 10);
	few = sparse();
	flood_run(&params, &result);
	assert_conserved();
	/* Of 200 * 100 packets/s in 50 ms; nine in ten that arrive are lost. */
	assert_in_range(few->lost_late, 800, 1000);
}

static void unequal_offers_get_equal_parts(void **state)
{
	const struct flood_count *few, *three, *one;
	double each;

	(void)state;
	queue(GBIT);
	one = add((struct flood_group){.flows = 32,
				       .pps = capacity() * 5 / 32,
				       .len = FRAME,
				       .start = FLOOD_AT,
				       .end = FLOOD_TO});
	three = add((struct flood_group){.flows = 32,
					 .pps = capacity() * 15 / 32,
					 .len = FRAME,
					 .start = FLOOD_AT,
					 .end = FLOOD_TO});
	few = sparse();
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(lost(few), 0);
	each = (double)one->sent / 32;
	assert_in_range((uint64_t)(three->sent / 32.0), each * 0.95, each * 1.05);
}

/* As other queues of the port begin to send. Until that is measured V goes four times too fast;
 * were it not, the scheduler would have to drop 24,000 packets for lack of memory, instead of
 * 6,000. */
static void a_queue_that_gets_less_of_the_rate_sheds_more(void **state)
{
	const struct flood_count *many, *few;

	(void)state;
	queue(GBIT);
	many = flood(16, 10);
	few = sparse();
	params.change_at = FLOOD_AT + 20 * MS;
	params.change_bps = GBIT / 4;
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(lost(few), 0);
	assert_true(many->dropped < 10000);
	assert_true(few->wait_max < 1 * MS);
}

/* A host with 1,000 flows and four with one each: whoever floods has a fifth. Returns sparse flows.
 */
static const struct flood_count *hosts_get_equal_parts(void)
{
	const struct flood_count *many, *one, *few;
	double sum;

	many = add((struct flood_group){.flows = 1000,
					.per_host = 1000,
					.pps = capacity() * 10 / 1000,
					.len = FRAME,
					.start = FLOOD_AT,
					.end = FLOOD_TO});
	one = add((struct flood_group){.flows = 4,
				       .pps = capacity() * 10 / 4,
				       .len = FRAME,
				       .start = FLOOD_AT,
				       .end = FLOOD_TO});
	few = sparse();
	params.from = FLOOD_AT + 20 * MS;
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(few->lost_late, 0);
	assert_true(goodput(0, FLOOD_NS / (10 * MS)) >= 0.98);
	sum = (double)(many->sent_late + one->sent_late);
	/* In so short a time; the scenario flood_hosts runs longer. */
	assert_true(many->sent_late > 0.9 * sum / 5 && many->sent_late < 1.1 * sum / 5);
	assert_true(one->spread_low > -0.05 && one->spread_high < 0.05);
	return few;
}

static void a_host_with_many_flows_gets_a_hosts_part(void **state)
{
	(void)state;
	queue(GBIT);
	params.cake.flowmode = CAKE_DUAL_SRCHOST;
	assert_int_equal(lost(hosts_get_equal_parts()), 0);
}

/* More hosts than there is room for, with several flows each, flooded before and are gone. */
static void hosts_of_an_earlier_flood_leave_no_trace(void **state)
{
	(void)state;
	queue(GBIT);
	params.cake.flowmode = CAKE_DUAL_SRCHOST;
	add((struct flood_group){.flows = 6000,
				 .per_host = 3,
				 .pps = capacity() * 10 / 6000,
				 .len = FRAME,
				 .start = FLOOD_AT - 150 * MS,
				 .end = FLOOD_AT - 100 * MS});
	hosts_get_equal_parts();
}

/* Of Bulk. What is in other tins is not even looked at. */
static void a_flooded_tin_costs_the_others_nothing(void **state)
{
	const struct flood_count *voice;

	(void)state;
	queue(GBIT);
	params.cake.diffserv = CAKE_DIFFSERV4;
	add((struct flood_group){.flows = 64,
				 .pps = capacity() * 10 / 64,
				 .len = FRAME,
				 .dscp = 8,
				 .start = FLOOD_AT,
				 .end = FLOOD_TO});
	/* A tenth of the rate, in flows that come and go. */
	voice = add((struct flood_group){.flows = 20,
					 .pps = capacity() / 10 / 20,
					 .jitter = 0.5,
					 .len = FRAME,
					 .dscp = 46,
					 .start = FLOOD_AT + 5 * MS,
					 .end = UINT64_MAX});
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(lost(voice), 0);
	assert_true(voice->wait_max < 1 * MS);
}

/* What a single burst of TCP's does is not a flood. */
static void twice_the_rate_for_a_while_is_the_aqms_affair(void **state)
{
	(void)state;
	queue(GBIT);
	add((struct flood_group){.flows = 32,
				 .pps = GBIT / 8.0 / 1514 * 2 / 32,
				 .len = 1514,
				 .start = FLOOD_AT,
				 .end = FLOOD_AT + 20 * MS});
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(result.on_at, 0);
	assert_int_equal(result.group[0].shed, 0);
}

/* 100 Mbit/s of full frames are 8,000 a second: the holder of a queue has time for ten times that,
 * and CAKE is fair also to those that are never far ahead, as TCP is not. */
static void a_flood_of_the_link_alone_is_the_schedulers_affair(void **state)
{
	struct flood_count *flows;

	(void)state;
	queue(GBIT / 10);
	flows = add((struct flood_group){.flows = 36,
					 .pps = GBIT / 10 / 8.0 / 1514 * 10 / 36,
					 .len = 1514,
					 .start = FLOOD_AT,
					 .end = FLOOD_TO});
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(result.on_at, 0);
	assert_int_equal(flows->shed, 0);
}

/* V goes on by more than tags can tell apart, SHED_AHEAD_MAX, while the tin is overloaded: its
 * flows are no new ones for that. */
static void a_flood_may_last(void **state)
{
	const uint64_t end = FLOOD_AT + 1200 * MS;
	const struct flood_count *few, *many;

	(void)state;
	queue(100 * GBIT);
	params.ns = end + 110 * MS;
	many = add((struct flood_group){
		.flows = 2, .pps = 7e6, .len = 9000, .start = FLOOD_AT, .end = end});
	few = sparse();
	flood_run(&params, &result);
	assert_conserved();
	assert_int_equal(lost(few), 0);
	assert_true(result.off_at > end);
	assert_true(many->refused + many->dropped < many->offered / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_flow_at_10_times_1_gbit),
		cmocka_unit_test(flows_16_at_30_times_1_gbit),
		cmocka_unit_test(flows_1024_at_10_times_1_gbit),
		cmocka_unit_test(flows_1024_at_10_times_what_the_holder_can_do),
		cmocka_unit_test(without_shedding_all_lose_alike),
		cmocka_unit_test(unequal_offers_get_equal_parts),
		cmocka_unit_test(a_queue_that_gets_less_of_the_rate_sheds_more),
		cmocka_unit_test(a_host_with_many_flows_gets_a_hosts_part),
		cmocka_unit_test(hosts_of_an_earlier_flood_leave_no_trace),
		cmocka_unit_test(a_flooded_tin_costs_the_others_nothing),
		cmocka_unit_test(twice_the_rate_for_a_while_is_the_aqms_affair),
		cmocka_unit_test(a_flood_of_the_link_alone_is_the_schedulers_affair),
		cmocka_unit_test(a_flood_may_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TX queues that are changed while they are full, in virtual time, by visits as the control thread
 * makes them: nothing is lost or reordered, no run is long, and what was asked for holds at once.
 * What an instance does with new parameters is tested in tests/unit/cake.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "harness.h"
#include "txq/change.h"
#include "txq/txq.h"
#include "txq/visit.h"

#define FLOWS 64
#define FRAME 1000

/* The device: it takes all, and says if a flow's numbers do not grow. */
static struct {
	uint64_t packets, bytes;
	uint32_t next_number[FLOWS];
	uint16_t last_flow;
} device;

static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	(void)port;
	(void)queue;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t *next = &device.next_number[frame_flow(pkts[i]) % FLOWS];

		assert_true(frame_number(pkts[i]) >= *next);
		*next = frame_number(pkts[i]) + 1;
		device.packets++;
		device.bytes += rte_pktmbuf_pkt_len(pkts[i]);
		device.last_flow = frame_flow(pkts[i]);
	}
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

/* A queue, what it goes by, and what was put in. */
static struct bench {
	struct txq *q;
	struct share *share;
	struct share_view view;
	struct txq_settings now_by;
	struct txq_dead dead;
	uint64_t now, given;
	uint32_t number[FLOWS];
} b;

static void set_up(uint64_t bandwidth_bps, unsigned queues)
{
	struct txq_params params = {.map = harness_pool.map, .tx = device_takes};

	memset(&device, 0, sizeof(device));
	memset(&b, 0, sizeof(b));
	b.now = START_NS;
	cake_params_default(&params.cake);
	params.cake.bandwidth_bps = bandwidth_bps;
	params.cake.memlimit = 12 << 20;
	params.cake.target_ns = 1000 * S; /* no AQM: what is dropped is dropped for want of room */
	b.now_by.cake = params.cake;
	if (queues) {
		b.now_by.shared = (struct share_params){.bytes_per_s = bandwidth_bps / 8,
							.queues = queues,
							.max_frame = FRAME,
							.now = b.now};
		assert_int_equal(share_create(&b.share, &b.now_by.shared), 0);
		b.now_by.share = b.share;
		params.share = b.share;
		params.cake.slots = true;
	}
	assert_int_equal(txq_create(&b.q, &params), 0);
}

static uint64_t dropped(enum cake_decision d)
{
	return counter_get(&txq_counters(b.q)->dropped[d]);
}

/* All that was given is somewhere, and the instances' books agree. */
static void assert_conserved(void)
{
	uint64_t drops = 0;
	struct cake_stats s;

	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		drops += dropped(d);
	assert_int_equal(b.given, device.packets + drops + txq_queued(b.q) + txq_deferred(b.q) +
					  txq_held(b.q));
	txq_stats(b.q, &s);
	assert_int_equal(s.enqueued_packets, b.given - txq_deferred(b.q));
	assert_int_equal(s.packets, device.packets + txq_held(b.q));
	assert_int_equal(s.qlen, txq_queued(b.q));
	assert_int_equal(s.drops, drops);
}

static unsigned run_once(void)
{
	unsigned moved;

	assert_true(txq_claim(b.q, b.now));
	moved = txq_run(b.q, b.share ? &b.view : NULL, b.now, &b.dead);
	txq_release(b.q);
	txq_free_dead(b.q, &b.dead);
	assert_conserved();
	return moved;
}

static void tear_down(void)
{
	txq_purge(b.q);
	assert_int_equal(txq_queued(b.q) + txq_deferred(b.q) + txq_held(b.q), 0);
	txq_destroy(b.q);
	share_destroy(b.share);
}

/* Directly, or by the ring as another lcore's. A flow is of one tin. */
static void put(uint16_t flow, bool deferred)
{
	static const uint8_t tos[] = {0, 46 << 2, 8 << 2, 34 << 2};
	struct rte_mbuf *m = described(flow, b.number[flow]++, FRAME, tos[flow % 4]);

	if (deferred) {
		assert_int_equal(txq_defer(b.q, &m, 1), 1);
	} else {
		assert_true(txq_claim(b.q, b.now));
		assert_true(txq_enqueue(b.q, &m, 1, 0, b.now, &b.dead));
		txq_release(b.q);
		txq_free_dead(b.q, &b.dead);
	}
	b.given++;
}

static void fill(unsigned per_flow)
{
	for (unsigned i = 0; i < per_flow; i++)
		for (uint16_t flow = 0; flow < FLOWS; flow++)
			put(flow, false);
}

static struct txq_change *prepare(const struct txq_settings *to, enum cake_change kind)
{
	struct txq_change *ch;

	assert_int_equal(txq_change_prepare(&ch, b.q, to), 0);
	assert_int_equal(txq_change_kind(ch), kind);
	return ch;
}

/* A visitor that waits at the door; the next run is its. */
static void hand_over(struct txq_change *ch)
{
	struct visit v = {.run = txq_change_apply, .arg = ch};

	assert_true(visit_post(txq_door(b.q), &v));
	run_once();
	assert_true(visit_is_done(&v));
}

static void finish(struct txq_change *ch, const struct txq_settings *to)
{
	assert_true(txq_change_is_done(ch));
	txq_change_end(ch);
	b.now_by = *to;
}

/* From prepare to end, running on; returns the number of runs. */
static unsigned change_to(const struct txq_settings *to, enum cake_change kind)
{
	struct txq_change *ch = prepare(to, kind);
	unsigned runs = 1;

	hand_over(ch);
	for (; !txq_change_is_done(ch); runs++) {
		assert_int_equal(txq_next_time(b.q), 0); /* it is not left alone */
		b.now += 10000;
		run_once();
	}
	finish(ch, to);
	return runs;
}

static void a_change_to_the_same_touches_nothing(void **state)
{
	struct txq_settings to;
	struct cake_stats s;

	(void)state;
	set_up(1000000000, 0);
	to = b.now_by;
	assert_int_equal(change_to(&to, CAKE_CHANGE_NONE), 1);
	txq_stats(b.q, &s);
	assert_int_equal(s.changes, 0);
	to.cake.bandwidth_bps /= 2;
	assert_int_equal(change_to(&to, CAKE_CHANGE_IN_PLACE), 1);
	txq_stats(b.q, &s);
	assert_int_equal(s.changes, 1);
	tear_down();
}

/* 3 MB wait at 1 gbit/s, 8 us a frame; at 1 mbit/s it is 8 ms. */
static void after_a_fall_of_the_rate_packets_leave_at_the_new_one(void **state)
{
	(void)state;
	for (unsigned queues = 0; queues <= 2; queues += 2) {
		struct txq_settings to;
		uint64_t before, t0;

		set_up(1000000000, queues);
		fill(50);
		for (uint64_t end = b.now + MS; b.now < end; b.now += 5000)
			run_once();
		assert_in_range(device.packets, 120, 160);
		to = b.now_by;
		to.cake.bandwidth_bps = 1000000;
		to.shared.bytes_per_s = 125000;
		before = device.packets;
		t0 = b.now;
		change_to(&to, CAKE_CHANGE_IN_PLACE);
		for (; b.now < t0 + 100 * MS; b.now += 5000)
			run_once();
		/* 12.5 frames; with slots one more may be on credit. */
		assert_in_range(device.packets - before, 11, 14);
		assert_int_equal(dropped(CAKE_DROP_OVERFLOW), 0);
		to.cake.bandwidth_bps = 1000000000;
		to.shared.bytes_per_s = 125000000;
		before = device.packets;
		t0 = b.now;
		change_to(&to, CAKE_CHANGE_IN_PLACE);
		for (; b.now < t0 + 10 * MS; b.now += 5000)
			run_once();
		/* 1,250 frames, and what was held back before takes up to 8 us of it. */
		assert_in_range(device.packets - before, 1240, 1254);
		tear_down();
	}
}

/* 4,480 frames of 2,560 bytes of buffer or so each; a run moves 256 of them and no more. */
static void a_new_mode_takes_steps_and_drops_nothing(void **state)
{
	struct txq_settings to;
	unsigned runs;

	(void)state;
	set_up(1000000, 0);
	fill(70);
	to = b.now_by;
	to.cake.diffserv = CAKE_DIFFSERV8;
	to.cake.flowmode = CAKE_FLOWS;
	runs = change_to(&to, CAKE_CHANGE_REQUEUE);
	assert_in_range(runs, 70 * FLOWS / TXQ_CHANGE_STEP, 70 * FLOWS / TXQ_CHANGE_STEP + 2);
	to.cake.diffserv = CAKE_BESTEFFORT;
	to.cake.bandwidth_bps = 0;
	change_to(&to, CAKE_CHANGE_REQUEUE);
	while (run_once())
		;
	assert_int_equal(device.packets, b.given);
	tear_down();
}

static void a_smaller_limit_comes_down_in_steps_and_what_it_drops_is_overflow(void **state)
{
	struct txq_settings to;
	struct cake_stats s;
	unsigned runs;

	(void)state;
	set_up(1000000, 0);
	fill(50);
	to = b.now_by;
	to.cake.memlimit = 1 << 20;
	runs = change_to(&to, CAKE_CHANGE_IN_PLACE);
	txq_stats(b.q, &s);
	assert_int_equal(s.memory_limit, 1 << 20);
	assert_true(txq_queued(b.q) * (uint64_t)harness_pool.map.element_bytes <= 1 << 20);
	assert_true(dropped(CAKE_DROP_OVERFLOW) > 2000);
	assert_in_range(runs, dropped(CAKE_DROP_OVERFLOW) / TXQ_CHANGE_STEP,
			dropped(CAKE_DROP_OVERFLOW) / TXQ_CHANGE_STEP + 2);
	tear_down();
}

static void a_second_change_is_refused_until_the_first_has_ended(void **state)
{
	struct txq_settings to;
	struct txq_change *ch, *second;

	(void)state;
	set_up(1000000, 0);
	fill(20);
	to = b.now_by;
	to.cake.flowmode = CAKE_FLOWBLIND;
	ch = prepare(&to, CAKE_CHANGE_REQUEUE);
	assert_int_equal(txq_change_prepare(&second, b.q, &to), -EBUSY);
	txq_change_end(ch); /* thought better of */
	ch = prepare(&to, CAKE_CHANGE_REQUEUE);
	hand_over(ch);
	assert_false(txq_change_is_done(ch));
	assert_int_equal(txq_change_prepare(&second, b.q, &to), -EBUSY);
	/* The daemon ends in the middle of it. */
	txq_purge(b.q);
	assert_conserved();
	assert_int_equal(dropped(CAKE_DROP_PURGE), b.given - device.packets);
	finish(ch, &to);
	tear_down();
}

/* Steered another way: another instance, whose limit is what its parameters say, and no less. */
static void after_other_steering_the_memory_limit_follows_the_rate(void **state)
{
	struct txq_regroup way = {.from = STEER_FLOW, .to = STEER_SRC_HOST, .queues = 2};
	struct txq_settings to;
	struct txq_change *ch;
	struct cake_stats s;

	(void)state;
	set_up(10000000, 2);
	to = b.now_by;
	to.cake.memlimit = 0;
	change_to(&to, CAKE_CHANGE_IN_PLACE);
	fill(2);
	to.regroup = &way;
	ch = prepare(&to, CAKE_CHANGE_REQUEUE);
	hand_over(ch);
	regroup_switched(&way);
	regroup_release(&way);
	for (; !txq_change_is_done(ch); b.now += MS)
		run_once();
	to.regroup = NULL;
	finish(ch, &to);
	to.cake.bandwidth_bps = 200000000;
	to.shared.bytes_per_s = to.cake.bandwidth_bps / 8;
	change_to(&to, CAKE_CHANGE_IN_PLACE);
	txq_stats(b.q, &s);
	assert_int_equal(s.memory_limit, cake_memory_limit(&to.cake));
	tear_down();
}

static void nonsense_is_refused_and_changes_nothing(void **state)
{
	struct txq_settings to;
	struct txq_change *ch;

	(void)state;
	set_up(1000000, 0);
	to = b.now_by;
	to.cake.bandwidth_bps = 1;
	assert_int_equal(txq_change_prepare(&ch, b.q, &to), -EINVAL);
	assert_int_equal(change_to(&b.now_by, CAKE_CHANGE_NONE), 1);
	tear_down();
}

/*
 * Frames that were described for "flowblind" have no hashes. A flow of one packet, last in the
 * queue, goes first once flows are told apart; it has to be hashed for that when it moves.
 */
static void what_is_queued_is_hashed_for_the_new_mode(void **state)
{
	struct packet_describer flows = harness_describer, by_flow;
	struct txq_settings to;
	struct cake_params p;

	(void)state;
	set_up(0, 0);
	b.now_by.cake.flowmode = CAKE_FLOWBLIND;
	b.now_by.cake.bandwidth_bps = 1000000;
	change_to(&b.now_by, CAKE_CHANGE_REQUEUE);
	packet_describer_init(&harness_describer, &b.now_by.cake, &harness_hash);
	for (unsigned i = 0; i < 100; i++)
		put(4, false);
	put(8, false);
	run_once(); /* one is sent */
	assert_int_equal(device.packets, 1);
	to = b.now_by;
	to.cake.flowmode = CAKE_FLOWS;
	p = to.cake;
	packet_describer_init(&by_flow, &p, &harness_hash);
	to.describer = &by_flow;
	change_to(&to, CAKE_CHANGE_REQUEUE);
	b.now += 8 * MS;
	run_once();
	b.now += 8 * MS;
	run_once();
	assert_int_equal(device.next_number[8], 1);
	harness_describer = flows;
	tear_down();
}

/* Any parameters that may follow each other; @tight: a limit on memory, too. */
static void draw(struct txq_settings *to, struct prng *rng, bool tight)
{
	static const uint64_t rates[] = {0, 1000000, 50000000, 1000000000, 20000000000};
	struct cake_params *p = &to->cake;

	switch (prng_u32(rng) % 8) {
	case 0:
		p->diffserv = prng_u32(rng) % (CAKE_DIFFSERV8 + 1);
		break;
	case 1:
		p->flowmode = prng_u32(rng) % (CAKE_TRIPLE_ISOLATE + 1);
		break;
	case 2:
		if (tight)
			p->memlimit = 100000 + prng_u32(rng) % (15 << 20);
		break;
	case 3:
		p->ack_filter = prng_u32(rng) % (CAKE_ACK_FILTER_AGGRESSIVE + 1);
		break;
	case 4:
		p->wash = !p->wash;
		p->overhead_set = true;
		p->overhead = (int32_t)(prng_u32(rng) % 64);
		break;
	case 5:
		to->share = to->share ? NULL : b.share;
		break;
	case 6:
		to->shared.mode = prng_u32(rng) % 2 ? SHARE_EQUAL : SHARE_DEMAND;
		break;
	default:
		p->bandwidth_bps = rates[prng_u32(rng) % RTE_DIM(rates)];
	}
	if (!p->bandwidth_bps)
		to->share = NULL;
	to->shared.bytes_per_s = p->bandwidth_bps / 8;
}

/* A few packets, or many: up to @most in all. */
static void put_some(struct prng *rng, unsigned most)
{
	unsigned n = prng_u32(rng) % 4 ? prng_u32(rng) % 4 : prng_u32(rng) % 40;

	for (unsigned i = 0; i < n && txq_queued(b.q) < most; i++) {
		uint16_t flow = (uint16_t)(prng_u32(rng) % FLOWS);

		if (txq_room(b.q) || flow % 2)
			put(flow, flow % 2 == 0);
	}
}

/*
 * Traffic and changes at random, the latter again and again before the queue is empty. The device
 * and run_once() check all the time.
 */
static void change_at_random(bool tight, unsigned most)
{
	struct prng rng = prng_xorshift32(7);
	unsigned requeues = 0, changes = 0;
	struct txq_change *ch = NULL;
	struct txq_settings to;

	set_up(50000000, 4);
	for (unsigned step = 0; step < 60000; step++) {
		put_some(&rng, most);
		b.now += prng_u32(&rng) % 16 ? prng_u32(&rng) % 20000 : prng_u32(&rng) % (20 * MS);
		if (ch && txq_change_is_done(ch)) {
			finish(ch, &to);
			ch = NULL;
		}
		if (!ch && prng_u32(&rng) % 64 == 0) {
			to = b.now_by;
			draw(&to, &rng, tight);
			assert_int_equal(txq_change_prepare(&ch, b.q, &to), 0);
			requeues += txq_change_kind(ch) == CAKE_CHANGE_REQUEUE;
			changes++;
			hand_over(ch);
		} else {
			run_once();
		}
	}
	assert_true(changes > 500 && requeues > 200);
	assert_true(device.packets > 10000);
	/* Who overflows is dropped from by BLUE later. */
	assert_int_equal(dropped(CAKE_DROP_OVERFLOW) != 0, tight);
	assert_int_equal(dropped(CAKE_DROP_BLUE) != 0, tight);
	assert_int_equal(dropped(CAKE_DROP_CODEL) + dropped(CAKE_DROP_ACK), 0);
	txq_purge(b.q);
	assert_conserved();
	if (ch)
		finish(ch, &to);
	tear_down();
}

/* 12 MB is room for 4,000 at least. */
static void random_changes_lose_and_reorder_nothing(void **state)
{
	(void)state;
	change_at_random(false, 4000);
}

static void random_changes_of_the_limit_drop_what_does_not_fit(void **state)
{
	(void)state;
	change_at_random(true, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_to_the_same_touches_nothing),
		TEST(after_a_fall_of_the_rate_packets_leave_at_the_new_one),
		TEST(a_new_mode_takes_steps_and_drops_nothing),
		TEST(a_smaller_limit_comes_down_in_steps_and_what_it_drops_is_overflow),
		TEST(a_second_change_is_refused_until_the_first_has_ended),
		TEST(after_other_steering_the_memory_limit_follows_the_rate),
		TEST(nonsense_is_refused_and_changes_nothing),
		TEST(what_is_queued_is_hashed_for_the_new_mode),
		TEST(random_changes_lose_and_reorder_nothing),
		TEST(random_changes_of_the_limit_drop_what_does_not_fit),
	};

	return cmocka_run_group_tests(tests, harness_start, harness_stop);
}

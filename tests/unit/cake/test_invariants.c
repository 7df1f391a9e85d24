/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold of an instance after any sequence of calls, in every mode and both profiles:
 * random operations and their checks are exercise.c's, which the fuzzer shares. Behaviour proper is
 * tested part by part; this file knows only what may never be violated.
 */
#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "exercise.h"
#include "kit.h"

static uint32_t below(void *source, uint32_t n)
{
	return prng_u32(source) % n;
}

static void run(const struct cake_params *p, uint32_t seed, unsigned steps)
{
	struct prng rng = prng_xorshift32(seed);
	struct choices choices = {.below = below, .source = &rng};
	struct exercise *x = exercise_begin(p, choices, ~seed);

	while (steps--)
		exercise_step(x);
	exercise_end(x);
}

/* Every mode at every kind of rate; what else there is is drawn. */
static void run_all_modes(enum cake_profile profile)
{
	static const uint64_t rates[] = {0, 512, 1000000, 100000000, 10000000000};
	struct prng rng = prng_xorshift32(6 + profile);
	struct choices choices = {.below = below, .source = &rng};

	for (int diffserv = CAKE_BESTEFFORT; diffserv <= CAKE_DIFFSERV8; diffserv++) {
		for (int mode = CAKE_FLOWBLIND; mode <= CAKE_TRIPLE_ISOLATE; mode++) {
			for (unsigned rate = 0; rate < COUNT(rates); rate++) {
				struct cake_params p;

				cake_params_default(&p);
				p.profile = profile;
				p.diffserv = diffserv;
				p.flowmode = mode;
				p.bandwidth_bps = rates[rate];
				exercise_draw_options(&p, choices);
				run(&p, prng_u32(&rng), 300);
			}
		}
	}
}

static void nothing_is_lost_doubled_or_miscounted_as_linux(void **state)
{
	(void)state;
	run_all_modes(CAKE_PROFILE_LINUX);
}

static void nothing_is_lost_doubled_or_miscounted_as_gateau(void **state)
{
	(void)state;
	run_all_modes(CAKE_PROFILE_GATEAU);
}

/* Enough room that nothing collides: the order of every stream is checked to the end. */
static void streams_keep_their_order_where_nothing_collides(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 50000000);

	(void)state;
	p.flows = 64;
	p.diffserv = CAKE_DIFFSERV8; /* 40 streams, at most 64 slots a tin */
	p.memlimit = 300000;
	run(&p, 11, 3000);
	p.bandwidth_bps = 0;
	run(&p, 12, 3000);
}

static void a_limit_below_one_packet_drops_every_packet(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct prng dice = prng_xorshift32(1);
	struct cake_verdict v;
	struct cake *c;

	(void)state;
	p.memlimit = 767;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 1000; i++) {
		kit_enqueue(c, kit_packet(i, 60, 1 + i), T0);
		assert_int_equal(cake_backlog(c), 0);
		assert_int_equal(cake_dequeue(c, &v, 1, T0), 0);
		assert_int_equal(cake_take_drops(c, &v, 1), 1);
		assert_int_equal(v.handle, i);
		assert_int_equal(v.decision, CAKE_DROP_OVERFLOW);
	}
	cake_destroy(c);
}

/* With the queue full, exactly a burst's worth may go in before the drops are taken. */
static void a_full_queue_takes_burst_max_packets_until_its_drops_are_taken(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct cake_packet pkts[CAKE_BURST_MAX + 1];
	struct prng dice = prng_xorshift32(1);
	struct cake_verdict v;
	struct cake *c;

	(void)state;
	p.memlimit = 10 * 768;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < 10; i++)
		kit_enqueue(c, kit_packet(i, 60, 1), T0);
	assert_int_equal(cake_backlog(c), 10);
	for (uint32_t i = 0; i < COUNT(pkts); i++)
		pkts[i] = kit_packet(10 + i, 60, 1);
	/* One more than promised: the slab's spare for the packet that exceeds the limit. */
	assert_int_equal(cake_enqueue(c, pkts, COUNT(pkts), T0), COUNT(pkts));
	assert_int_equal(cake_enqueue(c, pkts, 1, T0), 0);
	assert_int_equal(cake_take_drops(c, &v, 1), 1);
	pkts[0].handle = 1000;
	assert_int_equal(cake_enqueue(c, pkts, 2, T0), 1);
	cake_destroy(c);
}

/*
 * 65,535 segments, the most a super-packet has, as one arrival; the limit has room for ten of them.
 */
static void a_longer_burst_is_taken_if_the_parameters_say_so(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	static struct cake_packet pkts[UINT16_MAX];
	struct prng dice = prng_xorshift32(1);
	uint64_t footprint;
	struct cake *c;

	(void)state;
	p.memlimit = 10 * 768;
	footprint = cake_footprint(&p);
	p.burst = UINT16_MAX;
	assert_int_equal(cake_footprint(&p) - footprint, (UINT16_MAX - CAKE_BURST_MAX) * 32);
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < COUNT(pkts); i++) {
		pkts[i] = kit_packet(i, 60, 1);
		pkts[i].more = i != COUNT(pkts) - 1;
	}
	assert_int_equal(cake_enqueue(c, pkts, COUNT(pkts), T0), COUNT(pkts));
	assert_int_equal(cake_backlog(c), 10);
	cake_destroy(c);
}

/* A super-packet's segments go in together or not at all. */
static void an_arrival_is_never_taken_in_part(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 0);
	struct cake_packet pkts[CAKE_BURST_MAX];
	struct prng dice = prng_xorshift32(1);
	struct cake *c;

	(void)state;
	p.memlimit = 768;
	c = kit_create(&p, &dice);
	for (uint32_t i = 0; i < COUNT(pkts); i++) {
		pkts[i] = kit_packet(i, 60, 1);
		pkts[i].more = i != 199 && i != COUNT(pkts) - 1;
	}
	assert_int_equal(cake_enqueue(c, pkts, COUNT(pkts), T0), COUNT(pkts));
	assert_int_equal(cake_enqueue(c, pkts, COUNT(pkts), T0), 0); /* 200 find no room */
	cake_destroy(c);
}

/* The same bursts and calls; returns what came out of the last one, sent and dropped. */
static unsigned use(struct cake *c, const struct cake_packet *burst, unsigned n, unsigned max,
		    uint64_t now, struct cake_verdict out[64 + 64])
{
	struct cake_packet pkts[32];
	unsigned sent;

	memcpy(pkts, burst, n * sizeof(*burst));
	assert_int_equal(cake_enqueue(c, pkts, n, now), n);
	memset(out, 0, 128 * sizeof(*out));
	sent = cake_dequeue(c, out, max, now);
	return sent + cake_take_drops(c, out + sent, 64);
}

static void assert_same_statistics(const struct cake *a, const struct cake *b)
{
	struct cake_stats of_a, of_b;

	memset(&of_a, 0, sizeof(of_a));
	memset(&of_b, 0, sizeof(of_b));
	cake_stats_get(a, &of_a);
	cake_stats_get(b, &of_b);
	assert_memory_equal(&of_a, &of_b, sizeof(of_a));
}

/*
 * A burst that nothing but an ordinary queue can come of goes a shorter way in. An ACK filter rules
 * that out and does nothing else here, where there is no TCP: both ways must come to the same.
 */
static void the_short_way_in_comes_to_what_the_long_one_does(void **state)
{
	struct prng rng = prng_xorshift32(7);
	uint64_t drops = 0;

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		struct cake_params p = kit_params(round & 1, round & 2 ? 20000000 : 0);
		struct prng short_dice = prng_xorshift32(round), long_dice = short_dice;
		struct cake *shorter, *longer;
		struct cake_stats s;
		uint64_t now = T0;

		p.flows = round & 4 ? 16 : 1024;
		p.diffserv = CAKE_DIFFSERV4;
		p.memlimit = 300000;
		p.ingress = round % 3 == 0;
		shorter = kit_create(&p, &short_dice);
		p.ack_filter = CAKE_ACK_FILTER_AGGRESSIVE;
		longer = kit_create(&p, &long_dice);
		for (unsigned step = 0; step < 2000; step++) {
			struct cake_packet burst[32];
			struct cake_verdict a[128], b[128];
			unsigned n = prng_u32(&rng) % 33, max = prng_u32(&rng) % 65;

			for (unsigned i = 0; i < n; i++) {
				burst[i] = kit_packet(i, 60 + prng_u32(&rng) % 1455,
						      prng_u32(&rng) % 100 * 0x9e3779b9u);
				burst[i].src_hash = prng_u32(&rng) % 10;
				burst[i].dscp = prng_u32(&rng) % 64;
				burst[i].ecn_capable = prng_u32(&rng) & 1;
			}
			now += prng_u32(&rng) % (step % 500 < 250 ? 4000000 : 20000000);
			assert_int_equal(use(shorter, burst, n, max, now, a),
					 use(longer, burst, n, max, now, b));
			assert_memory_equal(a, b, sizeof(a));
			assert_int_equal(cake_next_time(shorter), cake_next_time(longer));
		}
		assert_same_statistics(shorter, longer);
		cake_stats_get(shorter, &s);
		drops += s.drops;
		cake_destroy(shorter);
		cake_destroy(longer);
	}
	assert_true(drops > 1000); /* some bursts had to go the long way after all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_doubled_or_miscounted_as_linux),
		cmocka_unit_test(nothing_is_lost_doubled_or_miscounted_as_gateau),
		cmocka_unit_test(streams_keep_their_order_where_nothing_collides),
		cmocka_unit_test(a_limit_below_one_packet_drops_every_packet),
		cmocka_unit_test(a_full_queue_takes_burst_max_packets_until_its_drops_are_taken),
		cmocka_unit_test(a_longer_burst_is_taken_if_the_parameters_say_so),
		cmocka_unit_test(an_arrival_is_never_taken_in_part),
		cmocka_unit_test(the_short_way_in_comes_to_what_the_long_one_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

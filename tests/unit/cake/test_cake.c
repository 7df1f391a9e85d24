/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole instances in virtual time: rate, fairness, recovery, limits. What the golden cases cannot
 * show because it is gateau's own, or because it is a claim about the sum rather than a decision.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include "base/prng.h"

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull
#define START     (1000 * NS_PER_S)

/* An instance, its clock and what came out of it. */
struct bench {
	struct cake *cake;
	struct prng rng;
	uint64_t now;
	uint32_t next_handle;
	uint64_t received, sent, sent_bytes, dropped;
	uint64_t flow_bytes[64]; /* sent, by the flow's number modulo 64 */
	unsigned flow_queued[64];
	uint64_t sent_from; /* sent packets with a handle of at least `mark` */
	uint32_t mark;
};

static struct cake_params defaults(void)
{
	struct cake_params p;

	cake_params_default(&p);
	p.diffserv = CAKE_BESTEFFORT;
	return p;
}

static void bench_open(struct bench *b, const struct cake_params *p)
{
	*b = (struct bench){.rng = prng_xorshift32(1), .now = START, .mark = UINT32_MAX};
	assert_int_equal(cake_create(&b->cake, p, &b->rng), 0);
}

static void bench_drops(struct bench *b)
{
	struct cake_verdict v[64];
	unsigned n;

	while ((n = cake_take_drops(b->cake, v, 64)) > 0) {
		b->dropped += n;
		for (unsigned i = 0; i < n; i++)
			b->flow_queued[v[i].handle % 64]--;
	}
}

/* A well mixed hash of a small number, as a flow or host would have. */
static uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return (x ^ x >> 16) | 1;
}

/* One packet of flow @flow (0..63 are told apart in flow_bytes) from host @host. */
static void bench_put(struct bench *b, uint32_t flow, uint32_t host, uint32_t len)
{
	struct cake_packet p = {
		.handle = b->next_handle++ * 64 + flow % 64,
		.len = len,
		.charge = len <= 192 ? 768 : 2304,
		.flow_hash = mix(flow + 1),
		.src_hash = mix(host + 100000),
		.dst_hash = mix(7),
		.network_offset = 14,
	};

	b->received++;
	b->flow_queued[flow % 64]++;
	assert_int_equal(cake_enqueue(b->cake, &p, 1, b->now), 1);
	bench_drops(b);
}

/* Take at most @max packets that may go now. */
static unsigned bench_get(struct bench *b, unsigned max)
{
	struct cake_verdict v[64];
	unsigned total = 0;

	while (total < max) {
		unsigned want = max - total < 64 ? max - total : 64;
		unsigned n = cake_dequeue(b->cake, v, want, b->now);

		bench_drops(b);
		for (unsigned i = 0; i < n; i++) {
			b->sent_bytes += v[i].len;
			b->flow_bytes[v[i].handle % 64] += v[i].len;
			b->flow_queued[v[i].handle % 64]--;
			b->sent_from += v[i].handle / 64 >= b->mark;
		}
		b->sent += n;
		total += n;
		if (n < want)
			break;
	}
	return total;
}

/* Every packet that went in came out or is still inside. */
static void bench_close(struct bench *b)
{
	struct cake_stats s;

	cake_stats_get(b->cake, &s);
	assert_int_equal(s.packets, b->sent);
	assert_int_equal(s.drops, b->dropped);
	assert_int_equal(b->received, b->sent + b->dropped + s.qlen);
	b->dropped += cake_purge(b->cake);
	assert_int_equal(b->received, b->sent + b->dropped);
	cake_destroy(b->cake);
}

/* Run to @end: sources keep @n_flows queues filled, the clock follows cake_next_time(). */
static void run_backlogged(struct bench *b, uint64_t end, unsigned n_flows, const uint32_t *hosts,
			   const uint32_t *lens)
{
	while (b->now < end) {
		/* 10 packets per flow: backlogged, yet below the memory limit. */
		for (unsigned f = 0; f < n_flows; f++)
			while (b->flow_queued[f] < 10)
				bench_put(b, f, hosts[f], lens[f]);
		bench_get(b, 1);
		if (cake_next_time(b->cake) != CAKE_NEVER && cake_next_time(b->cake) > b->now)
			b->now = cake_next_time(b->cake);
		else
			b->now += 100;
	}
}

static void rate_is_exact_to_a_ten_thousandth(void **state)
{
	static const uint64_t rates[] = {
		512,          2800,         1000000,
		100000000,    1000000000,   1ull << 32,
		10000000000,  25000000000,  1ull << 35 /* 2^32 bytes/s */,
		100000000000, 400000000000,
	};
	const uint32_t hosts[4] = {0};
	const uint32_t lens[4] = {1514, 60, 300, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct cake_params p = defaults();
		struct bench b;
		/* As long as 40,000 full frames take, so that one frame is 0.0025 %. */
		uint64_t expected = 40000 * 1514;
		uint64_t span = expected * 8 * NS_PER_S / rates[i];

		p.bandwidth_bps = rates[i];
		bench_open(&b, &p);
		run_backlogged(&b, START + span, 4, hosts, lens);
		assert_in_range(b.sent_bytes, expected - expected / 10000,
				expected + expected / 10000);
		bench_close(&b);
	}
}

/* A packet, a pause, a packet: each goes at once, and the third waits for the second. */
static void pauses_of_any_length_leave_the_rate_as_it_is(void **state)
{
	static const uint64_t pauses[] = {1ull << 32, (1ull << 32) - 1, 5 * 3600 * NS_PER_S};
	struct cake_params p = defaults();
	struct bench b;

	(void)state;
	p.bandwidth_bps = 8000000; /* 1,000 bytes a ms */
	bench_open(&b, &p);
	for (unsigned i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		bench_put(&b, 1, 0, 1000);
		assert_int_equal(bench_get(&b, 2), 1);
		b.now += pauses[i];
		bench_put(&b, 1, 0, 1000);
		bench_put(&b, 1, 0, 1000);
		assert_int_equal(bench_get(&b, 2), 1);
		b.now += NS_PER_MS - 1;
		assert_int_equal(bench_get(&b, 1), 0);
		b.now++;
		assert_int_equal(bench_get(&b, 1), 1);
		b.now += pauses[i];
	}
	bench_close(&b);
}

/*
 * Voice within its quarter of 1,000 bytes a ms goes first, and then is over it for 4 ms: the
 * schedule of a tin is as good after a pause as without.
 */
static void pauses_of_any_length_leave_the_tins_their_shares(void **state)
{
	static const uint64_t pauses[] = {0, 1ull << 32, (1ull << 32) - 1, 5 * 3600 * NS_PER_S};
	static const uint64_t sent_us[] = {0, 1000, 2000, 3000, 4000};
	static const uint8_t sent_tin[] = {2, 0, 0, 0, 2};
	struct prng rng = prng_constant(UINT32_MAX, 32768);
	struct cake_params p = defaults();
	struct cake *c;
	uint64_t now = START;

	(void)state;
	p.diffserv = CAKE_DIFFSERV3;
	p.bandwidth_bps = 8000000;
	p.rtt_ns = NS_PER_S;
	assert_int_equal(cake_create(&c, &p, &rng), 0);
	for (unsigned i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++) {
		now += 10 * NS_PER_MS + pauses[i];
		for (uint32_t n = 0; n < 5; n++) {
			struct cake_packet pkt = {.len = 1000, .charge = 2304, .flow_hash = 1 + n};

			pkt.dscp = n % 4 ? 0 : 46;
			assert_int_equal(cake_enqueue(c, &pkt, 1, now), 1);
		}
		for (unsigned n = 0; n < 5; n++) {
			uint64_t at = now + sent_us[n] * 1000;
			struct cake_verdict v;

			if (n)
				assert_int_equal(cake_next_time(c), at);
			assert_int_equal(cake_dequeue(c, &v, 1, at), 1);
			assert_int_equal(v.tin, sent_tin[n]);
		}
	}
	cake_destroy(c);
}

/* An ACK of everything before @number, of a connection that all of them belong to. */
static struct cake_packet ack_packet(uint32_t handle, uint32_t number, struct cake_tcp *tcp)
{
	*tcp = (struct cake_tcp){.version = 4, .ack = number, .supersedes = true, .pure = true};
	return (struct cake_packet){
		.handle = handle,
		.len = 66,
		.charge = 768,
		.flow_hash = 1,
		.network_offset = 14,
		.tcp = tcp,
	};
}

static void put_ack(struct cake *c, uint32_t handle, uint32_t number, uint64_t now)
{
	struct cake_tcp tcp;
	struct cake_packet p = ack_packet(handle, number, &tcp);

	assert_int_equal(cake_enqueue(c, &p, 1, now), 1);
}

static struct cake *ack_filtering(struct cake_params *p, struct prng *rng)
{
	struct cake *c = NULL;

	p->ack_filter = CAKE_ACK_FILTER_AGGRESSIVE;
	*rng = prng_xorshift32(1);
	assert_int_equal(cake_create(&c, p, rng), 0);
	return c;
}

static void an_ack_that_goes_counts_as_ack_drop_alone(void **state)
{
	struct cake_params p = defaults();
	struct cake_flow_stats flow;
	struct cake_verdict v;
	struct cake_stats s;
	struct prng rng;
	struct cake *c = ack_filtering(&p, &rng);

	(void)state;
	put_ack(c, 1, 1, START);
	put_ack(c, 2, 2, START);
	assert_int_equal(cake_backlog(c), 1);
	assert_int_equal(cake_take_drops(c, &v, 1), 1);
	assert_int_equal(v.handle, 1);
	assert_int_equal(v.decision, CAKE_DROP_ACK);
	cake_stats_get(c, &s);
	assert_int_equal(s.drops, 1);
	assert_int_equal(s.decisions[CAKE_DROP_ACK], 1);
	assert_int_equal(s.tins[0].ack_drops, 1);
	assert_int_equal(s.tins[0].drops, 0);
	assert_int_equal(s.tins[0].sent_packets, 2);
	assert_int_equal(s.backlog, 66);
	assert_int_equal(cake_flow_stats_get(c, 0, 1, START, &flow), 0);
	assert_int_equal(flow.drops, 0);
	assert_int_equal(flow.backlog, 66);
	assert_int_equal(cake_dequeue(c, &v, 1, START), 1);
	assert_int_equal(v.handle, 2);
	cake_destroy(c);
}

/* 66 bytes at 66,000 bytes/s take 1 ms. */
static void ingress_charges_the_ack_that_goes(void **state)
{
	(void)state;
	for (int ingress = 0; ingress <= 1; ingress++) {
		struct cake_params p = defaults();
		struct cake_verdict v;
		struct prng rng;
		struct cake *c;

		p.bandwidth_bps = 66000 * 8;
		p.ingress = ingress;
		c = ack_filtering(&p, &rng);
		put_ack(c, 1, 1, START);
		put_ack(c, 2, 2, START); /* for the 1st, which goes */
		assert_int_equal(cake_take_drops(c, &v, 1), 1);
		/* In ingress mode it is as if 1 had been sent; the failsafe does not move. */
		assert_int_equal(cake_dequeue(c, &v, 1, START), 1);
		put_ack(c, 3, 3, START);
		assert_int_equal(cake_dequeue(c, &v, 1, START + NS_PER_MS / 2), 0);
		assert_int_equal(cake_next_time(c) > START + NS_PER_MS, ingress);
		cake_destroy(c);
	}
}

static void segments_of_a_super_packet_thin_nothing(void **state)
{
	struct cake_params p = defaults();
	struct cake_packet pkts[2];
	struct cake_tcp tcps[2];
	struct cake_verdict v;
	struct prng rng;
	struct cake *c = ack_filtering(&p, &rng);

	(void)state;
	put_ack(c, 1, 1, START);
	pkts[0] = ack_packet(2, 2, &tcps[0]);
	pkts[1] = ack_packet(3, 3, &tcps[1]);
	pkts[0].more = true;
	assert_int_equal(cake_enqueue(c, pkts, 2, START), 2);
	assert_int_equal(cake_take_drops(c, &v, 1), 0);
	assert_int_equal(cake_backlog(c), 3);
	cake_destroy(c);
}

/* 128 duplicates at the head hide from the filter what comes behind them; Linux sees it. */
static void the_ack_filter_looks_at_so_many_packets(void **state)
{
	static const struct {
		enum cake_profile profile;
		uint32_t others;
		unsigned drops;
	} samples[] = {
		{CAKE_PROFILE_GATEAU, 127, 1},
		{CAKE_PROFILE_GATEAU, 128, 0},
		{CAKE_PROFILE_LINUX, 1000, 1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct cake_params p = defaults();
		struct cake_verdict v;
		struct prng rng;
		struct cake *c;

		p.profile = samples[i].profile;
		c = ack_filtering(&p, &rng);
		for (uint32_t n = 0; n < samples[i].others; n++)
			put_ack(c, n, 100, START);
		put_ack(c, 5000, 1, START);
		put_ack(c, 5001, 2, START);
		assert_int_equal(cake_take_drops(c, &v, 1), samples[i].drops);
		cake_destroy(c);
	}
}

/* 1,000 bytes a ms arrive at a shaper that begins with a tenth of that. */
static void autorate_shapes_to_what_arrives_and_keeps_what_is_queued(void **state)
{
	struct cake_params p = defaults();
	struct cake_stats s;
	struct bench b;

	(void)state;
	p.bandwidth_bps = 800000;
	p.ingress = true;
	p.autorate_ingress = true;
	bench_open(&b, &p);
	for (unsigned ms = 0; ms < 10000; ms += 2, b.now += 3 * NS_PER_MS / 2) {
		bench_put(&b, 1, 0, 1000); /* in pairs: equal gaps are no bursts */
		bench_get(&b, 64);
		b.now += NS_PER_MS / 2;
		bench_put(&b, 1, 0, 1000);
		bench_get(&b, 64);
	}
	cake_stats_get(b.cake, &s);
	assert_in_range(s.capacity_estimate, 990000, 1010000);
	assert_in_range(s.tins[0].threshold_rate, 920000, 950000); /* 15/16 */
	assert_int_equal(s.memory_limit, 4 << 20);
	assert_int_equal(s.enqueued_packets, b.received);
	bench_close(&b);
}

/* Host A has 1 flow, host B 15: each gets half, whatever the direction isolated. */
static void host_fairness_is_exact_to_one_percent(void **state)
{
	struct cake_params p = defaults();
	uint32_t hosts[16], lens[16];
	uint64_t a, rest = 0;
	struct bench b;

	(void)state;
	for (unsigned f = 0; f < 16; f++) {
		hosts[f] = f != 0;
		lens[f] = 1514;
	}
	p.bandwidth_bps = 100000000;
	p.flowmode = CAKE_DUAL_SRCHOST;
	bench_open(&b, &p);
	run_backlogged(&b, START + 10 * NS_PER_S, 16, hosts, lens);
	a = b.flow_bytes[0];
	for (unsigned f = 1; f < 16; f++)
		rest += b.flow_bytes[f];
	assert_in_range(1000 * a / rest, 990, 1010);
	bench_close(&b);
}

/* Without isolation the same load is shared by flows: 1 to 15. */
static void flow_fairness_counts_flows(void **state)
{
	struct cake_params p = defaults();
	uint32_t hosts[16], lens[16];
	struct bench b;

	(void)state;
	for (unsigned f = 0; f < 16; f++) {
		hosts[f] = f != 0;
		lens[f] = f % 2 ? 1514 : 500;
	}
	p.bandwidth_bps = 100000000;
	p.flowmode = CAKE_FLOWS;
	bench_open(&b, &p);
	run_backlogged(&b, START + 10 * NS_PER_S, 16, hosts, lens);
	for (unsigned f = 0; f < 16; f++)
		assert_in_range(b.flow_bytes[f] * 16 * 1000 / b.sent_bytes, 990, 1010);
	bench_close(&b);
}

static void idle_time_is_no_credit(void **state)
{
	struct cake_params p = defaults();
	struct bench b;

	(void)state;
	p.bandwidth_bps = 10000000;
	bench_open(&b, &p);
	bench_put(&b, 0, 0, 1514);
	assert_int_equal(bench_get(&b, 64), 1);
	b.now += 10 * NS_PER_S;
	for (unsigned i = 0; i < 40; i++)
		bench_put(&b, 0, 0, 1514);
	/* One at once; then one per 1514 * 8 / 10 Mbit/s = 1,211.2 us. */
	assert_int_equal(bench_get(&b, 64), 1);
	b.now += 1211 * NS_PER_US;
	assert_int_equal(bench_get(&b, 64), 0);
	b.now += 1 * NS_PER_US;
	assert_int_equal(bench_get(&b, 64), 1);
	bench_close(&b);
}

/* @n full frames of 4 flows arrive and one leaves; then nobody serves the queue for @time. */
static void stall(struct bench *b, const struct cake_params *p, unsigned n, uint64_t time)
{
	bench_open(b, p);
	for (unsigned i = 0; i < n; i++)
		bench_put(b, i % 4, 0, 1514);
	bench_get(b, 1);
	b->now += time;
	bench_get(b, n);
}

/*
 * At 100 Mbit/s the gateau profile makes up for 1 ms of a stall of 200 ms, 12,500 bytes: 8 frames
 * of 1,514 bytes start within it, and one starts now, at the end of it.
 */
static void catch_up_after_a_stall_is_bounded_and_counted(void **state)
{
	struct cake_params p = defaults();
	struct cake_stats s;
	struct bench b;

	(void)state;
	p.bandwidth_bps = 100000000;
	stall(&b, &p, 500, 200 * NS_PER_MS);
	cake_stats_get(b.cake, &s);
	assert_int_equal(b.sent, 1 + 9);
	assert_int_equal(s.catch_ups, 1);
	/* next stood at one frame, 121.12 us; it may lag by 1 ms. */
	assert_int_equal(s.catch_up_ns, 200 * NS_PER_MS - 1 * NS_PER_MS - 121120);
	bench_close(&b);
}

/* 10 ms / 121.12 us = 82.6: 83 start within. */
static void catch_up_is_configurable(void **state)
{
	struct cake_params p = defaults();
	struct bench b;

	(void)state;
	p.bandwidth_bps = 100000000;
	p.catch_up_ns = 10 * NS_PER_MS;
	stall(&b, &p, 500, 200 * NS_PER_MS);
	assert_int_equal(b.sent, 1 + 83);
	bench_close(&b);
}

/* At 1 Mbit/s two frames take 24 ms, longer than 1 ms: starts at -24.2 ms, -12.1 ms and now. */
static void catch_up_allows_two_frames_on_slow_links(void **state)
{
	struct cake_params p = defaults();
	struct bench b;

	(void)state;
	p.bandwidth_bps = 1000000;
	stall(&b, &p, 20, 10 * NS_PER_S);
	assert_int_equal(b.sent, 1 + 3);
	bench_close(&b);
}

/* Linux makes up for all: 200 ms are 2,500,000 bytes, more than is queued. */
static void linux_profile_catches_up_in_full(void **state)
{
	struct cake_params p = defaults();
	struct cake_stats s;
	struct bench b;

	(void)state;
	p.bandwidth_bps = 100000000;
	p.profile = CAKE_PROFILE_LINUX;
	stall(&b, &p, 500, 200 * NS_PER_MS);
	cake_stats_get(b.cake, &s);
	assert_int_equal(b.sent + b.dropped, 500);
	assert_int_equal(s.catch_ups, 0);
	bench_close(&b);
}

/*
 * 900 flows of one host: a round gives each 1.7 bytes, so some 900 rounds pass between two packets
 * of a flow. No call may do all that at once, and every packet still leaves in the end, at the
 * rate.
 */
static void many_flows_of_a_host_do_not_hold_the_caller(void **state)
{
	struct cake_params p = defaults();
	struct bench b;
	unsigned interrupted = 0;

	(void)state;
	p.bandwidth_bps = 1000000000;
	p.flowmode = CAKE_DUAL_SRCHOST;
	bench_open(&b, &p);
	for (unsigned i = 0; i < 2700; i++)
		bench_put(&b, i % 900, 0, 1514);
	while (cake_backlog(b.cake)) {
		uint64_t next;

		if (!bench_get(&b, 1) && cake_next_time(b.cake) == b.now)
			interrupted++;
		next = cake_next_time(b.cake);
		if (cake_backlog(b.cake) && next > b.now)
			b.now = next;
	}
	/* 900 x 900 looks at flows lie between first packets and second ones, 1,024 a call */
	assert_true(interrupted > 500);
	/* 2,700 frames but one take 12.112 us each; CoDel may drop some, never a flow's last */
	assert_in_range(b.now - START, (b.sent - 1) * 12112, b.sent * 12112);
	bench_close(&b);
}

/*
 * A link of 100,000 packets/s behind an unlimited shaper, and buffers for 20 ms at that rate
 * (Linux's 15.5 MB at a million packets/s, a tenth of both). 3 s at 10 times that, then 0.9 times
 * in bursts of 32 back-to-back packets. Returns per mille delivered of what was offered in the
 * first second after the overload.
 */
static uint64_t delivery_after_overload(enum cake_profile profile, unsigned n_flows)
{
	const uint64_t slot = 10 * NS_PER_US;
	struct cake_params p = defaults();
	struct bench b;
	uint64_t offered = 0, delivered;
	uint32_t seq = 0;

	p.profile = profile;
	p.memlimit = 2000 * 768;
	bench_open(&b, &p);
	for (; b.now < START + 3 * NS_PER_S; b.now += slot) {
		for (unsigned i = 0; i < 10; i++, seq++)
			bench_put(&b, seq % n_flows, 0, 100);
		bench_get(&b, 1);
	}
	b.mark = b.next_handle;
	for (uint64_t n = 0; n < NS_PER_S / slot; n++, b.now += slot) {
		if (offered * 10 <= 9 * n) {
			for (unsigned i = 0; i < 32; i++, seq++)
				bench_put(&b, seq / 32 % n_flows, 0, 100);
			offered += 32;
		}
		bench_get(&b, 1);
	}
	/* What is still queued has not been lost: the backlog of the overload came first. */
	for (unsigned n = 0; n < 100000 && cake_backlog(b.cake); n++, b.now += slot)
		bench_get(&b, 1);
	delivered = b.sent_from * 1000 / offered;
	bench_close(&b);
	return delivered;
}

static void blue_lets_go_after_an_overload(void **state)
{
	static const unsigned n_flows[] = {1, 16, 1024};

	(void)state;
	for (size_t i = 0; i < sizeof(n_flows) / sizeof(n_flows[0]); i++) {
		uint64_t permille = delivery_after_overload(CAKE_PROFILE_GATEAU, n_flows[i]);

		print_message("%u flows: %llu per mille delivered\n", n_flows[i],
			      (unsigned long long)permille);
		assert_true(permille >= 950);
	}
}

/* The fault that the gateau profile does without: Linux delivers 13 % with one flow, for good. */
static void linux_profile_keeps_blue_at_one(void **state)
{
	(void)state;
	assert_true(delivery_after_overload(CAKE_PROFILE_LINUX, 1) < 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_is_exact_to_a_ten_thousandth),
		cmocka_unit_test(pauses_of_any_length_leave_the_rate_as_it_is),
		cmocka_unit_test(pauses_of_any_length_leave_the_tins_their_shares),
		cmocka_unit_test(an_ack_that_goes_counts_as_ack_drop_alone),
		cmocka_unit_test(ingress_charges_the_ack_that_goes),
		cmocka_unit_test(segments_of_a_super_packet_thin_nothing),
		cmocka_unit_test(the_ack_filter_looks_at_so_many_packets),
		cmocka_unit_test(autorate_shapes_to_what_arrives_and_keeps_what_is_queued),
		cmocka_unit_test(host_fairness_is_exact_to_one_percent),
		cmocka_unit_test(flow_fairness_counts_flows),
		cmocka_unit_test(idle_time_is_no_credit),
		cmocka_unit_test(catch_up_after_a_stall_is_bounded_and_counted),
		cmocka_unit_test(catch_up_is_configurable),
		cmocka_unit_test(catch_up_allows_two_frames_on_slow_links),
		cmocka_unit_test(linux_profile_catches_up_in_full),
		cmocka_unit_test(many_flows_of_a_host_do_not_hold_the_caller),
		cmocka_unit_test(blue_lets_go_after_an_overload),
		cmocka_unit_test(linux_profile_keeps_blue_at_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

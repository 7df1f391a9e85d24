/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/change, cake/succeed: what an instance does once its parameters are others, and what of it
 * goes on in the next one. That nothing is lost, doubled or reordered meanwhile is
 * test_invariants.c's.
 */
#include <gateau/cake.h>
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

#define ROOM (32 << 20)

/* Tins, hosts, ACKs, ECN, marks: something for every parameter to act on. */
static struct cake_packet draw_packet(struct prng *rng, const struct cake_tcp *tcp, uint32_t n)
{
	uint32_t stream = prng_u32(rng) % 30;
	struct cake_packet p = kit_packet(n, 60 + prng_u32(rng) % 1455, 0x9e3779b9u * (stream + 1));

	p.src_hash = 0x85ebca6bu * (1 + stream % 5);
	p.dst_hash = 0xc2b2ae35u * (1 + stream % 7);
	p.mark = prng_u32(rng) % 16;
	p.dscp = prng_u32(rng) % 64;
	p.ecn_capable = prng_u32(rng) & 1;
	p.tcp = stream % 3 ? NULL : tcp;
	return p;
}

static void digest(uint64_t *sum, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < size; i++)
		*sum = (*sum ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
}

/* Use @c in a way that @seed says; returns a sum over all that came out of it, and when. */
static uint64_t use(struct cake *c, uint32_t seed, uint64_t now)
{
	struct prng rng = prng_xorshift32(seed);
	struct cake_tcp tcp = {.version = 4, .supersedes = true, .pure = true};
	uint64_t sum = 0xcbf29ce484222325u;

	for (uint32_t step = 0; step < 1500; step++) {
		struct cake_verdict out[128];
		struct cake_packet burst[32];
		unsigned n = prng_u32(&rng) % 33, max = prng_u32(&rng) % 33, got;

		tcp.ack = step * 10;
		for (unsigned i = 0; i < n; i++)
			burst[i] = draw_packet(&rng, &tcp, step * 32 + i);
		now += prng_u32(&rng) % (step % 300 < 150 ? 2 : 40) * NS_PER_MS;
		memset(out, 0, sizeof(out));
		assert_int_equal(cake_enqueue(c, burst, n, now), n);
		got = cake_dequeue(c, out, max, now);
		got += cake_take_drops(c, out + got, COUNT(out) - got);
		assert_in_range(got, 0, COUNT(out) - 1);
		digest(&sum, out, sizeof(out));
		now += cake_next_time(c) > now && cake_next_time(c) < now + NS_PER_MS;
	}
	return sum;
}

static void set_rtt(struct cake_params *p)
{
	p->rtt_ns = 20 * NS_PER_MS;
	p->target_ns = 0;
}

static void set_target(struct cake_params *p)
{
	p->target_ns = 30 * NS_PER_MS;
}

static void set_bandwidth(struct cake_params *p)
{
	p->bandwidth_bps = 3000000;
}

static void set_unlimited(struct cake_params *p)
{
	p->bandwidth_bps = 0;
}

static void set_overhead(struct cake_params *p)
{
	p->overhead_set = true;
	p->overhead = 38;
}

static void set_mpu(struct cake_params *p)
{
	p->mpu = 200;
}

static void set_atm(struct cake_params *p)
{
	p->atm = CAKE_ATM;
}

static void set_memlimit(struct cake_params *p)
{
	p->memlimit = 100000;
}

static void set_fwmark(struct cake_params *p)
{
	p->fwmark = 0xf;
}

static void set_ingress(struct cake_params *p)
{
	p->ingress = true;
}

static void set_autorate(struct cake_params *p)
{
	p->autorate_ingress = true;
}

static void set_no_ack_filter(struct cake_params *p)
{
	p->ack_filter = CAKE_ACK_FILTER_OFF;
}

static void set_ack_filter(struct cake_params *p)
{
	p->ack_filter = CAKE_ACK_FILTER_AGGRESSIVE;
}

static void set_catch_up(struct cake_params *p)
{
	p->catch_up_ns = 15 * NS_PER_MS;
}

static void set_max_frame(struct cake_params *p)
{
	p->max_frame = 9014;
}

static const struct {
	const char *name;
	void (*set)(struct cake_params *p);
} settings[] = {
	{"rtt", set_rtt},
	{"target", set_target},
	{"bandwidth", set_bandwidth},
	{"unlimited", set_unlimited},
	{"overhead", set_overhead},
	{"mpu", set_mpu},
	{"atm", set_atm},
	{"memlimit", set_memlimit},
	{"fwmark", set_fwmark},
	{"ingress", set_ingress},
	{"autorate-ingress", set_autorate},
	{"no-ack-filter", set_no_ack_filter},
	{"ack-filter-aggressive", set_ack_filter},
	{"catch_up", set_catch_up},
	{"max_frame", set_max_frame},
};

static struct cake_params start_params(enum cake_profile profile)
{
	struct cake_params p = kit_params(profile, 20000000);

	p.diffserv = CAKE_DIFFSERV4;
	p.flows = 64;
	p.ack_filter = CAKE_ACK_FILTER_ON;
	p.room = ROOM;
	p.target_ns = 0;
	return p;
}

/* The same traffic for an instance of its own. */
static uint64_t use_new(const struct cake_params *p, struct prng *dice, uint64_t now)
{
	struct cake *c = kit_create(p, dice);
	uint64_t sum = use(c, 6, now);

	cake_destroy(c);
	return sum;
}

/*
 * Used, emptied, changed: from then on it decides as one that was created so. And not as one that
 * was not changed, or this would show nothing.
 */
static void a_changed_instance_behaves_like_one_created_so(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * COUNT(settings); i++) {
		struct cake_params p = start_params(i & 1), q = p;
		struct prng dice = prng_xorshift32(1), same;
		struct cake *changed = kit_create(&p, &dice);
		const uint64_t now = T0 + 3600 * NS_PER_S;
		uint64_t like, unlike;
		struct cake_verdict v;

		use(changed, 5, T0);
		cake_purge(changed);
		while (cake_take_drops(changed, &v, 1))
			;
		settings[i / 2].set(&q);
		assert_int_equal(cake_change_kind(changed, &q), CAKE_CHANGE_IN_PLACE);
		assert_int_equal(cake_change(changed, &q, now), 0);
		assert_true(cake_shrink(changed, 0, now));
		assert_int_equal(cake_change_kind(changed, &q), CAKE_CHANGE_NONE);
		changed->current_tin = 0; /* where the round over an unlimited link begins */
		same = dice;
		unlike = use_new(&p, &same, now);
		same = dice;
		like = use_new(&q, &same, now);
		if (use(changed, 6, now) != like)
			fail_msg("%s: not as if created so", settings[i / 2].name);
		if (like == unlike && (q.profile != CAKE_PROFILE_LINUX || !q.catch_up_ns))
			fail_msg("%s: makes no difference", settings[i / 2].name);
		cake_destroy(changed);
	}
}

static void an_error_changes_nothing_and_the_same_touches_nothing(void **state)
{
	struct cake_params p = start_params(CAKE_PROFILE_GATEAU), bad;
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake before;

	(void)state;
	kit_enqueue(c, kit_packet(1, 1000, 1), T0);
	before = *c;
	bad = p;
	bad.bandwidth_bps = 7;
	bad.rtt_ns = 1;
	assert_int_equal(cake_change(c, &bad, T0 + 1), -EINVAL);
	bad = p;
	bad.flowmode = CAKE_FLOWS;
	bad.bandwidth_bps = 1000;
	assert_int_equal(cake_change(c, &bad, T0 + 1), -EOPNOTSUPP);
	bad = p;
	bad.memlimit = ROOM + 1;
	assert_int_equal(cake_change(c, &bad, T0 + 1), -EOPNOTSUPP);
	assert_int_equal(cake_change(c, &p, T0 + 1), 0);
	assert_memory_equal(c, &before, sizeof(before));
	p.memlimit = ROOM;
	assert_int_equal(cake_change(c, &p, T0 + 1), 0);
	assert_int_equal(c->changes, 1);
	cake_destroy(c);
	p.ack_filter = CAKE_ACK_FILTER_OFF;
	c = kit_create(&p, &dice);
	p.ack_filter = CAKE_ACK_FILTER_ON;
	assert_int_equal(cake_change_kind(c, &p), CAKE_CHANGE_REQUEUE);
	cake_destroy(c);
}

/* 1,000 bytes at 8 kbit/s are a second; after 0.1 s 0.9 s are left, at 80 kbit/s 0.09 s. */
static void at_a_higher_rate_a_debt_is_shorter_but_in_linux(void **state)
{
	(void)state;
	for (int profile = CAKE_PROFILE_GATEAU; profile <= CAKE_PROFILE_LINUX; profile++) {
		struct cake_params p = kit_params(profile, 8000);
		struct prng dice = prng_xorshift32(1);
		struct cake *c = kit_create(&p, &dice);
		uint64_t wait = profile == CAKE_PROFILE_LINUX ? 900 : 90;
		struct cake_verdict v;

		for (unsigned i = 0; i < 3; i++)
			kit_enqueue(c, kit_packet(i, 1000, 1), T0);
		assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
		assert_int_equal(kit_set_bandwidth(c, 80000, T0 + 100 * NS_PER_MS), 0);
		assert_int_equal(cake_dequeue(c, &v, 1, T0 + 100 * NS_PER_MS), 0);
		assert_int_equal(cake_next_time(c), T0 + (100 + wait) * NS_PER_MS);
		assert_int_equal(cake_dequeue(c, &v, 1, T0 + (100 + wait) * NS_PER_MS), 1);
		assert_int_equal(cake_dequeue(c, &v, 1, T0 + (100 + wait) * NS_PER_MS), 0);
		assert_int_equal(cake_next_time(c), T0 + (200 + wait) * NS_PER_MS);
		cake_destroy(c);
	}
}

/* 1 gbit/s, 3 MB queued: the packet that is on its way takes 12 us, the next one 12 ms. */
static void at_a_lower_rate_the_next_packet_leaves_at_that_rate(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake_verdict v[2];
	uint64_t now = T0 + 1000;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		kit_enqueue(c, kit_packet(i, 1500, 1 + i % 10), T0);
		assert_int_equal(cake_take_drops(c, v, 1), 0);
	}
	assert_int_equal(cake_dequeue(c, v, 1, T0), 1);
	assert_int_equal(kit_set_bandwidth(c, 1000000, now), 0);
	while (!cake_shrink(c, 1, now))
		cake_take_drops(c, v, 2);
	assert_int_equal(cake_dequeue(c, v, 2, now), 0);
	assert_int_equal(cake_next_time(c), T0 + 12 * NS_PER_US);
	for (unsigned i = 0; i < 100; i++) {
		now = T0 + 12 * NS_PER_US + i * 12 * NS_PER_MS;
		assert_int_equal(cake_dequeue(c, v, 2, now), 1);
		assert_int_equal(cake_next_time(c), now + 12 * NS_PER_MS);
		cake_take_drops(c, v, 2);
	}
	cake_destroy(c);
}

static void what_is_queued_keeps_its_length_on_the_link(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake_verdict v;
	struct cake_stats s;

	(void)state;
	kit_enqueue(c, kit_packet(1, 1000, 1), T0);
	p.overhead_set = true;
	p.overhead = 44;
	assert_int_equal(cake_change(c, &p, T0), 0);
	kit_enqueue(c, kit_packet(2, 1000, 1), T0);
	cake_stats_get(c, &s);
	assert_int_equal(s.min_adj_size, 1000 - 14 + 44); /* seen on this link */
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	assert_int_equal(v.adj_len, 1000);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_S), 1);
	assert_int_equal(v.adj_len, 1000 - 14 + 44);
	cake_destroy(c);
}

static void a_part_of_the_rate_stays_the_same_part(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 8000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c;

	(void)state;
	p.room = ROOM;
	c = kit_create(&p, &dice);
	assert_true(cake_set_share(c, 250000)); /* of 1,000,000 bytes/s */
	assert_int_equal(kit_set_bandwidth(c, 16000000, T0), 0);
	assert_int_equal(c->share, 500000);
	assert_int_equal(c->shaper.rate.bytes_per_s, 500000);
	assert_int_equal(kit_set_bandwidth(c, 8, T0), 0);
	assert_int_equal(c->share, 1); /* at least, as 0 is all */
	assert_int_equal(kit_set_bandwidth(c, 0, T0), 0);
	assert_int_equal(c->share, 0);
	cake_destroy(c);
}

static void slots_begin_and_end_with_nothing_left(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 8000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake_verdict v;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		kit_enqueue(c, kit_packet(i, 1000, 1), T0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0), 1);
	p.slots = true;
	assert_int_equal(cake_change(c, &p, T0), 0);
	assert_int_equal(cake_slot_left(c), 0);
	assert_true(cake_wants_slot(c));
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_S), 0);
	cake_give_slot(c, T0 + NS_PER_S, T0 + NS_PER_S + NS_PER_MS);
	assert_int_equal(cake_dequeue(c, &v, 2, T0 + NS_PER_S), 1);
	p.slots = false;
	assert_int_equal(cake_change(c, &p, T0 + NS_PER_S), 0);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_S), 0);
	assert_int_equal(cake_next_time(c), T0 + NS_PER_S + NS_PER_MS);
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + NS_PER_S + NS_PER_MS), 1);
	cake_destroy(c);
}

/* Packets are charged 768 bytes. */
static void a_lower_limit_comes_into_force_as_it_is_asked_for(void **state)
{
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 1000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake_verdict v;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		kit_enqueue(c, kit_packet(i, 60, 1), T0);
	assert_int_equal(kit_set_memlimit(c, 10 * 768, T0), 0);
	assert_int_equal(cake_backlog(c), 20);
	assert_int_equal(cake_take_drops(c, &v, 1), 0);
	assert_false(cake_shrink(c, 4, T0));
	assert_int_equal(cake_backlog(c), 16);
	/* What arrives meanwhile takes the place of another. */
	kit_enqueue(c, kit_packet(20, 60, 1), T0);
	assert_int_equal(cake_backlog(c), 16);
	assert_true(cake_shrink(c, 100, T0));
	assert_int_equal(cake_backlog(c), 10);
	for (uint32_t i = 0; i < 11; i++) {
		assert_int_equal(cake_take_drops(c, &v, 1), 1);
		assert_int_equal(v.handle, i);
		assert_int_equal(v.decision, CAKE_DROP_OVERFLOW);
	}
	cake_destroy(c);
}

/* All of @from that is queued. */
static void move_all(struct cake *to, struct cake *from, uint64_t now)
{
	while (cake_backlog(from)) {
		struct cake_packet p;
		struct cake_verdict v;

		if (!cake_take(from, &v, 1))
			continue;
		p = kit_packet(v.handle, v.len, 1 + v.handle % 4);
		p.dscp = v.handle % 2 ? 46 : 0;
		assert_int_equal(cake_requeue(to, &p, &v.enqueued_ns, 1, now), 1);
	}
	cake_absorb(to, from);
}

/* Best Effort and Voice of diffserv3 and of diffserv4; besteffort has neither. */
static void counters_of_a_tin_go_on_under_its_name(void **state)
{
	static const enum cake_diffserv modes[] = {CAKE_DIFFSERV4, CAKE_BESTEFFORT};
	struct cake_params p = kit_params(CAKE_PROFILE_GATEAU, 8000000);
	struct prng dice = prng_xorshift32(1);
	struct cake *c = kit_create(&p, &dice);
	struct cake_verdict v;
	struct cake_stats s;

	(void)state;
	for (uint32_t i = 0; i < 20; i++) {
		struct cake_packet packet = kit_packet(i, 1000, 1 + i % 4);

		packet.dscp = i % 2 ? 46 : 0;
		kit_enqueue(c, packet, T0);
	}
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(cake_dequeue(c, &v, 1, T0 + i * NS_PER_MS), 1);
	for (unsigned i = 0; i < 2; i++) {
		struct cake *next;

		p.diffserv = modes[i];
		next = kit_create(&p, &dice);
		cake_succeed(next, c, T0 + 8 * NS_PER_MS);
		cake_stats_with(next, c, &s);
		assert_int_equal(s.enqueued_packets, 20);
		assert_int_equal(s.qlen, 12);
		move_all(next, c, T0 + 8 * NS_PER_MS);
		cake_destroy(c);
		c = next;
		cake_stats_get(c, &s);
		assert_int_equal(s.enqueued_packets, 20);
		assert_int_equal(s.packets, 8);
		assert_int_equal(s.qlen, 12);
		assert_int_equal(s.changes, 1 + i);
		if (modes[i] == CAKE_DIFFSERV4) /* and those 12 came into it again */
			assert_int_equal(s.tins[0].sent_packets + s.tins[3].sent_packets, 32);
		else
			assert_int_equal(s.tins[0].sent_packets, 12);
	}
	assert_int_equal(cake_dequeue(c, &v, 1, T0 + 8 * NS_PER_MS), 1);
	assert_int_equal(v.enqueued_ns, T0);
	cake_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_instance_behaves_like_one_created_so),
		cmocka_unit_test(an_error_changes_nothing_and_the_same_touches_nothing),
		cmocka_unit_test(at_a_higher_rate_a_debt_is_shorter_but_in_linux),
		cmocka_unit_test(at_a_lower_rate_the_next_packet_leaves_at_that_rate),
		cmocka_unit_test(what_is_queued_keeps_its_length_on_the_link),
		cmocka_unit_test(a_part_of_the_rate_stays_the_same_part),
		cmocka_unit_test(slots_begin_and_end_with_nothing_left),
		cmocka_unit_test(a_lower_limit_comes_into_force_as_it_is_asked_for),
		cmocka_unit_test(counters_of_a_tin_go_on_under_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

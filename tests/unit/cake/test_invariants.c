/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold of an instance after any sequence of calls, in every mode and both profiles.
 *
 * Random bursts, super-packets, dequeues, purges and jumps in time go through the public interface;
 * a ledger of handles checks what comes out, and the running state is audited from its packets up.
 * Behaviour proper is tested part by part; this file knows only what may never be violated.
 */
#include <gateau/cake.h>
#include <gateau/cake_stats.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "cake/state.h"
#include "kit.h"

enum {
	HANDLES = 16384,
	STREAMS = 40, /* 5-tuples offered */
	BURST = 64,
};

/* What the outside knows: which handles are in, and each stream's order. */
struct ledger {
	struct prng rng; /* the test's own dice */
	struct prng dice;
	struct cake *c;
	uint64_t now;

	uint32_t next_handle;
	uint8_t in[HANDLES];
	uint32_t len[HANDLES];
	uint8_t stream[HANDLES];
	uint8_t tin[HANDLES];

	/* Handles grow, so a stream's order within a tin is that of its handles. */
	int64_t last_sent[CAKE_MAX_TINS][STREAMS];
	int64_t last_dropped[CAKE_MAX_TINS][STREAMS];

	uint64_t entered, sent, taken_drops, sent_bytes;
	uint64_t since_emptied; /* packets in since the drop list was last emptied */
};

static uint32_t roll(struct ledger *l, uint32_t n)
{
	return prng_u32(&l->rng) % n;
}

/* Auditing the state from its packets up */

struct sums {
	uint64_t bytes, memory;
	uint32_t packets;
};

static void audit_flow(const struct cake *c, unsigned tin, uint16_t slot, struct sums *tin_sums)
{
	const struct flow *f = &c->tins[tin].table.flows[slot];
	uint64_t bytes = 0;
	uint32_t last = SLAB_NONE;

	for (uint32_t i = f->queue.head; i != SLAB_NONE; i = c->slab.descs[i].next) {
		const struct desc *d = &c->slab.descs[i];

		assert_int_equal(d->tin, tin);
		assert_int_equal(d->flow, slot);
		bytes += d->len;
		tin_sums->memory += d->charge;
		tin_sums->packets++;
		last = i;
	}
	assert_int_equal(f->backlog, bytes);
	if (last != SLAB_NONE)
		assert_int_equal(f->queue.tail, last);
	tin_sums->bytes += bytes;
	if (f->set != CAKE_SET_SPARSE && f->set != CAKE_SET_BULK)
		assert_int_equal(bytes, 0);
}

/* Slots of a list, all in a state that belongs there. Returns how many. */
static uint32_t audit_list(const struct tin *t, enum flow_list list, unsigned allowed_sets)
{
	uint16_t head = flow_list_head(&t->table, list);
	uint32_t n = 0;

	for (uint16_t at = t->table.flows[head].next; at != head; at = t->table.flows[at].next) {
		assert_true(at < t->table.n);
		assert_true(allowed_sets >> t->table.flows[at].set & 1);
		assert_int_equal(t->table.flows[t->table.flows[at].next].prev, at);
		n++;
	}
	return n;
}

static void audit_hosts(const struct tin *t)
{
	uint32_t src[64] = {0}, dst[64] = {0};

	assert_true(t->table.n <= COUNT(src));
	for (uint32_t slot = 0; slot < t->table.n; slot++) {
		const struct flow *f = &t->table.flows[slot];

		if (f->set == CAKE_SET_BULK) {
			src[f->src_host]++;
			dst[f->dst_host]++;
		}
	}
	for (uint32_t i = 0; i < t->table.n; i++) {
		if (t->src_hosts)
			assert_int_equal(t->src_hosts[i].bulk_flows, src[i]);
		if (t->dst_hosts)
			assert_int_equal(t->dst_hosts[i].bulk_flows, dst[i]);
	}
}

static void audit_tin(const struct cake *c, unsigned tin, struct sums *all)
{
	const struct tin *t = &c->tins[tin];
	uint32_t by_set[CAKE_SET_DECAYING + 1] = {0};
	uint32_t unresponsive = 0;
	struct sums sums = {0};

	for (uint32_t slot = 0; slot < t->table.n; slot++) {
		audit_flow(c, tin, slot, &sums);
		by_set[t->table.flows[slot].set]++;
		unresponsive += t->table.flows[slot].cobalt.p_drop != 0;
	}
	assert_int_equal(t->backlog, sums.bytes);
	assert_int_equal(t->qlen, sums.packets);
	assert_int_equal(t->unresponsive, unresponsive);
	assert_int_equal(t->sparse, by_set[CAKE_SET_SPARSE] + by_set[CAKE_SET_SPARSE_WAIT]);
	assert_int_equal(t->bulk, by_set[CAKE_SET_BULK]);
	assert_int_equal(t->decaying, by_set[CAKE_SET_DECAYING]);
	assert_int_equal(audit_list(t, FLOWS_NEW, 1 << CAKE_SET_SPARSE), by_set[CAKE_SET_SPARSE]);
	assert_int_equal(audit_list(t, FLOWS_OLD, 1 << CAKE_SET_SPARSE_WAIT | 1 << CAKE_SET_BULK),
			 by_set[CAKE_SET_SPARSE_WAIT] + by_set[CAKE_SET_BULK]);
	assert_int_equal(audit_list(t, FLOWS_DECAYING, 1 << CAKE_SET_DECAYING),
			 by_set[CAKE_SET_DECAYING]);
	audit_hosts(t);
	all->bytes += sums.bytes;
	all->memory += sums.memory;
	all->packets += sums.packets;
}

static uint64_t heap_backlog(const struct cake *c, uint32_t i)
{
	struct overflow_entry e = c->overflow.heap[i];

	return c->tins[e.tin].table.flows[e.slot].backlog;
}

static void audit_heap(const struct cake *c)
{
	const struct overflow *o = &c->overflow;

	if (!o->countdown)
		return;
	for (uint32_t i = 1; i < o->n; i++)
		assert_true(heap_backlog(c, (i - 1) / 2) >= heap_backlog(c, i));
	for (uint32_t i = 0; i < o->n; i++)
		assert_int_equal(o->position[o->heap[i].slot + o->heap[i].tin * o->flows], i);
}

static void audit(const struct ledger *l)
{
	const struct cake *c = l->c;
	struct sums sums = {0};
	uint32_t dropped = 0;

	for (unsigned tin = 0; tin < c->n_tins; tin++)
		audit_tin(c, tin, &sums);
	assert_int_equal(c->backlog, sums.bytes);
	assert_int_equal(c->memory, sums.memory);
	assert_int_equal(c->qlen, sums.packets);
	assert_true(c->memory <= c->memory_limit);
	for (uint32_t i = c->dropped.head; i != SLAB_NONE; i = c->slab.descs[i].next)
		dropped++;
	assert_int_equal(c->slab.n_free + c->qlen + dropped, c->slab.n);
	assert_int_equal(l->entered, l->sent + l->taken_drops + dropped + c->qlen);
	audit_heap(c);
}

static void check_statistics(const struct ledger *l)
{
	uint64_t drops = 0, in = 0, backlog = 0, queued = 0;
	struct cake_stats s;

	cake_stats_get(l->c, &s);
	for (unsigned i = 0; i < s.tin_cnt; i++) {
		drops += s.tins[i].drops;
		in += s.tins[i].sent_packets;
		backlog += s.tins[i].backlog_bytes;
		queued += s.tins[i].backlog_packets;
	}
	assert_int_equal(s.enqueued_packets, l->entered);
	assert_int_equal(in, l->entered);
	assert_int_equal(s.packets, l->sent);
	assert_int_equal(s.bytes, l->sent_bytes);
	assert_int_equal(s.packets, s.decisions[CAKE_SEND] + s.decisions[CAKE_SEND_CE]);
	assert_int_equal(drops, s.drops);
	assert_int_equal(s.enqueued_packets, s.packets + s.drops + s.qlen);
	assert_int_equal(backlog, s.backlog);
	assert_int_equal(queued, s.qlen);
	assert_int_equal(s.qlen, cake_backlog(l->c));
	if (s.qlen == 0)
		assert_int_equal(s.backlog, 0);
}

static bool collided(const struct cake *c)
{
	for (unsigned i = 0; i < c->n_tins; i++)
		if (c->tins[i].way_collisions)
			return true;
	return false;
}

/* A handle comes out: the first time, with what went in, behind the stream's earlier ones. */
static void note_out(struct ledger *l, const struct cake_verdict *v, bool sent)
{
	int64_t *last;

	assert_true(v->handle < l->next_handle);
	assert_true(l->in[v->handle]);
	l->in[v->handle] = 0;
	assert_int_equal(v->len, l->len[v->handle]);
	assert_int_equal(v->tin, l->tin[v->handle]);
	assert_true(v->enqueued_ns <= l->now);
	if (sent)
		assert_true(v->decision == CAKE_SEND || v->decision == CAKE_SEND_CE);
	else
		assert_true(v->decision > CAKE_SEND_CE && v->decision < CAKE_DECISIONS);
	if (collided(l->c))
		return;
	last = sent ? &l->last_sent[v->tin][l->stream[v->handle]]
		    : &l->last_dropped[v->tin][l->stream[v->handle]];
	assert_true(*last < v->handle);
	*last = v->handle;
}

/* The operations */

static struct cake_packet random_packet(struct ledger *l, unsigned stream)
{
	static const uint32_t lengths[] = {60, 60, 64, 65, 590, 1500, 1514, 1514, 9014, 65535};
	struct cake_packet p =
		kit_packet(0, lengths[roll(l, COUNT(lengths))], 0x9e3779b9u * (stream + 1));

	p.src_hash = 0x85ebca6bu * (1 + stream % 5);
	p.dst_hash = 0xc2b2ae35u * (1 + stream % 7);
	p.mark = roll(l, 16);
	p.priority_tin = roll(l, 16);
	p.ecn_capable = roll(l, 2);
	p.dscp = roll(l, 4) ? stream : roll(l, 64);
	if (p.len > 1514 && roll(l, 2)) { /* a super-packet that is sent as it is */
		p.gso_size = 1448;
		p.gso_header = 66;
		p.gso_segs = (p.len - 66 + 1447) / 1448;
	}
	return p;
}

static unsigned random_burst(struct ledger *l, struct cake_packet *pkts)
{
	unsigned n = 0, want = 1 + roll(l, 32);

	while (n < want) {
		unsigned stream = roll(l, STREAMS);
		unsigned segs = roll(l, 8) ? 1 : 1 + roll(l, BURST - n);
		struct cake_packet p = random_packet(l, stream);

		for (unsigned i = 0; i < segs && n < BURST; i++) {
			p.handle = l->next_handle + n;
			p.more = i + 1 < segs;
			l->stream[p.handle] = stream;
			l->len[p.handle] = p.len;
			pkts[n++] = p;
		}
	}
	return n;
}

static void enqueue(struct ledger *l)
{
	struct cake_packet pkts[BURST];
	unsigned n, taken, arrival = 0;

	if (l->next_handle + BURST > HANDLES)
		return;
	n = random_burst(l, pkts);
	taken = cake_enqueue(l->c, pkts, n, l->now);
	assert_true(taken <= n);
	for (unsigned i = 0; i < taken; i++) {
		l->in[pkts[i].handle] = 1;
		l->tin[pkts[i].handle] = pkts[i].tin;
		assert_true(pkts[i].tin < l->c->n_tins);
		assert_true(pkts[i].flow < l->c->params.flows);
	}
	l->entered += taken;
	l->since_emptied += taken;
	if (taken < n) { /* only for want of room in the drop list, at the border of an arrival */
		assert_true(taken == 0 || !pkts[taken - 1].more);
		while (pkts[taken + arrival++].more)
			;
		assert_true(l->since_emptied + arrival > CAKE_BURST_MAX);
	}
	l->next_handle += taken;
}

static unsigned dequeue(struct ledger *l, unsigned max)
{
	struct cake_verdict v[BURST];
	unsigned n = cake_dequeue(l->c, v, max, l->now);

	assert_true(n <= max);
	for (unsigned i = 0; i < n; i++) {
		note_out(l, &v[i], true);
		l->sent_bytes += v[i].len;
	}
	l->sent += n;
	if (n < max && cake_backlog(l->c)) {          /* held back, and it says until when */
		if (cake_next_time(l->c) == l->now) { /* or has done its share for this call */
			assert_int_equal(l->c->params.profile, CAKE_PROFILE_GATEAU);
			return n;
		}
		assert_int_not_equal(l->c->params.bandwidth_bps, 0);
		assert_true(cake_next_time(l->c) > l->now);
		assert_true(cake_next_time(l->c) != CAKE_NEVER);
	}
	return n;
}

static void take_drops(struct ledger *l, unsigned max)
{
	struct cake_verdict v[BURST];
	unsigned n = cake_take_drops(l->c, v, max);

	assert_true(n <= max);
	for (unsigned i = 0; i < n; i++)
		note_out(l, &v[i], false);
	l->taken_drops += n;
	if (n < max)
		l->since_emptied = 0;
}

static void pass_time(struct ledger *l)
{
	static const uint64_t steps[] = {
		0,
		1,
		1000,
		NS_PER_MS,
		5 * NS_PER_MS,
		20 * NS_PER_MS,
		NS_PER_MS,
		NS_PER_MS,
		100 * NS_PER_MS,
		1ull << 32,
		3 * 3600 * NS_PER_S,
	};
	uint64_t next = cake_next_time(l->c);

	if (roll(l, 4) == 0 && next != CAKE_NEVER && next > l->now)
		l->now = next;
	else
		l->now += steps[roll(l, COUNT(steps))];
}

static void step(struct ledger *l)
{
	switch (roll(l, 16)) {
	case 0 ... 5:
		enqueue(l);
		break;
	case 6 ... 10:
		dequeue(l, 1 + roll(l, BURST));
		break;
	case 11 ... 12:
		take_drops(l, 1 + roll(l, BURST));
		break;
	case 13 ... 14:
		pass_time(l);
		break;
	default:
		if (roll(l, 20) == 0) {
			uint32_t queued = cake_backlog(l->c);

			assert_int_equal(cake_purge(l->c), queued);
			assert_int_equal(cake_backlog(l->c), 0);
		}
	}
}

/* Serve until nothing is left; every handle must have come out. */
static void drain(struct ledger *l)
{
	struct cake_stats s;
	unsigned idle_calls = 0;

	while (cake_backlog(l->c)) {
		uint64_t next;

		if (dequeue(l, BURST)) {
			idle_calls = 0;
			continue;
		}
		next = cake_next_time(l->c);
		idle_calls = next > l->now ? 0 : idle_calls + 1;
		assert_true(idle_calls < 100000); /* else this would never end */
		l->now = next;
	}
	do
		take_drops(l, BURST);
	while (l->since_emptied);
	audit(l);
	check_statistics(l);
	for (uint32_t handle = 0; handle < l->next_handle; handle++)
		assert_false(l->in[handle]);
	cake_stats_get(l->c, &s);
	assert_int_equal(s.backlog, 0);
	for (unsigned i = 0; i < s.tin_cnt; i++) {
		assert_int_equal(s.tins[i].backlog_bytes, 0);
		assert_int_equal(s.tins[i].backlog_packets, 0);
	}
	assert_int_equal(l->c->memory, 0);
}

static void run(const struct cake_params *p, uint32_t seed, unsigned steps)
{
	static struct ledger l;

	memset(&l, 0, sizeof(l));
	memset(l.last_sent, 0xff, sizeof(l.last_sent)); /* -1 */
	memset(l.last_dropped, 0xff, sizeof(l.last_dropped));
	l.rng = prng_xorshift32(seed);
	l.dice = prng_xorshift32(~seed);
	l.now = T0;
	l.c = kit_create(p, &l.dice);
	l.since_emptied = 0;
	for (unsigned i = 0; i < steps; i++) {
		step(&l);
		audit(&l);
		check_statistics(&l);
	}
	l.since_emptied = 1; /* the list may hold drops */
	drain(&l);
	cake_destroy(l.c);
}

/* Every mode at every kind of rate; what else there is is drawn. */
static void run_all_modes(enum cake_profile profile)
{
	static const uint64_t rates[] = {0, 512, 1000000, 100000000, 10000000000};
	static const uint64_t memlimits[] = {0, 1, 2000, 20000, 200000, 4000000};
	static const uint32_t flows[] = {8, 16, 64};
	struct prng rng = prng_xorshift32(6 + profile);

	for (int diffserv = CAKE_BESTEFFORT; diffserv <= CAKE_DIFFSERV8; diffserv++) {
		for (int mode = CAKE_FLOWBLIND; mode <= CAKE_TRIPLE_ISOLATE; mode++) {
			for (unsigned rate = 0; rate < COUNT(rates); rate++) {
				struct cake_params p;

				cake_params_default(&p);
				p.profile = profile;
				p.diffserv = diffserv;
				p.flowmode = mode;
				p.bandwidth_bps = rates[rate];
				p.memlimit = memlimits[prng_u32(&rng) % COUNT(memlimits)];
				p.flows = flows[prng_u32(&rng) % COUNT(flows)];
				p.ingress = prng_u32(&rng) & 1;
				p.atm = prng_u32(&rng) % 3;
				p.overhead_set = prng_u32(&rng) & 1;
				p.overhead = (int32_t)(prng_u32(&rng) % 321) - 64;
				p.mpu = prng_u32(&rng) % 257;
				p.fwmark = prng_u32(&rng) & 1 ? 0xc : 0;
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

/* 65,535 segments, the most a super-packet has, as one arrival; the limit has room for ten of them.
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

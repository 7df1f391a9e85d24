/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations drawn from a source, and the ledger and the link model that check them; exercise.h. */
#include "exercise.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gateau/cake_stats.h>

#include "audit.h"
#include "exercise_state.h"

uint32_t exercise_roll(struct exercise *x, uint32_t n)
{
	return x->choices.below(x->choices.source, n);
}

/*
 * Never later than the shaper's own time: below 64 bytes/s it counts as with 64, its ns per byte
 * have 33 bits or more, and as in Linux each packet's time may be cut to whole ns.
 */
static uint64_t link_free_at(const struct link *l)
{
	uint64_t rate = l->bytes_per_s > 64 ? l->bytes_per_s : 64;
	uint64_t busy = (unsigned __int128)l->bytes * NS_PER_S / rate;
	uint64_t slack = l->packets + (busy >> 32) + 1;

	return l->since + (busy > slack ? busy - slack : 0);
}

/* What was not used until @time is no credit. */
static void link_forfeit(struct link *l, uint64_t time)
{
	if (link_free_at(l) < time)
		*l = (struct link){
			.bytes_per_s = l->bytes_per_s, .since = time, .unchecked = l->unchecked};
}

/* What was sent takes as long as it did at the rate before, or would have taken at the new one if
 * somebody changed it. */
static void link_change(struct link *l, uint64_t bytes_per_s, uint64_t now, bool changed)
{
	uint64_t free_at = link_free_at(l);

	if (bytes_per_s == l->bytes_per_s)
		return;
	if (changed && free_at > now && l->bytes_per_s && bytes_per_s > l->bytes_per_s)
		free_at = now + (unsigned __int128)(free_at - now) * l->bytes_per_s / bytes_per_s;
	if (changed && free_at > now && !bytes_per_s)
		free_at = now;
	*l = (struct link){.bytes_per_s = bytes_per_s, .since = free_at, .unchecked = l->unchecked};
}

static void link_carry(struct link *l, uint32_t bytes, uint64_t now)
{
	if (!l->bytes_per_s || l->unchecked)
		return;
	assert_true(link_free_at(l) <= now);
	l->bytes += bytes;
	l->packets++;
}

/* The running state, and what went in against what came out. */
static void audit(const struct exercise *x)
{
	uint32_t dropped = audit_state(x->c), queued = cake_backlog(x->c);

	if (x->before) {
		dropped += audit_state(x->before);
		queued += cake_backlog(x->before);
	}
	assert_int_equal(x->entered, x->sent + x->taken_drops + dropped + queued);
}

static void get_statistics(const struct exercise *x, struct cake_stats *s)
{
	if (x->before)
		cake_stats_with(x->c, x->before, s);
	else
		cake_stats_get(x->c, s);
}

/* No counter goes back, whatever is changed; a tin's by its name. */
static void check_growth(struct exercise *x, const struct cake_stats *s)
{
	const struct cake_stats *last = &x->last;

	assert_true(s->enqueued_packets >= last->enqueued_packets);
	assert_true(s->enqueued_bytes >= last->enqueued_bytes);
	assert_true(s->bytes >= last->bytes && s->packets >= last->packets);
	assert_true(s->overlimits >= last->overlimits && s->changes >= last->changes);
	assert_true(s->memory_used >= last->memory_used);
	for (unsigned d = 0; d < CAKE_DECISIONS; d++)
		assert_true(s->decisions[d] >= last->decisions[d]);
	for (unsigned i = 0; i < s->tin_cnt; i++) {
		const char *name = cake_tin_name(x->c->params.diffserv, i);

		for (unsigned k = 0; k < last->tin_cnt; k++) {
			const struct cake_tin_stats *t = &s->tins[i], *was = &last->tins[k];

			if (strcmp(name, cake_tin_name(x->last_mode, k)))
				continue;
			assert_true(t->sent_packets >= was->sent_packets);
			assert_true(t->sent_bytes >= was->sent_bytes);
			assert_true(t->drops >= was->drops && t->ecn_mark >= was->ecn_mark);
			assert_true(t->ack_drops >= was->ack_drops);
			assert_true(t->way_misses >= was->way_misses);
		}
	}
	x->last = *s;
	x->last_mode = x->c->params.diffserv;
}

static void check_statistics(struct exercise *x)
{
	const struct before *gone = &x->c->before;
	uint64_t drops = 0, in = 0, backlog = 0, queued = 0;
	struct cake_stats s;

	get_statistics(x, &s);
	for (unsigned i = 0; i < s.tin_cnt; i++) {
		drops += s.tins[i].drops + s.tins[i].ack_drops;
		in += s.tins[i].sent_packets;
		backlog += s.tins[i].backlog_bytes;
		queued += s.tins[i].backlog_packets;
	}
	if (!x->before) { /* whose tins may be others */
		assert_int_equal(in + gone->packets - gone->requeued_packets, x->entered);
		assert_int_equal(backlog, s.backlog);
		assert_int_equal(queued, s.qlen);
	}
	if (!x->before && !gone->packets)
		assert_int_equal(drops, s.drops);
	assert_int_equal(s.enqueued_packets, x->entered);
	assert_int_equal(s.packets, x->sent);
	assert_int_equal(s.bytes, x->sent_bytes);
	assert_int_equal(s.packets, s.decisions[CAKE_SEND] + s.decisions[CAKE_SEND_CE]);
	assert_int_equal(s.enqueued_packets, s.packets + s.drops + s.qlen);
	assert_int_equal(s.qlen, cake_backlog(x->c) + (x->before ? cake_backlog(x->before) : 0));
	if (s.qlen == 0)
		assert_int_equal(s.backlog, 0);
	check_growth(x, &s);
}

bool exercise_collided(const struct cake *c)
{
	for (unsigned i = 0; i < c->n_tins; i++)
		if (c->tins[i].way_collisions)
			return true;
	return false;
}

static void check_order(uint32_t *next, uint32_t arrival)
{
	assert_true(arrival >= *next);
	*next = arrival + 1;
}

/* NULL: there are too many. */
static struct path *find_path(struct exercise *x, const struct handed *h)
{
	uint32_t at = h->path * 0x9e3779b9u + h->stream * 0x85ebca6bu;

	for (unsigned i = 0; i < 16; i++) {
		struct path *p = &x->paths[(at + i) % PATHS];

		if (p->path == h->path && p->stream == h->stream)
			return p;
		if (!p->path) {
			p->path = h->path;
			p->stream = h->stream;
			return p;
		}
	}
	return NULL;
}

/*
 * A handle comes out: the first time, with what went in, behind the earlier ones of its slot unless
 * it was moved; and where no slot was ever shared, behind the earlier ones of its stream.
 */
static void note_out(struct exercise *x, const struct cake_verdict *v, bool sent)
{
	struct handed *h;
	struct path *path;

	assert_true(v->handle < x->next_handle);
	h = &x->handed[v->handle];
	assert_true(h->in);
	h->in = false;
	assert_int_equal(v->len, h->packet.len);
	assert_int_equal(v->tin, h->packet.tin);
	assert_int_equal(v->flow, h->packet.flow);
	assert_int_equal(v->enqueued_ns, h->came);
	if (sent)
		assert_true(v->decision == CAKE_SEND || v->decision == CAKE_SEND_CE);
	else
		assert_true(v->decision > CAKE_SEND_CE && v->decision < CAKE_DECISIONS);
	if (v->decision == CAKE_DROP_ACK) /* from anywhere in its queue */
		return;
	if (!x->before && !h->moved)
		check_order(&x->next_of_slot[sent][v->tin][v->flow], h->arrival);
	path = find_path(x, h);
	if (path && !x->collided && !exercise_collided(x->c) &&
	    !(x->before && exercise_collided(x->before)))
		check_order(&path->next[sent], h->arrival);
}

/* The operations */

/* What the ACK filter is told; good until the packet has been put in. */
const struct cake_tcp *exercise_ack(struct exercise *x, unsigned stream)
{
	struct cake_tcp *tcp = &x->acks[x->next_ack++ % BURST];

	*tcp = (struct cake_tcp){
		.sport = stream,
		.version = 4,
		.ack = 0u - 8 + exercise_roll(x, 16),
		.ecn_flags = exercise_roll(x, 8) ? 0 : 0x40,
		.supersedes = true,
		.pure = exercise_roll(x, 4),
		.sacks = exercise_roll(x, 4) ? 0 : 1 + exercise_roll(x, CAKE_SACK_MAX),
	};
	for (unsigned i = 0; i < tcp->sacks; i++) {
		tcp->sack[i].start = tcp->ack + exercise_roll(x, 16) - 1;
		tcp->sack[i].end = tcp->sack[i].start + exercise_roll(x, 16);
	}
	return tcp;
}

static struct cake_packet random_packet(struct exercise *x, unsigned stream)
{
	static const uint32_t lengths[] = {60, 60, 64, 65, 590, 1500, 1514, 1514, 9014, 65535};
	uint32_t any = exercise_roll(x, COUNT(lengths) + 1);
	uint32_t len = any < COUNT(lengths) ? lengths[any] : 1 + exercise_roll(x, 65535);
	struct cake_packet p = kit_packet(0, len, 0x9e3779b9u * (stream + 1));

	p.src_hash = 0x85ebca6bu * (1 + stream % 5);
	p.dst_hash = 0xc2b2ae35u * (1 + stream % 7);
	p.mark = exercise_roll(x, 16);
	p.priority_tin = exercise_roll(x, 16);
	p.ecn_capable = exercise_roll(x, 2);
	p.dscp = exercise_roll(x, 4) ? stream : exercise_roll(x, 64);
	if (p.len <= 65 && exercise_roll(x, 2))
		p.tcp = exercise_ack(x, stream);
	if (p.len > 1514 && exercise_roll(x, 2)) { /* a super-packet that is sent as it is */
		p.gso_size = 1448;
		p.gso_header = 66;
		p.gso_segs = (p.len - 66 + 1447) / 1448;
	}
	return p;
}

static unsigned random_burst(struct exercise *x, struct cake_packet *pkts)
{
	unsigned n = 0, want = 1 + exercise_roll(x, 32);

	while (n < want) {
		unsigned stream = exercise_roll(x, STREAMS);
		unsigned segs = exercise_roll(x, 8) ? 1 : 1 + exercise_roll(x, BURST - n);
		struct cake_packet p = random_packet(x, stream);

		for (unsigned i = 0; i < segs && n < BURST; i++) {
			p.handle = x->next_handle + n;
			p.more = i + 1 < segs;
			x->handed[p.handle].stream = stream;
			pkts[n++] = p;
		}
	}
	return n;
}

/* The rate is another, by autorate or @changed by us. */
void exercise_follow_rate(struct exercise *x, bool changed)
{
	changed &= x->c->params.profile != CAKE_PROFILE_LINUX;
	link_change(&x->link, x->c->shaper.rate.bytes_per_s, x->now, changed);
	x->shaped |= x->link.bytes_per_s != 0;
}

/* Returns how many were taken. */
static unsigned put_in(struct exercise *x, struct cake_packet *pkts, unsigned n)
{
	struct cake *into = x->before ? x->before : x->c;
	unsigned taken;

	if (!cake_backlog(into) && into == x->c)
		link_forfeit(&x->link, x->now);
	taken = cake_enqueue(into, pkts, n, x->now);
	assert_true(taken <= n);
	if (into == x->c)
		exercise_follow_rate(x, false);
	for (unsigned i = 0; i < taken; i++) {
		uint32_t handle = pkts[i].handle;

		x->handed[handle].in = true;
		x->handed[handle].moved = false;
		x->handed[handle].packet = pkts[i];
		x->handed[handle].came = x->now;
		x->handed[handle].path = 8 + pkts[i].tin;
		x->handed[handle].arrival = x->arrivals++;
		assert_true(pkts[i].tin < into->n_tins);
		assert_true(pkts[i].flow < into->params.flows);
	}
	x->entered += taken;
	x->since_emptied += taken;
	return taken;
}

/* For another burst. Returns whether there may be one. */
static bool make_room(struct exercise *x)
{
	if (x->next_handle + BURST <= x->room)
		return true;
	if (x->room == HANDLES)
		return false;
	x->room = x->room ? 2 * x->room : 2 * BURST;
	x->handed = reallocarray(x->handed, x->room, sizeof(*x->handed));
	assert_non_null(x->handed);
	return true;
}

static void enqueue(struct exercise *x)
{
	struct cake_packet pkts[BURST];
	unsigned n, taken, arrival = 0;

	if (!make_room(x))
		return;
	n = random_burst(x, pkts);
	taken = put_in(x, pkts, n);
	if (taken < n) { /* only for want of room in the drop list, at the border of an arrival */
		assert_true(taken == 0 || !pkts[taken - 1].more);
		while (pkts[taken + arrival++].more)
			;
		assert_true(x->since_emptied + arrival > CAKE_BURST_MAX);
	}
	x->next_handle += taken;
}

static unsigned dequeue(struct exercise *x, unsigned max)
{
	struct cake_verdict v[BURST];
	uint64_t catch_up = x->c->shaper.catch_up;
	unsigned n = cake_dequeue(x->c, v, max, x->now);

	assert_true(n <= max);
	if (x->link.bytes_per_s && x->now > catch_up)
		link_forfeit(&x->link, x->now - catch_up);
	for (unsigned i = 0; i < n; i++) {
		note_out(x, &v[i], true);
		link_carry(&x->link, v[i].adj_len, x->now);
		x->sent_bytes += v[i].len;
	}
	x->sent += n;
	if (n < max && cake_backlog(x->c)) {          /* held back, and it says until when */
		if (cake_next_time(x->c) == x->now) { /* or has done its share for this call */
			assert_int_equal(x->c->params.profile, CAKE_PROFILE_GATEAU);
			return n;
		}
		assert_true(x->shaped);
		assert_true(cake_next_time(x->c) > x->now);
		assert_true(cake_next_time(x->c) != CAKE_NEVER);
	}
	return n;
}

static void take_drops(struct exercise *x, unsigned max)
{
	struct cake_verdict v[BURST];
	unsigned n = 0;

	if (x->before)
		n = cake_take_drops(x->before, v, max);
	n += cake_take_drops(x->c, v + n, max - n);
	assert_true(n <= max);
	for (unsigned i = 0; i < n; i++)
		note_out(x, &v[i], false);
	x->taken_drops += n;
	if (n < max)
		x->since_emptied = 0;
}

static void pass_time(struct exercise *x)
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
	uint64_t next = cake_next_time(x->c);

	if (exercise_roll(x, 4) == 0 && next != CAKE_NEVER && next > x->now)
		x->now = next;
	else
		x->now += steps[exercise_roll(x, COUNT(steps))];
}

void exercise_take_all_drops(struct exercise *x)
{
	x->since_emptied = 1; /* the list may hold drops */
	do
		take_drops(x, BURST);
	while (x->since_emptied);
}

/* Empty the instance; what was queued is dropped. */
static void purge(struct exercise *x)
{
	struct cake_verdict v;
	uint32_t n;

	exercise_take_all_drops(x);
	n = cake_backlog(x->c);
	assert_int_equal(cake_purge(x->c), n);
	assert_int_equal(cake_backlog(x->c), 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(cake_take_drops(x->c, &v, 1), 1);
		assert_int_equal(v.decision, CAKE_DROP_PURGE);
		note_out(x, &v, false);
	}
	x->taken_drops += n;
}

static void operate(struct exercise *x)
{
	switch (exercise_roll(x, 16)) {
	case 0 ... 5:
		enqueue(x);
		break;
	case 6 ... 10:
		dequeue(x, 1 + exercise_roll(x, BURST));
		break;
	case 11 ... 12:
		take_drops(x, 1 + exercise_roll(x, BURST));
		break;
	case 13 ... 14:
		pass_time(x);
		break;
	default:
		if (x->before) {
			exercise_move_some(x);
			return;
		}
		switch (exercise_roll(x, 20)) {
		case 0:
			purge(x);
			break;
		case 1:
			exercise_begin_move(x);
			break;
		case 2 ... 6:
			exercise_change_limits(x);
			break;
		}
	}
}

/* Serve until nothing is left; every handle must have come out. */
static void drain(struct exercise *x)
{
	unsigned idle_calls = 0;

	while (x->before)
		exercise_move_some(x);
	while (cake_backlog(x->c)) {
		uint64_t next;

		if (dequeue(x, BURST)) {
			idle_calls = 0;
			continue;
		}
		next = cake_next_time(x->c);
		idle_calls = next > x->now ? 0 : idle_calls + 1;
		assert_true(idle_calls < 100000); /* else this would never end */
		x->now = next;
	}
	exercise_take_all_drops(x);
}

static void check_empty(const struct exercise *x)
{
	struct cake_stats s;

	for (uint32_t handle = 0; handle < x->next_handle; handle++)
		assert_false(x->handed[handle].in);
	cake_stats_get(x->c, &s);
	assert_int_equal(s.backlog, 0);
	for (unsigned i = 0; i < s.tin_cnt; i++) {
		assert_int_equal(s.tins[i].backlog_bytes, 0);
		assert_int_equal(s.tins[i].backlog_packets, 0);
	}
	assert_int_equal(x->c->memory, 0);
	assert_int_equal(x->c->slab.n_free, x->c->slab.n);
	audit_slab(x->c);
}

/* The life of an exercise */

void exercise_draw_options(struct cake_params *p, struct choices choices)
{
	static const uint64_t memlimits[] = {0, 1, 2000, 20000, 200000, 4000000};
	static const uint32_t flows[] = {8, 16, FLOWS_MAX_DRAWN};
	void *from = choices.source;

	p->memlimit = memlimits[choices.below(from, COUNT(memlimits))];
	p->flows = flows[choices.below(from, COUNT(flows))];
	p->ingress = choices.below(from, 2);
	p->autorate_ingress = choices.below(from, 8) == 1;
	p->atm = choices.below(from, CAKE_PTM + 1);
	p->overhead_set = choices.below(from, 2);
	p->overhead = CAKE_OVERHEAD_MIN +
		      (int32_t)choices.below(from, CAKE_OVERHEAD_MAX - CAKE_OVERHEAD_MIN + 1);
	p->mpu = choices.below(from, CAKE_MPU_MAX + 1);
	p->ack_filter = choices.below(from, CAKE_ACK_FILTER_AGGRESSIVE + 1);
	p->fwmark = choices.below(from, 2) ? 0xc : 0;
}

struct exercise *exercise_begin(const struct cake_params *p, struct choices choices, uint32_t seed)
{
	struct exercise *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->choices = choices;
	x->dice = prng_xorshift32(seed);
	x->now = T0;
	x->c = kit_create(p, &x->dice);
	/* As Linux's, the failsafe of ingress mode stands still in idle time: it may be early. */
	x->link = (struct link){.since = T0,
				.unchecked = p->ingress && p->profile == CAKE_PROFILE_LINUX};
	exercise_follow_rate(x, false);
	return x;
}

void exercise_step(struct exercise *x)
{
	operate(x);
	audit(x);
	check_statistics(x);
}

void exercise_end(struct exercise *x)
{
	drain(x);
	audit(x);
	check_statistics(x);
	check_empty(x);
	cake_destroy(x->c);
	free(x->handed);
	free(x);
}

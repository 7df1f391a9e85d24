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
#include "base/prng.h"
#include "cake/state.h"
#include "kit.h"

enum {
	HANDLES = 16384,
	STREAMS = 40, /* 5-tuples offered */
	BURST = 64,
	FLOWS_MAX_DRAWN = 64, /* per tin */
	PATHS = 4096,
};

/*
 * The link as an observer sees it: when it has carried all that was sent. Nothing may be sent
 * before that time. Bytes are counted from `since` on, so that rounding does not add up.
 */
struct link {
	uint64_t bytes_per_s; /* 0 = unlimited */
	uint64_t since;       /* ns */
	uint64_t bytes, packets;
	bool unchecked;
};

/* A packet that was handed over. */
struct handed {
	struct cake_packet packet; /* as it went in */
	uint64_t came;             /* ns */
	uint32_t arrival;
	uint32_t path; /* the tins that it was in, one octal digit each */
	uint8_t stream;
	bool in, moved;
};

/* The tins that a stream's packets take, one after the other: on one path they keep their order. */
struct path {
	uint32_t path;
	uint8_t stream;
	uint32_t next[2]; /* least arrival that may come next, dropped and sent */
};

/* What the outside knows: which handles are in, and each stream's order. */
struct exercise {
	struct choices choices;
	struct prng dice; /* the instance's */
	struct cake *c;
	struct cake
		*before; /* it is being emptied into c, and takes what arrives; NULL = none is */
	uint64_t now;
	struct link link;

	bool shaped; /* there is a rate, or was one */

	struct handed *handed; /* by handle; `room` of them */
	uint32_t next_handle, room;

	/* Numbers of arrival grow, and what shares a queue leaves it in their order: the least
	 * that may come next, of those dropped and of those sent. */
	uint32_t arrivals;
	uint32_t next_of_slot[2][CAKE_MAX_TINS][FLOWS_MAX_DRAWN];
	struct path paths[PATHS];
	bool collided; /* in an instance that is no more */
	struct cake_stats last;
	enum cake_diffserv last_mode;

	struct cake_tcp acks[BURST];
	uint32_t next_ack;

	uint64_t entered, sent, taken_drops, sent_bytes;
	uint64_t since_emptied; /* packets in since the drop list was last emptied */
};

static uint32_t roll(struct exercise *x, uint32_t n)
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

static bool collided(const struct cake *c)
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
	if (path && !x->collided && !collided(x->c) && !(x->before && collided(x->before)))
		check_order(&path->next[sent], h->arrival);
}

/* The operations */

/* What the ACK filter is told; good until the packet has been put in. */
static const struct cake_tcp *random_ack(struct exercise *x, unsigned stream)
{
	struct cake_tcp *tcp = &x->acks[x->next_ack++ % BURST];

	*tcp = (struct cake_tcp){
		.sport = stream,
		.version = 4,
		.ack = 0u - 8 + roll(x, 16),
		.ecn_flags = roll(x, 8) ? 0 : 0x40,
		.supersedes = true,
		.pure = roll(x, 4),
		.sacks = roll(x, 4) ? 0 : 1 + roll(x, CAKE_SACK_MAX),
	};
	for (unsigned i = 0; i < tcp->sacks; i++) {
		tcp->sack[i].start = tcp->ack + roll(x, 16) - 1;
		tcp->sack[i].end = tcp->sack[i].start + roll(x, 16);
	}
	return tcp;
}

static struct cake_packet random_packet(struct exercise *x, unsigned stream)
{
	static const uint32_t lengths[] = {60, 60, 64, 65, 590, 1500, 1514, 1514, 9014, 65535};
	uint32_t any = roll(x, COUNT(lengths) + 1);
	uint32_t len = any < COUNT(lengths) ? lengths[any] : 1 + roll(x, 65535);
	struct cake_packet p = kit_packet(0, len, 0x9e3779b9u * (stream + 1));

	p.src_hash = 0x85ebca6bu * (1 + stream % 5);
	p.dst_hash = 0xc2b2ae35u * (1 + stream % 7);
	p.mark = roll(x, 16);
	p.priority_tin = roll(x, 16);
	p.ecn_capable = roll(x, 2);
	p.dscp = roll(x, 4) ? stream : roll(x, 64);
	if (p.len <= 65 && roll(x, 2))
		p.tcp = random_ack(x, stream);
	if (p.len > 1514 && roll(x, 2)) { /* a super-packet that is sent as it is */
		p.gso_size = 1448;
		p.gso_header = 66;
		p.gso_segs = (p.len - 66 + 1447) / 1448;
	}
	return p;
}

static unsigned random_burst(struct exercise *x, struct cake_packet *pkts)
{
	unsigned n = 0, want = 1 + roll(x, 32);

	while (n < want) {
		unsigned stream = roll(x, STREAMS);
		unsigned segs = roll(x, 8) ? 1 : 1 + roll(x, BURST - n);
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
static void follow_rate(struct exercise *x, bool changed)
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
		follow_rate(x, false);
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

	if (roll(x, 4) == 0 && next != CAKE_NEVER && next > x->now)
		x->now = next;
	else
		x->now += steps[roll(x, COUNT(steps))];
}

static void take_all_drops(struct exercise *x)
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

	take_all_drops(x);
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

/* Another instance begins, with other modes, and most often other options. */
static void begin_move(struct exercise *x)
{
	struct cake_params p = x->c->params;

	take_all_drops(x);
	x->collided |= collided(x->c);
	p.diffserv = roll(x, CAKE_DIFFSERV8 + 1);
	p.flowmode = roll(x, CAKE_TRIPLE_ISOLATE + 1);
	p.room = 0;
	if (roll(x, 2))
		exercise_draw_options(&p, x->choices);
	if (roll(x, 2))
		p.bandwidth_bps = 512ull * roll(x, 1 << 16);
	if (p.memlimit > x->c->params.room) /* the fuzzer's bound */
		p.memlimit = x->c->params.room;
	x->before = x->c;
	x->c = kit_create(&p, &x->dice);
	cake_succeed(x->c, x->before, x->now);
	memset(x->next_of_slot, 0, sizeof(x->next_of_slot));
	x->link.unchecked |= p.ingress && p.profile == CAKE_PROFILE_LINUX;
	follow_rate(x, true);
}

/* As many packets as drawn move; the last one ends it. */
static void move_some(struct exercise *x)
{
	struct cake_verdict v[BURST];
	uint64_t came[BURST];
	struct cake_packet pkts[BURST];
	unsigned n = cake_take(x->before, v, 1 + roll(x, BURST));

	for (unsigned i = 0; i < n; i++) {
		const struct handed *h = &x->handed[v[i].handle];

		assert_true(h->in);
		assert_int_equal(v[i].len, h->packet.len);
		came[i] = v[i].enqueued_ns;
		pkts[i] = h->packet;
		pkts[i].more = false;
		if (pkts[i].tcp)
			pkts[i].tcp = random_ack(x, h->stream);
	}
	take_all_drops(x);
	assert_int_equal(cake_requeue(x->c, pkts, came, n, x->now), n);
	for (unsigned i = 0; i < n; i++) {
		struct handed *h = &x->handed[v[i].handle];

		h->packet = pkts[i];
		h->path = h->path << 3 | pkts[i].tin;
		h->moved = true;
	}
	x->since_emptied += n;
	take_all_drops(x);
	if (cake_backlog(x->before))
		return;
	x->collided |= collided(x->before);
	cake_absorb(x->c, x->before);
	cake_destroy(x->before);
	x->before = NULL;
}

/* Any parameter that can be changed in place, some at a time. */
static void draw_change(struct exercise *x, struct cake_params *p)
{
	switch (roll(x, 8)) {
	case 0:
		p->rtt_ns = (1 + roll(x, 200)) * NS_PER_MS;
		p->target_ns = roll(x, 2) * NS_PER_MS;
		break;
	case 1:
		p->overhead = CAKE_OVERHEAD_MIN +
			      (int32_t)roll(x, CAKE_OVERHEAD_MAX - CAKE_OVERHEAD_MIN + 1);
		p->mpu = roll(x, CAKE_MPU_MAX + 1);
		p->atm = roll(x, CAKE_PTM + 1);
		break;
	case 2:
		p->memlimit = roll(x, p->room + 1);
		break;
	case 3:
		p->ingress = !p->ingress;
		break;
	case 4:
		p->ack_filter = x->c->slab.tcps ? roll(x, CAKE_ACK_FILTER_AGGRESSIVE + 1) : 0;
		break;
	case 5:
		p->fwmark = roll(x, 16);
		break;
	case 6:
		p->autorate_ingress = !p->autorate_ingress && cake_memory_limit(p) <= p->room;
		break;
	default:
		p->bandwidth_bps = 512ull * roll(x, 1 << 16);
	}
}

static void change_params(struct exercise *x)
{
	struct cake_params p = x->c->params, before = p;
	uint64_t changes = x->c->changes, held = x->c->memory;
	int kind;

	draw_change(x, &p);
	kind = cake_change_kind(x->c, &p);
	if (kind == CAKE_CHANGE_REQUEUE) { /* no room for the limit */
		assert_int_equal(cake_change(x->c, &p, x->now), -EOPNOTSUPP);
		assert_memory_equal(&before, &x->c->params, sizeof(before));
		return;
	}
	assert_int_equal(cake_change(x->c, &p, x->now), 0);
	assert_int_equal(x->c->changes - changes, kind == CAKE_CHANGE_IN_PLACE);
	assert_int_equal(x->c->memory, held);
	x->link.unchecked |= p.ingress && p.profile == CAKE_PROFILE_LINUX;
	follow_rate(x, true);
	while (!cake_shrink(x->c, 1 + roll(x, 64), x->now))
		take_all_drops(x);
	assert_true(x->c->memory_limit <= cake_memory_limit(&p));
}

/* A rate or a limit like those that there are, or none. */
static void change_limits(struct exercise *x)
{
	uint64_t room = cake_memory_limit(&x->c->params);

	if (roll(x, 2)) {
		assert_int_equal(cake_set_memlimit(x->c, room * roll(x, 5) / 4, x->now), 0);
		assert_int_equal(cake_set_memlimit(x->c, room + 1, x->now), -ENOSPC);
	} else {
		change_params(x);
	}
}

static void operate(struct exercise *x)
{
	switch (roll(x, 16)) {
	case 0 ... 5:
		enqueue(x);
		break;
	case 6 ... 10:
		dequeue(x, 1 + roll(x, BURST));
		break;
	case 11 ... 12:
		take_drops(x, 1 + roll(x, BURST));
		break;
	case 13 ... 14:
		pass_time(x);
		break;
	default:
		if (x->before) {
			move_some(x);
			return;
		}
		switch (roll(x, 20)) {
		case 0:
			purge(x);
			break;
		case 1:
			begin_move(x);
			break;
		case 2 ... 6:
			change_limits(x);
			break;
		}
	}
}

/* Serve until nothing is left; every handle must have come out. */
static void drain(struct exercise *x)
{
	unsigned idle_calls = 0;

	while (x->before)
		move_some(x);
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
	take_all_drops(x);
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
	follow_rate(x, false);
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

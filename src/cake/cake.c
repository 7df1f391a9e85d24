/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CAKE, the top level: what happens to a packet on its way in and on its way out.
 *
 *	in:	classify into a tin ─► find the flow ─► adjust the length ─► append
 *		─► an ACK? drop an older one ─► activate the flow
 *		─► over the memory limit? drop heads of the fattest flows
 *
 *	out:	does the shaper let anything through? ─► choose a tin: the highest within its
 *		threshold, else the one due first (unlimited: deficit round robin) ─► choose a
 *		flow: new ones before old ones, by deficit (DRR++) ─► ask COBALT about its head
 *		─► charge the shaper, the flow and the tin
 *
 * The parts are each in a file of their own (classify, tin, flow, host, cobalt, shaper, adjust,
 * overflow, ackfilter, slab; instance for creation); this one knows their order. Where it differs
 * from Linux, docs/deviations.md says so. A dropped packet is put on a list for the caller and no
 * longer counts as queued.
 */
#include <gateau/cake.h>

#include <errno.h>
#include <stddef.h>

#include "cake/ackfilter.h"
#include "cake/state.h"

/* Taking packets out of a flow, common to sending and dropping */

static struct cake_verdict verdict_of(const struct cake *c, const struct desc *d)
{
	return (struct cake_verdict){
		.enqueued_ns = d->enqueued_ns,
		.handle = d->handle,
		.len = d->len,
		.adj_len = d->adj_len,
		.flow = instance_slot_of(c, d),
		.tin = instance_tin_of(c, d)->number,
		.decision = d->decision,
		.flow_set = d->flow_set,
		.ce = d->ce,
	};
}

/* Packet @d has been taken out of the queue of a flow of @t. */
HOT void count_out(struct cake *c, struct tin *t, const struct desc *d)
{
	uint32_t len = d->len;

	t->out.packets++;
	t->out.bytes += len;
	c->shaper.slot.queued_bytes -= d->adj_len;
	c->shaper.slot.queued--;
	c->memory -= d->charge;
	overflow_shrunk(&c->overflow, d->flow, len);
	if (d->pure_ack)
		t->pure_acks[instance_slot_of(c, d)]--;
}

/* The flow is not empty. */
HOT uint32_t pop_head(struct cake *c, struct tin *t, struct flow *f)
{
	uint32_t i = fifo_take(&f->queue, &c->slab);

	count_out(c, t, &c->slab.descs[i]);
	return i;
}

static void drop(struct cake *c, uint32_t i, enum cake_decision reason)
{
	struct desc *d = &c->slab.descs[i];
	struct tin *t = instance_tin_of(c, d);
	struct flow *f = &t->table.flows[instance_slot_of(c, d)];

	d->decision = reason;
	d->flow_set = f->set;
	if (reason == CAKE_DROP_ACK) {
		t->ack_drops++; /* no sign of congestion: not among the drops of tin and flow */
	} else {
		t->drops++;
		f->drops++;
	}
	c->decisions[reason]++;
	c->dropped_bytes += d->len;
	fifo_push(&c->dropped, &c->slab, i);
}

HOT void charge_shaper(struct cake *c, struct tin *t, uint32_t adj_len, uint64_t now, bool sent)
{
	if (!c->shaper.rate.bytes_per_s)
		return;
	tin_schedule_charge(&t->next, &t->rate, adj_len, now);
	shaper_charge(&c->shaper, adj_len, sent);
}

/* A packet of @f that used its turn: sent, or dropped at the expense of who sent it. */
HOT void charge_turn(struct cake *c, struct tin *t, struct flow *f, uint32_t adj_len, uint64_t now,
		     bool sent)
{
	charge_shaper(c, t, adj_len, now, sent);
	f->deficit -= adj_len;
	t->deficit -= adj_len;
}

/* BLUE's probability of a flow rose above 0 or fell to it. */
static void note_responsiveness(struct tin *t, const struct flow *f, bool was_unresponsive)
{
	t->unresponsive += (f->cobalt.p_drop != 0) - was_unresponsive;
}

/* The shaper lets nothing through: come back when it does. A caller that polls asks many times in
 * the same wait; it counts once. */
static void hold_back(struct cake *c)
{
	c->wake = shaper_wake(&c->shaper);
	if (c->wake == SHAPER_NEVER)
		return; /* a slot is wanted first */
	c->overlimits += c->wake != c->counted_wait;
	c->counted_wait = c->wake;
}

/* A tin that was not in use when the instance's share of the rate changed has still the old one. */
static void share_tin(struct cake *c, struct tin *t)
{
	if (t->share != c->share)
		instance_share_tin(c, t);
}

/* Enqueue */

/* Something arrives for @t, which is empty. */
static void restart_shaper(struct cake *c, struct tin *t, uint64_t now)
{
	struct shaper *s = &c->shaper;

	share_tin(c, t);
	if (t->next < now)
		t->next = now;
	if (instance_qlen(c))
		return;
	if (shaper_blocks(s, now))
		hold_back(c);
	shaper_restart(s, now);
}

/* What the ACK filter will compare of packet @i. */
static void record_tcp(struct cake *c, uint32_t i, const struct cake_tcp *tcp)
{
	struct desc *d = &c->slab.descs[i];

	c->slab.tcps[i] = *tcp;
	d->tcp = true;
	d->pure_ack = tcp->pure;
	instance_tin_of(c, d)->pure_acks[instance_slot_of(c, d)] += tcp->pure;
}

/* What packets that go in add to the instance. */
struct sums {
	uint64_t charge, adj_bytes;
	uint32_t packets;
};

HOT void append(struct cake *c, struct tin *t, struct flow *f, const struct cake_packet *p,
		uint64_t now, struct sums *sums)
{
	uint32_t i = slab_get(&c->slab), len = p->len;
	struct desc *d = &c->slab.descs[i];
	uint32_t adj_len = adjust_length(&c->adjust, p);
	uint32_t flow = t->first_flow + p->flow;

	*d = (struct desc){
		.enqueued_ns = now,
		.handle = p->handle,
		.next = SLAB_NONE,
		.len = len,
		.charge = p->charge,
		.adj_len = adj_len,
		.flow = flow,
		.ecn_capable = p->ecn_capable,
	};
	fifo_link(&f->queue, &c->slab, i);
	t->in.packets++;
	t->in.bytes += len;
	if (len > t->max_len)
		t->max_len = len;
	overflow_grown(&c->overflow, flow, len);
	sums->charge += p->charge;
	sums->adj_bytes += adj_len;
	sums->packets++;
}

static inline void count_in(struct cake *c, struct sums *sums)
{
	c->memory += sums->charge;
	c->shaper.slot.queued_bytes += sums->adj_bytes;
	c->shaper.slot.queued += sums->packets;
	*sums = (struct sums){0};
}

/*
 * gateau profile: packets of a queue that an arrival has the ACK filter look at, at most. Only a
 * queue of ACKs that cannot go, or of several connections, is ever longer; 10,000 duplicates cost
 * every further one 32 us here, 128 of them 0.7 us.
 */
#define ACK_SCAN_MAX 128

/* The packet @p was appended: drop an ACK before it that says no more. A queue that has no ACK but
 * perhaps @p itself, as that of a download, is not gone through. Returns the bytes dropped. */
static uint32_t thin_acks(struct cake *c, const struct cake_packet *p, uint64_t now)
{
	uint32_t most = c->params.profile == CAKE_PROFILE_LINUX ? ACKFILTER_ALL : ACK_SCAN_MAX;
	struct tin *t = &c->tins[p->tin];
	uint32_t i;

	if (!p->tcp || t->pure_acks[p->flow] <= p->tcp->pure)
		return 0;
	i = ackfilter_take(&t->table.flows[p->flow].queue, &c->slab, c->params.ack_filter, most);
	if (i == SLAB_NONE)
		return 0;
	count_out(c, t, &c->slab.descs[i]);
	if (c->params.ingress)
		charge_shaper(c, t, c->slab.descs[i].adj_len, now, false);
	drop(c, i, CAKE_DROP_ACK);
	return c->slab.descs[i].len;
}

static void drop_from_fattest(struct cake *c, uint64_t now)
{
	uint32_t fattest = overflow_fattest(&c->overflow);
	struct tin *t = &c->tins[fattest / c->params.flows];
	struct flow *f = &t->table.flows[fattest & (c->params.flows - 1)];
	bool was_unresponsive = f->cobalt.p_drop != 0;
	uint32_t i = pop_head(c, t, f);

	cobalt_overflow(&f->cobalt, &t->cobalt, now);
	note_responsiveness(t, f, was_unresponsive);
	if (c->params.ingress)
		charge_shaper(c, t, c->slab.descs[i].adj_len, now, false);
	drop(c, i, CAKE_DROP_OVERFLOW);
}

static bool over_limit(const struct cake *c)
{
	return (c->memory > c->memory_limit || instance_qlen(c) > c->max_qlen) && instance_qlen(c);
}

/* @bytes have arrived, for which @thinned bytes of ACKs could go: Linux takes them off. */
static void follow_rate(struct cake *c, uint64_t bytes, uint32_t thinned, uint64_t now)
{
	uint64_t rate;

	if (c->params.profile == CAKE_PROFILE_LINUX)
		bytes -= thinned;
	if (autorate_arrival(&c->autorate, bytes, now, &rate))
		instance_set_rate(c, rate);
}

HOT void activate(struct cake *c, struct tin *t, uint32_t slot)
{
	if (tin_activate_flow(t, slot, c->rng))
		c->active_tins |= 1u << t->number;
}

static bool active(const struct cake *c, const struct tin *t)
{
	return c->active_tins >> t->number & 1;
}

/* One packet, or all segments of a super-packet that was cut. */
static void enqueue_arrival(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned tin = classify(&c->classifier, pkts);
	struct tin *t = &c->tins[tin];
	uint32_t slot = tin_find_flow(t, c->params.flowmode, pkts);
	struct flow *f = &t->table.flows[slot];
	uint8_t set = f->set;
	uint32_t thinned = 0;
	uint64_t bytes = 0;
	struct sums sums = {0};

	if (!tin_qlen(t))
		restart_shaper(c, t, now);
	for (unsigned i = 0; i < n; i++) {
		pkts[i].tin = tin;
		pkts[i].flow = slot;
		pkts[i].flow_set = set;
		append(c, t, f, &pkts[i], now, &sums);
		if (pkts[i].tcp && c->params.ack_filter)
			record_tcp(c, f->queue.tail, pkts[i].tcp);
		bytes += pkts[i].len;
	}
	count_in(c, &sums);
	if (c->params.ack_filter && n == 1)
		thinned = thin_acks(c, pkts, now);
	if (c->params.autorate_ingress)
		follow_rate(c, bytes, thinned, now);
	activate(c, t, slot);

	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	while (over_limit(c))
		drop_from_fattest(c, now);
}

/* Packets by which the neighbours of a flow are fetched before it is its turn. */
#define FAR_AHEAD 6

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The same for as many packets from the front as are arrivals of their own that cannot cause a
 * drop, where nothing else has to be looked at: what the instance sums up is added once for all.
 * Returns how many went in.
 */
static unsigned enqueue_plain(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	uint64_t room = cake_memory_left(c);
	struct sums sums = {0};
	struct cake_packet *p, *end;

	if (c->params.ack_filter || c->params.autorate_ingress)
		return 0;
	end = pkts + min_u32(n, min_u32(c->slab.n_free, c->max_qlen - instance_qlen(c)));
	for (p = pkts; p < end; p++) {
		struct tin *t;
		struct flow *f;

		if (p->more || sums.charge + p->charge > room)
			break;
		p->tin = classify(&c->classifier, p);
		t = &c->tins[p->tin];
		if (c->far && end - p > FAR_AHEAD)
			tin_prefetch_neighbours(&c->tins[p[FAR_AHEAD].tin], p[FAR_AHEAD].flow);
		p->flow = tin_find_flow(t, c->params.flowmode, p);
		f = &t->table.flows[p->flow];
		p->flow_set = f->set;
		if (!tin_qlen(t)) {
			count_in(c, &sums);
			room = cake_memory_left(c);
			restart_shaper(c, t, now);
		}
		append(c, t, f, p, now, &sums);
		activate(c, t, p->flow);
	}
	count_in(c, &sums);
	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	return p - pkts;
}

/* Lines of flows are far away where there are many: all are on their way before the first is used.
 */
static void look_ahead(const struct cake *c, struct cake_packet *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pkts[i].tin = classify(&c->classifier, &pkts[i]);
		pkts[i].flow =
			tin_prefetch_flow(&c->tins[pkts[i].tin], c->params.flowmode, &pkts[i]);
	}
}

unsigned cake_enqueue(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned done;

	if (c->far)
		look_ahead(c, pkts, n);
	/* Where one is not plain the next most likely is not either: the memory is full. */
	done = enqueue_plain(c, pkts, n, now);
	while (done < n) {
		unsigned len = 1;

		while (pkts[done + len - 1].more && done + len < n)
			len++;
		if (len > c->slab.n_free)
			break;
		enqueue_arrival(c, pkts + done, len, now);
		done += len;
	}
	return done;
}

/* Dequeue */

/* An unlimited link: deficit round robin over the tins that have flows. */
HOT struct tin *choose_tin_by_deficit(struct cake *c)
{
	struct tin *t = &c->tins[c->current_tin];
	bool wrapped = false, none = true;

	while (t->deficit < 0 || !active(c, t)) {
		if (t->deficit <= 0)
			t->deficit += t->quantum;
		if (active(c, t))
			none = false;
		if (++c->current_tin == c->n_tins) {
			c->current_tin = 0;
			if (wrapped && none)
				return NULL;
			wrapped = true;
		}
		t = &c->tins[c->current_tin];
	}
	return t;
}

/*
 * A shaped link: the highest tin that is within its threshold, else the one whose schedule comes
 * first. Tins above their threshold so share what the others leave.
 */
HOT struct tin *choose_tin_by_schedule(struct cake *c, uint64_t now)
{
	struct tin *best = NULL;
	int64_t best_wait = INT64_MAX;

	for (unsigned left = c->active_tins; left; left &= left - 1) {
		struct tin *t = &c->tins[__builtin_ctz(left)];
		int64_t wait = (int64_t)(t->next - now);

		if (wait <= 0 || wait <= best_wait) {
			best_wait = wait;
			best = t;
		}
	}
	if (best)
		c->current_tin = best->number;
	return best;
}

/* The first flow of @list has used up its deficit: a new one, and to the end of the rotation. */
HOT void rotate_flow(struct cake *c, struct tin *t, struct flow *f, enum flow_list list)
{
	if (f->set == CAKE_SET_SPARSE)
		tin_set_flow(t, f,
			     f->queue.head != SLAB_NONE ? CAKE_SET_BULK : CAKE_SET_SPARSE_WAIT);
	f->deficit += tin_flow_refill(t, f, c->rng);
	if (list == FLOWS_OLD)
		flow_rotate(&t->table, list);
	else
		flow_move_first(&t->table, list, FLOWS_OLD);
}

/* The flow has no packet. Returns whether its AQM is at rest, so that the slot is nobody's. */
HOT bool settle_flow(struct tin *t, struct flow *f, uint64_t now)
{
	bool was_unresponsive = f->cobalt.p_drop != 0;

	if (!cobalt_stay_calm(&f->cobalt)) {
		cobalt_empty(&f->cobalt, &t->cobalt, now);
		note_responsiveness(t, f, was_unresponsive);
	}
	return cobalt_at_rest(&f->cobalt, now);
}

/* The first flow of @list was served and is empty: it decays until its AQM is at rest. */
HOT void retire_flow(struct tin *t, struct flow *f, enum flow_list list, uint64_t now)
{
	if (settle_flow(t, f, now)) {
		flow_remove_first(&t->table, list);
		tin_set_flow(t, f, CAKE_SET_NONE);
	} else {
		flow_move_first(&t->table, list, FLOWS_DECAYING);
		tin_set_flow(t, f, CAKE_SET_DECAYING);
	}
}

/* Look at the decaying flow that has not been looked at for longest. Nothing is queued by it, and
 * it has deficit, as when it was served. */
HOT void look_at_decaying(struct tin *t, uint64_t now)
{
	struct flow *f = &t->table.flows[flow_first(&t->table, FLOWS_DECAYING)];

	__builtin_prefetch(&t->table.flows[f->next], 1);
	if (settle_flow(t, f, now)) {
		flow_remove_first(&t->table, FLOWS_DECAYING);
		tin_set_flow(t, f, CAKE_SET_NONE);
	} else {
		flow_rotate(&t->table, FLOWS_DECAYING);
	}
}

/*
 * Whether packet @d, just taken from the head of @f, is to be dropped: the reason, or whether it is
 * to be sent with a mark. The last packet of a queue is never dropped.
 */
static enum cake_decision judge(struct cake *c, struct tin *t, struct flow *f, struct desc *d,
				uint64_t now)
{
	bool was_unresponsive = f->cobalt.p_drop != 0;
	enum cobalt_verdict verdict;
	bool ce;

	verdict = cobalt_judge(&f->cobalt, &t->cobalt, now, now - d->enqueued_ns,
			       c->params.ingress ? tin_bulk(t) : 0, d->ecn_capable, c->rng, &ce);
	note_responsiveness(t, f, was_unresponsive);
	d->ce = ce;
	if (verdict == COBALT_PASS || f->queue.head == SLAB_NONE)
		return ce ? CAKE_SEND_CE : CAKE_SEND;
	return verdict == COBALT_CODEL ? CAKE_DROP_CODEL : CAKE_DROP_BLUE;
}

HOT void send(struct cake *c, struct tin *t, uint32_t slot, uint32_t i, uint64_t now,
	      enum cake_decision decision, struct cake_verdict *out)
{
	struct flow *f = &t->table.flows[slot];
	struct desc *d = &c->slab.descs[i];

	tin_note_delay(t, now - d->enqueued_ns);
	charge_turn(c, t, f, d->adj_len, now, true);
	overflow_sent(&c->overflow);
	*out = (struct cake_verdict){
		.enqueued_ns = d->enqueued_ns,
		.handle = d->handle,
		.len = d->len,
		.adj_len = d->adj_len,
		.flow = slot,
		.tin = t->number,
		.decision = decision,
		.flow_set = f->set,
		.ce = decision == CAKE_SEND_CE,
	};
	slab_put(&c->slab, i);
}

enum serve_result {
	SERVE_SENT,    /* a packet is to be sent */
	SERVE_FLOW,    /* choose another flow of the same tin */
	SERVE_RESTART, /* choose a tin anew */
	SERVE_PAUSE,   /* there is more to do, and the call has done its share of work */
};

/* Serve one flow that has deficit and packets. */
HOT enum serve_result serve_flow(struct cake *c, struct tin *t, uint32_t slot, uint64_t now,
				 struct cake_verdict *out)
{
	struct flow *f = &t->table.flows[slot];

	for (;;) {
		uint32_t i = pop_head(c, t, f);
		struct desc *d = &c->slab.descs[i];
		enum cake_decision decision = CAKE_SEND;

		__builtin_prefetch(&c->slab.descs[f->queue.head]);
		if (!cobalt_pass(&f->cobalt, &t->cobalt, now, now - d->enqueued_ns))
			decision = judge(c, t, f, d, now);
		if (decision <= CAKE_SEND_CE) {
			if (decision == CAKE_SEND_CE)
				t->ecn_marks++;
			send(c, t, slot, i, now, decision, out);
			return SERVE_SENT;
		}
		drop(c, i, decision);
		if (c->params.ingress) {
			/* It has used the link before it came here. */
			charge_turn(c, t, f, d->adj_len, now, false);
			return SERVE_FLOW;
		}
	}
}

/* When to come back after a packet was sent. */
static void set_wake_after_send(struct cake *c, uint64_t now)
{
	if (instance_qlen(c)) {
		if (c->shaper.next > now || c->shaper.slot.on)
			c->wake = shaper_wake(&c->shaper);
		return;
	}
	for (unsigned i = 0; i < c->n_tins; i++) {
		if (c->tins[i].flows_in[CAKE_SET_DECAYING]) {
			c->wake = now + c->tins[i].cobalt.target;
			return;
		}
	}
}

/*
 * Flows looked at in one cake_dequeue(), at most. Under host isolation the flows of a host that has
 * 900 get 1.7 bytes per round, so 900 rounds of 900 flows pass before the first of them has a
 * frame's worth: 19 ms at 25 ns each, in which a poll-mode lcore serves nobody else. 1,024 are some
 * 25 us.
 */
#define STEPS_MAX 1024

/*
 * Serve a tin's flows, new ones first, until a packet is sent; per packet one decaying flow is
 * looked at, too: @first. As long as nothing is charged and a flow waits, the same tin would be
 * chosen again.
 */
HOT enum serve_result serve_tin(struct cake *c, struct tin *t, uint64_t now, bool *first,
				struct cake_verdict *out)
{
	struct flow_table *table = &t->table;
	bool charged = false;

	if (*first && flow_first(table, FLOWS_DECAYING) != FLOW_NONE) {
		if (!--c->steps_left)
			return SERVE_PAUSE;
		look_at_decaying(t, now);
	}
	*first = false;
	for (;;) {
		enum flow_list list = FLOWS_NEW;
		uint32_t slot = flow_first(table, FLOWS_NEW);
		struct flow *f;

		if (slot == FLOW_NONE) {
			list = FLOWS_OLD;
			slot = flow_first(table, FLOWS_OLD);
			if (slot == FLOW_NONE)
				break;
		}
		f = &table->flows[slot];
		if (!--c->steps_left)
			return SERVE_PAUSE;
		__builtin_prefetch(&table->flows[f->next], 1);
		if (f->deficit <= 0) {
			rotate_flow(c, t, f, list);
		} else if (f->queue.head == SLAB_NONE) {
			retire_flow(t, f, list, now);
			if (charged)
				break;
		} else if (serve_flow(c, t, slot, now, out) == SERVE_SENT) {
			return SERVE_SENT;
		} else {
			charged = true;
		}
	}
	if (!tin_active(t))
		c->active_tins &= ~(1u << t->number);
	return SERVE_RESTART;
}

/* The tin whose turn it is; NULL: nothing may be sent at @now. */
HOT struct tin *choose_tin(struct cake *c, uint64_t now)
{
	if (!instance_qlen(c))
		return NULL;
	if (shaper_blocks(&c->shaper, now)) {
		hold_back(c);
		return NULL;
	}
	return c->shaper.rate.bytes_per_s ? choose_tin_by_schedule(c, now)
					  : choose_tin_by_deficit(c);
}

/* @t, which has sent a packet, would be chosen again: nothing else has changed on an unlimited
 * link.
 */
HOT bool goes_on(const struct cake *c, const struct tin *t)
{
	return !c->shaper.rate.bytes_per_s && t->deficit >= 0 && instance_qlen(c);
}

/* Find packets to send, up to @max. Returns how many there are at @now. */
HOT unsigned take_packets(struct cake *c, struct cake_verdict *out, unsigned max, uint64_t now)
{
	struct tin *t = NULL;
	bool first = true;
	unsigned n = 0;

	while (n < max) {
		if (!t)
			t = choose_tin(c, now);
		if (!t)
			break;
		switch (serve_tin(c, t, now, &first, &out[n])) {
		case SERVE_SENT:
			n++;
			first = true;
			if (!goes_on(c, t))
				t = NULL;
			break;
		case SERVE_PAUSE:
			c->wake = now;
			return n;
		default:
			t = NULL;
		}
	}
	return n;
}

/*
 * A stall's time that is given up is given up by the tins, too: each would think itself within its
 * threshold until it had made up for all of it, and the highest would keep the link for so long.
 */
static void limit_catch_up(struct cake *c, uint64_t now)
{
	uint64_t given_up = shaper_limit_catch_up(&c->shaper, now);

	if (!given_up)
		return;
	c->catch_ups++;
	c->catch_up_ns += given_up;
	for (unsigned i = 0; i < c->n_tins; i++)
		if (c->tins[i].next < shaper_wake(&c->shaper))
			c->tins[i].next = shaper_wake(&c->shaper);
}

unsigned cake_dequeue(struct cake *c, struct cake_verdict *out, unsigned max, uint64_t now)
{
	unsigned n;

	if (c->wake <= now)
		c->wake = CAKE_NEVER;
	if (instance_qlen(c) && c->shaper.rate.bytes_per_s)
		limit_catch_up(c, now);
	c->steps_left = c->params.profile == CAKE_PROFILE_LINUX ? UINT64_MAX : STEPS_MAX + 1;
	n = take_packets(c, out, max, now);
	if (n && (n == max || !instance_qlen(c)))
		set_wake_after_send(c, now);
	return n;
}

/* What is left to the caller */

unsigned cake_take_drops(struct cake *c, struct cake_verdict *out, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		uint32_t i = fifo_pop(&c->dropped, &c->slab);

		if (i == SLAB_NONE)
			break;
		out[n++] = verdict_of(c, &c->slab.descs[i]);
		slab_put(&c->slab, i);
	}
	return n;
}

unsigned cake_purge(struct cake *c)
{
	unsigned n = instance_qlen(c);

	for (unsigned tin = 0; tin < c->n_tins; tin++) {
		struct tin *t = &c->tins[tin];

		for (uint32_t slot = 0; slot < t->table.n && tin_qlen(t); slot++) {
			while (t->table.flows[slot].queue.head != SLAB_NONE)
				drop(c, pop_head(c, t, &t->table.flows[slot]), CAKE_DROP_PURGE);
		}
		tin_reset(t);
	}
	c->active_tins = 0;
	c->overflow.countdown = 0;
	c->wake = CAKE_NEVER;
	return n;
}

/* A limit may have come down; and what held the queue back may be no more. */
static void apply_limits(struct cake *c, uint64_t now)
{
	while (over_limit(c))
		drop_from_fattest(c, now);
	if (instance_qlen(c))
		c->wake = now;
}

int cake_set_bandwidth(struct cake *c, uint64_t bandwidth_bps, uint64_t now)
{
	if (bandwidth_bps && bandwidth_bps < 8)
		return -EINVAL;
	if (!bandwidth_bps) {
		/* Only an unlimited link refills them: they have all that was sent until now. */
		for (unsigned i = 0; i < c->n_tins; i++)
			c->tins[i].deficit = 0;
	}
	c->autorate.peak = bandwidth_bps / 8;
	instance_set_rate(c, bandwidth_bps / 8);
	apply_limits(c, now);
	return 0;
}

int cake_set_memlimit(struct cake *c, uint64_t bytes, uint64_t now)
{
	if (bytes > cake_memory_limit(&c->params))
		return -ENOSPC;
	c->memory_cap = bytes;
	instance_set_memory_limit(c);
	apply_limits(c, now);
	return 0;
}

uint64_t cake_memory_left(const struct cake *c)
{
	return c->memory < c->memory_limit ? c->memory_limit - c->memory : 0;
}

uint64_t cake_next_time(const struct cake *c)
{
	return c->wake;
}

uint32_t cake_backlog(const struct cake *c)
{
	return instance_qlen(c);
}

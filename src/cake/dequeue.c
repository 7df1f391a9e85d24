/* SPDX-License-Identifier: BSD-3-Clause */
/* The way out; see cake.c. */
#include <gateau/cake.h>

#include <stddef.h>

#include "cake/account.h"

static bool active(const struct cake *c, const struct tin *t)
{
	return c->active_tins >> t->number & 1;
}

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
		account_responsiveness(t, f, was_unresponsive);
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
	account_responsiveness(t, f, was_unresponsive);
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
	account_charge_turn(c, t, f, d->adj_len, now, true);
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
		uint32_t i = account_pop(c, t, f);
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
		account_drop(c, i, decision);
		if (c->params.ingress) {
			/* It has used the link before it came here. */
			account_charge_turn(c, t, f, d->adj_len, now, false);
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
		account_hold_back(c);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted and charged when a packet leaves its flow: the same for one that is sent, dropped
 * on the way in or out, or purged.
 */
#ifndef GATEAU_CAKE_ACCOUNT_H
#define GATEAU_CAKE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"
#include "cake/state.h"

/* Packet @d has been taken out of the queue of a flow of @t. */
HOT void account_out(struct cake *c, struct tin *t, const struct desc *d)
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

/* Take the first packet out of @f, which is not empty, and count it out. Returns its descriptor. */
HOT uint32_t account_pop(struct cake *c, struct tin *t, struct flow *f)
{
	uint32_t i = fifo_take(&f->queue, &c->slab);

	account_out(c, t, &c->slab.descs[i]);
	return i;
}

/** What there is to say of packet @d. */
static inline struct cake_verdict account_verdict(const struct cake *c, const struct desc *d)
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

/** Packet @i, which has been counted out, goes to the list of drops. */
void account_drop(struct cake *c, uint32_t i, enum cake_decision reason);

/** Drop from the fattest flows until the limits on memory and packets are kept. */
void account_keep_limits(struct cake *c, uint64_t now);

/** The same for no more than @limit bytes, but @max packets at most. */
void account_shrink(struct cake *c, uint64_t limit, unsigned max, uint64_t now);

/* A packet takes the link for as long as it is, sent or not. */
HOT void account_charge(struct cake *c, struct tin *t, uint32_t adj_len, uint64_t now, bool sent)
{
	if (!c->shaper.rate.bytes_per_s)
		return;
	tin_schedule_charge(&t->next, &t->rate, adj_len, now);
	shaper_charge(&c->shaper, adj_len, sent);
}

/* A packet of @f that used its turn: sent, or dropped at the expense of who sent it. */
HOT void account_charge_turn(struct cake *c, struct tin *t, struct flow *f, uint32_t adj_len,
			     uint64_t now, bool sent)
{
	account_charge(c, t, adj_len, now, sent);
	f->deficit -= adj_len;
	t->deficit -= adj_len;
}

/* BLUE's probability of a flow rose above 0 or fell to it. */
static inline void account_responsiveness(struct tin *t, const struct flow *f,
					  bool was_unresponsive)
{
	t->unresponsive += (f->cobalt.p_drop != 0) - was_unresponsive;
}

/* The shaper lets nothing through: come back when it does. A caller that polls asks many times in
 * the same wait; it counts once. */
static inline void account_hold_back(struct cake *c)
{
	c->wake = shaper_wake(&c->shaper);
	if (c->wake == SHAPER_NEVER)
		return; /* a slot is wanted first */
	c->overlimits += c->wake != c->counted_wait;
	c->counted_wait = c->wake;
}

#endif

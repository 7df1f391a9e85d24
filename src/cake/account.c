/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropping, and what has to be dropped for want of memory; see account.h. */
#include "cake/account.h"

void account_drop(struct cake *c, uint32_t i, enum cake_decision reason)
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

static void drop_from_fattest(struct cake *c, uint64_t now)
{
	uint32_t fattest = overflow_fattest(&c->overflow);
	struct tin *t = &c->tins[fattest / c->params.flows];
	struct flow *f = &t->table.flows[fattest & (c->params.flows - 1)];
	bool was_unresponsive = f->cobalt.p_drop != 0;
	uint32_t i = account_pop(c, t, f);

	cobalt_overflow(&f->cobalt, &t->cobalt, now);
	account_responsiveness(t, f, was_unresponsive);
	if (c->params.ingress)
		account_charge(c, t, c->slab.descs[i].adj_len, now, false);
	account_drop(c, i, CAKE_DROP_OVERFLOW);
}

static bool over_limit(const struct cake *c)
{
	return (c->memory > c->memory_limit || instance_qlen(c) > c->max_qlen) && instance_qlen(c);
}

void account_keep_limits(struct cake *c, uint64_t now)
{
	while (over_limit(c))
		drop_from_fattest(c, now);
}

void account_shrink(struct cake *c, uint64_t limit, unsigned max, uint64_t now)
{
	while (c->memory > limit && max--)
		drop_from_fattest(c, now);
}

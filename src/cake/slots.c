/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instance among others that share one rate: its part of it, its slots, and what it has to do.
 * How the others come into it is not known here (src/share).
 */
#include <gateau/cake.h>

#include "cake/state.h"

bool cake_set_share(struct cake *c, uint64_t bytes_per_s)
{
	if (!c->bytes_per_s || bytes_per_s == c->share)
		return false;
	c->share = bytes_per_s;
	instance_share_rate(c);
	for (unsigned i = 0; i < c->n_tins; i++)
		if (tin_active(&c->tins[i]))
			instance_share_tin(c, &c->tins[i]);
	return true;
}

bool cake_wants_slot(const struct cake *c)
{
	return instance_qlen(c) && shaper_slot_used_up(&c->shaper);
}

int64_t cake_slot_left(const struct cake *c)
{
	return shaper_slot_left(&c->shaper);
}

/* Tins that were above their threshold for a while do not make up for it, as after a stall. */
void cake_give_slot(struct cake *c, uint64_t start, uint64_t end)
{
	struct shaper *s = &c->shaper;

	s->next = start + s->next - s->slot.end;
	/* One that follows at once is more of the same. */
	if (start != s->slot.end)
		s->slot.start = start;
	s->slot.end = end;
	for (unsigned i = 0; s->catch_up < start && i < c->n_tins; i++)
		if (c->tins[i].next < start - s->catch_up)
			c->tins[i].next = start - s->catch_up;
}

void cake_end_slot(struct cake *c)
{
	c->shaper.slot.end = c->shaper.next;
}

void cake_load_get(const struct cake *c, struct cake_load *out)
{
	*out = (struct cake_load){
		.adj_bytes = c->shaper.slot.queued_bytes,
		.packets = instance_qlen(c),
	};
	for (unsigned i = 0; i < c->n_tins; i++) {
		const struct tin *t = &c->tins[i];

		out->bytes += t->in.bytes - t->out.bytes;
		out->sparse_flows += tin_sparse(t);
		out->bulk_flows += tin_bulk(t);
		out->src_hosts += t->busy_src_hosts;
		out->dst_hosts += t->busy_dst_hosts;
	}
}

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
 * overflow, ackfilter, slab; instance for creation); enqueue.c and dequeue.c know their order, this
 * one has what is left to the caller. Where it differs from Linux, docs/deviations.md says so. A
 * dropped packet is put on a list for the caller and no longer counts as queued (account.h).
 */
#include <gateau/cake.h>

#include <errno.h>

#include "cake/account.h"

unsigned cake_take_drops(struct cake *c, struct cake_verdict *out, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		uint32_t i = fifo_pop(&c->dropped, &c->slab);

		if (i == SLAB_NONE)
			break;
		out[n++] = account_verdict(c, &c->slab.descs[i]);
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
				account_drop(c, account_pop(c, t, &t->table.flows[slot]),
					     CAKE_DROP_PURGE);
		}
		tin_reset(t);
	}
	c->active_tins = 0;
	c->overflow.countdown = 0;
	c->wake = CAKE_NEVER;
	return n;
}

void cake_resume(struct cake *c, uint64_t now)
{
	shaper_restart(&c->shaper, now);
	if (instance_qlen(c))
		c->wake = now;
}

/* A limit may have come down; and what held the queue back may be no more. */
static void apply_limits(struct cake *c, uint64_t now)
{
	account_keep_limits(c, now);
	if (instance_qlen(c))
		c->wake = now;
}

int cake_set_memlimit(struct cake *c, uint64_t bytes, uint64_t now)
{
	if (bytes > cake_memory_limit(&c->params))
		return -ENOSPC;
	c->memory_cap = bytes;
	c->memory_limit = instance_memory_limit(c);
	apply_limits(c, now);
	return 0;
}

uint64_t cake_memory_used(const struct cake *c)
{
	return c->memory;
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

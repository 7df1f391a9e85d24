/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at flows one by one while packets flow: for people who want to see which are the fattest.
 */
#include <gateau/cake_stats.h>

#include <errno.h>

#include "cake/state.h"

/** The tin that slot @slot, counted from tin to tin, is in. */
static const struct tin *tin_of_slot(const struct cake *c, uint32_t slot)
{
	return &c->tins[slot / c->params.flows];
}

static void see_host(const struct host_table *hosts, uint16_t host, uint32_t *identity,
		     uint16_t *bulk)
{
	*identity = hosts->tags ? hosts->tags[host] : 0;
	*bulk = hosts->tags ? hosts->bulk_flows[host] : 0;
}

static void see_flow(const struct cake *c, uint32_t slot, struct cake_flow_seen *out)
{
	const struct tin *t = tin_of_slot(c, slot);
	const struct flow *f = &t->table.flows[slot - t->first_flow];

	out->backlog = overflow_bytes(&c->overflow, slot);
	out->flow = slot - t->first_flow;
	out->tin = t->number;
	out->set = f->set;
	see_host(&t->src_hosts, f->src_host, &out->src_host, &out->src_bulk);
	see_host(&t->dst_hosts, f->dst_host, &out->dst_host, &out->dst_bulk);
}

unsigned cake_list_flows(const struct cake *c, uint32_t *next, struct cake_flow_seen *out,
			 unsigned max)
{
	const uint32_t end = c->n_tins * c->params.flows;
	uint32_t slot = *next;
	unsigned n = 0;

	for (unsigned looked = 0; slot < end && looked < CAKE_LIST_SLOTS && n < max; looked++) {
		if (overflow_bytes(&c->overflow, slot))
			see_flow(c, slot, &out[n++]);
		slot++;
	}
	*next = slot < end ? slot : 0;
	return n;
}

int cake_flow_head(const struct cake *c, unsigned tin, uint32_t flow, struct cake_waiting *out)
{
	const struct desc *d;
	uint32_t head;

	if (tin >= c->n_tins || flow >= c->params.flows)
		return -ENOENT;
	head = c->tins[tin].table.flows[flow].queue.head;
	if (head == SLAB_NONE)
		return -ENOENT;
	d = &c->slab.descs[head];
	*out = (struct cake_waiting){
		.enqueued_ns = d->enqueued_ns,
		.handle = d->handle,
		.len = d->len,
	};
	return 0;
}

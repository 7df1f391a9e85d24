/* SPDX-License-Identifier: BSD-3-Clause */
/* Auditing the running state from its packets up; see audit.h. */
#include "audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cake/state.h"

struct sums {
	uint64_t bytes, memory;
	uint32_t packets;
};

static void audit_flow(const struct cake *c, unsigned tin, uint16_t slot, struct sums *tin_sums)
{
	const struct flow *f = &c->tins[tin].table.flows[slot];
	uint32_t last = SLAB_NONE, pure_acks = 0;
	uint64_t bytes = 0;

	for (uint32_t i = f->queue.head; i != SLAB_NONE; i = c->slab.descs[i].next) {
		const struct desc *d = &c->slab.descs[i];

		assert_int_equal(d->tin, tin);
		assert_int_equal(d->flow, slot);
		bytes += d->len;
		pure_acks += d->pure_ack;
		assert_int_equal(d->pure_ack, d->tcp && c->slab.tcps[i].pure);
		assert_true(!d->tcp || c->params.ack_filter);
		tin_sums->memory += d->charge;
		tin_sums->packets++;
		last = i;
	}
	assert_int_equal(f->backlog, bytes);
	assert_int_equal(c->params.ack_filter ? c->tins[tin].pure_acks[slot] : 0, pure_acks);
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
	uint32_t src[AUDIT_FLOWS_MAX] = {0}, dst[AUDIT_FLOWS_MAX] = {0};

	assert_true(t->table.n <= AUDIT_FLOWS_MAX);
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

uint32_t audit_state(const struct cake *c)
{
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
	audit_heap(c);
	return dropped;
}

void audit_slab(const struct cake *c)
{
	uint32_t i = c->slab.free, n = 0;

	for (; n < c->slab.n_free; n++, i = c->slab.descs[i].next)
		assert_true(i < c->slab.n);
	assert_int_equal(i, SLAB_NONE);
}

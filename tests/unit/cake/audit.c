/* SPDX-License-Identifier: BSD-3-Clause */
/* Auditing the running state from its packets up; see audit.h. */
#include "audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cake/state.h"

struct sums {
	uint64_t bytes, adjusted, memory;
	uint32_t packets;
};

static void audit_flow(const struct cake *c, unsigned tin, uint32_t slot, struct sums *tin_sums)
{
	const struct flow *f = &c->tins[tin].table.flows[slot];
	uint32_t last = SLAB_NONE, pure_acks = 0;
	uint64_t bytes = 0;

	for (uint32_t i = f->queue.head; i != SLAB_NONE; i = c->slab.descs[i].next) {
		const struct desc *d = &c->slab.descs[i];

		assert_ptr_equal(instance_tin_of(c, d), &c->tins[tin]);
		assert_int_equal(instance_slot_of(c, d), slot);
		bytes += d->len;
		pure_acks += d->pure_ack;
		assert_int_equal(d->pure_ack, d->tcp && c->slab.tcps[i].pure);
		assert_true(!d->tcp || c->slab.tcps);
		tin_sums->adjusted += d->adj_len;
		tin_sums->memory += d->charge;
		tin_sums->packets++;
		last = i;
	}
	assert_int_equal(overflow_bytes(&c->overflow, c->tins[tin].first_flow + slot), bytes);
	assert_int_equal(c->slab.tcps ? c->tins[tin].pure_acks[slot] : 0, pure_acks);
	if (last != SLAB_NONE)
		assert_int_equal(f->queue.tail, last);
	tin_sums->bytes += bytes;
	if (f->set != CAKE_SET_SPARSE && f->set != CAKE_SET_BULK)
		assert_int_equal(bytes, 0);
}

/* Slots of a list, all in a state that belongs there. Returns how many. */
static uint32_t audit_list(const struct tin *t, enum flow_list list, unsigned allowed_sets)
{
	uint32_t n = 1, at = flow_first(&t->table, list);

	if (at == FLOW_NONE)
		return 0;
	for (;; n++) {
		uint32_t next = t->table.flows[at].next;

		assert_true(n <= t->table.n);
		assert_true(allowed_sets >> t->table.flows[at].set & 1);
		if (at == t->table.lists[list].last)
			return n;
		assert_true(next < t->table.n);
		assert_int_equal(t->table.flows[next].prev, at);
		at = next;
	}
}

/* Bulk flows by host, in a table as large as @hosts. Returns how many hosts have any. */
static uint32_t audit_hosts(const struct tin *t, const struct host_table *hosts, bool src)
{
	uint32_t *bulk_flows, busy = 0;

	if (!hosts->tags)
		return 0;
	bulk_flows = calloc(hosts->mask + 1, sizeof(*bulk_flows));
	assert_non_null(bulk_flows);
	for (uint32_t slot = 0; slot < t->table.n; slot++) {
		const struct flow *f = &t->table.flows[slot];

		if (f->set == CAKE_SET_BULK)
			bulk_flows[src ? f->src_host : f->dst_host]++;
	}
	for (uint32_t i = 0; i <= hosts->mask; i++) {
		assert_int_equal(hosts->bulk_flows[i], bulk_flows[i]);
		busy += bulk_flows[i] != 0;
	}
	free(bulk_flows);
	return busy;
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
	assert_int_equal(t->in.bytes - t->out.bytes, sums.bytes);
	assert_int_equal(tin_qlen(t), sums.packets);
	assert_int_equal(t->unresponsive, unresponsive);
	assert_int_equal(t->number, tin);
	assert_int_equal(c->active_tins >> tin & 1, tin_active(t));
	for (unsigned set = CAKE_SET_NONE + 1; set <= CAKE_SET_DECAYING; set++)
		assert_int_equal(t->flows_in[set], by_set[set]);
	assert_int_equal(audit_list(t, FLOWS_NEW, 1 << CAKE_SET_SPARSE), by_set[CAKE_SET_SPARSE]);
	assert_int_equal(audit_list(t, FLOWS_OLD, 1 << CAKE_SET_SPARSE_WAIT | 1 << CAKE_SET_BULK),
			 by_set[CAKE_SET_SPARSE_WAIT] + by_set[CAKE_SET_BULK]);
	assert_int_equal(audit_list(t, FLOWS_DECAYING, 1 << CAKE_SET_DECAYING),
			 by_set[CAKE_SET_DECAYING]);
	assert_int_equal(audit_hosts(t, &t->src_hosts, true), t->busy_src_hosts);
	assert_int_equal(audit_hosts(t, &t->dst_hosts, false), t->busy_dst_hosts);
	all->adjusted += sums.adjusted;
	all->memory += sums.memory;
	all->packets += sums.packets;
}

/* Each says whose it is. */
static void audit_leaves(const struct overflow *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		assert_int_equal(o->keys[i] & OVERFLOW_INDEX_MASK, OVERFLOW_INDEX_MASK - i);
}

void audit_overflow(const struct overflow *o)
{
	uint32_t below = o->n;

	audit_leaves(o);
	if (!o->countdown)
		return;
	for (unsigned level = 1; level <= o->levels; level++) {
		const uint64_t *nodes = &o->keys[o->start[level]];
		const uint64_t *children = &o->keys[o->start[level - 1]];
		uint32_t n = (below + OVERFLOW_WAYS - 1) / OVERFLOW_WAYS;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t most = 0;

			for (uint32_t k = i * OVERFLOW_WAYS; k < (i + 1) * OVERFLOW_WAYS; k++)
				most = k < below && children[k] > most ? children[k] : most;
			assert_int_equal(nodes[i], most);
		}
		below = n;
	}
	assert_true(below <= OVERFLOW_WAYS); /* the last level is looked through as a whole */
}

uint32_t audit_state(const struct cake *c)
{
	struct sums sums = {0};
	uint32_t dropped = 0;

	for (unsigned tin = 0; tin < c->n_tins; tin++)
		audit_tin(c, tin, &sums);
	assert_int_equal(c->memory, sums.memory);
	assert_int_equal(c->shaper.slot.queued_bytes, sums.adjusted);
	assert_int_equal(instance_qlen(c), sums.packets);
	assert_true(c->memory <= c->memory_limit);
	for (uint32_t i = c->dropped.head; i != SLAB_NONE; i = c->slab.descs[i].next)
		dropped++;
	assert_int_equal(c->slab.n_free + sums.packets + dropped, c->slab.n);
	audit_overflow(&c->overflow);
	return dropped;
}

void audit_slab(const struct cake *c)
{
	uint32_t i = c->slab.free, n = 0;

	for (; n < c->slab.n_free; n++, i = c->slab.descs[i].next)
		assert_true(i < c->slab.n);
	assert_int_equal(i, SLAB_NONE);
}

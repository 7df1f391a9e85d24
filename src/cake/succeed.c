/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One instance after another: where the first stands the second goes on, and what is queued moves.
 *
 * Counters never go back. Of each tin they go on in the tin of the same name. A packet that moves
 * has been counted by the tin that it came to, and the one that it moves to counts it again, be it
 * the same one: struct before says how many the sums have twice, and what was counted by tins that
 * are no more.
 */
#include <gateau/cake.h>

#include <stddef.h>
#include <string.h>

#include "cake/account.h"

/* The tin of @c that is called as @t of @before. NULL: none is. */
static struct tin *same_name(struct cake *c, const struct cake *before, const struct tin *t)
{
	const char *name = cake_tin_name(before->params.diffserv, t->number);

	for (unsigned i = 0; i < c->n_tins; i++)
		if (!strcmp(cake_tin_name(c->params.diffserv, i), name))
			return &c->tins[i];
	return NULL;
}

static void add_count(struct tin_count *to, const struct tin_count *from)
{
	to->packets += from->packets;
	to->bytes += from->bytes;
}

/* What tin @t of another instance has counted, @to counts. What waits there will be counted again.
 */
static void take_over_tin(struct cake *c, struct tin *to, const struct tin *t)
{
	c->before.requeued_packets += t->in.packets - t->out.packets;
	c->before.requeued_bytes += t->in.bytes - t->out.bytes;
	add_count(&to->in, &t->in);
	add_count(&to->out, &t->in);
	to->drops += t->drops;
	to->ecn_marks += t->ecn_marks;
	to->ack_drops += t->ack_drops;
	to->way_indirect_hits += t->way_indirect_hits;
	to->way_misses += t->way_misses;
	to->way_collisions += t->way_collisions;
	if (t->max_len > to->max_len)
		to->max_len = t->max_len;
}

/* But for what waits. */
static void forget_counts(struct tin *t)
{
	t->in.packets -= t->out.packets;
	t->in.bytes -= t->out.bytes;
	t->out = (struct tin_count){0};
	t->drops = 0;
	t->ecn_marks = 0;
	t->ack_drops = 0;
	t->way_indirect_hits = 0;
	t->way_misses = 0;
	t->way_collisions = 0;
}

static void take_over_tins(struct cake *c, struct cake *before)
{
	for (unsigned i = 0; i < before->n_tins; i++) {
		struct tin *t = &before->tins[i], *to = same_name(c, before, t);

		if (to) {
			take_over_tin(c, to, t);
		} else {
			c->before.packets += t->out.packets;
			c->before.bytes += t->out.bytes;
			c->before.ecn_marks += t->ecn_marks;
		}
		forget_counts(t);
	}
}

static void take_over_sums(struct cake *c, struct cake *before)
{
	struct before *b = &before->before;

	c->before.packets += b->packets;
	c->before.bytes += b->bytes;
	c->before.ecn_marks += b->ecn_marks;
	c->before.requeued_packets += b->requeued_packets;
	c->before.requeued_bytes += b->requeued_bytes;
	c->dropped_bytes += before->dropped_bytes;
	for (unsigned d = 0; d < CAKE_DECISIONS; d++)
		c->decisions[d] += before->decisions[d];
	if (before->memory_peak > c->memory_peak)
		c->memory_peak = before->memory_peak;
	c->overlimits += before->overlimits;
	c->catch_ups += before->catch_ups;
	c->catch_up_ns += before->catch_up_ns;
	*b = (struct before){0};
	before->dropped_bytes = 0;
	memset(before->decisions, 0, sizeof(before->decisions));
	before->memory_peak = before->memory;
	before->overlimits = 0;
	before->catch_ups = 0;
	before->catch_up_ns = 0;
}

/* What delays were like lately. */
static void go_on_with_delays(struct cake *c, const struct cake *before)
{
	for (unsigned i = 0; i < before->n_tins; i++) {
		const struct tin *t = &before->tins[i];
		struct tin *to = same_name(c, before, t);

		if (!to)
			continue;
		to->peak_delay = t->peak_delay;
		to->avg_delay = t->avg_delay;
		to->base_delay = t->base_delay;
	}
}

/* The estimate goes on, unless there is another rate to begin with. */
static void go_on_with_rate(struct cake *c, const struct cake *before)
{
	if (!c->params.autorate_ingress || !before->params.autorate_ingress ||
	    c->params.bandwidth_bps != before->params.bandwidth_bps)
		return;
	c->autorate = before->autorate;
	instance_set_rate(c, before->bytes_per_s);
}

static void go_on_with_schedule(struct cake *c, const struct cake *before, uint64_t now)
{
	const uint64_t from = before->bytes_per_s;
	struct shaper *s = &c->shaper;

	s->next = instance_rescale(c, before->shaper.next, now, from);
	if (s->failsafe != SHAPER_NEVER)
		s->failsafe = instance_rescale(c, before->shaper.failsafe, now, from);
	/* Nothing is left of a slot that is not its own. */
	s->slot.start = s->next;
	s->slot.end = s->next;
	instance_set_slots(c, now);
	cake_set_share(c, instance_scale_share(c, before->share, from));
}

void cake_succeed(struct cake *c, struct cake *before, uint64_t now)
{
	go_on_with_rate(c, before);
	go_on_with_schedule(c, before, now);
	go_on_with_delays(c, before);
	c->adjust.avg_offset = before->adjust.avg_offset;
	c->changes = before->changes + 1;
	take_over_tins(c, before);
	take_over_sums(c, before);
}

void cake_absorb(struct cake *c, struct cake *before)
{
	take_over_tins(c, before);
	take_over_sums(c, before);
}

/* The first flow of @list has nothing: its slot is nobody's. */
static void give_up_flow(struct tin *t, struct flow *f, enum flow_list list)
{
	bool was_unresponsive = f->cobalt.p_drop != 0;

	f->cobalt = (struct cobalt){0};
	account_responsiveness(t, f, was_unresponsive);
	flow_remove_first(&t->table, list);
	tin_set_flow(t, f, CAKE_SET_NONE);
}

/* The first flow of @list, which has packets left, goes to the end of the rotation. */
static void pass_turn(struct tin *t, struct flow *f, enum flow_list list)
{
	if (list == FLOWS_OLD) {
		flow_rotate(&t->table, list);
		return;
	}
	tin_set_flow(t, f, CAKE_SET_BULK);
	flow_move_first(&t->table, list, FLOWS_OLD);
}

/* The next flow's first packet; false: it has none. */
static bool take_packet(struct cake *c, struct tin *t, struct cake_verdict *out)
{
	enum flow_list list = flow_first(&t->table, FLOWS_NEW) != FLOW_NONE ? FLOWS_NEW : FLOWS_OLD;
	struct flow *f = &t->table.flows[flow_first(&t->table, list)];
	uint32_t i = f->queue.head;

	if (i != SLAB_NONE) {
		const struct desc *d = &c->slab.descs[account_pop(c, t, f)];

		*out = account_verdict(c, d);
		t->in.packets--;
		t->in.bytes -= d->len;
		t->out.packets--;
		t->out.bytes -= d->len;
		slab_put(&c->slab, i);
	}
	if (f->queue.head == SLAB_NONE)
		give_up_flow(t, f, list);
	else
		pass_turn(t, f, list);
	if (!tin_active(t))
		c->active_tins &= ~(1u << t->number);
	return i != SLAB_NONE;
}

/* The tin in use that comes after @number. */
static struct tin *next_tin(const struct cake *c, unsigned number)
{
	unsigned above = c->active_tins & ~((2u << number) - 1);

	return &c->tins[__builtin_ctz(above ? above : c->active_tins)];
}

unsigned cake_take(struct cake *c, struct cake_verdict *out, unsigned max)
{
	unsigned n = 0;

	/* Flows that are found empty take a step as well. */
	for (unsigned steps = 2 * max; steps && n < max && instance_qlen(c); steps--) {
		struct tin *t = next_tin(c, c->current_tin);

		c->current_tin = t->number;
		n += take_packet(c, t, &out[n]);
	}
	return n;
}

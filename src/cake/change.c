/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other parameters while packets are queued: what can be changed in place, and how. What tables are
 * made for takes another instance: succeed.c.
 */
#include <gateau/cake.h>

#include <errno.h>

#include "cake/account.h"
#include "cake/params.h"

static bool same_aqm(const struct cake_params *a, const struct cake_params *b)
{
	return a->bandwidth_bps == b->bandwidth_bps && a->rtt_ns == b->rtt_ns &&
	       a->target_ns == b->target_ns && a->memlimit == b->memlimit &&
	       a->catch_up_ns == b->catch_up_ns && a->ack_filter == b->ack_filter;
}

static bool same_framing(const struct cake_params *a, const struct cake_params *b)
{
	return a->overhead_set == b->overhead_set && a->overhead == b->overhead &&
	       a->mpu == b->mpu && a->atm == b->atm && a->max_frame == b->max_frame;
}

static bool same_ways(const struct cake_params *a, const struct cake_params *b)
{
	return a->fwmark == b->fwmark && a->ingress == b->ingress &&
	       a->autorate_ingress == b->autorate_ingress && a->wash == b->wash &&
	       a->split_gso == b->split_gso && a->slots == b->slots;
}

/* What memory was taken for, and what is in it. */
static bool same_tables(const struct cake_params *a, const struct cake_params *b)
{
	return a->profile == b->profile && a->diffserv == b->diffserv &&
	       a->flowmode == b->flowmode && a->flows == b->flows &&
	       a->min_charge == b->min_charge && a->burst == b->burst;
}

/* @p, resolved, are other parameters: can @c go by them? */
static bool has_room(const struct cake *c, const struct cake_params *p)
{
	return cake_memory_limit(p) <= c->params.room && (c->slab.tcps || !p->ack_filter);
}

/* @to as this instance would go by them, and what it takes to get there. */
static int resolve(const struct cake *c, const struct cake_params *to, struct cake_params *p)
{
	const struct cake_params *from = &c->params;
	int err;

	*p = *to;
	err = params_resolve(p);
	if (err)
		return err;
	if (!same_tables(from, p) || !has_room(c, p))
		return CAKE_CHANGE_REQUEUE;
	p->room = from->room;
	if (same_aqm(from, p) && same_framing(from, p) && same_ways(from, p))
		return CAKE_CHANGE_NONE;
	return CAKE_CHANGE_IN_PLACE;
}

int cake_change_kind(const struct cake *c, const struct cake_params *to)
{
	struct cake_params p;

	return resolve(c, to, &p);
}

/* The ranges seen are of the lengths on one link, as in Linux. */
static void change_framing(struct adjust *a, const struct cake_params *p)
{
	uint64_t avg_offset = a->avg_offset;

	adjust_init(a, p);
	a->avg_offset = avg_offset;
}

/* The rate to go on at, bytes/s: an estimate stays, unless there is a new one to begin with. */
static uint64_t next_rate(struct cake *c, const struct cake_params *from)
{
	const struct cake_params *to = &c->params;

	if (from->autorate_ingress && to->autorate_ingress &&
	    from->bandwidth_bps == to->bandwidth_bps)
		return c->bytes_per_s;
	if (to->autorate_ingress && !from->autorate_ingress)
		autorate_init(&c->autorate, 0, to->profile == CAKE_PROFILE_LINUX);
	c->autorate.peak = to->bandwidth_bps / 8;
	return to->bandwidth_bps / 8;
}

/* Schedules are told what the rate is, which was @from. */
static void rescale(struct cake *c, uint64_t from, uint64_t now)
{
	struct shaper *s = &c->shaper;

	s->next = instance_rescale(c, s->next, now, from);
	s->failsafe = instance_rescale(c, s->failsafe, now, from);
	s->slot.start = instance_rescale(c, s->slot.start, now, from);
	s->slot.end = instance_rescale(c, s->slot.end, now, from);
	for (unsigned i = 0; i < c->n_tins; i++) {
		struct tin *t = &c->tins[i];

		t->next = instance_rescale(c, t->next, now, from);
		/* Only an unlimited link refills deficits: they have all that was sent until now.
		 */
		if (from && !c->bytes_per_s)
			t->deficit = 0;
	}
}

/* Thresholds, quanta, AQM parameters and the memory limit follow; a part of the rate is the same
 * part of the new one. */
static void change_rate(struct cake *c, uint64_t bytes_per_s, uint64_t now)
{
	const uint64_t share = c->share, from = c->bytes_per_s;

	instance_set_rate(c, bytes_per_s);
	if (bytes_per_s != from)
		rescale(c, from, now);
	instance_set_slots(c, now);
	cake_set_share(c, instance_scale_share(c, share, from));
	if (c->memory_limit < c->memory)
		c->memory_limit = c->memory;
}

int cake_change(struct cake *c, const struct cake_params *to, uint64_t now)
{
	const struct cake_params from = c->params;
	struct cake_params p;
	int kind = resolve(c, to, &p);

	if (kind < 0 || kind == CAKE_CHANGE_NONE)
		return kind;
	if (kind == CAKE_CHANGE_REQUEUE)
		return -EOPNOTSUPP;
	c->params = p;
	c->changes++;
	classifier_init(&c->classifier, p.diffserv, p.fwmark);
	if (!same_framing(&from, &p))
		change_framing(&c->adjust, &p);
	change_rate(c, next_rate(c, &from), now);
	/* What held the queue back may be no more. */
	if (instance_qlen(c))
		c->wake = now;
	return 0;
}

bool cake_shrink(struct cake *c, unsigned max, uint64_t now)
{
	const uint64_t limit = instance_memory_limit(c);

	account_shrink(c, limit, max, now);
	c->memory_limit = c->memory > limit ? c->memory : limit;
	return c->memory_limit == limit;
}

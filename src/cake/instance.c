/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of an instance: all memory it ever has is taken here, and its rates are set. What
 * happens to packets is in enqueue.c and dequeue.c.
 */
#include <gateau/cake.h>

#include <errno.h>
#include <stdlib.h>

#include "cake/params.h"
#include "cake/state.h"

void instance_set_rate(struct cake *c, uint64_t bytes_per_s)
{
	const struct cake_params *p = &c->params;

	c->bytes_per_s = bytes_per_s;
	for (unsigned i = 0; i < c->n_tins; i++) {
		tin_set_rate(&c->tins[i], params_tin_rate(p->diffserv, i, bytes_per_s), p);
		c->tins[i].share = 0;
	}
	c->share = 0;
	c->shaper.rate = c->tins[0].rate;
	c->shaper.share = c->shaper.rate;
	c->shaper.catch_up =
		p->profile == CAKE_PROFILE_LINUX ? UINT64_MAX : params_catch_up(p, bytes_per_s);
	c->memory_limit = instance_memory_limit(c);
}

static struct rate share_of(const struct cake *c)
{
	return rate_from_bytes(c->share ? c->share : c->bytes_per_s, params_keep_carry(&c->params));
}

void instance_share_rate(struct cake *c)
{
	c->shaper.share = share_of(c);
	if (!c->shaper.slot.on)
		c->shaper.rate = c->shaper.share;
}

void instance_share_tin(struct cake *c, struct tin *t)
{
	uint64_t bytes_per_s = c->share ? c->share : c->bytes_per_s;

	tin_share_rate(t, params_tin_rate(c->params.diffserv, t - c->tins, bytes_per_s),
		       &c->params);
	t->share = c->share;
}

uint64_t instance_rescale(const struct cake *c, uint64_t time, uint64_t now, uint64_t from)
{
	if (c->params.profile == CAKE_PROFILE_LINUX && !c->params.slots)
		return time;
	return shaper_rescale(time, now, from, c->bytes_per_s);
}

uint64_t instance_scale_share(const struct cake *c, uint64_t share, uint64_t from)
{
	uint64_t scaled;

	if (!share || !c->bytes_per_s)
		return 0;
	scaled = (unsigned __int128)share * c->bytes_per_s / from;
	return scaled ? scaled : 1;
}

uint64_t instance_memory_limit(const struct cake *c)
{
	uint64_t limit = params_memory_limit(&c->params, c->bytes_per_s);

	return c->memory_cap && c->memory_cap < limit ? c->memory_cap : limit;
}

void instance_set_slots(struct cake *c, uint64_t now)
{
	struct shaper *s = &c->shaper;
	bool on = c->params.slots && c->bytes_per_s;

	if (on && !s->slot.on) {
		/* Nothing is left of a slot that never was. */
		s->slot.start = s->next;
		s->slot.end = s->next;
	}
	s->slot.on = on;
	if (on && !c->params.ingress)
		s->failsafe = SHAPER_NEVER;
	else if (s->failsafe == SHAPER_NEVER)
		s->failsafe = s->next > now ? s->next : now;
}

static int create_tins(struct cake *c)
{
	c->tins = calloc(c->n_tins, sizeof(*c->tins));
	if (!c->tins)
		return -ENOMEM;
	for (unsigned i = 0; i < c->n_tins; i++) {
		if (tin_init(&c->tins[i], &c->params)) {
			while (i--)
				tin_fini(&c->tins[i]);
			free(c->tins);
			return -ENOMEM;
		}
		c->tins[i].quantum = params_tin_quantum(c->params.diffserv, i);
		c->tins[i].number = i;
		c->tins[i].first_flow = i * c->params.flows;
	}
	return 0;
}

static void destroy_tins(struct cake *c)
{
	for (unsigned i = 0; i < c->n_tins; i++)
		tin_fini(&c->tins[i]);
	free(c->tins);
}

/* Flows, of 64 bytes, that are more than what is left of a second cache of 512 KB or 1 MB. */
#define FAR_FLOWS 4096

int cake_create(struct cake **out, const struct cake_params *p, struct prng *rng)
{
	struct cake_params params = *p;
	struct cake *c;
	int err = params_resolve(&params);

	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->params = params;
	c->rng = rng;
	c->n_tins = cake_tin_count(params.diffserv);
	c->far = c->n_tins * params.flows > FAR_FLOWS;
	c->max_qlen = params_max_packets(&params);
	c->wake = CAKE_NEVER;
	autorate_init(&c->autorate, params.bandwidth_bps / 8, params.profile == CAKE_PROFILE_LINUX);
	fifo_init(&c->dropped);
	classifier_init(&c->classifier, params.diffserv, params.fwmark);
	adjust_init(&c->adjust, &params);

	err = create_tins(c);
	if (err)
		goto free_cake;
	err = overflow_init(&c->overflow, c->n_tins * params.flows);
	if (err)
		goto free_tins;
	err = slab_init(&c->slab, c->max_qlen + params.burst,
			params.ack_filter != CAKE_ACK_FILTER_OFF);
	if (err)
		goto free_overflow;
	instance_set_rate(c, params.bandwidth_bps / 8);
	instance_set_slots(c, 0);
	*out = c;
	return 0;

free_overflow:
	overflow_fini(&c->overflow);
free_tins:
	destroy_tins(c);
free_cake:
	free(c);
	return err;
}

void cake_destroy(struct cake *c)
{
	if (!c)
		return;
	slab_fini(&c->slab);
	overflow_fini(&c->overflow);
	destroy_tins(c);
	free(c);
}

uint64_t cake_footprint(const struct cake_params *p)
{
	unsigned tins = cake_tin_count(p->diffserv);
	uint64_t descs = params_max_packets(p) + params_burst(p);

	return sizeof(struct cake) + tins * (sizeof(struct tin) + tin_footprint(p)) +
	       overflow_footprint(tins * p->flows) +
	       slab_footprint(descs, p->ack_filter != CAKE_ACK_FILTER_OFF);
}

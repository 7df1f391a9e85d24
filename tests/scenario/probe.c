/* SPDX-License-Identifier: BSD-3-Clause */
/* See probe.h. */
#include "probe.h"

#include <stdlib.h>

#include "dice.h"
#include "memory.h"
#include "world.h"

struct probe {
	struct world *world;
	struct probe_params params;
	struct prng rng;
	struct event next;
};

/** The cookie of both ways is when the request was sent. */
static void send_request(void *arg, uint64_t now)
{
	struct probe *p = arg;
	const double wait = (double)p->params.interval_ns * (0.5 + dice_unit(&p->rng));

	world_send(p->world, p->params.request, p->params.len, now);
	events_set(p->world->events, &p->next, now + (uint64_t)wait);
}

static void echo(void *arg, struct flow *flow, uint64_t cookie, uint32_t len, bool ce, uint64_t now)
{
	struct probe *p = arg;

	(void)flow;
	(void)ce;
	(void)now;
	world_send(p->world, p->params.reply, len, cookie);
}

static void measure(void *arg, struct flow *flow, uint64_t cookie, uint32_t len, bool ce,
		    uint64_t now)
{
	struct probe *p = arg;

	(void)flow;
	(void)len;
	(void)ce;
	world_note_rtt(p->world, p->params.request, cookie, now);
}

struct probe *probe_create(struct world *w, const struct probe_params *params)
{
	struct probe *p = must_calloc(1, sizeof(*p));

	p->world = w;
	p->params = *params;
	p->rng = dice_start(params->seed);
	p->next.fn = send_request;
	p->next.arg = p;
	params->request->deliver = echo;
	params->request->arg = p;
	params->reply->deliver = measure;
	params->reply->arg = p;
	events_set(w->events, &p->next, params->start);
	return p;
}

void probe_destroy(struct probe *p)
{
	events_clear(p->world->events, &p->next);
	free(p);
}

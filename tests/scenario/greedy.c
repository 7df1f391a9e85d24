/* SPDX-License-Identifier: BSD-3-Clause */
/* See greedy.h. */
#include "greedy.h"

#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "memory.h"

/** From a packet's leaving to the next one's arrival, ns. */
#define RENEW_NS 20000

struct renewal {
	struct flow *flow;
	uint64_t at;
};

struct greedy {
	struct world *world;
	struct sender_params p;
	struct flow *const *flows;
	struct prng rng;
	uint64_t until;
	unsigned launched; /* flows, one after another */
	struct event launch, renew;
	struct renewal *waiting; /* a ring, by time: a packet of the windows each, at most */
	uint64_t room, head, count;
};

static void send(struct greedy *g, struct flow *flow)
{
	unsigned size = dice_below(&g->rng, g->p.n_sizes);

	world_send(g->world, flow, g->p.sizes[size], 0);
}

static void launch(void *arg, uint64_t now)
{
	struct greedy *g = arg;

	for (unsigned i = 0; i < g->p.window; i++)
		send(g, g->flows[g->launched]);
	if (++g->launched < g->p.flows)
		events_set(g->world->events, &g->launch, now + g->p.over_ns / g->p.flows);
}

static void renew(void *arg, uint64_t now)
{
	struct greedy *g = arg;

	while (g->count && g->waiting[g->head].at <= now) {
		struct flow *flow = g->waiting[g->head].flow;

		g->head = (g->head + 1) % g->room;
		g->count--;
		send(g, flow);
	}
	if (g->count)
		events_set(g->world->events, &g->renew, g->waiting[g->head].at);
}

static void packet_gone(void *arg, struct flow *flow, uint64_t now)
{
	struct greedy *g = arg;
	const uint64_t at = now + RENEW_NS;

	if (at >= g->until)
		return;
	g->waiting[(g->head + g->count++) % g->room] = (struct renewal){flow, at};
	if (g->count == 1)
		events_set(g->world->events, &g->renew, at);
}

struct greedy *greedy_create(struct world *w, const struct sender_params *p,
			     struct flow *const *flows)
{
	struct greedy *g = must_calloc(1, sizeof(*g));

	g->world = w;
	g->p = *p;
	g->flows = flows;
	g->rng = dice_start(prng_u32(&w->rng));
	g->until = p->until ? WORLD_START + p->until : UINT64_MAX;
	g->room = (uint64_t)p->window * p->flows;
	g->waiting = must_calloc(g->room, sizeof(*g->waiting));
	for (unsigned i = 0; i < p->flows; i++) {
		flows[i]->gone = packet_gone;
		flows[i]->gone_arg = g;
	}
	g->launch = (struct event){.fn = launch, .arg = g};
	g->renew = (struct event){.fn = renew, .arg = g};
	events_set(w->events, &g->launch, WORLD_START + p->from);
	return g;
}

void greedy_destroy(struct greedy *g)
{
	if (!g)
		return;
	events_clear(g->world->events, &g->launch);
	events_clear(g->world->events, &g->renew);
	free(g->waiting);
	free(g);
}

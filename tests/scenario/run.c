/* SPDX-License-Identifier: BSD-3-Clause */
/* See run.h. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static const char *set_lcores(struct world *w, const struct scenario *s)
{
	for (unsigned i = 0; i < s->n_stalls; i++) {
		if (s->stalls[i].lcore >= w->n_lcores)
			return "stalls: there is no such lcore";
		w->lcores[s->stalls[i].lcore].stall = s->stalls[i].stall;
		w->lcores[s->stalls[i].lcore].stall.at += WORLD_START;
	}
	for (unsigned i = 0; i < s->n_stale; i++) {
		if (s->stale[i].lcore >= w->n_lcores)
			return "stale: there is no such lcore";
		w->lcores[s->stale[i].lcore].stale_ns = s->stale[i].ns;
	}
	return NULL;
}

static const char *run(struct world *w, struct scenario *s, struct run_result *out)
{
	const char *fault;

	for (unsigned i = 0; i < s->n_phases; i++) {
		s->phases[i].from += WORLD_START;
		s->phases[i].until += WORLD_START;
	}
	fault = world_run(w, s->phases, s->n_phases);
	for (unsigned i = 0; i < s->n_expects; i++)
		out->values[i] = expect_value(&s->expects[i], w);
	world_free_phases(s->phases, s->n_phases);
	return fault;
}

/** Everyone who sends. */
struct crowd {
	struct sender *senders[SCENARIO_SENDERS_MAX];
	struct closed *closed[2 * SCENARIO_CLOSED_MAX];
	unsigned n_senders, n_closed;
};

static const char *add_crowd(struct crowd *c, struct world *w, const struct scenario *s)
{
	for (; c->n_senders < s->n_senders; c->n_senders++) {
		c->senders[c->n_senders] = sender_create(w, &s->senders[c->n_senders]);
		if (!c->senders[c->n_senders])
			return "senders: queues that are not there";
	}
	for (unsigned i = 0; i < s->n_tcp; i++)
		c->closed[c->n_closed++] = closed_create_tcp(w, &s->tcp[i]);
	for (unsigned i = 0; i < s->n_probes; i++)
		c->closed[c->n_closed++] = closed_create_probes(w, &s->probes[i]);
	return NULL;
}

static void remove_crowd(struct crowd *c)
{
	while (c->n_closed)
		closed_destroy(c->closed[--c->n_closed]);
	while (c->n_senders)
		sender_destroy(c->senders[--c->n_senders]);
}

void run_scenario(struct scenario *s, struct run_result *out)
{
	struct crowd crowd = {0};
	const char *fault;
	struct world *w;

	memset(out, 0, sizeof(*out));
	if (world_create(&w, &s->world)) {
		snprintf(out->fault, sizeof(out->fault), "cannot make the box");
		return;
	}
	fault = set_lcores(w, s);
	if (!fault)
		fault = add_crowd(&crowd, w, s);
	if (!fault)
		fault = run(w, s, out);
	if (fault)
		snprintf(out->fault, sizeof(out->fault), "%s", fault);
	remove_crowd(&crowd);
	world_destroy(w);
}

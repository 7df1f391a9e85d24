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

/** Of what is measured only the numbers are kept. */
static void free_phases(struct scenario *s)
{
	for (unsigned i = 0; i < s->n_phases; i++) {
		free(s->phases[i].begin.flows);
		free(s->phases[i].end.flows);
		free(s->phases[i].waits);
	}
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
	free_phases(s);
	return fault;
}

void run_scenario(struct scenario *s, struct run_result *out)
{
	struct sender *senders[SCENARIO_SENDERS_MAX];
	const char *fault;
	struct world *w;
	unsigned n = 0;

	memset(out, 0, sizeof(*out));
	if (world_create(&w, &s->world)) {
		snprintf(out->fault, sizeof(out->fault), "cannot make the box");
		return;
	}
	fault = set_lcores(w, s);
	for (; !fault && n < s->n_senders; n++) {
		senders[n] = sender_create(w, &s->senders[n]);
		if (!senders[n]) {
			fault = "senders: queues that are not there";
			break;
		}
	}
	if (!fault)
		fault = run(w, s, out);
	if (fault)
		snprintf(out->fault, sizeof(out->fault), "%s", fault);
	while (n--)
		sender_destroy(senders[n]);
	world_destroy(w);
}

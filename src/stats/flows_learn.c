/* SPDX-License-Identifier: BSD-3-Clause */
/* What a few flows are like and whose they are; see flows.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/visits.h"
#include "packet/parse.h"
#include "stats/flows_internal.h"

/** Flows that a visit asks about, at most: some ten cache lines each. */
#define LEARN_STEP 16

/** One flow, as its holder knows it. */
struct learnt {
	struct flows_entry *entry;
	struct txq_head head;
};

/** What is asked of one queue in one visit. */
struct lesson {
	unsigned n;
	struct learnt flows[LEARN_STEP];
};

static void learn_flow(const struct txq *q, struct learnt *l, uint64_t now)
{
	struct flows_entry *e = l->entry;

	if (cake_flow_stats_get(txq_cake(q), e->seen.tin, e->seen.flow, now, &e->state) ||
	    txq_flow_head(q, e->seen.tin, e->seen.flow, &l->head))
		return;
	e->there = true;
	e->wait_ns = now - l->head.enqueued_ns;
	e->head_bytes = l->head.len;
}

static void run_lesson(struct txq *q, void *lesson, uint64_t now)
{
	struct lesson *l = lesson;

	for (unsigned i = 0; i < l->n; i++)
		learn_flow(q, &l->flows[i], now);
}

static bool same_queue(const struct flows_entry *a, const struct flows_entry *b)
{
	return a->port == b->port && a->queue == b->queue;
}

/** Entries that are to be learnt of, by queue, each once. */
struct targets {
	unsigned n;
	struct flows_entry *entries[2 * FLOWS_MAX];
};

static void add_target(struct targets *t, struct flows_entry *e)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entries[i] == e)
			return;
	t->entries[t->n++] = e;
}

/** The next flows of the first queue that has some left, at most LEARN_STEP; they leave @t. */
static void take_lesson(struct lesson *l, struct targets *t)
{
	const struct flows_entry *first = t->entries[0];
	unsigned left = 0;

	l->n = 0;
	for (unsigned i = 0; i < t->n; i++) {
		struct flows_entry *e = t->entries[i];

		if (l->n < LEARN_STEP && same_queue(e, first))
			l->flows[l->n++].entry = e;
		else
			t->entries[left++] = e;
	}
	t->n = left;
}

static void read_headers(struct lesson *l, const struct gateau_config *cfg)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct learnt *flow = &l->flows[i];
		const struct cake_params *p = &cfg->ports[flow->entry->port].scheduler.cake;

		if (flow->entry->there)
			packet_parse_piece(flow->head.bytes, flow->head.present, flow->head.len,
					   p->profile == CAKE_PROFILE_LINUX ? PACKET_DEPTH_LINUX
									    : PACKET_DEPTH_FULL,
					   &flow->entry->headers);
	}
}

/** False: the queue's holder does not answer. */
static bool learn(struct lesson *l, struct dataplane *dp)
{
	struct queue_visit v = {
		.port = l->flows[0].entry->port,
		.queue = l->flows[0].entry->queue,
		.visit = {.run = run_lesson, .arg = l},
	};

	if (visits_make(dp, &v, 1, FLOWS_PATIENCE_MS))
		return false;
	read_headers(l, dp->config);
	return true;
}

int flows_learn(struct flows *f, struct dataplane *dp, unsigned most)
{
	struct lesson *l = malloc(sizeof(*l));
	struct targets t = {0};

	if (!l)
		return -ENOMEM;
	for (unsigned i = 0; i < most && i < f->n; i++)
		add_target(&t, &f->entries[i]);
	for (unsigned i = 0; i < most && i < f->n_hosts; i++)
		add_target(&t, &f->entries[f->hosts[i].fattest]);
	do
		take_lesson(l, &t);
	while (l->n && learn(l, dp));
	free(l);
	return 0;
}

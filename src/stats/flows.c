/* SPDX-License-Identifier: BSD-3-Clause */
/* See flows.h: from the queues to a list in order. */
#include "stats/flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "dataplane/visits.h"
#include "stats/flows_internal.h"

/** A queue that is being listed. */
struct lister {
	uint32_t next; /* where to go on */
	bool ended;
	unsigned n;
	struct cake_flow_seen seen[FLOWS_STEP];
};

static void list_step(struct txq *q, void *lister, uint64_t now)
{
	struct lister *l = lister;

	(void)now;
	l->n = cake_list_flows(txq_cake(q), &l->next, l->seen, FLOWS_STEP);
	l->ended = !l->next;
}

/** Room for @n entries more. */
static int make_room(struct flows *f, unsigned n)
{
	struct flows_entry *entries;
	unsigned room = f->room ? f->room : 4 * FLOWS_STEP;

	while (room < f->n + n)
		room *= 2;
	if (room == f->room)
		return 0;
	entries = realloc(f->entries, room * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	f->entries = entries;
	f->room = room;
	return 0;
}

static int take_seen(struct flows *f, const struct queue_visit *v)
{
	const struct lister *l = v->visit.arg;
	int ret = make_room(f, l->n);

	for (unsigned i = 0; !ret && i < l->n; i++)
		f->entries[f->n++] = (struct flows_entry){
			.port = (uint16_t)v->port,
			.queue = (uint16_t)v->queue,
			.seen = l->seen[i],
		};
	return ret;
}

/** A step of all queues that are not ended; those that do not answer are, and not complete. */
static int list_all(struct flows *f, struct dataplane *dp, struct queue_visit *visits, unsigned *n)
{
	unsigned left = 0;
	int ret = 0;

	visits_make(dp, visits, *n, FLOWS_PATIENCE_MS);
	for (unsigned i = 0; i < *n && !ret; i++) {
		const struct lister *l = visits[i].visit.arg;

		if (!visit_is_done(&visits[i].visit)) {
			f->complete = false;
			continue;
		}
		ret = take_seen(f, &visits[i]);
		if (!l->ended)
			visits[left++] = visits[i];
	}
	*n = left;
	return ret;
}

/** The visits of the queues of @port, a lister each. */
static unsigned begin(struct dataplane *dp, int port, struct queue_visit *visits,
		      struct lister *listers)
{
	const struct topology *t = &dp->topology;
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_tx; i++) {
		if (port >= 0 && t->tx[i].port != port)
			continue;
		visits[n] = (struct queue_visit){
			.port = t->tx[i].port,
			.queue = t->tx[i].queue,
			.visit = {.run = list_step, .arg = &listers[n]},
		};
		n++;
	}
	return n;
}

static int list_queues(struct flows *f, struct dataplane *dp, int port)
{
	const uint64_t deadline =
		rte_get_tsc_cycles() + rte_get_tsc_hz() / 1000 * FLOWS_PATIENCE_MS;
	struct queue_visit *visits = calloc(dp->topology.n_tx, sizeof(*visits));
	struct lister *listers = calloc(dp->topology.n_tx, sizeof(*listers));
	int ret = visits && listers ? 0 : -ENOMEM;
	unsigned n = ret ? 0 : begin(dp, port, visits, listers);

	while (n && !ret && rte_get_tsc_cycles() < deadline)
		ret = list_all(f, dp, visits, &n);
	f->complete &= !n;
	free(visits);
	free(listers);
	return ret;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int fatter_flow(const void *a, const void *b)
{
	const struct flows_entry *x = a, *y = b;

	return compare(x->seen.backlog, y->seen.backlog);
}

int flows_collect(struct flows *f, struct dataplane *dp, int port, unsigned most)
{
	int ret;

	*f = (struct flows){.complete = true};
	ret = list_queues(f, dp, port);
	if (ret)
		return ret;
	if (f->n)
		qsort(f->entries, f->n, sizeof(*f->entries), fatter_flow);
	ret = flows_find_hosts(f);
	if (!ret)
		ret = flows_learn(f, dp, most);
	return ret;
}

void flows_free(struct flows *f)
{
	free(f->entries);
	free(f->hosts);
	*f = (struct flows){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See change.h. */
#include "dataplane/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataplane/plan.h"
#include "dataplane/terms.h"
#include "dataplane/visits.h"
#include "txq/change.h"

/* Packets are moved a few hundred in a run, which takes a worker some 10 us. */
#define LOOK_AGAIN_NS 100000

enum step {
	LOOK_BOTH_WAYS, /* workers: frames get the hashes of the flow modes before and after */
	APPLY,          /* queues: go by the new parameters */
	STEER,          /* workers: frames go to queues the new way */
	FLUSH,          /* until what went the old way is in its queue, and no more in a ring */
	MOVE,           /* until packets are where they belong */
	LOOK_AFTER,     /* workers: only the hashes that are needed from now on */
	SETTLED,
};

/** Of a port that differs. */
struct port_change {
	struct packet_describer *meanwhile, *after; /* the same where one will do */
	bool split_gso;
	enum steer steer;
	bool regroups; /* by another one */
	struct txq_regroup regroup;
	struct txq_change *queues[CONFIG_QUEUES_MAX]; /* NULL: it does not differ */
	bool applied[CONFIG_QUEUES_MAX];
};

/** What is to be done by a worker. */
struct errand {
	const struct change *change;
	struct worker *worker;
};

struct change {
	struct dataplane *dp;
	enum step step;
	uint64_t moving_ms;                          /* when MOVE began */
	struct port_change *ports[CONFIG_PORTS_MAX]; /* NULL: it does not differ, or has no queue */
	struct errand *errands;                      /* for every worker */
	struct queue_visit *visits;                  /* for every worker, or TX queue */
};

static int fail(struct config_error *err, int code, const char *why)
{
	snprintf(err->text, sizeof(err->text), "%s", why);
	return code;
}

/* Preparing */

static struct packet_describer *new_describer(const struct dataplane *dp,
					      const struct gateau_config *cfg, unsigned p)
{
	struct packet_describer *d =
		aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_CACHE_LINE_ROUNDUP(sizeof(*d)));

	if (d)
		terms_describer(d, dp, cfg, p);
	return d;
}

static int prepare_describers(const struct dataplane *dp, struct port_change *pc,
			      const struct gateau_config *to, unsigned p)
{
	const enum cake_flowmode before = dp->describers[p]->hasher.needed;

	pc->after = new_describer(dp, to, p);
	if (!pc->after)
		return -ENOMEM;
	pc->meanwhile = pc->after;
	if (!(before & ~pc->after->hasher.needed))
		return 0;
	pc->meanwhile = new_describer(dp, to, p);
	if (!pc->meanwhile)
		return -ENOMEM;
	packet_describer_need(pc->meanwhile, before);
	return 0;
}

/** The share stays when nobody has part in it any more: it may be needed again. */
static int prepare_share(struct dataplane *dp, const struct gateau_config *to, unsigned p,
			 struct txq_settings *settings)
{
	int ret = 0;

	if (!terms_shares(to, p))
		return 0;
	settings->shared = terms_share(dp, to, p);
	if (!dp->shares[p])
		ret = share_create(&dp->shares[p], &settings->shared);
	settings->share = dp->shares[p];
	return ret;
}

static int prepare_queues(struct dataplane *dp, struct port_change *pc,
			  const struct gateau_config *to, unsigned p)
{
	const struct cake_params *cake = &to->ports[p].scheduler.cake;
	struct txq_settings settings = {.cake = *cake};
	int ret = prepare_share(dp, to, p, &settings);

	settings.cake.room = plan_memory_room(cake);
	settings.regroup = pc->regroups ? &pc->regroup : NULL;
	if (pc->after->hasher.needed & ~dp->describers[p]->hasher.needed)
		settings.describer = pc->after;
	for (unsigned i = 0; !ret && i < to->ports[p].tx_queues; i++)
		ret = txq_change_prepare(&pc->queues[i], dp->txqs[p][i], &settings);
	return ret;
}

static void end_queue(struct port_change *pc, unsigned i)
{
	if (pc->queues[i])
		txq_change_end(pc->queues[i]);
	pc->queues[i] = NULL;
}

/** Only what differs is visited. */
static void leave_out_the_same(struct port_change *pc)
{
	for (unsigned i = 0; i < CONFIG_QUEUES_MAX; i++)
		if (pc->queues[i] && txq_change_kind(pc->queues[i]) == CAKE_CHANGE_NONE)
			end_queue(pc, i);
}

static bool differs(const struct config_port *a, const struct config_port *b)
{
	return a->share != b->share || a->steer != b->steer ||
	       memcmp(&a->scheduler, &b->scheduler, sizeof(a->scheduler)) != 0;
}

static void prepare_regroup(struct port_change *pc, const struct config_port *from,
			    const struct config_port *to)
{
	pc->steer = to->steer;
	pc->regroups = to->tx_queues > 1 && from->steer != to->steer;
	pc->regroup.from = from->steer;
	pc->regroup.to = to->steer;
	pc->regroup.queues = to->tx_queues;
}

static int prepare_port(struct change *c, const struct gateau_config *to, unsigned p)
{
	struct dataplane *dp = c->dp;
	struct port_change *pc;
	int ret;

	if (!dp->txqs[p][0] || !differs(&dp->config->ports[p], &to->ports[p]))
		return 0;
	pc = c->ports[p] = calloc(1, sizeof(*pc));
	if (!pc)
		return -ENOMEM;
	pc->split_gso = to->ports[p].scheduler.cake.split_gso;
	prepare_regroup(pc, &dp->config->ports[p], &to->ports[p]);
	ret = prepare_describers(dp, pc, to, p);
	if (!ret)
		ret = prepare_queues(dp, pc, to, p);
	leave_out_the_same(pc);
	return ret;
}

static void free_port(struct port_change *pc)
{
	for (unsigned i = 0; pc && i < CONFIG_QUEUES_MAX; i++)
		end_queue(pc, i);
	if (pc && pc->meanwhile != pc->after)
		free(pc->meanwhile);
	if (pc)
		free(pc->after);
	free(pc);
}

static void free_change(struct change *c)
{
	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		free_port(c->ports[p]);
	free(c->errands);
	free(c->visits);
	free(c);
}

static struct change *new_change(struct dataplane *dp)
{
	struct change *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->dp = dp;
	c->errands = calloc(dp->n_workers, sizeof(*c->errands));
	c->visits = calloc(dp->n_workers + dp->topology.n_tx, sizeof(*c->visits));
	if (c->errands && c->visits)
		return c;
	free_change(c);
	return NULL;
}

static int prepare(struct change *c, const struct gateau_config *to, struct config_error *err)
{
	int ret = plan_check_room(&c->dp->plan, to, c->dp->ports, c->dp->n_workers, err);

	if (ret)
		return ret;
	for (unsigned p = 0; !ret && p < to->n_ports; p++)
		ret = prepare_port(c, to, p);
	return ret ? fail(err, ret, strerror(-ret)) : 0;
}

/* Visiting */

static int visit_workers(struct change *c, void (*run)(struct txq *, void *, uint64_t),
			 unsigned patience_ms)
{
	struct dataplane *dp = c->dp;

	for (unsigned i = 0; i < dp->n_running; i++) {
		c->errands[i] = (struct errand){c, &dp->workers[i]};
		c->visits[i] = (struct queue_visit){
			.port = VISITS_WORKER,
			.queue = i,
			.visit = {.run = run, .arg = &c->errands[i]},
		};
	}
	return visits_make(dp, c->visits, dp->n_running, patience_ms);
}

static void answer(struct txq *q, void *errand, uint64_t now)
{
	(void)q;
	(void)errand;
	(void)now;
}

/** A worker's: may be done twice. */
static void look_anew(struct txq *q, void *errand, uint64_t now)
{
	const struct errand *e = errand;

	(void)q;
	(void)now;
	for (unsigned i = 0; i < e->worker->n_rx; i++) {
		struct worker_rx *rx = &e->worker->rx[i];
		const struct port_change *pc = e->change->ports[rx->to_port];

		if (!pc)
			continue;
		rx->describer = e->change->step == LOOK_AFTER ? pc->after : pc->meanwhile;
		rx->split_gso = pc->split_gso;
	}
}

/** Likewise. */
static void steer_anew(struct txq *q, void *errand, uint64_t now)
{
	const struct errand *e = errand;

	(void)q;
	(void)now;
	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		if (e->change->ports[p] && e->worker->to[p])
			dispatch_set_steer(e->worker->to[p], e->change->ports[p]->steer);
}

/** Each queue once: those that a try before did not reach. */
static bool apply(struct change *c, unsigned patience_ms)
{
	const struct topology *t = &c->dp->topology;
	unsigned n = 0;
	int ret;

	for (unsigned i = 0; i < t->n_tx; i++) {
		struct port_change *pc = c->ports[t->tx[i].port];
		unsigned q = t->tx[i].queue;

		if (!pc || !pc->queues[q] || pc->applied[q])
			continue;
		c->visits[n++] = (struct queue_visit){
			.port = t->tx[i].port,
			.queue = q,
			.visit = {.run = txq_change_apply, .arg = pc->queues[q]},
		};
	}
	ret = visits_make(c->dp, c->visits, n, patience_ms);
	for (unsigned i = 0; i < n; i++)
		c->ports[c->visits[i].port]->applied[c->visits[i].queue] =
			visit_is_done(&c->visits[i].visit);
	return !ret;
}

/** All queues that regroup are visited: of each a run passes. */
static bool let_run(struct change *c, unsigned patience_ms)
{
	const struct topology *t = &c->dp->topology;
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_tx; i++) {
		const struct port_change *pc = c->ports[t->tx[i].port];

		if (pc && pc->regroups)
			c->visits[n++] = (struct queue_visit){
				.port = t->tx[i].port,
				.queue = t->tx[i].queue,
				.visit = {.run = answer},
			};
	}
	return !visits_make(c->dp, c->visits, n, patience_ms);
}

/**
 * All workers steer the new way. One that was putting frames in a ring then has hidden others' for
 * so long; once each has come round again they are to be seen, and the run that a visit was made in
 * has taken them in when the next is made.
 */
static bool flush(struct change *c, unsigned patience_ms)
{
	if (visit_workers(c, answer, patience_ms) || !let_run(c, patience_ms) ||
	    !let_run(c, patience_ms))
		return false;
	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		if (c->ports[p] && c->ports[p]->regroups)
			regroup_switched(&c->ports[p]->regroup);
	c->moving_ms = visits_clock_ms();
	return true;
}

/** Queues need not wait for each other longer than they would be drained when stopping. */
static void release_regrouped(struct change *c)
{
	bool late = visits_clock_ms() - c->moving_ms >= c->dp->config->drain_ns / 1000000;

	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		if (c->ports[p] && c->ports[p]->regroups &&
		    (late || regroup_drained(&c->ports[p]->regroup)))
			regroup_release(&c->ports[p]->regroup);
}

static bool has_moved(const struct change *c)
{
	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		for (unsigned i = 0; c->ports[p] && i < CONFIG_QUEUES_MAX; i++)
			if (c->ports[p]->queues[i] && !txq_change_is_done(c->ports[p]->queues[i]))
				return false;
	return true;
}

static bool wait_for_moves(struct change *c, unsigned patience_ms)
{
	const struct timespec nap = {.tv_nsec = LOOK_AGAIN_NS};
	const uint64_t deadline = visits_clock_ms() + patience_ms;

	for (release_regrouped(c); !has_moved(c); release_regrouped(c)) {
		if (visits_clock_ms() >= deadline)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static bool regroups(const struct change *c)
{
	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++)
		if (c->ports[p] && c->ports[p]->regroups)
			return true;
	return false;
}

/** Returns whether the step is done. */
static bool take_step(struct change *c, unsigned patience_ms)
{
	switch (c->step) {
	case LOOK_BOTH_WAYS:
	case LOOK_AFTER:
		return !visit_workers(c, look_anew, patience_ms);
	case APPLY:
		return apply(c, patience_ms);
	case STEER:
		return !regroups(c) || !visit_workers(c, steer_anew, patience_ms);
	case FLUSH:
		return !regroups(c) || flush(c, patience_ms);
	case MOVE:
		return wait_for_moves(c, patience_ms);
	case SETTLED:
		break;
	}
	return true;
}

/** What was before is nobody's any more. */
static void conclude(struct change *c)
{
	struct dataplane *dp = c->dp;

	for (unsigned p = 0; p < CONFIG_PORTS_MAX; p++) {
		struct packet_describer *before = dp->describers[p];

		if (!c->ports[p])
			continue;
		dp->describers[p] = c->ports[p]->after;
		c->ports[p]->after = before;
		if (c->ports[p]->meanwhile == dp->describers[p])
			c->ports[p]->meanwhile = before;
	}
	free_change(c);
	dp->changing = NULL;
}

void change_settle(struct dataplane *dp, unsigned patience_ms)
{
	struct change *c = dp->changing;

	while (c && c->step != SETTLED && take_step(c, patience_ms))
		c->step++;
	if (c && c->step == SETTLED)
		conclude(c);
}

void change_forget(struct dataplane *dp)
{
	if (dp->changing)
		conclude(dp->changing);
}

/** From here on there is no way back. */
static void commit(struct change *c, struct gateau_config *to)
{
	struct dataplane *dp = c->dp;

	dp->changing = c;
	config_swap(dp->config, to);
	dp->control.drain_ns = dp->config->drain_ns;
	change_settle(dp, CHANGE_PATIENCE_MS);
}

int change_apply(struct dataplane *dp, struct gateau_config *to, struct config_error *err)
{
	struct change *c;
	int ret;

	change_settle(dp, CHANGE_PATIENCE_MS);
	if (dp->changing)
		return fail(
			err, -EBUSY,
			"the change before has not settled: packets are still on their way to where they belong, or a worker is held up; try again");
	c = new_change(dp);
	if (!c)
		return fail(err, -ENOMEM, strerror(ENOMEM));
	ret = prepare(c, to, err);
	if (!ret && visit_workers(c, answer, VISITS_PATIENCE_MS))
		ret = fail(err, -ETIMEDOUT,
			   "a worker does not come round: its driver, or the machine, holds it up");
	if (ret) {
		free_change(c);
		return ret;
	}
	commit(c, to);
	return 0;
}

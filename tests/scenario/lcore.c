/* SPDX-License-Identifier: BSD-3-Clause */
/* See lcore.h. */
#include "lcore.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

/** Frames taken from an RX queue at once: WORKER_RX_BURST. */
#define RX_BURST 32

/** A pass takes no less, ns. */
#define PASS_MIN_NS 50

/** A lcore sleeps no longer, ns: queues share.h's times and abandonment are looked at in between.
 */
#define SLEEP_MAX_NS 100000

/** What was done to a TX queue by whoever looks now. */
static uint64_t charge(struct lcore *l, const struct lcore_tx *tx)
{
	struct port *p = tx->port;

	const struct world_params *params = &l->world->params;

	return cost_of_queue(&params->cost, p->txqs[tx->queue], p->n,
			     cake_tin_count(params->cake.diffserv), &p->work[tx->queue]);
}

/** Frames on a ring are something to do for its home. */
static void wake_homes(struct lcore *l, const struct port *p)
{
	for (unsigned q = 0; l->world->n_idle && q < p->n; q++)
		if (p->homes[q]->idle && txq_deferred(p->txqs[q]))
			lcore_wake(p->homes[q], world_now(l->world));
}

/** Poll one RX queue. Returns frames received; their cost is added to @ns. */
static unsigned receive(struct lcore *l, const struct lcore_rx *rx, uint64_t now, uint64_t *ns)
{
	const struct cost *cost = &l->world->params.cost;
	struct port *p = rx->port;
	struct rte_mbuf *pkts[RX_BURST];
	unsigned n = rxq_poll(&p->rxqs[rx->queue], pkts, RX_BURST, now);

	*ns += cost->poll;
	if (!n)
		return 0;
	meter_inside(&p->meter, n, now);
	dispatch_burst(l->to[p->index], pkts, n, now);
	wake_homes(l, p);
	*ns += n * cost->parse + cost_of_dispatch(cost, l->to[p->index], &l->dispatched[p->index]);
	return n;
}

/** What it knows of the queues of its ports is old, if it is to be: it reads them again only then.
 */
static void age_views(struct lcore *l, uint64_t now)
{
	for (unsigned i = 0; l->stale_ns && i < l->world->params.ports; i++) {
		bool due = now - l->views_read[i] >= l->stale_ns;

		l->views[i].read_ns = due ? 0 : now;
		if (due)
			l->views_read[i] = now;
	}
}

static unsigned run(struct lcore *l, struct lcore_tx *tx, uint64_t now, uint64_t *ns)
{
	unsigned moved = serve(&tx->serve, now, &l->dead);

	*ns += l->world->params.cost.run + charge(l, tx);
	return moved;
}

/** Go on where it was stopped in the middle of serve(), with the time that it had read then. */
static unsigned finish_run(struct lcore *l, uint64_t *ns)
{
	struct lcore_tx *tx = l->held;
	unsigned moved = txq_run(tx->serve.queue, tx->serve.view, l->held_now, &l->dead);

	tx->serve.ran_ns = txq_last_run(tx->serve.queue);
	txq_release(tx->serve.queue);
	txq_free_dead(tx->serve.queue, &l->dead);
	l->held = NULL;
	*ns += charge(l, tx);
	return moved;
}

static unsigned run_foreign(struct lcore *l, uint64_t now, uint64_t *ns)
{
	unsigned moved = rescue_pass(&l->rescue, now, &l->dead);

	for (unsigned i = 0; l->rescue.n_taken_up && i < l->rescue.n; i++)
		if (l->rescue.queues[i].taken_up)
			*ns += l->world->params.cost.run + charge(l, &l->foreign[i]);
	return moved;
}

static uint64_t queue_due(const struct lcore_tx *tx)
{
	return txq_held(tx->serve.queue) ? wire_room_at(&tx->port->wire, tx->queue)
					 : txq_next_time(tx->serve.queue);
}

/** When something will be due for it that is known now, ns. */
static uint64_t next_due(const struct lcore *l)
{
	uint64_t due = UINT64_MAX;

	for (unsigned i = 0; i < l->n_rx; i++)
		due = RTE_MIN(due, rxq_next(&l->rx[i].port->rxqs[l->rx[i].queue]));
	for (unsigned i = 0; i < l->n_tx; i++)
		due = RTE_MIN(due, queue_due(&l->tx[i]));
	for (unsigned i = 0; l->rescue.n_taken_up && i < l->rescue.n; i++)
		if (l->rescue.queues[i].taken_up)
			due = RTE_MIN(due, queue_due(&l->foreign[i]));
	return due;
}

/** The first pass at or after @at that it begins if it goes on polling. */
static uint64_t idle_pass_at(const struct lcore *l, uint64_t at)
{
	uint64_t passes = 1;

	if (at > l->idle_since)
		passes = (at - l->idle_since + l->idle_pass_ns - 1) / l->idle_pass_ns;
	return l->idle_since + RTE_MAX(passes, (uint64_t)1) * l->idle_pass_ns;
}

static void sleep_until(struct lcore *l, uint64_t at)
{
	events_set(l->world->events, &l->event, idle_pass_at(l, at));
}

void lcore_wake(struct lcore *l, uint64_t now)
{
	if (!l->idle)
		return;
	l->idle = false;
	l->world->n_idle--;
	sleep_until(l, now);
}

static void go_idle(struct lcore *l, uint64_t now, uint64_t pass_ns)
{
	/* Where all lcores come round nothing is abandoned, and nobody need look every 10 us. */
	uint64_t longest = l->world->n_stopped ? RESCUE_LOOK_NS : SLEEP_MAX_NS;
	uint64_t due = next_due(l);

	l->idle_since = now;
	l->idle_pass_ns = pass_ns;
	l->idle = true;
	l->world->n_idle++;
	sleep_until(l, RTE_MIN(due, now + longest));
}

/** Whether it stops here; with a queue in its hand or not. */
static bool stops(struct lcore *l, uint64_t now)
{
	struct lcore_stall *s = &l->stall;
	uint64_t until = s->at + s->ns;

	if (!s->ns || now < s->at)
		return false;
	s->at = s->every ? s->at + s->every : UINT64_MAX;
	if (s->inside && l->n_tx && txq_claim(l->tx[0].serve.queue, now)) {
		l->held = &l->tx[0];
		l->held_now = now;
	}
	l->stopped = true;
	l->world->n_stopped++;
	events_set(l->world->events, &l->event, until);
	return true;
}

static void goes_on(struct lcore *l)
{
	l->world->n_idle -= l->idle;
	l->world->n_stopped -= l->stopped;
	l->idle = false;
	l->stopped = false;
}

static void pass(void *arg, uint64_t now)
{
	struct lcore *l = arg;
	unsigned moved = 0;
	uint64_t ns = 0;

	goes_on(l);
	if (l->held)
		moved += finish_run(l, &ns);
	if (stops(l, now))
		return;
	age_views(l, now);
	for (unsigned i = 0; i < l->n_rx; i++)
		moved += receive(l, &l->rx[i], now, &ns);
	for (unsigned i = 0; i < l->n_tx; i++)
		moved += run(l, &l->tx[i], now, &ns);
	moved += run_foreign(l, now, &ns);
	l->passes++;
	l->busy_ns += moved ? ns : 0;
	ns = RTE_MAX(ns, (uint64_t)PASS_MIN_NS);
	if (moved || l->world->params.sleepless)
		events_set(l->world->events, &l->event, now + ns);
	else
		go_idle(l, now, ns);
}

static void deal_tx(struct lcore *l, struct port *p, unsigned queue)
{
	struct lcore_tx tx = {p, queue, {.queue = p->txqs[queue]}};

	if (p->share)
		tx.serve.view = &l->views[p->index];
	if (p->homes[queue] == l) {
		l->tx[l->n_tx++] = tx;
	} else {
		l->foreign[l->rescue.n] = tx;
		rescue_add(&l->rescue, &tx.serve);
	}
}

static void deal_port(struct lcore *l, struct port *p)
{
	for (unsigned q = 0; q < p->n_rx; q++)
		if (p->receivers[q] == l)
			l->rx[l->n_rx++] = (struct lcore_rx){p, q};
	for (unsigned q = 0; q < p->n; q++)
		deal_tx(l, p, q);
}

int lcore_start(struct lcore *l, uint64_t now)
{
	const struct world_params *params = &l->world->params;
	unsigned n_tx = params->ports * params->queues;
	int ret = rescue_init(&l->rescue, n_tx);

	l->rx = must_calloc(params->ports * params->rx_lcores, sizeof(*l->rx));
	l->tx = must_calloc(n_tx, sizeof(*l->tx));
	l->foreign = must_calloc(n_tx, sizeof(*l->foreign));
	for (unsigned i = 0; !ret && i < params->ports; i++) {
		struct port *p = &l->world->ports[i];

		deal_port(l, p);
		ret = dispatch_create(&l->to[i], p->txqs, p->n, params->steer, l->number, &l->dead);
	}
	l->event.fn = pass;
	l->event.arg = l;
	events_set(l->world->events, &l->event, now);
	return ret;
}

void lcore_fini(struct lcore *l)
{
	for (unsigned i = 0; i < PHASE_PORTS_MAX; i++)
		dispatch_destroy(l->to[i]);
	rescue_fini(&l->rescue);
	free(l->rx);
	free(l->tx);
	free(l->foreign);
}

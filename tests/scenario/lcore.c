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

	return cost_of_queue(&l->world->params.cost, p->txqs[tx->queue], p->n, &p->work[tx->queue]);
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

/** The lcore's view of the port; an old one, if it is to be. */
static struct share_view *view(struct lcore *l, const struct port *p, uint64_t now)
{
	struct share_view *v = &l->views[p->index];

	if (!p->share)
		return NULL;
	if (!l->stale_ns)
		return v;
	if (now - l->views_read[p->index] < l->stale_ns) {
		v->read_ns = now;
	} else {
		v->read_ns = 0;
		l->views_read[p->index] = now;
	}
	return v;
}

static unsigned finish_run(struct lcore *l, const struct lcore_tx *tx, uint64_t now, uint64_t *ns)
{
	struct txq *q = tx->port->txqs[tx->queue];
	unsigned moved = txq_run(q, view(l, tx->port, now), now, &l->dead);

	txq_release(q);
	txq_free_dead(q, &l->dead);
	*ns += l->world->params.cost.run + charge(l, tx);
	return moved;
}

static unsigned run(struct lcore *l, const struct lcore_tx *tx, uint64_t now, uint64_t *ns)
{
	return txq_claim(tx->port->txqs[tx->queue], now) ? finish_run(l, tx, now, ns) : 0;
}

/** One queue that is another's per pass, in turn. */
static unsigned rescue(struct lcore *l, uint64_t now, uint64_t *ns)
{
	struct world *w = l->world;
	unsigned n = w->params.queues;
	struct lcore_tx tx = {&w->ports[l->foreign / n], l->foreign % n};

	l->foreign = (l->foreign + 1) % (n * w->params.ports);
	if (tx.port->homes[tx.queue] == l || !txq_abandoned(tx.port->txqs[tx.queue], now))
		return 0;
	l->rescues++;
	return run(l, &tx, now, ns);
}

/** When something will be due for it that is known now, ns. */
static uint64_t next_due(const struct lcore *l)
{
	uint64_t due = UINT64_MAX;

	for (unsigned i = 0; i < l->n_rx; i++)
		due = RTE_MIN(due, rxq_next(&l->rx[i].port->rxqs[l->rx[i].queue]));
	for (unsigned i = 0; i < l->n_tx; i++) {
		struct port *p = l->tx[i].port;
		const struct txq *q = p->txqs[l->tx[i].queue];

		due = RTE_MIN(due, txq_held(q) ? wire_room_at(&p->wire, l->tx[i].queue)
					       : txq_next_time(q));
	}
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
	uint64_t due = next_due(l);

	l->idle_since = now;
	l->idle_pass_ns = pass_ns;
	l->idle = true;
	l->world->n_idle++;
	sleep_until(l, RTE_MIN(due, now + SLEEP_MAX_NS));
}

/** Whether it stops here, and until when; with a queue in its hand or not. */
static bool stops(struct lcore *l, uint64_t now)
{
	struct lcore_stall *s = &l->stall;
	uint64_t until = s->at + s->ns;

	if (!s->ns || now < s->at)
		return false;
	s->at = s->every ? s->at + s->every : UINT64_MAX;
	if (s->inside && l->n_tx && txq_claim(l->tx[0].port->txqs[l->tx[0].queue], now)) {
		l->held = &l->tx[0];
		l->held_now = now;
	}
	events_set(l->world->events, &l->event, until);
	return true;
}

static void pass(void *arg, uint64_t now)
{
	struct lcore *l = arg;
	unsigned moved = 0;
	uint64_t ns = 0;

	if (l->idle) {
		l->idle = false;
		l->world->n_idle--;
	}
	if (l->held) {
		moved += finish_run(l, l->held, l->held_now, &ns);
		l->held = NULL;
	}
	if (stops(l, now))
		return;
	for (unsigned i = 0; i < l->n_rx; i++)
		moved += receive(l, &l->rx[i], now, &ns);
	for (unsigned i = 0; i < l->n_tx; i++)
		moved += run(l, &l->tx[i], now, &ns);
	moved += rescue(l, now, &ns);
	l->passes++;
	l->busy_ns += moved ? ns : 0;
	ns = RTE_MAX(ns, (uint64_t)PASS_MIN_NS);
	if (moved)
		events_set(l->world->events, &l->event, now + ns);
	else
		go_idle(l, now, ns);
}

int lcore_start(struct lcore *l, uint64_t now)
{
	for (unsigned i = 0; i < l->world->params.ports; i++) {
		struct port *p = &l->world->ports[i];
		int ret = dispatch_create(&l->to[i], p->txqs, p->n, l->world->params.steer,
					  l->number, &l->dead);

		if (ret)
			return ret;
	}
	l->event.fn = pass;
	l->event.arg = l;
	events_set(l->world->events, &l->event, now);
	return 0;
}

void lcore_fini(struct lcore *l)
{
	for (unsigned i = 0; i < PHASE_PORTS_MAX; i++)
		dispatch_destroy(l->to[i]);
	free(l->rx);
	free(l->tx);
}

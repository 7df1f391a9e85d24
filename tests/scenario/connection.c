/* SPDX-License-Identifier: BSD-3-Clause */
/* See connection.h. */
#include "connection.h"

#include <stdlib.h>

#include "memory.h"
#include "world.h"

struct connection {
	struct world *world;
	struct connection_params params;
	struct tcp *tcp;
	uint32_t mss;
	struct event start;
	struct event timers[TCP_TIMERS];
};

/*
 * Sending takes no time: the link from the sender is infinitely fast. What a window's worth of
 * frames at once does to the box is the worst that a fast host can do.
 */
static void send_frame(void *ctx, struct tcp *t, tcp_cookie cookie, uint32_t len, bool ecn_capable,
		       uint64_t now)
{
	struct connection *c = ctx;
	struct flow *flow = tcp_is_ack(cookie) ? c->params.acks : c->params.data;

	(void)t;
	(void)now;
	flow->ecn = ecn_capable;
	world_send(c->world, flow, len, cookie);
}

static void wake_at(void *ctx, struct tcp *t, enum tcp_timer timer, uint64_t at)
{
	struct connection *c = ctx;

	(void)t;
	events_set(c->world->events, &c->timers[timer], at);
}

static const struct tcp_ops ops = {.send = send_frame, .wake_at = wake_at};

static void rto_expires(void *arg, uint64_t now)
{
	struct connection *c = arg;

	tcp_wake(c->tcp, TCP_TIMER_RTO, now);
}

static void delack_expires(void *arg, uint64_t now)
{
	struct connection *c = arg;

	tcp_wake(c->tcp, TCP_TIMER_DELACK, now);
}

static void begin(void *arg, uint64_t now)
{
	struct connection *c = arg;

	tcp_start(c->tcp, now);
}

static void deliver(void *arg, struct flow *flow, uint64_t cookie, uint32_t len, bool ce,
		    uint64_t now)
{
	struct connection *c = arg;

	(void)flow;
	(void)len;
	tcp_deliver(c->tcp, cookie, ce, now);
	c->params.data->tally.payload = tcp_counters(c->tcp)->in_order * c->mss;
	c->params.data->tally.again = tcp_counters(c->tcp)->retransmits;
}

static void receive_by(struct connection *c, struct flow *flow)
{
	flow->deliver = deliver;
	flow->arg = c;
}

struct connection *connection_create(struct world *w, const struct connection_params *p)
{
	struct connection *c = must_calloc(1, sizeof(*c));
	struct tcp_params tcp = tcp_defaults(p->algorithm, p->ecn);

	*c = (struct connection){
		.world = w,
		.params = *p,
		.mss = tcp.mss,
		.start = {.fn = begin, .arg = c},
		.timers = {{.fn = rto_expires, .arg = c}, {.fn = delack_expires, .arg = c}},
	};
	tcp.ops = &ops;
	tcp.ctx = c;
	if (tcp_create(&c->tcp, &tcp))
		must_have(NULL);
	receive_by(c, p->data);
	receive_by(c, p->acks);
	events_set(w->events, &c->start, p->start);
	return c;
}

void connection_destroy(struct connection *c)
{
	events_clear(c->world->events, &c->start);
	for (unsigned i = 0; i < TCP_TIMERS; i++)
		events_clear(c->world->events, &c->timers[i]);
	tcp_destroy(c->tcp);
	free(c);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See toy_link.h. */
#include "toy_link.h"

#include <assert.h>
#include <stdlib.h>

static void put(struct toy_ring *r, const struct toy_packet *p)
{
	assert(r->tail - r->head < TOY_RING);
	r->packets[r->tail++ % TOY_RING] = *p;
}

static bool is_lost(const struct toy_link *l, bool ack, uint64_t number)
{
	return l->lose && l->lose(l, ack, number);
}

static void send_ack(struct toy_link *l, struct toy_packet *p, uint64_t now)
{
	p->at = now + l->propagation_ns;
	if (is_lost(l, true, l->acks++))
		l->lost_acks++;
	else
		put(&l->to_sender, p);
}

static void send_data(struct toy_link *l, struct toy_packet *p, bool ecn_capable, uint64_t now)
{
	const uint64_t idle_at = l->busy_until > now ? l->busy_until : now;
	const uint64_t waiting = (idle_at - now) / l->frame_ns;

	l->not_capable += !ecn_capable;
	if (is_lost(l, false, l->data++) || waiting >= l->limit) {
		l->lost_data++;
		return;
	}
	p->ce = ecn_capable && waiting >= l->mark_from;
	l->marked += p->ce;
	l->busy_until = idle_at + l->frame_ns;
	p->at = l->busy_until + l->propagation_ns;
	put(&l->to_receiver, p);
}

static void toy_send(void *ctx, struct tcp *t, tcp_cookie cookie, uint32_t len, bool ecn_capable,
		     uint64_t now)
{
	struct toy_packet p = {.to = t, .cookie = cookie};

	(void)len; /* the link counts frames */
	if (tcp_is_ack(cookie))
		send_ack(ctx, &p, now);
	else
		send_data(ctx, &p, ecn_capable, now);
}

static void toy_wake_at(void *ctx, struct tcp *t, enum tcp_timer timer, uint64_t at)
{
	struct toy_link *l = ctx;

	for (unsigned i = 0; i < l->n_flows; i++)
		if (l->flows[i].tcp == t)
			l->flows[i].at[timer] = at;
}

const struct tcp_ops toy_ops = {.send = toy_send, .wake_at = toy_wake_at};

struct tcp *toy_connect(struct toy_link *l, const struct tcp_params *params)
{
	struct tcp_params p = *params;
	struct tcp *t;

	p.ops = &toy_ops;
	p.ctx = l;
	assert(l->n_flows < TOY_FLOWS_MAX);
	if (tcp_create(&t, &p))
		abort();
	l->flows[l->n_flows].tcp = t;
	for (unsigned i = 0; i < TCP_TIMERS; i++)
		l->flows[l->n_flows].at[i] = UINT64_MAX;
	l->n_flows++;
	tcp_start(t, l->now);
	return t;
}

static uint64_t head_time(const struct toy_ring *r)
{
	return r->head == r->tail ? UINT64_MAX : r->packets[r->head % TOY_RING].at;
}

/** The timer that is due first. Returns its time. */
static uint64_t first_timer(const struct toy_link *l, unsigned *flow, unsigned *timer)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < l->n_flows; i++) {
		for (unsigned k = 0; k < TCP_TIMERS; k++) {
			if (l->flows[i].at[k] < first) {
				first = l->flows[i].at[k];
				*flow = i;
				*timer = k;
			}
		}
	}
	return first;
}

void toy_run(struct toy_link *l, uint64_t until)
{
	for (;;) {
		unsigned flow = 0, timer = 0;
		const uint64_t wake = first_timer(l, &flow, &timer);
		struct toy_ring *r = head_time(&l->to_receiver) <= head_time(&l->to_sender)
					     ? &l->to_receiver
					     : &l->to_sender;
		const uint64_t arrival = head_time(r);

		if (wake > until && arrival > until)
			break;
		if (wake < arrival) {
			l->now = wake;
			l->flows[flow].at[timer] = UINT64_MAX;
			tcp_wake(l->flows[flow].tcp, timer, wake);
		} else {
			const struct toy_packet p = r->packets[r->head++ % TOY_RING];

			l->now = arrival;
			tcp_deliver(p.to, p.cookie, p.ce, arrival);
		}
	}
	l->now = until;
}

uint64_t toy_data_under_way(const struct toy_link *l)
{
	return l->to_receiver.tail - l->to_receiver.head;
}

struct toy_link *toy_create(void)
{
	struct toy_link *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->now = 1000000000;
	l->limit = UINT64_MAX;
	l->mark_from = UINT64_MAX;
	return l;
}

void toy_destroy(struct toy_link *l)
{
	for (unsigned i = 0; i < l->n_flows; i++)
		tcp_destroy(l->flows[i].tcp);
	free(l);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See tcp.h. A connection's life, its timers, and which end a packet is for. */
#include "tcp_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define MS 1000000ull

struct tcp_params tcp_defaults(enum tcp_algorithm algorithm, bool ecn)
{
	return (struct tcp_params){
		.algorithm = algorithm,
		.ecn = ecn,
		.mss = TCP_MSS,
		.rto_min_ns = 200 * MS,
		.delack_ns = 40 * MS,
	};
}

int tcp_create(struct tcp **out, const struct tcp_params *p)
{
	struct tcp *t;

	if (!p->mss || !p->ops)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->params = *p;
	for (unsigned i = 0; i < TCP_TIMERS; i++)
		t->timers[i] = (struct timer){.due = TCP_NEVER, .pending = TCP_NEVER};
	tcp_cc_init(&t->sender.cc, p->algorithm);
	*out = t;
	return 0;
}

void tcp_destroy(struct tcp *t)
{
	free(t);
}

void tcp_start(struct tcp *t, uint64_t now)
{
	tcp_sender_start(t, now);
}

bool tcp_is_ack(tcp_cookie cookie)
{
	return cookie & TCP_COOKIE_ACK;
}

void tcp_deliver(struct tcp *t, tcp_cookie cookie, bool ce, uint64_t now)
{
	const uint64_t number = cookie & TCP_COOKIE_NUMBER;
	const struct tcp_ack *ack = &t->receiver.ack[number % TCP_ACKS];

	if (!tcp_is_ack(cookie)) {
		tcp_receiver_take(t, number, cookie & TCP_COOKIE_CWR, ce, now);
		return;
	}
	assert(ack->id == number);
	tcp_sender_take_ack(t, ack, now);
}

static void arm(struct tcp *t, enum tcp_timer timer)
{
	struct timer *m = &t->timers[timer];

	m->pending = m->due;
	t->params.ops->wake_at(t->params.ctx, t, timer, m->due);
}

/*
 * Nearly every packet moves a timer on, and a timer is nearly never due: the event in the calendar
 * stays where it is and looks for the time that counts when it comes.
 */
void tcp_timer_set(struct tcp *t, enum tcp_timer timer, uint64_t due)
{
	struct timer *m = &t->timers[timer];

	m->due = due;
	if (due < m->pending)
		arm(t, timer);
}

void tcp_wake(struct tcp *t, enum tcp_timer timer, uint64_t now)
{
	struct timer *m = &t->timers[timer];

	m->pending = TCP_NEVER;
	if (m->due > now) {
		tcp_timer_set(t, timer, m->due);
		return;
	}
	m->due = TCP_NEVER;
	if (timer == TCP_TIMER_RTO)
		tcp_sender_time_out(t, now);
	else
		tcp_receiver_send_ack(t, now);
}

const struct tcp_counters *tcp_counters(const struct tcp *t)
{
	return &t->counters;
}

double tcp_cwnd(const struct tcp *t)
{
	return t->sender.cc.cwnd;
}

uint32_t tcp_in_flight(const struct tcp *t)
{
	return t->sender.in_flight;
}

uint64_t tcp_srtt(const struct tcp *t)
{
	return t->sender.srtt_ns;
}

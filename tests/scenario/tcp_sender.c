/* SPDX-License-Identifier: BSD-3-Clause */
/* The sending end: what is in flight, what is lost, and how much more may go. */
#include "tcp_internal.h"

#include <assert.h>

#define SENT_RING (2 * TCP_WINDOW)

/** A segment is lost when one that was sent so many transmissions later has arrived: RFC 5681's
 * three duplicate ACKs. */
#define REORDERING 3

#define RTO_INITIAL_NS 1000000000ull /* RFC 6298 */
#define BACKOFF_MAX    6

static struct tcp_segment *segment(struct tcp_sender *s, uint64_t number)
{
	return &s->segments[number % TCP_WINDOW];
}

static uint64_t rto(const struct tcp *t)
{
	const struct tcp_sender *s = &t->sender;
	uint64_t ns = s->srtt_ns ? s->srtt_ns + 4 * s->rttvar_ns : RTO_INITIAL_NS;

	if (ns < t->params.rto_min_ns)
		ns = t->params.rto_min_ns;
	return ns << s->backoff;
}

static void sample_rtt(struct tcp_sender *s, uint64_t rtt)
{
	const uint64_t error = rtt > s->srtt_ns ? rtt - s->srtt_ns : s->srtt_ns - rtt;

	if (!s->srtt_ns) {
		s->srtt_ns = rtt;
		s->rttvar_ns = rtt / 2;
		return;
	}
	s->rttvar_ns = (3 * s->rttvar_ns + error) / 4;
	s->srtt_ns = (7 * s->srtt_ns + rtt) / 8;
}

static void transmit(struct tcp *t, uint64_t number, bool again, uint64_t now)
{
	struct tcp_sender *s = &t->sender;
	const bool cwr = s->cwr && !again;

	assert(s->transmissions - s->oldest < SENT_RING);
	*segment(s, number) = (struct tcp_segment){
		.sent_ns = now,
		.transmission = s->transmissions,
		.state = TCP_SEGMENT_IN_FLIGHT,
		.again = again,
	};
	s->sent[s->transmissions++ % SENT_RING] = number;
	s->in_flight++;
	t->counters.segments_sent++;
	t->counters.retransmits += again;
	if (cwr)
		s->cwr = false;
	if (t->timers[TCP_TIMER_RTO].due == TCP_NEVER)
		tcp_timer_set(t, TCP_TIMER_RTO, now + rto(t));
	/* RFC 3168: retransmissions are not ECN-capable. */
	t->params.ops->send(t->params.ctx, t, number | (cwr ? TCP_COOKIE_CWR : 0),
			    TCP_HEADERS + t->params.mss, t->params.ecn && !again, now);
}

static void mark_lost(struct tcp_sender *s, uint64_t number)
{
	struct tcp_segment *g = segment(s, number);

	if (g->state == TCP_SEGMENT_IN_FLIGHT)
		s->in_flight--;
	g->state = TCP_SEGMENT_LOST;
	s->lost[s->lost_tail++ % SENT_RING] = number;
	assert(s->lost_tail - s->lost_head <= SENT_RING);
}

/** Send one lost segment again, the one lost first. Returns whether there was one. */
static bool retransmit(struct tcp *t, uint64_t now)
{
	struct tcp_sender *s = &t->sender;

	while (s->lost_head != s->lost_tail) {
		const uint64_t number = s->lost[s->lost_head++ % SENT_RING];

		/* What was taken for lost may have arrived meanwhile. */
		if (number < s->una || segment(s, number)->state != TCP_SEGMENT_LOST)
			continue;
		transmit(t, number, true, now);
		return true;
	}
	return false;
}

static void send_more(struct tcp *t, uint64_t now)
{
	struct tcp_sender *s = &t->sender;

	while (s->in_flight < (uint32_t)s->cc.cwnd) {
		if (retransmit(t, now))
			continue;
		if (s->next - s->una >= TCP_WINDOW)
			return;
		transmit(t, s->next++, false, now);
	}
}

/** It has arrived, and its receiver says so for the first time. Returns 1, else 0. */
static uint32_t delivered(struct tcp_sender *s, uint64_t number, uint64_t now)
{
	struct tcp_segment *g = segment(s, number);

	if (g->state == TCP_SEGMENT_ACKED)
		return 0;
	if (g->state == TCP_SEGMENT_IN_FLIGHT)
		s->in_flight--;
	g->state = TCP_SEGMENT_ACKED;
	if (g->transmission >= s->delivered)
		s->delivered = g->transmission;
	if (!g->again)
		sample_rtt(s, now - g->sent_ns);
	return 1;
}

/** Returns segments that are newly known to have arrived. */
static uint32_t take_news(struct tcp_sender *s, const struct tcp_ack *ack, uint64_t now)
{
	uint32_t n = 0;

	assert(ack->cum <= s->next);
	for (; s->una < ack->cum; s->una++)
		n += delivered(s, s->una, now);
	for (unsigned i = 0; i < ack->sacks; i++) {
		uint64_t number = ack->sack[i].start;

		for (number = number > s->una ? number : s->una; number < ack->sack[i].end;
		     number++)
			n += delivered(s, number, now);
	}
	return n;
}

/** Returns how many segments are newly taken for lost. */
static unsigned detect_losses(struct tcp *t)
{
	struct tcp_sender *s = &t->sender;
	unsigned lost = 0;

	for (; s->oldest + REORDERING <= s->delivered; s->oldest++) {
		const uint64_t number = s->sent[s->oldest % SENT_RING];

		if (number >= s->una && segment(s, number)->transmission == s->oldest &&
		    segment(s, number)->state == TCP_SEGMENT_IN_FLIGHT) {
			mark_lost(s, number);
			lost++;
		}
	}
	t->counters.losses += lost;
	return lost;
}

static void reduce(struct tcp *t, bool by_loss)
{
	struct tcp_sender *s = &t->sender;

	tcp_cc_reduce(&s->cc);
	s->phase = TCP_REDUCED;
	s->recover = s->next;
	s->cwr = t->params.ecn;
	if (by_loss)
		t->counters.loss_reductions++;
	else
		t->counters.ecn_reductions++;
}

void tcp_sender_take_ack(struct tcp *t, const struct tcp_ack *ack, uint64_t now)
{
	struct tcp_sender *s = &t->sender;
	/* A window that is not used says nothing about the network. */
	const bool full = s->in_flight + 1 > (uint32_t)s->cc.cwnd;
	const uint32_t news = take_news(s, ack, now);
	const unsigned lost = detect_losses(t);

	if (s->phase != TCP_OPEN && s->una > s->recover)
		s->phase = TCP_OPEN;
	if (news) {
		s->backoff = 0;
		tcp_timer_set(t, TCP_TIMER_RTO, now + rto(t));
	}
	if (s->phase == TCP_OPEN && (lost || ack->ece)) {
		reduce(t, lost);
		if (lost)
			retransmit(t, now);
	} else if (s->phase != TCP_REDUCED && full) {
		tcp_cc_grow(&s->cc, news, s->srtt_ns, now);
	}
	send_more(t, now);
}

void tcp_sender_time_out(struct tcp *t, uint64_t now)
{
	struct tcp_sender *s = &t->sender;

	t->counters.timeouts++;
	tcp_cc_collapse(&s->cc, s->backoff);
	s->phase = TCP_TIMED_OUT;
	s->recover = s->next;
	s->cwr = t->params.ecn;
	if (s->backoff < BACKOFF_MAX)
		s->backoff++;
	/* All of it, in order; what was sent before now tells nothing of a loss any more. */
	s->lost_head = s->lost_tail;
	for (uint64_t number = s->una; number < s->next; number++)
		if (segment(s, number)->state != TCP_SEGMENT_ACKED)
			mark_lost(s, number);
	s->oldest = s->transmissions;
	send_more(t, now);
}

void tcp_sender_start(struct tcp *t, uint64_t now)
{
	send_more(t, now);
}

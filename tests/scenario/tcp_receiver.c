/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiving end: what has arrived, and when to say so. */
#include "tcp_internal.h"

#include <assert.h>
#include <string.h>

#define SEGMENTS_PER_ACK 2

/** Of a frame: n blocks of 8 bytes behind kind, length and two bytes of padding (RFC 2018). */
static uint32_t ack_length(const struct tcp_ack *ack)
{
	return TCP_HEADERS + (ack->sacks ? 4 + 8u * ack->sacks : 0);
}

void tcp_receiver_send_ack(struct tcp *t, uint64_t now)
{
	struct tcp_receiver *r = &t->receiver;
	const uint64_t id = r->acks++;
	struct tcp_ack *ack = &r->ack[id % TCP_ACKS];

	ack->id = id;
	ack->cum = r->next;
	ack->ece = r->ece;
	ack->sacks = (uint8_t)r->n_recent;
	memcpy(ack->sack, r->recent, r->n_recent * sizeof(*r->recent));
	r->unacked = 0;
	tcp_timer_set(t, TCP_TIMER_DELACK, TCP_NEVER);
	t->counters.acks_sent++;
	t->params.ops->send(t->params.ctx, t, TCP_COOKIE_ACK | id, ack_length(ack), false, now);
}

static bool has(const struct tcp_receiver *r, uint64_t segment)
{
	return segment < r->next || (segment < r->highest && r->received[segment % TCP_WINDOW]);
}

/** Forget blocks that are acknowledged, or that a newer one contains. */
static void clean_blocks(struct tcp_receiver *r, const struct tcp_sack *newest)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < r->n_recent; i++) {
		const struct tcp_sack *b = &r->recent[i];

		if (b->end > r->next &&
		    (!newest || b->end <= newest->start || b->start >= newest->end))
			r->recent[kept++] = *b;
	}
	r->n_recent = kept;
}

/** The block that @segment has become part of goes first. */
static void note_block(struct tcp_receiver *r, uint64_t segment)
{
	struct tcp_sack b = {.start = segment, .end = segment + 1};

	while (b.start > r->next && has(r, b.start - 1))
		b.start--;
	while (has(r, b.end))
		b.end++;
	clean_blocks(r, &b);
	if (r->n_recent == TCP_SACKS)
		r->n_recent--;
	memmove(r->recent + 1, r->recent, r->n_recent * sizeof(b));
	r->recent[0] = b;
	r->n_recent++;
}

static void advance(struct tcp *t)
{
	struct tcp_receiver *r = &t->receiver;

	while (r->next < r->highest && r->received[r->next % TCP_WINDOW]) {
		r->received[r->next % TCP_WINDOW] = false;
		r->next++;
		t->counters.in_order++;
	}
	clean_blocks(r, NULL);
}

/** Returns whether it came in order, with nothing missing before or behind it. */
static bool store(struct tcp *t, uint64_t segment)
{
	struct tcp_receiver *r = &t->receiver;
	const bool in_order = segment == r->next && r->highest <= segment;

	assert(segment < r->next + TCP_WINDOW);
	if (has(r, segment)) {
		t->counters.doubles++;
		return false;
	}
	r->received[segment % TCP_WINDOW] = true;
	if (segment >= r->highest)
		r->highest = segment + 1;
	if (segment == r->next)
		advance(t);
	else
		note_block(r, segment);
	return in_order;
}

void tcp_receiver_take(struct tcp *t, uint64_t segment, bool cwr, bool ce, uint64_t now)
{
	struct tcp_receiver *r = &t->receiver;
	bool in_order = store(t, segment);
	const bool had_ece = r->ece;

	t->counters.segments_received++;
	t->counters.ce_received += ce;
	if (cwr)
		r->ece = false;
	if (ce)
		r->ece = true;
	r->unacked++;
	/* A gap, the end of one and a first mark are news that do not wait. */
	if (!in_order || r->unacked >= SEGMENTS_PER_ACK || (r->ece && !had_ece))
		tcp_receiver_send_ack(t, now);
	else
		tcp_timer_set(t, TCP_TIMER_DELACK, now + t->params.delack_ns);
}

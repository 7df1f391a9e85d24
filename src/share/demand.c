/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "demand": a queue sends in slots on the port's clock.
 *
 * When one is used up and packets wait, the queue reserves the next: as long as its part of a
 * round, in whole packets, and no longer than what waits. Slots do not overlap and are charged at
 * the full rate, so the port's rate is exact, whatever else is decided here.
 *
 * Whose turn it is. A queue that always has a slot reserved gets one per round: as much as any
 * other, if slots are equally long. Parts may differ, and a frame may be more than a small part, so
 * each queue also keeps a pace: after a slot of b bytes it is its turn again b / its part of the
 * rate later. That only counts while others want the clock, that is, while it is ahead of now.
 */
#include "share/state.h"

/** A queue with packets gets its part of this in one slot, ns. */
#define ROUND_NS (100 * SHARE_US)

/** A queue that was empty for so long gives the rest of its slot back, ns. */
#define IDLE_NS SHARE_SYNC_NS

/** What is left of a slot that ended this long ago is lost, ns, if its queue did not run since. */
#define EXPIRE_NS (1000 * SHARE_US)

/*
 * Longest slot: what a queue that stalls takes from the others, and what it sends at once when it
 * goes on. A part of all slots: 25 us are 0.125 % of 20 ms.
 */
#define SLOT_NS (ROUND_NS / 4)

/*
 * Shortest slot, over all queues together: one that is nearly empty reserves for several small
 * packets at once. 12.5 us in all, since so much may be sent later than it was reserved for.
 */
#define PREPAID_NS (ROUND_NS / 8)

void demand_init(struct share *s)
{
	s->clock.end = s->params.now;
	s->frame_ns = share_duration(s, s->params.max_frame);
	s->slot_bytes = s->params.bytes_per_s * SLOT_NS / SHARE_NS_S;
	s->prepaid_ns = PREPAID_NS / s->params.queues;
}

/** Bytes of a slot: whole packets of the average size, about a part of a round. */
static uint64_t wanted_bytes(const struct share_queue *q, const struct cake_load *load,
			     uint64_t clock, uint64_t now)
{
	const struct share *s = q->share;
	uint64_t average = load->adj_bytes / load->packets;
	uint64_t want = q->fair * ROUND_NS / SHARE_NS_S;

	if (want > s->slot_bytes)
		want = s->slot_bytes;
	/* Many woke up at once, and the others' lines do not say so yet. */
	if (want < s->params.max_frame || clock > now + 2 * ROUND_NS)
		want = s->params.max_frame;
	want -= want % average;
	if (want < average)
		want = average;
	return want < load->adj_bytes ? want : load->adj_bytes;
}

/** After a slot of @length ns that starts at @start it is this queue's turn again at q->due. */
static void keep_pace(struct share_queue *q, uint64_t start, uint64_t length)
{
	uint64_t period = length * q->share->params.bytes_per_s / q->fair;

	/* One period to be made up for, or that others had left, and no more. */
	if (q->due + period < start)
		q->due = start - period;
	if (q->due > start + period)
		q->due = start + period;
	q->due += period;
}

static void reserve(struct share_queue *q, const struct cake_load *load, uint64_t now)
{
	struct share *s = q->share;
	uint64_t wanted = wanted_bytes(q, load, clock_read(&s->clock), now);
	int64_t length = share_duration(s, wanted);
	int64_t left = cake_slot_left(q->cake);
	uint64_t start;

	/* What the last one had too much or too little; a long debt (drops in ingress mode) is paid
	 * in parts, or it would take the clock from all others. */
	length -= left > -(int64_t)s->frame_ns ? left : -(int64_t)s->frame_ns;
	if (length < (int64_t)s->prepaid_ns)
		length = s->prepaid_ns;
	start = clock_reserve(&s->clock, length, now);
	cake_give_slot(q->cake, start, start + length);
	q->slot_start = start;
	q->slot_end = start + length;
	q->reserved += length;
	q->counters.reservations++;
	keep_pace(q, start, length);
}

/**
 * Whether the queue may reserve now; else q->retry says when to ask again. While it waits the clock
 * is ahead of now: who asks by the time it is not leaves no gap.
 */
static bool may_reserve(struct share_queue *q, uint64_t now)
{
	uint64_t clock = clock_read(&q->share->clock);

	/* A debt takes one slot after the other, not all at once. */
	if (q->slot_start > now && cake_slot_left(q->cake) <= 0) {
		q->retry = q->slot_start;
		return false;
	}
	if (clock <= now || clock >= q->due)
		return true;
	q->retry = now + (clock - now < q->due - clock ? clock - now : q->due - clock);
	return false;
}

static void give_back(struct share_queue *q)
{
	uint64_t left = cake_return_slot(q->cake);

	q->slot_end -= left;
	q->reserved -= left;
	if (left)
		clock_give_back(&q->share->clock, left);
}

/**
 * The queue did not run for long: that time is lost, not made up for in a burst. But one that is
 * run so rarely has to get on: what it finds the second time is good.
 */
static void expire(struct share_queue *q, uint64_t now)
{
	uint64_t left;

	if (q->last_run + EXPIRE_NS >= now || q->slot_end + EXPIRE_NS >= now || q->expired)
		return;
	left = cake_return_slot(q->cake);
	q->slot_end -= left;
	q->reserved -= left;
	q->expired = left != 0;
}

unsigned demand_dequeue(struct share_queue *q, struct share_view *view, struct cake_verdict *out,
			unsigned max, uint64_t now)
{
	struct cake_load load;
	unsigned n = 0;

	if (now >= q->next_sync)
		level_sync(q, view, now);
	expire(q, now);
	q->waited += q->waiting ? now - q->last_run : 0;
	q->last_run = now;
	for (;;) {
		n += cake_dequeue(q->cake, out + n, max - n, now);
		if (n == max || !cake_wants_slot(q->cake))
			break;
		if (now < q->retry)
			break;
		if (!may_reserve(q, now))
			break;
		q->retry = 0;
		cake_load_get(q->cake, &load);
		reserve(q, &load, now);
	}
	q->expired &= !n;
	q->waiting = n < max && cake_backlog(q->cake);
	if (n == 0 && !cake_backlog(q->cake) && now - q->last_sent >= IDLE_NS)
		give_back(q);
	return n;
}

uint64_t demand_next_time(const struct share_queue *q)
{
	uint64_t next = cake_next_time(q->cake);

	if (cake_wants_slot(q->cake) && q->retry < next)
		return q->retry;
	if (!cake_backlog(q->cake) && cake_slot_left(q->cake) > 0 && q->last_sent + IDLE_NS < next)
		return q->last_sent + IDLE_NS;
	return next;
}

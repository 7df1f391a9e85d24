/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "demand": a queue sends in slots on the port's clock.
 *
 * When one is used up and packets wait, the queue reserves the next: as long as its part of a
 * round, in whole packets, and no longer than what waits. Slots do not overlap and are charged at
 * the full rate, so the port's rate is exact, whatever else is decided here.
 *
 * Whose turn it is. After a slot of b bytes it is a queue's turn again b / its part of the rate
 * later: that is its pace, and it holds also where a part is less than a frame per round. A queue
 * whose turn it is may reserve a little ahead of now, the longer it has been its turn the farther;
 * one whose turn it is not waits until the clock is a little behind now, the longer it is not to be
 * its turn the longer. So all come in the order of their turns, without knowing each other; nobody
 * waits while nobody else wants the clock; and whoever uses less than its part goes first.
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

/**
 * A slot is reserved no longer than this ahead, ns, and by as much more as it is the queue's turn
 * already: so those who wait longest come first, and one that sends little hardly waits.
 */
#define LEAD_NS     (ROUND_NS / 4)
#define LATE_NS     (ROUND_NS / 4)
#define LATE_MAX_NS (ROUND_NS * 3 / 4)

/** Of what a slot was off, less than this part of a frame is not worth a change of the clock. */
#define SETTLE_PART 32

/** Turns come this part earlier than the pace says. */
#define PACE_MARGIN 256

/**
 * A queue whose turn it is not leaves the clock to the others until it is so far behind, ns: they
 * may just not have been polled yet. Less than the slack, so no time is lost.
 */
#define GRACE_NS   (CLOCK_SLACK_NS / 8)
#define GRACE_MORE (CLOCK_SLACK_NS / 4)

/**
 * A queue that waits looks at the clock this often, ns: it may have been set back. Within the
 * slack, so that no time is lost; and a few times per frame, however slow the port.
 */
static uint64_t retry_ns(const struct share_terms *t)
{
	return t->slack_ns / 2;
}

void demand_terms(struct share_terms *t, const struct share_params *p)
{
	*t = (struct share_terms){.params = *p, .slack_ns = CLOCK_SLACK_NS, .late_ns = LATE_NS};
	t->frame_ns = share_duration(t, p->max_frame);
	if (t->frame_ns / CLOCK_SLACK_PART > CLOCK_SLACK_NS)
		t->slack_ns = t->frame_ns / CLOCK_SLACK_PART;
	t->slot_bytes = p->bytes_per_s * SLOT_NS / SHARE_NS_S;
	t->prepaid_ns = PREPAID_NS / p->queues;
	t->settle = p->queues * t->frame_ns > SLOT_NS;
	t->lead_ns = p->queues * t->frame_ns > ROUND_NS / 2 ? LEAD_NS : ROUND_NS;
	if (t->frame_ns > ROUND_NS / 2) {
		/* What is reserved ahead is a frame or more, each of which is off by itself. */
		t->lead_ns = LEAD_NS / 5;
		t->late_ns = LATE_NS / 2;
	}
}

/** Bytes of a slot: whole packets of the average size, about a part of a round. */
static uint64_t wanted_bytes(const struct share_queue *q, const struct cake_load *load)
{
	const struct share_terms *t = &q->terms;
	uint64_t average = load->adj_bytes / load->packets;
	uint64_t want = q->fair * ROUND_NS / SHARE_NS_S;

	/* With a negative overhead and profile linux packets may count for nothing. */
	if (!average)
		average = 1;
	if (want > t->slot_bytes)
		want = t->slot_bytes;
	if (want < t->params.max_frame)
		want = t->params.max_frame;
	want -= want % average;
	if (want < average)
		want = average;
	return want < load->adj_bytes ? want : load->adj_bytes;
}

/** After a slot of @length ns that starts at @start it is this queue's turn again at q->due. */
static void keep_pace(struct share_queue *q, uint64_t start, uint64_t length)
{
	uint64_t period = length * q->terms.params.bytes_per_s / q->fair;

	/* A little early, or all wait for each other whenever parts come to less than the rate. */
	period -= period / PACE_MARGIN;

	/* A part of a period to be made up for, or one that others had left, and no more. */
	if (q->due + period / 2 < start)
		q->due = start - period / 2;
	if (q->due > start + 2 * period)
		q->due = start + 2 * period;
	q->due += period;
	q->period = period;
}

static void reserve(struct share_queue *q, const struct cake_load *load, uint64_t now)
{
	const struct share_terms *t = &q->terms;
	int64_t length = share_duration(t, wanted_bytes(q, load));
	int64_t left = cake_slot_left(q->cake);
	uint64_t start;

	/* What the last one had too much or too little; a long debt (drops in ingress mode) is paid
	 * in parts, or it would take the clock from all others. */
	length -= left > -(int64_t)t->frame_ns ? left : -(int64_t)t->frame_ns;
	if (length < (int64_t)t->prepaid_ns)
		length = t->prepaid_ns;
	start = clock_reserve(&q->share->clock, length, now - t->slack_ns);
	cake_give_slot(q->cake, start, start + length);
	q->slot_start = start;
	q->slot_end = start + length;
	q->reserved += length;
	q->counters.reservations++;
	keep_pace(q, start, length);
}

/** From 0 to @most as @time grows: half of it for the longest slot and a frame. */
static uint64_t ramp(const struct share_queue *q, uint64_t time, uint64_t most)
{
	return most * time / (time + SLOT_NS + q->terms.frame_ns);
}

static uint64_t soonest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/** How far ahead a queue may reserve whose turn it has been for @late ns. */
static uint64_t lead(const struct share_queue *q, uint64_t late)
{
	const struct share_terms *t = &q->terms;

	return t->lead_ns + (late < q->period ? ramp(q, late, t->late_ns) : LATE_MAX_NS);
}

/**
 * Whether the queue may reserve now; else q->retry says when to ask again. The clock may be so far
 * behind by then that it may, but no farther than its slack makes up for.
 */
static bool may_reserve(struct share_queue *q, uint64_t now)
{
	uint64_t clock = clock_read(&q->share->clock);
	uint64_t early, free;

	if (clock >= q->due) {
		q->retry = clock - lead(q, clock - q->due);
		if (q->retry <= now)
			return true;
		q->retry = soonest(q->retry, now + retry_ns(&q->terms));
		return false;
	}
	early = q->due - clock;
	free = clock + GRACE_NS + ramp(q, early, GRACE_MORE);
	if (free <= now)
		return true;
	q->retry = soonest(soonest(free, now + early), now + retry_ns(&q->terms));
	return false;
}

/** The slot is over. Returns what was left of it, ns, negative if more was used. */
static int64_t end_slot(struct share_queue *q)
{
	int64_t left = cake_slot_left(q->cake);

	cake_end_slot(q->cake);
	q->slot_end -= left;
	q->reserved -= left;
	return left;
}

/** The slot is over, and the clock is told what it was really long. */
static void set_clock(struct share_queue *q)
{
	clock_settle(&q->share->clock, -end_slot(q));
	q->counters.settlements++;
}

/**
 * The slot ends, but the last packet not where it does. With many queues on a slow port, whose
 * frames are long and whose turns come rarely, that would add up until each queue's next slot: 64
 * queues at random to 8 times what one is. There the clock is set right at once. Returns whether.
 */
static bool settle(struct share_queue *q, uint64_t now)
{
	const struct share_terms *t = &q->terms;
	const int64_t frame = t->frame_ns;
	int64_t left = cake_slot_left(q->cake);
	int64_t ahead = (int64_t)(clock_read(&q->share->clock) + t->slack_ns / 2 - now);

	/* Not what ingress mode owes for drops, nor what would take the clock out of its slack. */
	if (!t->settle || left < -frame || left > ahead)
		return false;
	if (left > -frame / SETTLE_PART && left < frame / SETTLE_PART)
		return false;
	set_clock(q);
	q->due -= left * (int64_t)t->params.bytes_per_s / (int64_t)q->fair;
	return true;
}

/**
 * The queue did not run for long: that time is lost, not made up for in a burst. But one that is
 * run so rarely has to get on: what it finds the second time is good.
 */
static void expire(struct share_queue *q, uint64_t now)
{
	if (q->last_run + EXPIRE_NS >= now || q->slot_end + EXPIRE_NS >= now || q->expired)
		return;
	q->expired = cake_slot_left(q->cake) > 0;
	if (q->expired)
		end_slot(q);
}

/** Something is left of its slot, and the queue is empty. */
static bool idle_credit(const struct share_queue *q)
{
	return !cake_backlog(q->cake) && cake_slot_left(q->cake) > 0;
}

void demand_catch_up(struct share_queue *q, uint64_t bytes_per_s, uint64_t now)
{
	const uint64_t rate = q->terms.params.bytes_per_s;
	const uint64_t from = q->slot_start > now ? q->slot_start : now;
	uint64_t taken = q->slot_end > from ? q->slot_end - from : 0;

	if (rate > bytes_per_s)
		clock_settle(&q->share->clock,
			     (int64_t)((unsigned __int128)taken * bytes_per_s / rate - taken));
}

void demand_join(struct share_queue *q)
{
	q->slot_start = 0;
	q->slot_end = 0;
	q->due = 0;
	q->period = 0;
	q->retry = 0;
	q->expired = false;
	q->waiting = false;
	q->waited = 0;
	q->last_run = 0;
	q->used = q->reserved - cake_slot_left(q->cake);
}

void demand_leave(struct share_queue *q)
{
	set_clock(q);
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
		/* Others that wait go by the clock as it was: this one does not. */
		if (!may_reserve(q, now) && !(settle(q, now) && may_reserve(q, now)))
			break;
		q->retry = 0;
		cake_load_get(q->cake, &load);
		reserve(q, &load, now);
	}
	q->expired &= !n;
	q->waiting = n < max && cake_backlog(q->cake);
	if (!idle_credit(q))
		return n;
	/* What a queue keeps that is empty should hold a few small packets, no frames: later the
	 * clock may be behind already, and no more than its slack can be made up for. */
	if (n && cake_slot_left(q->cake) > (int64_t)q->terms.prepaid_ns)
		settle(q, now);
	else if (!n && now - q->last_sent >= IDLE_NS)
		set_clock(q);
	return n;
}

uint64_t demand_next_time(const struct share_queue *q)
{
	uint64_t next = cake_next_time(q->cake);

	if (cake_wants_slot(q->cake) && q->retry < next)
		return q->retry;
	if (idle_credit(q) && q->last_sent + IDLE_NS < next)
		return q->last_sent + IDLE_NS;
	return next;
}

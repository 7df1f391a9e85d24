/* SPDX-License-Identifier: BSD-3-Clause */
/* See share.h. */
#include "share/share.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64 /* bytes of a cache line */
#define US   1000ull

/** A queue looks at the others this often, ns: cake_mq's sync_time. */
#define SYNC_NS (200 * US)
/** A queue with packets gets one slot per round, ns. */
#define ROUND_NS (100 * US)
/** The clock may lag this far behind, ns: the only credit for time that nobody used. */
#define SLACK_NS (25 * US)
/** A line this old is of a queue that does not run, ns. */
#define STALE_NS (2500 * US)

/* Writer: who runs the queue. */
struct line {
	_Alignas(LINE) _Atomic uint64_t stamp; /* ns: written last */
	_Atomic uint64_t last_active;          /* ns: a packet was sent */
	_Atomic uint32_t qlen;                 /* packets */
};
_Static_assert(sizeof(struct line) == LINE, "one line per queue");

struct share {
	/* Written before the queues run; all read it. */
	struct share_params params;
	/* Every queue: rw, once per slot. ns: the end of the last slot reserved. */
	_Alignas(LINE) _Atomic uint64_t clock;
	struct line lines[SHARE_QUEUES_MAX];
};

struct share_queue {
	struct share *share;
	struct cake *cake;
	unsigned index;
	uint64_t last_sync; /* ns */
	uint64_t last_sent; /* ns */
	struct share_counters counters;
};

int share_create(struct share **out, const struct share_params *p)
{
	struct share *s;

	if (!p->bytes_per_s || !p->queues || p->queues > SHARE_QUEUES_MAX || !p->max_frame)
		return -EINVAL;
	s = aligned_alloc(LINE, sizeof(*s));
	if (!s)
		return -ENOMEM;
	memset(s, 0, sizeof(*s));
	s->params = *p;
	atomic_store_explicit(&s->clock, p->now, memory_order_relaxed);
	*out = s;
	return 0;
}

void share_destroy(struct share *s)
{
	free(s);
}

int share_queue_create(struct share_queue **out, struct share *s, unsigned index, struct cake *c)
{
	struct share_queue *q;

	if (index >= s->params.queues)
		return -EINVAL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->share = s;
	q->cake = c;
	q->index = index;
	q->counters.active_queues = 1;
	*out = q;
	return 0;
}

void share_queue_destroy(struct share_queue *q)
{
	free(q);
}

void share_publish(struct share_queue *q, uint64_t now)
{
	struct line *l = &q->share->lines[q->index];

	atomic_store_explicit(&l->stamp, now, memory_order_relaxed);
	atomic_store_explicit(&l->last_active, q->last_sent, memory_order_relaxed);
	atomic_store_explicit(&l->qlen, cake_backlog(q->cake), memory_order_relaxed);
}

/* "equal": SEMANTICS of cake_mq. */

static unsigned count_active(const struct share_queue *q)
{
	unsigned active = 1;

	for (unsigned i = 0; i < q->share->params.queues; i++) {
		const struct line *l = &q->share->lines[i];

		if (i != q->index &&
		    (atomic_load_explicit(&l->qlen, memory_order_relaxed) ||
		     atomic_load_explicit(&l->last_active, memory_order_relaxed) > q->last_sync))
			active++;
	}
	return active;
}

static void sync_equal(struct share_queue *q, uint64_t now)
{
	unsigned active;

	if (now - q->last_sync < SYNC_NS)
		return;
	active = count_active(q);
	q->counters.syncs++;
	q->counters.active_queues = active;
	q->counters.share_changes +=
		cake_set_share(q->cake, active > 1 ? q->share->params.bytes_per_s / active : 0);
	q->last_sync = now;
}

/* "demand" */

static uint64_t duration(const struct share *s, uint64_t bytes)
{
	return (uint64_t)((unsigned __int128)bytes * 1000000000 / s->params.bytes_per_s);
}

static void read_lines(struct share_view *view, const struct share *s, uint64_t now)
{
	view->read_ns = now;
	view->active = 0;
	for (unsigned i = 0; i < s->params.queues; i++) {
		const struct line *l = &s->lines[i];

		if (atomic_load_explicit(&l->stamp, memory_order_relaxed) + STALE_NS > now &&
		    atomic_load_explicit(&l->qlen, memory_order_relaxed))
			view->active++;
	}
}

static void reserve(struct share_queue *q, const struct share_view *view, uint64_t now)
{
	struct share *s = q->share;
	const uint64_t frame = duration(s, s->params.max_frame);
	uint64_t clock = atomic_load_explicit(&s->clock, memory_order_relaxed);
	uint64_t frames = ROUND_NS / (view->active ? view->active : 1) / frame;
	uint64_t length, start;
	struct cake_load load;

	if (clock > now + 2 * ROUND_NS || !frames)
		frames = 1;
	length = frames * frame;
	cake_load_get(q->cake, &load);
	if (duration(s, load.bytes) < length)
		length = duration(s, load.bytes);
	if (length < ROUND_NS / 4 / s->params.queues)
		length = ROUND_NS / 4 / s->params.queues;
	do {
		start = clock + SLACK_NS < now ? now - SLACK_NS : clock;
	} while (!atomic_compare_exchange_weak_explicit(
		&s->clock, &clock, start + length, memory_order_relaxed, memory_order_relaxed));
	cake_give_slot(q->cake, start, start + length);
	q->counters.reservations++;
}

static void give_back(struct share_queue *q)
{
	uint64_t left = cake_return_slot(q->cake);

	if (left)
		atomic_fetch_sub_explicit(&q->share->clock, left, memory_order_relaxed);
}

static unsigned dequeue_slots(struct share_queue *q, struct share_view *view,
			      struct cake_verdict *out, unsigned max, uint64_t now)
{
	unsigned n = 0;

	if (now - view->read_ns >= SYNC_NS) {
		read_lines(view, q->share, now);
		q->counters.syncs++;
		q->counters.active_queues = view->active;
	}
	for (;;) {
		n += cake_dequeue(q->cake, out + n, max - n, now);
		if (n == max || !cake_wants_slot(q->cake))
			break;
		reserve(q, view, now);
	}
	if (!cake_backlog(q->cake) && now - q->last_sent >= SYNC_NS)
		give_back(q);
	return n;
}

unsigned share_dequeue(struct share_queue *q, struct share_view *view, struct cake_verdict *out,
		       unsigned max, uint64_t now)
{
	unsigned n;

	if (q->share->params.mode == SHARE_EQUAL) {
		sync_equal(q, now);
		n = cake_dequeue(q->cake, out, max, now);
	} else {
		n = dequeue_slots(q, view, out, max, now);
	}
	if (n)
		q->last_sent = now;
	share_publish(q, now);
	return n;
}

uint64_t share_next_time(const struct share_queue *q)
{
	return cake_next_time(q->cake);
}

void share_counters_get(const struct share_queue *q, struct share_counters *out)
{
	*out = q->counters;
}

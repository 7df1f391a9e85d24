/* SPDX-License-Identifier: BSD-3-Clause */
/* What both ways to share have in common; see share.h. */
#include "share/share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "share/state.h"

int share_create(struct share **out, const struct share_params *p)
{
	struct share *s;

	if (!p->bytes_per_s || !p->queues || p->queues > SHARE_QUEUES_MAX || !p->max_frame)
		return -EINVAL;
	s = aligned_alloc(SHARE_LINE, sizeof(*s));
	if (!s)
		return -ENOMEM;
	memset(s, 0, sizeof(*s));
	s->params = *p;
	s->clock.end = p->now;
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
	q->index = index;
	q->counters.active_queues = 1;
	if (c)
		share_queue_join(q, c, &s->params, s->params.now);
	*out = q;
	return 0;
}

uint64_t share_scale(const struct share_queue *q, uint64_t part, uint64_t from)
{
	uint64_t scaled = (unsigned __int128)part * q->terms.params.bytes_per_s / from;

	return scaled ? scaled : 1;
}

/** It had part in @bytes_per_s before: the instance goes on with the same part. */
static void keep_part(struct share_queue *q, uint64_t bytes_per_s)
{
	const uint64_t rate = q->terms.params.bytes_per_s;
	uint64_t part = share_scale(q, q->counters.share_bytes_s, bytes_per_s);

	q->counters.share_bytes_s = part;
	cake_set_share(q->cake, part < rate ? part : 0);
}

void share_queue_join(struct share_queue *q, struct cake *c, const struct share_params *p,
		      uint64_t now)
{
	const uint64_t before = q->terms.params.bytes_per_s;

	q->cake = c;
	demand_terms(&q->terms, p);
	if (before)
		demand_catch_up(q, before, now);
	q->last_sync = 0;
	if (before)
		keep_part(q, before);
	else
		q->counters.share_bytes_s = p->bytes_per_s;
	if (p->mode != SHARE_DEMAND)
		return;
	demand_join(q);
	if (q->fair)
		level_rejoin(q, before, now);
	else
		level_init(q, now);
}

const struct share_params *share_queue_params(const struct share_queue *q)
{
	return &q->terms.params;
}

void share_queue_leave(struct share_queue *q)
{
	if (q->terms.params.mode == SHARE_DEMAND)
		demand_leave(q);
	q->cake = NULL;
}

void share_queue_destroy(struct share_queue *q)
{
	free(q);
}

void share_publish(struct share_queue *q, uint64_t now)
{
	if (q->terms.params.mode == SHARE_EQUAL)
		equal_publish(q, now);
}

unsigned share_dequeue(struct share_queue *q, struct share_view *view, struct cake_verdict *out,
		       unsigned max, uint64_t now)
{
	unsigned n;

	if (q->terms.params.mode == SHARE_DEMAND) {
		n = demand_dequeue(q, view, out, max, now);
	} else {
		equal_sync(q, now);
		n = cake_dequeue(q->cake, out, max, now);
	}
	if (n)
		q->last_sent = now;
	share_publish(q, now);
	return n;
}

void share_set_parties(struct share_queue *q, uint32_t parties)
{
	q->parties = parties;
}

uint64_t share_next_time(const struct share_queue *q)
{
	return q->terms.params.mode == SHARE_DEMAND ? demand_next_time(q) : cake_next_time(q->cake);
}

void share_counters_get(const struct share_queue *q, struct share_counters *out)
{
	*out = q->counters;
}

void share_counters_add(struct share_counters *sum, const struct share_queue *q)
{
	struct share_counters c;

	share_counters_get(q, &c);
	sum->syncs += c.syncs;
	sum->reservations += c.reservations;
	sum->settlements += c.settlements;
	sum->share_changes += c.share_changes;
	sum->active_queues = c.active_queues;
	sum->share_bytes_s = c.share_bytes_s;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap, numbered from 1: the children of k are 2k and 2k + 1. */
#include "event.h"

#include <stdlib.h>

#include "memory.h"

struct entry {
	uint64_t at, order;
	struct event *event;
};

struct events {
	struct entry *heap; /* 1..n */
	unsigned n, room;
	uint64_t now;
	uint64_t order; /* of the next that is set */
};

struct events *events_create(void)
{
	return must_calloc(1, sizeof(struct events));
}

void events_destroy(struct events *e)
{
	free(e->heap);
	free(e);
}

static bool before(const struct entry *a, const struct entry *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void place(struct events *e, unsigned slot, struct entry entry)
{
	e->heap[slot] = entry;
	entry.event->slot = slot;
}

static void sift_up(struct events *e, unsigned slot, struct entry entry)
{
	while (slot > 1 && before(&entry, &e->heap[slot / 2])) {
		place(e, slot, e->heap[slot / 2]);
		slot /= 2;
	}
	place(e, slot, entry);
}

static void sift_down(struct events *e, unsigned slot, struct entry entry)
{
	for (;;) {
		unsigned child = 2 * slot;

		if (child > e->n)
			break;
		if (child < e->n && before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (!before(&e->heap[child], &entry))
			break;
		place(e, slot, e->heap[child]);
		slot = child;
	}
	place(e, slot, entry);
}

void events_clear(struct events *e, struct event *ev)
{
	unsigned slot = ev->slot;
	struct entry last;

	if (!slot)
		return;
	ev->slot = 0;
	last = e->heap[e->n--];
	if (last.event == ev)
		return;
	if (slot > 1 && before(&last, &e->heap[slot / 2]))
		sift_up(e, slot, last);
	else
		sift_down(e, slot, last);
}

void events_set(struct events *e, struct event *ev, uint64_t at)
{
	events_clear(e, ev);
	if (e->n + 1 >= e->room) {
		e->room = e->room ? 2 * e->room : 64;
		e->heap = must_realloc(e->heap, e->room * sizeof(*e->heap));
	}
	e->n++;
	sift_up(e, e->n, (struct entry){at > e->now ? at : e->now, e->order++, ev});
}

uint64_t events_now(const struct events *e)
{
	return e->now;
}

void events_run(struct events *e, uint64_t until)
{
	while (e->n && e->heap[1].at < until) {
		struct event *ev = e->heap[1].event;

		e->now = e->heap[1].at;
		events_clear(e, ev);
		ev->fn(ev->arg, e->now);
	}
	e->now = until;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time: events in order. Two for the same time happen in the order in which they were set,
 * so that a run repeats exactly.
 *
 * An event is its owner's memory and may be set again, to another time, while it waits.
 */
#ifndef GATEAU_SCENARIO_EVENT_H
#define GATEAU_SCENARIO_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct events;

struct event {
	void (*fn)(void *arg, uint64_t now);
	void *arg;
	unsigned slot; /* in the heap, from 1; 0 = not waiting */
};

struct events *events_create(void);
void events_destroy(struct events *e);

/** @ev happens at @at, ns, or now if that is past; if it waits already, then instead. */
void events_set(struct events *e, struct event *ev, uint64_t at);

/** It does not happen. */
void events_clear(struct events *e, struct event *ev);

/** ns: of the event that happens, or happened last. */
uint64_t events_now(const struct events *e);

/** Let everything happen that is due before @until; then it is @until. */
void events_run(struct events *e, uint64_t until);

#endif

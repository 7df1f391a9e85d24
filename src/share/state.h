/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port's queues have in common, and what each has of its own: for the files of src/share.
 */
#ifndef GATEAU_SHARE_STATE_H
#define GATEAU_SHARE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"
#include "share/clock.h"
#include "share/share.h"

#define SHARE_LINE 64 /* bytes of a cache line */

#define SHARE_US   1000ull
#define SHARE_NS_S 1000000000ull

/** A queue looks at the others this often, ns: cake_mq's sync_time. */
#define SHARE_SYNC_NS (200 * SHARE_US)

/**
 * What a queue says of itself. Writer: who runs it. Relaxed stores and loads: fields may be of
 * different moments, a reader takes each for a hint.
 */
struct share_line {
	_Alignas(SHARE_LINE) _Atomic uint64_t stamp; /* ns: written last */
	_Atomic uint64_t last_active;                /* equal: ns, a packet was sent */
	_Atomic uint64_t demand;                     /* demand: bytes/s, what it uses */
	_Atomic uint32_t qlen;                       /* equal: packets */
	_Atomic uint32_t weight;                     /* demand: in 16ths */
	_Atomic bool limited;                        /* demand: would use more if it could */
};
_Static_assert(sizeof(struct share_line) == SHARE_LINE, "one line per queue");

struct share {
	struct share_params params; /* as it was created; written before the queues run */
	_Alignas(SHARE_LINE) struct share_clock clock;
	struct share_line lines[SHARE_QUEUES_MAX];
};

/** What a queue shares by, and what follows from it for demand mode. */
struct share_terms {
	struct share_params params;
	uint64_t frame_ns;   /* a maximum frame's */
	uint64_t slack_ns;   /* how far behind now the clock may be */
	uint64_t slot_bytes; /* longest slot, unless it is one frame */
	uint64_t prepaid_ns; /* shortest slot */
	uint64_t lead_ns;    /* a slot is reserved no longer than this ahead */
	uint64_t late_ns;    /* and by up to this more, as it is the longer the turn of the queue */
	bool settle;         /* frames are so long that each slot's rounding counts */
};

struct share_queue {
	struct share *share;
	struct cake *cake; /* NULL: it has no part in the rate at present */
	struct share_terms terms;
	unsigned index;
	uint64_t last_sync; /* ns */
	uint64_t last_sent; /* ns */
	struct share_counters counters;

	/* demand: the slot, and whose turn it is */
	uint64_t slot_start, slot_end; /* ns, of the last one */
	uint64_t due;    /* clock time before which the next slot is not its turn, if others wait */
	uint64_t period; /* ns, from one turn to the next */
	uint64_t retry;  /* ns: ask again; 0 = it waits for nothing but its slot */
	uint64_t reserved; /* ns, sum of its slots less what it gave back */
	bool expired;      /* the last slot passed unused, and nothing was sent since */

	/* demand: what it says of itself */
	struct prng rng;    /* jitter */
	uint64_t next_sync; /* ns */
	uint64_t used;      /* ns of the clock, up to the last sync */
	uint64_t last_run;  /* ns */
	uint64_t waited;    /* ns since the last sync in which packets waited */
	bool waiting;       /* they do */
	uint64_t demand;    /* bytes/s */
	uint32_t parties;   /* it has at least; see share_set_parties() */
	uint32_t weight;    /* in 16ths, smoothed */
	uint64_t fair;      /* bytes/s: its part of the rate if it had packets all the time */
	uint64_t smooth;    /* bytes/s: that, smoothed */
};

/** Clock time that @bytes take. Bytes beyond a second's worth of 34 Gbit/s count as that. */
static inline uint64_t share_duration(const struct share_terms *t, uint64_t bytes)
{
	return (bytes < UINT32_MAX ? bytes : UINT32_MAX) * SHARE_NS_S / t->params.bytes_per_s;
}

/** equal.c: as cake_mq does, look at the others if that is due. */
void equal_sync(struct share_queue *q, uint64_t now);
void equal_publish(struct share_queue *q, uint64_t now);

/** demand.c: what follows from @p. */
void demand_terms(struct share_terms *t, const struct share_params *p);

/** demand.c: the queue has had no slot yet. */
void demand_join(struct share_queue *q);

/** demand.c: the rate was @bytes_per_s: what was sent has taken time of the clock that is still to
 * come; at a higher rate it would have taken less. */
void demand_catch_up(struct share_queue *q, uint64_t bytes_per_s, uint64_t now);

/** demand.c: what is left of its slot goes to the others. */
void demand_leave(struct share_queue *q);

/** demand.c: cake_dequeue() within slots. */
unsigned demand_dequeue(struct share_queue *q, struct share_view *view, struct cake_verdict *out,
			unsigned max, uint64_t now);
uint64_t demand_next_time(const struct share_queue *q);

/** level.c: say what is so of this queue, look at the others, and set its part of the rate. */
void level_init(struct share_queue *q, uint64_t now);

/** level.c: the queue's part was one of @bytes_per_s, and is the same part of the rate now. */
void level_rejoin(struct share_queue *q, uint64_t bytes_per_s, uint64_t now);

/** share.c: @part of @from bytes/s, as a part of the rate. */
uint64_t share_scale(const struct share_queue *q, uint64_t part, uint64_t from);
void level_sync(struct share_queue *q, struct share_view *view, uint64_t now);

#endif

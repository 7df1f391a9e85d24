/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rate over the TX queues of a port, each of which has a CAKE instance of its own.
 *
 * "demand", the default: a virtual clock that all queues share. A queue that has packets reserves
 * the next slot on it with one atomic operation and sends whole frames inside its slots at the full
 * rate. Slots do not overlap, so the port's rate is exact whoever sends; nobody has to ask for less
 * than all, so it is always filled. Slot sizes follow weights.
 *
 * "equal": cake_mq of Linux. Each queue counts, every 200 us, how many of its siblings are active
 * and runs at that part of the rate.
 *
 * What queues tell each other is a line each, with one writer: whoever runs the queue. In demand
 * mode lines only steer slots and the tins' rates, so that a stale one cannot disturb the total.
 *
 *	struct share ── one per port: the clock, a line per queue
 *	struct share_queue ── one per queue: its side of it, for whoever runs the queue
 *	struct share_view ── one per port and lcore: the lines, read once for all queues it runs
 *
 * No lock, no clock read here; nothing is allocated after share_create(). Several threads may use
 * one struct share, a struct share_queue or share_view is one thread's at a time.
 */
#ifndef GATEAU_SHARE_SHARE_H
#define GATEAU_SHARE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#define SHARE_QUEUES_MAX 64

enum share_mode {
	SHARE_DEMAND,
	SHARE_EQUAL,
};

/**
 * What a queue's part of the rate follows: hosts where they are isolated and steering keeps all
 * flows of one in a queue, else flows. A queue that has none of them counts as if it had one.
 */
enum share_weight {
	SHARE_BY_FLOWS,     /* its bulk flows */
	SHARE_BY_SRC_HOSTS, /* its sources with bulk flows */
	SHARE_BY_DST_HOSTS,
};

struct share_params {
	uint64_t bytes_per_s; /* of the port; not 0: an unlimited port has no struct share */
	unsigned queues;      /* 1..SHARE_QUEUES_MAX */
	uint32_t max_frame;   /* bytes, largest adjusted length */
	enum share_mode mode;
	enum share_weight weight;
	uint64_t now; /* ns, as in all calls */
};

struct share;

/** 0, -EINVAL, -ENOMEM. */
int share_create(struct share **out, const struct share_params *p);
void share_destroy(struct share *s);

/** Counters of a queue. Writer: whoever runs it. */
struct share_counters {
	uint64_t syncs;         /* times it looked at the others */
	uint64_t reservations;  /* slots */
	uint64_t settlements;   /* times the clock was told that a slot was longer, or shorter */
	uint64_t share_changes; /* times its tins' rates changed for it */
	uint32_t active_queues; /* gauge: with itself, when it last looked */
	uint64_t share_bytes_s; /* gauge: part of the rate its tins go by, bytes/s */
};

struct share_queue;

/**
 * What queue @index of @s needs to take part, with instance @c; NULL: not before
 * share_queue_join(). 0, -EINVAL, -ENOMEM.
 */
int share_queue_create(struct share_queue **out, struct share *s, unsigned index, struct cake *c);
void share_queue_destroy(struct share_queue *q);

/*
 * Another rate, mode or weight, or another instance: the queue leaves, the instance is changed, the
 * queue joins again. Each queue of a port does so by itself, whenever it is run; until the last one
 * has, some send at the rate before. What is exact does not suffer: slots are time, which is worth
 * fewer bytes at a lower rate, and none is taken over from before.
 */

/**
 * The queue has no part in the rate for now. Unused time of its slot is the others', so that
 * nothing is sent later that was granted at this rate; only what it sent beyond its slot, less than
 * a packet but in ingress mode, is taken off the clock.
 */
void share_queue_leave(struct share_queue *q);

/** What it shares by, since it joined last. */
const struct share_params *share_queue_params(const struct share_queue *q);

/**
 * It has, with instance @c, which runs at @p's rate and has slots in demand mode; its part is the
 * same fraction of that as it was before, if it was. @p->queues is what share_create() said.
 */
void share_queue_join(struct share_queue *q, struct cake *c, const struct share_params *p,
		      uint64_t now);

/** What one lcore has read of the lines of one port. Zero it to begin with. */
struct share_view {
	uint64_t read_ns; /* 0 = never */
	uint64_t held;    /* bit per queue: it would use more */
	uint64_t left;    /* bytes/s for those, */
	uint64_t weights; /* and what they weigh */
	uint32_t active;  /* queues that use something */
};

/**
 * cake_dequeue() for a queue that shares its rate: looks at the others when that is due, reserves
 * slots as they are needed, and publishes.
 *
 * @param view  this lcore's of this port; queues it runs may have it in common
 * @return as cake_dequeue()
 */
unsigned share_dequeue(struct share_queue *q, struct share_view *view, struct cake_verdict *out,
		       unsigned max, uint64_t now);

/**
 * Tell the others how much is queued; share_dequeue() does. Needed after cake_enqueue() only where
 * no share_dequeue() follows.
 */
void share_publish(struct share_queue *q, uint64_t now);

/**
 * The queue serves @parties (flows or hosts, as enum share_weight says) at least, though its
 * instance may hold packets of few: the others' are kept out of it (txq/shed.h). 0 = it holds
 * packets of all. "equal" has no use for it.
 */
void share_set_parties(struct share_queue *q, uint32_t parties);

/** cake_next_time() for such a queue: an empty one may have something to give back. */
uint64_t share_next_time(const struct share_queue *q);

void share_counters_get(const struct share_queue *q, struct share_counters *out);

/** Add what @q has counted to @sum; of gauges @q's hold. */
void share_counters_add(struct share_counters *sum, const struct share_queue *q);

#endif

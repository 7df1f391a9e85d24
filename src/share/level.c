/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "demand": what part of the rate is likely a queue's.
 *
 * Every queue says how much it uses, what it weighs, and whether it is held back: whether it would
 * use more. Those that are held back share, by weight, what the others leave; a queue that is not
 * uses less than that. So a level is sought, per unit of weight, that all get at most:
 *
 *	bytes/s per weight
 *	      │        ┌──┐            ┌──┐
 *	level ┤── ─ ─ ─│  │─ ─┌──┐─ ─ ─│  │─      queues 1, 2 and 4 are held back at the level,
 *	      │  ┌──┐  │  │   │  │┌──┐ │  │      0 and 3 use what they want
 *	      └──┴0─┴──┴1─┴───┴2─┴┴3─┴─┴4─┴─
 *
 * The result sets how long slots are, whose turn it is (demand.c) and how fast tins are (cake.h).
 * None of these changes the port's total, so lines may be old, and wrong in the parts.
 */
#include "share/state.h"

/** A line this old is of a queue that does not run: it is not held back, ns. */
#define STALE_NS (2500 * SHARE_US)

/** And uses nothing. */
#define STALE_DEMAND_NS (1000 * SHARE_US)

/** Weights count in these, so that a smoothed one is no step. */
#define WEIGHT_ONE 16
#define WEIGHT_MAX (4096 * WEIGHT_ONE)

/** Powers of 2: one sync is this part of the average of weights, of demand, of the tins' rate. */
#define WEIGHT_SHIFT 4
#define DEMAND_SHIFT 3
#define SMOOTH_SHIFT 3

/* Queues that all look at the same moment would all change their minds together. */
static uint64_t next_sync(struct share_queue *q, uint64_t now)
{
	return now + SHARE_SYNC_NS * 7 / 8 + (prng_u16(&q->rng) * (SHARE_SYNC_NS / 4) >> 16);
}

void level_init(struct share_queue *q, uint64_t now)
{
	const struct share_params *p = &q->terms.params;

	q->rng = prng_xorshift32(q->index + 1);
	q->last_sync = now;
	q->next_sync = next_sync(q, now);
	q->fair = p->bytes_per_s / p->queues ? p->bytes_per_s / p->queues : 1;
	q->smooth = q->fair;
	q->weight = WEIGHT_ONE;
	q->counters.share_bytes_s = q->fair;
	if (p->queues > 1)
		cake_set_share(q->cake, q->fair);
}

void level_rejoin(struct share_queue *q, uint64_t bytes_per_s, uint64_t now)
{
	q->fair = share_scale(q, q->fair, bytes_per_s);
	q->smooth = share_scale(q, q->smooth, bytes_per_s);
	q->demand = q->demand ? share_scale(q, q->demand, bytes_per_s) : 0;
	q->last_sync = now;
	q->next_sync = next_sync(q, now);
}

static uint32_t weight_now(const struct share_queue *q, const struct cake_load *load)
{
	uint32_t n = load->bulk_flows;

	if (q->terms.params.weight == SHARE_BY_SRC_HOSTS)
		n = load->src_hosts;
	else if (q->terms.params.weight == SHARE_BY_DST_HOSTS)
		n = load->dst_hosts;
	if (n < q->parties)
		n = q->parties;
	if (!n)
		return WEIGHT_ONE;
	return n < WEIGHT_MAX / WEIGHT_ONE ? n * WEIGHT_ONE : WEIGHT_MAX;
}

/** A moving average; a step too small for it counts as one. */
static uint64_t approach(uint64_t average, uint64_t sample, unsigned shift)
{
	if (sample > average)
		return average + ((sample - average + (1u << shift) - 1) >> shift);
	return average - ((average - sample + (1u << shift) - 1) >> shift);
}

/** What the queue used of the clock since the last sync, as a rate; drops in ingress mode, too. */
static uint64_t rate_used(struct share_queue *q, uint64_t interval)
{
	uint64_t used = q->reserved - cake_slot_left(q->cake);
	uint64_t ns = used - q->used;

	q->used = used;
	return (unsigned __int128)ns * q->terms.params.bytes_per_s / interval;
}

static void publish(struct share_queue *q, uint64_t now)
{
	struct share_line *l = &q->share->lines[q->index];
	const uint64_t interval = now - q->last_sync;
	struct cake_load load;
	bool limited;

	if (!interval)
		return;
	cake_load_get(q->cake, &load);
	limited = q->waited * 2 >= interval && load.adj_bytes >= q->terms.params.max_frame;
	q->demand = approach(q->demand, rate_used(q, interval), DEMAND_SHIFT);
	q->weight = approach(q->weight, weight_now(q, &load), WEIGHT_SHIFT);
	if (!load.packets && now - q->last_sent > STALE_DEMAND_NS)
		q->demand = 0;
	atomic_store_explicit(&l->stamp, now, memory_order_relaxed);
	atomic_store_explicit(&l->demand, q->demand, memory_order_relaxed);
	atomic_store_explicit(&l->weight, q->weight, memory_order_relaxed);
	atomic_store_explicit(&l->limited, limited, memory_order_relaxed);
	q->last_sync = now;
	q->waited = 0;
}

/** What was read of the lines. */
struct reading {
	uint64_t demand[SHARE_QUEUES_MAX]; /* bytes/s */
	uint32_t weight[SHARE_QUEUES_MAX];
	uint64_t using; /* bit per queue: has packets, or used something */
};

static void read_lines(struct share_view *view, struct reading *r, const struct share *s,
		       uint64_t now)
{
	*r = (struct reading){0};
	view->held = 0;
	for (unsigned i = 0; i < s->params.queues; i++) {
		const struct share_line *l = &s->lines[i];
		uint64_t stamp = atomic_load_explicit(&l->stamp, memory_order_relaxed);
		bool limited = atomic_load_explicit(&l->limited, memory_order_relaxed);

		r->weight[i] = atomic_load_explicit(&l->weight, memory_order_relaxed);
		if (limited && stamp + STALE_NS > now)
			view->held |= 1ull << i;
		if (stamp + STALE_DEMAND_NS > now)
			r->demand[i] = atomic_load_explicit(&l->demand, memory_order_relaxed);
		if (r->demand[i] || view->held & 1ull << i)
			r->using |= 1ull << i;
	}
	view->active = __builtin_popcountll(r->using);
}

/** Whether @demand is at most what @weight of @weights gets of @left. */
static bool is_satisfied(uint64_t demand, uint32_t weight, uint64_t left, uint64_t weights)
{
	return (unsigned __int128)demand * weights <= (unsigned __int128)left * weight;
}

/**
 * The level: at first all are below it who use something, then those leave that want less than it
 * gives them, and raise it for the others.
 */
static void find_level(struct share_view *view, const struct reading *r, uint64_t bytes_per_s)
{
	uint64_t below = r->using & ~view->held, done;

	view->left = bytes_per_s;
	view->weights = 0;
	for (uint64_t set = r->using; set; set &= set - 1)
		view->weights += r->weight[__builtin_ctzll(set)];
	do {
		done = 0;
		for (uint64_t set = below; set; set &= set - 1) {
			unsigned i = __builtin_ctzll(set);

			if (!is_satisfied(r->demand[i], r->weight[i], view->left, view->weights))
				continue;
			view->left -= r->demand[i];
			view->weights -= r->weight[i];
			done |= 1ull << i;
		}
		below &= ~done;
	} while (done);
	view->held |= below;
}

static void look(struct share_view *view, struct share_queue *q, uint64_t now)
{
	struct reading r;

	read_lines(view, &r, q->share, now);
	find_level(view, &r, q->terms.params.bytes_per_s);
	view->read_ns = now;
}

/** What a queue would get that has packets all the time, bytes/s. */
static uint64_t fair_part(const struct share_queue *q, const struct share_view *view)
{
	uint64_t left = view->left, weights = view->weights, fair;

	if (!(view->held & 1ull << q->index)) {
		left += q->demand;
		weights += q->weight;
	}
	if (left > q->terms.params.bytes_per_s)
		left = q->terms.params.bytes_per_s;
	if (weights <= q->weight)
		return left ? left : 1;
	fair = (unsigned __int128)left * q->weight / weights;
	return fair ? fair : 1;
}

/** Tins follow slowly, but at once to less than half. All of the rate is 0, which costs nothing. */
static void set_share(struct share_queue *q)
{
	const uint64_t rate = q->terms.params.bytes_per_s;
	const uint64_t now = q->counters.share_bytes_s;
	uint64_t share;

	q->smooth = q->fair < q->smooth / 2 ? q->fair : approach(q->smooth, q->fair, SMOOTH_SHIFT);
	share = q->smooth > rate - rate / 16 ? rate : q->smooth;
	if ((share > now ? share - now : now - share) <= now / 8)
		return;
	q->counters.share_bytes_s = share;
	q->counters.share_changes += cake_set_share(q->cake, share < rate ? share : 0);
}

void level_sync(struct share_queue *q, struct share_view *view, uint64_t now)
{
	q->next_sync = next_sync(q, now);
	publish(q, now);
	if (now - view->read_ns >= SHARE_SYNC_NS * 7 / 8)
		look(view, q, now);
	q->fair = fair_part(q, view);
	q->counters.syncs++;
	q->counters.active_queues = view->active;
	set_share(q);
}

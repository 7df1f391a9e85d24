/* SPDX-License-Identifier: BSD-3-Clause */
/* See txq.h. */
#include "txq/txq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "txq/state.h"

/* A ring that is too small for the segments of one super-packet would never take any. */
static_assert(DEFER_SIZE >= GSO_SEGS_MAX, "an arrival fits the ring");

/** A queue that has no other part in its rate than its own has no struct share_queue. */
static int join_share(struct txq *q, const struct txq_params *params)
{
	q->share_index = params->share_index;
	q->shared = params->share;
	if (!params->share)
		return 0;
	return share_queue_create(&q->share, params->share, params->share_index, q->cake);
}

/**
 * The ring may hold as many frames as the scheduler has memory for, and what a run serves. Once it
 * is full each frame more pushes another out, which is work and no gain: as the kernel's CAKE
 * collapsed on such work, it is bounded to what leaves in a run, or to TXQ_ROOM_MIN. A queue that
 * is long but has memory takes all that comes: which packet has to go is for the AQM and the
 * flows' shares to say, not for the order of arrival.
 */
static uint64_t choose_limit(const struct txq *q)
{
	const uint64_t left = cake_memory_left(q->entry);
	uint64_t limit;

	/* Room for a whole ring, as there nearly always is: no division. */
	if (left >= (uint64_t)DEFER_SIZE * q->map.element_bytes)
		return DEFER_SIZE;
	limit = left / q->map.element_bytes + RTE_MAX(q->served, (unsigned)TXQ_ROOM_MIN);
	return RTE_MIN(limit, (uint64_t)DEFER_SIZE);
}

static void publish(struct txq *q)
{
	const uint64_t limit = choose_limit(q);
	uint32_t waiting;

	if (atomic_load_explicit(&q->limit, memory_order_relaxed) != limit)
		atomic_store_explicit(&q->limit, limit, memory_order_relaxed);
	waiting = cake_backlog(q->entry) + q->n_held;
	if (unlikely(q->regroup))
		waiting += cake_backlog(q->cake);
	claim_note_waiting(&q->claim, waiting);
}

static int create_shed(struct txq *q, const struct cake_params *params)
{
	int ret = shed_create(&q->shed, params);

	if (ret)
		return ret;
	ret = shed_control_create(&q->control, q->shed);
	if (ret) {
		shed_destroy(q->shed);
		return ret;
	}
	q->traffic = shed_traffic(q->control);
	return 0;
}

void txq_complete_params(const struct txq *q, struct cake_params *p, bool slots)
{
	struct cake_params unlimited = *p;

	p->slots = slots;
	p->min_charge = q->map.element_bytes;
	p->burst = TXQ_BATCH;
	/* A rate may be changed to any other without another instance, as far as its limit on
	 * memory is no more than that of a link without a rate. */
	unlimited.bandwidth_bps = 0;
	if (p->room < cake_memory_limit(&unlimited))
		p->room = cake_memory_limit(&unlimited);
}

int txq_create(struct txq **out, const struct txq_params *params)
{
	struct cake_params cake = params->cake;
	struct txq *q;
	int ret;

	q = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*q));
	if (!q)
		return -ENOMEM;
	memset(q, 0, sizeof(*q));
	q->map = params->map;
	q->tx = params->tx ? params->tx : out_device_tx;
	q->free = params->free ? params->free : mbuf_free_bulk;
	q->home = params->home;
	q->port = params->port;
	q->queue = params->queue;
	q->wash = cake.wash;
	q->flowmode = cake.flowmode;
	q->whole = !cake.split_gso;
	q->tso_flags = params->tso_flags;
	/* Different queues must not throw the same dice. */
	q->rng = prng_xorshift32(1 + ((uint32_t)q->port << 16 | q->queue));
	ret = defer_create(&q->ring);
	if (ret)
		goto err_queue;
	txq_complete_params(q, &cake, cake.slots);
	ret = cake_create(&q->cake, &cake, &q->rng);
	if (ret)
		goto err_ring;
	q->entry = q->cake;
	ret = join_share(q, params);
	if (ret)
		goto err_cake;
	ret = create_shed(q, &cake);
	if (ret)
		goto err_share;
	publish(q);
	*out = q;
	return 0;

err_share:
	share_queue_destroy(q->share);
err_cake:
	cake_destroy(q->cake);
err_ring:
	defer_destroy(q->ring);
err_queue:
	free(q);
	return ret;
}

void txq_destroy(struct txq *q)
{
	if (!q)
		return;
	shed_control_destroy(q->control);
	shed_destroy(q->shed);
	share_queue_destroy(q->share);
	if (txq_is_moving(q))
		cake_destroy(q->entry);
	cake_destroy(q->cake);
	defer_destroy(q->ring);
	free(q);
}

bool txq_claim(struct txq *q, uint64_t now)
{
	return claim_try(&q->claim, now);
}

void txq_release(struct txq *q)
{
	claim_release(&q->claim);
}

unsigned txq_home(const struct txq *q)
{
	return q->home;
}

bool txq_abandoned(const struct txq *q, uint64_t now)
{
	return claim_abandoned(&q->claim, now) &&
	       (txq_deferred(q) || atomic_load_explicit(&q->claim.waiting, memory_order_relaxed));
}

uint64_t txq_last_run(const struct txq *q)
{
	return atomic_load_explicit(&q->claim.run_ns, memory_order_relaxed);
}

uint64_t txq_stalled(struct txq *q, uint64_t now)
{
	return claim_stalled(&q->claim, now);
}

uint64_t txq_stalls(const struct txq *q)
{
	return atomic_load_explicit(&q->claim.stalls, memory_order_relaxed);
}

/** Time as the queue sees it: never going back. */
static uint64_t advance(struct txq *q, uint64_t now)
{
	if (now > q->now)
		q->now = now;
	return q->now;
}

void txq_free(const struct txq *q, struct rte_mbuf **pkts, unsigned n)
{
	q->free(pkts, n);
}

void txq_free_dead(const struct txq *q, struct txq_dead *dead)
{
	if (dead->n)
		q->free(dead->pkts, dead->n);
	dead->n = 0;
}

/** What is dropped is freed after the release; but there is no more room than this. */
static struct rte_mbuf **bury(const struct txq *q, struct txq_dead *dead, unsigned n)
{
	struct rte_mbuf **at;

	if (dead->n + n > TXQ_DEAD_MAX)
		txq_free_dead(q, dead);
	at = &dead->pkts[dead->n];
	dead->n += n;
	return at;
}

/** @instead: counts all of them, whatever @c dropped them for; NULL: each its own reason's. */
static inline void take_drops(struct txq *q, struct cake *c, struct txq_dead *dead,
			      counter_t *instead)
{
	struct cake_verdict drops[TXQ_BURST];
	unsigned n;

	do {
		struct rte_mbuf **pkts;

		n = cake_take_drops(c, drops, TXQ_BURST);
		pkts = bury(q, dead, n);
		for (unsigned i = 0; i < n; i++) {
			pkts[i] = mbuf_from_handle(&q->map, drops[i].handle);
			q->traffic[drops[i].tin].dropped += drops[i].len;
			counter_add(instead ? instead : &q->counters.dropped[drops[i].decision], 1);
		}
	} while (n == TXQ_BURST);
}

static inline void take_all_drops(struct txq *q, struct txq_dead *dead, counter_t *instead)
{
	if (txq_is_moving(q))
		take_drops(q, q->entry, dead, instead);
	take_drops(q, q->cake, dead, instead);
}

void txq_take_drops(struct txq *q, struct txq_dead *dead)
{
	take_all_drops(q, dead, NULL);
}

void txq_drop_queued(struct txq *q, struct txq_dead *dead, counter_t *reason)
{
	if (txq_is_moving(q))
		cake_purge(q->entry);
	cake_purge(q->cake);
	take_all_drops(q, dead, reason);
}

/** A tin is overloaded: what receiving lcores found out about frames on their way counts. */
static void note_judged(struct txq *q, struct rte_mbuf *const *pkts,
			const struct cake_packet *batch, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		shed_arrived(q->control, &batch[i], mbuf_private(pkts[i])->shed_first);
}

/** At most TXQ_BATCH frames into CAKE, whole arrivals. */
static void enqueue_batch(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint64_t now,
			  struct txq_dead *dead)
{
	struct cake_packet batch[TXQ_BATCH];

	for (unsigned i = 0; i < n; i++) {
		batch[i] = mbuf_private(pkts[i])->packet;
		if (q->wash)
			mbuf_wash(pkts[i]);
	}
	/* All are taken: the drop list is empty before each batch. */
	if (unlikely(q->regroup))
		regroup_enqueue(q, batch, n, now);
	else
		cake_enqueue(q->entry, batch, n, now);
	if (txq_is_moving(q))
		q->arrived_before += n;
	else if (shed_on(q->shed))
		note_judged(q, pkts, batch, n);
	txq_take_drops(q, dead);
}

static bool has_more(struct rte_mbuf *m)
{
	return mbuf_private(m)->packet.more;
}

/**
 * Take a batch of @ready frames out of the ring, and the rest of an arrival that it ends in the
 * middle of: that is there, since the segments of a super-packet were put in at once.
 */
static unsigned take_batch(struct txq *q, struct rte_mbuf *pkts[TXQ_BATCH], unsigned ready)
{
	unsigned n = defer_take(q->ring, pkts, RTE_MIN(ready, (unsigned)CAKE_BURST_MAX));

	while (n && has_more(pkts[n - 1]))
		n += defer_take(q->ring, pkts + n, 1);
	return n;
}

static uint32_t ring_limit(const struct txq *q)
{
	return atomic_load_explicit(&q->limit, memory_order_relaxed);
}

/**
 * Everything that was in the ring when it was called goes into CAKE; producers may keep it filled
 * for ever. Returns how many.
 */
static unsigned take_deferred(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	const unsigned ready = defer_ready(q->ring);
	struct rte_mbuf *pkts[TXQ_BATCH];

	shed_saw_ring(q->control, ready, ring_limit(q));
	for (unsigned taken = 0; taken < ready;) {
		unsigned n = take_batch(q, pkts, ready - taken);

		enqueue_batch(q, pkts, n, now, dead);
		taken += n;
	}
	return ready;
}

bool txq_enqueue(struct txq *q, struct rte_mbuf **pkts, unsigned n, uint32_t after, uint64_t now,
		 struct txq_dead *dead)
{
	bool in_order;

	now = advance(q, now);
	take_deferred(q, now, dead);
	in_order = defer_passed(q->ring, after);
	if (n && in_order)
		enqueue_batch(q, pkts, n, now, dead);
	publish(q);
	return in_order;
}

unsigned txq_room(const struct txq *q)
{
	uint32_t limit = ring_limit(q);
	uint32_t count = defer_count(q->ring);

	return limit > count ? limit - count : 0;
}

bool txq_half_full(const struct txq *q)
{
	return 2 * defer_count(q->ring) >= ring_limit(q);
}

struct shed *txq_shed(const struct txq *q)
{
	return q->shed;
}

unsigned txq_defer(struct txq *q, struct rte_mbuf **pkts, unsigned n)
{
	unsigned room = n ? txq_room(q) : 0;

	if (!room)
		return 0;
	if (has_more(pkts[0]))
		return defer_put_all(q->ring, pkts, n);
	return defer_put(q->ring, pkts, RTE_MIN(n, room));
}

uint32_t txq_mark(const struct txq *q)
{
	return defer_mark(q->ring);
}

/** An empty queue is not asked, but for one that shares a rate: it has to say that it is empty. */
static bool may_send(const struct txq *q)
{
	return q->n_held || q->share || cake_backlog(q->cake);
}

/** What is dropped is counted as it is found; the instance knows the rest of its tins' traffic. */
void txq_note_traffic(struct txq *q)
{
	struct cake_tin_load load;

	for (unsigned i = 0; i < q->shed->tins; i++) {
		struct shed_traffic *t = &q->traffic[i];

		cake_tin_load_get(q->cake, i, &load);
		t->arrived = load.arrived_bytes;
		t->packets = load.arrived_packets;
		t->sent = load.arrived_bytes - load.queued_bytes - t->dropped;
	}
}

static void control_shedding(struct txq *q, uint64_t now)
{
	if (txq_is_moving(q))
		return;
	txq_note_traffic(q);
	shed_control_run(q->control, now);
	if (q->share)
		share_set_parties(q->share, shed_control_parties(q->control));
}

struct visit_door *txq_door(struct txq *q)
{
	return &q->door;
}

/** What a visitor makes the scheduler drop, as a smaller memory limit does, is dropped here. */
static void receive_visitor(struct txq *q, uint64_t now, struct txq_dead *dead)
{
	visit_serve(&q->door, q, now);
	txq_take_drops(q, dead);
}

unsigned txq_run(struct txq *q, struct share_view *view, uint64_t now, struct txq_dead *dead)
{
	unsigned moved, quota, sent = 0;

	now = advance(q, now);
	claim_note_run(&q->claim, now);
	if (visit_waits(&q->door))
		receive_visitor(q, now, dead);
	moved = take_deferred(q, now, dead);
	if (q->change)
		change_step(q, now, dead);
	if (unlikely(q->drop_ns)) {
		link_wait(q, now, dead);
		publish(q);
		return moved;
	}
	quota = moved + TXQ_QUOTA;
	while (sent < quota && may_send(q)) {
		unsigned taken;

		if (!q->n_held)
			out_hold_burst(q, view, now, dead);
		if (!q->n_held)
			break;
		taken = out_send_held(q);
		sent += taken;
		if (q->n_held)
			break;
	}
	q->served = sent;
	if (shed_control_is_due(q->control, now))
		control_shedding(q, now);
	publish(q);
	return moved + sent;
}

uint64_t txq_next_time(const struct txq *q)
{
	if (q->change || txq_deferred(q) || visit_waits(&q->door))
		return 0;
	if (q->drop_ns)
		return q->n_held || cake_backlog(q->cake) ? q->drop_ns : CAKE_NEVER;
	if (!may_send(q))
		return CAKE_NEVER;
	if (q->n_held)
		return 0;
	return q->share ? share_next_time(q->share) : cake_next_time(q->cake);
}

void txq_purge(struct txq *q)
{
	struct rte_mbuf *pkts[CAKE_BURST_MAX];
	struct txq_dead dead = {0};
	unsigned n;

	counter_t *purged = &q->counters.dropped[CAKE_DROP_PURGE];

	q->free(q->held, q->n_held);
	counter_add(purged, q->n_held);
	q->n_held = 0;
	while ((n = defer_take(q->ring, pkts, CAKE_BURST_MAX)) > 0) {
		q->free(pkts, n);
		counter_add(purged, n);
	}
	txq_drop_queued(q, &dead, purged);
	if (q->change)
		change_cut_short(q, q->now, &dead);
	txq_free_dead(q, &dead);
}

uint32_t txq_queued(const struct txq *q)
{
	return cake_backlog(q->cake) + (txq_is_moving(q) ? cake_backlog(q->entry) : 0);
}

uint32_t txq_deferred(const struct txq *q)
{
	return defer_count(q->ring);
}

uint32_t txq_held(const struct txq *q)
{
	return q->n_held;
}

const struct txq_counters *txq_counters(const struct txq *q)
{
	return &q->counters;
}

bool txq_share_counters(const struct txq *q, struct share_counters *out)
{
	if (!q->share)
		return false;
	*out = q->share_before;
	share_counters_add(out, q->share);
	return true;
}

void txq_stats(const struct txq *q, struct cake_stats *out)
{
	if (q->regroup)
		cake_stats_with(q->entry, q->cake, out);
	else if (txq_is_moving(q))
		cake_stats_with(q->cake, q->entry, out);
	else
		cake_stats_get(q->cake, out);
}

void txq_sojourn(const struct txq *q, unsigned tin, struct sojourn *out)
{
	sojourn_get(out, &q->sojourn[tin]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See crowd.h. */
#include "crowd.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "changes.h"
#include "threads.h"

#define BURST 32

/* An lcore that neglects its queue does so for this many passes: some 2 ms of all lcores'. */
#define NEGLECT_PASSES 300

/* What a queue's device knows; whoever holds the queue: rw. */
static struct device {
	uint32_t *next_number; /* by flow */
	uint64_t sent, misordered;
	struct prng rng;
} devices[CROWD_QUEUES];

static struct lcore {
	unsigned index;
	struct crowd_frame *frames;
	struct prng rng;
	struct dispatch *way;
	struct txq_dead dead;
	struct share_view view;
	struct worker_tx home;
	struct rescue rescue;
	unsigned neglect; /* passes */
} lcores[CROWD_LCORES];

static const struct crowd_params *params;
static struct txq *queues[CROWD_QUEUES];
static struct share *share;
static struct changes changes; /* the main thread's */
static struct mbuf_map map;
static _Atomic uint64_t clock_ns;
static atomic_uint receiving; /* lcores that still have frames */

static bool one_in(struct prng *rng, unsigned n)
{
	return prng_u32(rng) % n == 0;
}

/** Checks order, takes some; at times its lcore is preempted here, with the queue claimed. */
static uint16_t device_takes(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct device *d = &devices[queue];
	uint16_t taken = one_in(&d->rng, 8) ? (uint16_t)(prng_u32(&d->rng) % (n + 1u)) : n;

	(void)port;
	if (one_in(&d->rng, 64))
		sched_yield();
	for (uint16_t i = 0; i < taken; i++) {
		struct crowd_frame *f = (struct crowd_frame *)pkts[i];

		d->misordered += f->number < d->next_number[f->flow];
		d->next_number[f->flow] = f->number + 1;
	}
	d->sent += taken;
	crowd_free(pkts, taken);
	return taken;
}

static void receive_burst(struct lcore *l, unsigned *given, uint64_t now)
{
	struct rte_mbuf *pkts[BURST];
	unsigned n = RTE_MIN(1 + prng_u32(&l->rng) % BURST, params->frames - *given);

	for (unsigned i = 0; i < n; i++, ++*given) {
		crowd_frame_fill(&l->frames[*given], &map,
				 *given % params->flows * CROWD_LCORES + l->index,
				 *given / params->flows);
		pkts[i] = &l->frames[*given].mbuf;
	}
	dispatch_burst(l->way, pkts, n, now);
}

/** Its own queue, unless it neglects that just now, and those that others do. */
static void run_queues(struct lcore *l, uint64_t now)
{
	if (l->neglect)
		l->neglect--;
	else if (one_in(&l->rng, 500))
		l->neglect = NEGLECT_PASSES;
	else
		serve(&l->home, now, &l->dead);
	rescue_pass(&l->rescue, now, &l->dead);
}

static void *lcore_main(void *arg)
{
	struct lcore *l = arg;
	unsigned given = 0;

	while (atomic_load_explicit(&receiving, memory_order_relaxed)) {
		uint64_t now =
			atomic_fetch_add_explicit(&clock_ns, CROWD_STEP_NS, memory_order_relaxed);

		if (given < params->frames) {
			receive_burst(l, &given, now);
			if (given == params->frames)
				atomic_fetch_sub_explicit(&receiving, 1, memory_order_relaxed);
		}
		run_queues(l, now);
		if (one_in(&l->rng, 16))
			sched_yield();
	}
	return NULL;
}

static void create_queues(void)
{
	struct txq_params p = {.map = map, .tx = device_takes, .free = crowd_free};
	struct txq_settings by = {0};

	cake_params_default(&p.cake);
	p.cake.bandwidth_bps = params->rate_bps;
	p.cake.memlimit = params->memlimit;
	p.cake.slots = params->shared && params->mode == SHARE_DEMAND;
	if (params->shared) {
		const struct share_params sp = {.bytes_per_s = params->rate_bps / 8,
						.queues = CROWD_QUEUES,
						.max_frame = CROWD_FRAME_BYTES,
						.mode = params->mode,
						.now = CROWD_START_NS};

		assert_int_equal(share_create(&share, &sp), 0);
		p.share = share;
		by.shared = sp;
	}
	for (unsigned q = 0; q < CROWD_QUEUES; q++) {
		devices[q] = (struct device){
			.next_number = calloc(CROWD_LCORES * params->flows, sizeof(uint32_t)),
			.rng = prng_xorshift32(100 + q),
		};
		assert_non_null(devices[q].next_number);
		p.queue = p.home = p.share_index = q;
		assert_int_equal(txq_create(&queues[q], &p), 0);
	}
	by.cake = p.cake;
	by.share = share;
	changes_begin(&changes, queues, CROWD_QUEUES, &by);
}

static void create_lcore(unsigned i, struct crowd_frame *frames)
{
	struct lcore *l = &lcores[i];

	memset(l, 0, sizeof(*l));
	l->index = i;
	l->frames = frames;
	l->rng = prng_xorshift32(1 + i);
	assert_int_equal(dispatch_create(&l->way, queues, CROWD_QUEUES, STEER_FLOW, i, &l->dead),
			 0);
	assert_int_equal(rescue_init(&l->rescue, CROWD_QUEUES), 0);
	for (unsigned q = 0; q < CROWD_QUEUES; q++) {
		struct worker_tx tx = {.queue = queues[q],
				       .view = params->shared ? &l->view : NULL};

		if (q == i)
			l->home = tx;
		else
			rescue_add(&l->rescue, &tx);
	}
}

/** What any thread may read of a queue that others run, as reports and the main thread do. */
static uint64_t look_from_outside(void)
{
	uint64_t now = atomic_load_explicit(&clock_ns, memory_order_relaxed), sum = 0;

	for (unsigned q = 0; q < CROWD_QUEUES; q++) {
		sum += counter_get(&txq_counters(queues[q])->sent_packets);
		assert_in_range(txq_deferred(queues[q]), 0, DEFER_SIZE);
		assert_in_range(txq_room(queues[q]), 0, DEFER_SIZE);
		txq_stalled(queues[q], now);
		txq_abandoned(queues[q], now);
	}
	for (unsigned l = 0; l < CROWD_LCORES; l++)
		sum += counter_get(&dispatch_counters(lcores[l].way)->defer) +
		       counter_get(&lcores[l].rescue.taken_up);
	return sum;
}

static void run_lcores(void)
{
	uint64_t seen = 0;

	atomic_store(&clock_ns, CROWD_START_NS);
	atomic_store(&receiving, CROWD_LCORES);
	for (unsigned i = 0; i < CROWD_LCORES; i++)
		threads_add(lcore_main, &lcores[i]);
	threads_go();
	while (atomic_load_explicit(&receiving, memory_order_relaxed)) {
		uint64_t sum = look_from_outside();

		assert_true(sum >= seen);
		seen = sum;
		if (params->changes)
			changes_step(&changes);
		sched_yield();
	}
	threads_join();
}

static void purge_queue(unsigned q, uint64_t now)
{
	assert_true(txq_claim(queues[q], now));
	txq_purge(queues[q]);
	txq_release(queues[q]);
}

static void end_queue(unsigned q, struct crowd_result *r)
{
	const struct txq_counters *c = txq_counters(queues[q]);

	assert_int_equal(txq_deferred(queues[q]), 0);
	assert_int_equal(devices[q].misordered, 0);
	assert_int_equal(counter_get(&c->sent_packets), devices[q].sent);
	r->by_queue[q] = devices[q].sent;
	r->sent += devices[q].sent;
	r->sent_bytes += counter_get(&c->sent_bytes);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		r->dropped[d] += counter_get(&c->dropped[d]);
	txq_destroy(queues[q]);
	free(devices[q].next_number);
}

static void end_lcore(struct lcore *l, struct crowd_result *r)
{
	r->deferred += counter_get(&dispatch_counters(l->way)->deferred);
	r->refused += counter_get(&dispatch_counters(l->way)->defer);
	for (unsigned t = 0; t < CAKE_MAX_TINS; t++)
		r->shed += counter_get(&dispatch_counters(l->way)->shed[t]);
	r->taken_up += counter_get(&l->rescue.taken_up);
	dispatch_destroy(l->way);
	rescue_fini(&l->rescue);
}

void crowd_run(const struct crowd_params *p, struct crowd_result *r)
{
	const unsigned n = CROWD_LCORES * p->frames;
	struct crowd_frame *frames = crowd_frames_create(n, &map);
	uint64_t sum;

	params = p;
	share = NULL;
	create_queues();
	for (unsigned i = 0; i < CROWD_LCORES; i++)
		create_lcore(i, frames + i * p->frames);
	run_lcores();
	*r = (struct crowd_result){.end_ns = atomic_load(&clock_ns)};
	for (unsigned q = 0; q < CROWD_QUEUES; q++)
		purge_queue(q, r->end_ns);
	changes_end(&changes);
	r->changed = changes.done;
	for (unsigned q = 0; q < CROWD_QUEUES; q++)
		end_queue(q, r);
	for (unsigned i = 0; i < CROWD_LCORES; i++)
		end_lcore(&lcores[i], r);
	share_destroy(share);
	sum = r->sent + r->refused + r->shed;
	for (unsigned d = 0; d < CAKE_DECISIONS; d++)
		sum += r->dropped[d];
	assert_int_equal(sum, n);
	crowd_frames_destroy(frames, n);
}

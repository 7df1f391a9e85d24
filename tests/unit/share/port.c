/* SPDX-License-Identifier: BSD-3-Clause */
/* See port.h. */
#include "port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BURST 32

/* Hash of the periodic packets; those of the kept flows are below. */
#define PERIODIC 0xffffu

void port_init(struct port *p, uint64_t bps, unsigned queues)
{
	memset(p, 0, sizeof(*p));
	p->params = (struct share_params){
		.bytes_per_s = bps / 8,
		.queues = queues,
		.max_frame = CAKE_MAX_FRAME_DEFAULT,
		.now = T0,
	};
	cake_params_default(&p->cake);
	p->cake.bandwidth_bps = bps;
	p->cake.diffserv = CAKE_BESTEFFORT;
	p->cake.flowmode = CAKE_FLOWS;
	p->cake.flows = 1024;
	p->cake.memlimit = 4 << 20;
	p->cake.rtt_ns = 1000 * NS_PER_S; /* no AQM: these queues stand */
	p->cake.slots = true;
	for (unsigned i = 0; i < queues; i++)
		p->queues[i].delay_ns = 2 * NS_PER_US;
}

/** Sources of a queue's flows: evenly, or each with half as many as the one before. */
static void assign_hosts(struct port_queue *q)
{
	const struct port_load *l = &q->load;
	unsigned hosts = l->hosts ? l->hosts : l->flows;
	unsigned host = 0, left = l->flows / 2;

	for (unsigned i = 0; i < l->flows; i++) {
		if (!l->uneven) {
			q->host_of[i] = i % hosts;
			continue;
		}
		/* At least one flow is kept for each host that is still to come. */
		while (host + 1 < hosts && (!left || l->flows - i <= hosts - 1 - host)) {
			host++;
			left = (l->flows - i) / 2;
		}
		q->host_of[i] = host;
		left -= left > 0;
	}
}

void port_start(struct port *p, uint64_t run_ns)
{
	p->max_steps = run_ns / PORT_STEP_NS + 1;
	p->sent_at = calloc(p->max_steps, sizeof(*p->sent_at));
	p->now = T0;
	assert_int_equal(share_create(&p->share, &p->params), 0);
	for (unsigned i = 0; i < p->params.queues; i++) {
		struct port_queue *q = &p->queues[i];

		q->rng = prng_xorshift32(1000 + i);
		assert_int_equal(cake_create(&q->cake, &p->cake, &q->rng), 0);
		assert_int_equal(share_queue_create(&q->share, p->share, i, q->cake), 0);
		q->poll_ns = T0 + i; /* not all in the same nanosecond, but in this order */
		q->arrival_ns = q->load.period ? T0 + q->load.phase : CAKE_NEVER;
		q->filled = q->load.flows > 0;
		assign_hosts(q);
	}
}

static void take_drops(struct port_queue *q);

void port_stop(struct port *p)
{
	for (unsigned i = 0; i < p->params.queues; i++) {
		struct port_queue *q = &p->queues[i];

		assert_int_equal(q->in, q->out + q->dropped + cake_backlog(q->cake));
		share_queue_destroy(q->share);
		cake_purge(q->cake);
		take_drops(q);
		assert_int_equal(q->in, q->out + q->dropped);
		cake_destroy(q->cake);
	}
	share_destroy(p->share);
	free(p->sent_at);
}

static uint32_t size_of_next(struct port_queue *q)
{
	unsigned n = 1;

	while (n < COUNT(q->load.sizes) && q->load.sizes[n])
		n++;
	return q->load.sizes[n > 1 ? prng_u32(&q->rng) % n : 0];
}

/* The queue's number is part of no hash: each instance has its own tables. */
static void put(struct port *p, struct port_queue *q, unsigned flow, uint32_t len)
{
	struct cake_packet pkt = kit_packet(flow, len, (flow + 1) * 2654435761u);

	if (flow != PERIODIC) {
		pkt.src_hash = (q->host_of[flow] + 1) * 2246822519u;
		pkt.dst_hash = pkt.flow_hash;
	}
	if (q->load.tins)
		pkt.priority_tin = 1 + (flow % q->load.tins);
	assert_int_equal(cake_enqueue(q->cake, &pkt, 1, p->now), 1);
	q->in++;
}

static void take_drops(struct port_queue *q)
{
	struct cake_verdict drops[BURST];
	unsigned n;

	while ((n = cake_take_drops(q->cake, drops, BURST)) > 0)
		q->dropped += n;
}

static void prime(struct port *p, struct port_queue *q)
{
	for (unsigned i = 0; i < q->load.depth; i++)
		for (unsigned flow = 0; flow < q->load.flows; flow++)
			put(p, q, flow, size_of_next(q));
	q->primed = true;
}

void port_fill(struct port *p, unsigned i, bool filled)
{
	struct port_queue *q = &p->queues[i];

	q->filled = filled;
	q->primed &= filled;
	q->poll_ns = p->now;
}

static void arrive(struct port *p, struct port_queue *q)
{
	if (q->filled && !q->primed)
		prime(p, q);
	for (; q->arrival_ns <= p->now; q->arrival_ns += q->load.period)
		put(p, q, PERIODIC, q->load.period_size);
	take_drops(q);
}

static void account(struct port *p, struct port_queue *q, const struct cake_verdict *v)
{
	q->out++;
	q->sent_bytes += v->adj_len;
	p->sent_bytes += v->adj_len;
	if (v->handle == PERIODIC) {
		q->period_out++;
		if (p->now - v->enqueued_ns > q->wait_max)
			q->wait_max = p->now - v->enqueued_ns;
		return;
	}
	q->flow_bytes[v->handle] += v->adj_len;
	if (q->filled)
		put(p, q, v->handle, size_of_next(q));
}

/** One poll: what has arrived, then what may be sent. */
static void serve(struct port *p, struct port_queue *q)
{
	struct share_view *view = p->own_views ? &p->views[q - p->queues] : &p->view;
	struct cake_verdict out[BURST];
	uint64_t next;
	unsigned n;

	arrive(p, q);
	n = share_dequeue(q->share, view, out, BURST, p->now);
	for (unsigned i = 0; i < n; i++)
		account(p, q, &out[i]);
	take_drops(q);
	next = share_next_time(q->share);
	if (n == BURST || next < p->now)
		next = p->now;
	if (next != CAKE_NEVER)
		next += 1 + prng_u32(&q->rng) % q->delay_ns;
	q->poll_ns = next < q->arrival_ns ? next : q->arrival_ns;
	/* An idle queue is polled, too. */
	if (q->poll_ns > p->now + 50 * NS_PER_US)
		q->poll_ns = p->now + 50 * NS_PER_US;
	if (q->poll_ns < q->stalled_until)
		q->poll_ns = q->stalled_until;
}

/** Note what was sent before each step up to @time. */
static void meter(struct port *p, uint64_t time)
{
	while (p->steps < p->max_steps && T0 + p->steps * PORT_STEP_NS <= time)
		p->sent_at[p->steps++] = p->sent_bytes;
}

void port_run(struct port *p, uint64_t until)
{
	for (;;) {
		struct port_queue *next = &p->queues[0];

		for (unsigned i = 1; i < p->params.queues; i++)
			if (p->queues[i].poll_ns < next->poll_ns)
				next = &p->queues[i];
		if (next->poll_ns >= T0 + until)
			break;
		meter(p, next->poll_ns);
		p->now = next->poll_ns;
		serve(p, next);
	}
	meter(p, T0 + until);
	p->now = T0 + until;
}

struct port_error port_error(const struct port *p, uint64_t ns, uint64_t from, uint64_t to)
{
	const unsigned width = ns / PORT_STEP_NS;
	const int64_t due = (unsigned __int128)p->params.bytes_per_s * ns / NS_PER_S;
	struct port_error e = {0};

	assert_true(to / PORT_STEP_NS < p->steps);
	for (unsigned i = from / PORT_STEP_NS; i + width <= to / PORT_STEP_NS; i++) {
		int64_t over = (int64_t)(p->sent_at[i + width] - p->sent_at[i]) - due;

		if (over > e.over)
			e.over = over;
		if (-over > e.under)
			e.under = -over;
	}
	return e;
}

struct share_counters port_counters(const struct port *p)
{
	struct share_counters sum = {0}, one;

	for (unsigned i = 0; i < p->params.queues; i++) {
		share_counters_get(p->queues[i].share, &one);
		sum.syncs += one.syncs;
		sum.reservations += one.reservations;
		sum.settlements += one.settlements;
		sum.share_changes += one.share_changes;
	}
	return sum;
}

uint64_t port_packets_sent(const struct port *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->params.queues; i++)
		n += p->queues[i].out;
	return n;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See cake_work.h. */
#include "cake_work.h"

#include <stddef.h>

#define CHARGE   2304 /* bytes: an mbuf's element */
#define START_NS UINT64_C(1000000000000)

/** Packets of each flow before the first that is measured: none of them is new then. */
#define KNOWN 2

/** Between bursts, ns: their time at the rate, 1,638.4, and a little, so that none is left behind.
 */
#define PERIOD_NS (WORK_BURST * WORK_FRAME_BYTES * 8 * UINT64_C(1000000000) / CAKE_WORK_BPS + 2)

/** Where packets stand none may be dropped for its age: the target is a twentieth of this, and 128k
 * packets wait for 7 ms at the rate, for some tens in the last of four tins. */
#define RTT_NS UINT64_C(10000000000)

static unsigned tins(const struct cake_work *w)
{
	return w->diffserv == CAKE_BESTEFFORT ? 1 : 4;
}

/** Each tin's table has a queue for each of its flows, and 1,024 at least, as by default. */
static uint32_t table_size(const struct cake_work *w)
{
	uint32_t size = CAKE_FLOWS_DEFAULT;

	while (size * tins(w) < w->flows)
		size *= 2;
	return size;
}

static void params(const struct cake_work *w, struct cake_params *p)
{
	cake_params_default(p);
	p->bandwidth_bps = w->bandwidth_bps;
	p->diffserv = w->diffserv;
	p->flowmode = w->flowmode;
	p->flows = table_size(w);
	if (w->backlog)
		p->rtt_ns = RTT_NS;
	p->min_charge = CHARGE;
	p->memlimit = (uint64_t)(w->backlog + 1024) * CHARGE;
}

/* The finalizer of MurmurHash3 (A. Appleby): every number has another; only 0 has 0. */
static uint32_t hash(uint32_t n)
{
	n ^= n >> 16;
	n *= 0x85ebca6bu;
	n ^= n >> 13;
	n *= 0xc2b2ae35u;
	return n ^ n >> 16;
}

/* Where packets stand, flows may not share a queue: twice as much would come as goes, for ever.
 * With these low bits none do. */
static uint32_t flow_hash(const struct cake_work *w, uint32_t flow)
{
	const uint32_t low = table_size(w) - 1, random = hash(1 + flow);

	return w->backlog ? (random & ~low) | flow / tins(w) : random;
}

/* Clients with four flows each, every one to a server of its own. */
static void make_packet(struct cake_work *w, struct cake_packet *p)
{
	static const uint8_t dscp[] = {0, 8, 34,
				       46}; /* CS0, CS1, AF41, EF: a tin of diffserv4 each */
	const uint32_t flow = traffic_next(&w->traffic);

	*p = (struct cake_packet){
		.handle = w->handle++,
		.len = WORK_FRAME_BYTES,
		.charge = CHARGE,
		.flow_hash = flow_hash(w, flow),
		.src_hash = hash(UINT32_C(0x10000000) + flow / 4),
		.dst_hash = hash(UINT32_C(0x20000000) + flow),
		.network_offset = 14,
		.dscp = dscp[flow % tins(w)],
	};
	w->in++;
	w->in_sum += p->handle;
}

static void make(void *work)
{
	struct cake_work *w = work;

	for (unsigned i = 0; i < WORK_BURSTS; i++)
		for (unsigned j = 0; j < WORK_BURST; j++)
			make_packet(w, &w->packets[i][j]);
}

static unsigned take(struct cake_work *w)
{
	struct cake_verdict out[WORK_BURST];
	const unsigned n = cake_dequeue(w->cake, out, WORK_BURST, w->now);

	for (unsigned i = 0; i < n; i++)
		w->out_sum += out[i].handle;
	w->out += n;
	return n;
}

static void act(void *work)
{
	struct cake_work *w = work;

	for (unsigned i = 0; i < WORK_BURSTS; i++) {
		w->now += PERIOD_NS;
		cake_enqueue(w->cake, w->packets[i], WORK_BURST, w->now);
		take(w);
	}
}

static int begin(void *work)
{
	struct cake_work *w = work;
	struct cake_params p;
	int ret;

	w->rng = prng_xorshift32(1);
	w->now = START_NS;
	params(w, &p);
	ret = traffic_begin(&w->traffic, w->flows);
	if (ret)
		return ret;
	ret = cake_create(&w->cake, &p, &w->rng);
	if (ret)
		goto no_cake;
	for (uint32_t i = 0; i < w->backlog; i++) {
		struct cake_packet pkt;

		make_packet(w, &pkt);
		cake_enqueue(w->cake, &pkt, 1, w->now);
	}
	while (w->in < w->backlog + KNOWN * (uint64_t)w->flows) {
		make(w);
		act(w);
	}
	return 0;

no_cake:
	traffic_end(&w->traffic);
	return ret;
}

static const char *end(void *work)
{
	struct cake_work *w = work;
	const char *fault = NULL;
	struct cake_verdict drop;

	if (cake_take_drops(w->cake, &drop, 1))
		fault = cake_decision_name(drop.decision);
	while (cake_backlog(w->cake)) {
		w->now += PERIOD_NS;
		take(w);
	}
	if (!fault && (w->in != w->out || w->in_sum != w->out_sum))
		fault = "what went in did not come out";
	cake_destroy(w->cake);
	traffic_end(&w->traffic);
	return fault;
}

const struct work_ops cake_work_ops = {begin, make, act, end};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The way in; see cake.c. */
#include <gateau/cake.h>

#include <stddef.h>

#include "cake/account.h"
#include "cake/ackfilter.h"

/* A tin that was not in use when the instance's share of the rate changed has still the old one. */
static void share_tin(struct cake *c, struct tin *t)
{
	if (t->share != c->share)
		instance_share_tin(c, t);
}

/* Something arrives for @t, which is empty. */
static void restart_shaper(struct cake *c, struct tin *t, uint64_t now)
{
	struct shaper *s = &c->shaper;

	share_tin(c, t);
	if (t->next < now)
		t->next = now;
	if (instance_qlen(c))
		return;
	if (shaper_blocks(s, now))
		account_hold_back(c);
	shaper_restart(s, now);
}

/* What the ACK filter will compare of packet @i. */
static void record_tcp(struct cake *c, uint32_t i, const struct cake_tcp *tcp)
{
	struct desc *d = &c->slab.descs[i];

	c->slab.tcps[i] = *tcp;
	d->tcp = true;
	d->pure_ack = tcp->pure;
	instance_tin_of(c, d)->pure_acks[instance_slot_of(c, d)] += tcp->pure;
}

/* What packets that go in add to the instance. */
struct sums {
	uint64_t charge, adj_bytes;
	uint32_t packets;
};

HOT void append(struct cake *c, struct tin *t, struct flow *f, const struct cake_packet *p,
		uint64_t now, struct sums *sums)
{
	uint32_t i = slab_get(&c->slab), len = p->len;
	struct desc *d = &c->slab.descs[i];
	uint32_t adj_len = adjust_length(&c->adjust, p);
	uint32_t flow = t->first_flow + p->flow;

	*d = (struct desc){
		.enqueued_ns = now,
		.handle = p->handle,
		.next = SLAB_NONE,
		.len = len,
		.charge = p->charge,
		.adj_len = adj_len,
		.flow = flow,
		.ecn_capable = p->ecn_capable,
	};
	fifo_link(&f->queue, &c->slab, i);
	t->in.packets++;
	t->in.bytes += len;
	if (len > t->max_len)
		t->max_len = len;
	overflow_grown(&c->overflow, flow, len);
	sums->charge += p->charge;
	sums->adj_bytes += adj_len;
	sums->packets++;
}

static inline void count_in(struct cake *c, struct sums *sums)
{
	c->memory += sums->charge;
	c->shaper.slot.queued_bytes += sums->adj_bytes;
	c->shaper.slot.queued += sums->packets;
	*sums = (struct sums){0};
}

/*
 * gateau profile: packets of a queue that an arrival has the ACK filter look at, at most. Only a
 * queue of ACKs that cannot go, or of several connections, is ever longer; 10,000 duplicates cost
 * every further one 32 us here, 128 of them 0.7 us.
 */
#define ACK_SCAN_MAX 128

/* The packet @p was appended: drop an ACK before it that says no more. A queue that has no ACK but
 * perhaps @p itself, as that of a download, is not gone through. Returns the bytes dropped. */
static uint32_t thin_acks(struct cake *c, const struct cake_packet *p, uint64_t now)
{
	uint32_t most = c->params.profile == CAKE_PROFILE_LINUX ? ACKFILTER_ALL : ACK_SCAN_MAX;
	struct tin *t = &c->tins[p->tin];
	uint32_t i;

	if (!p->tcp || t->pure_acks[p->flow] <= p->tcp->pure)
		return 0;
	i = ackfilter_take(&t->table.flows[p->flow].queue, &c->slab, c->params.ack_filter, most);
	if (i == SLAB_NONE)
		return 0;
	account_out(c, t, &c->slab.descs[i]);
	if (c->params.ingress)
		account_charge(c, t, c->slab.descs[i].adj_len, now, false);
	account_drop(c, i, CAKE_DROP_ACK);
	return c->slab.descs[i].len;
}

/* @bytes have arrived, for which @thinned bytes of ACKs could go: Linux takes them off. */
static void follow_rate(struct cake *c, uint64_t bytes, uint32_t thinned, uint64_t now)
{
	uint64_t rate;

	if (c->params.profile == CAKE_PROFILE_LINUX)
		bytes -= thinned;
	if (autorate_arrival(&c->autorate, bytes, now, &rate))
		instance_set_rate(c, rate);
}

HOT void activate(struct cake *c, struct tin *t, uint32_t slot)
{
	if (tin_activate_flow(t, slot, c->rng))
		c->active_tins |= 1u << t->number;
}

/* One packet, or all segments of a super-packet that was cut. */
static void enqueue_arrival(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned tin = classify(&c->classifier, pkts);
	struct tin *t = &c->tins[tin];
	uint32_t slot = tin_find_flow(t, c->params.flowmode, pkts);
	struct flow *f = &t->table.flows[slot];
	uint8_t set = f->set;
	uint32_t thinned = 0;
	uint64_t bytes = 0;
	struct sums sums = {0};

	if (!tin_qlen(t))
		restart_shaper(c, t, now);
	for (unsigned i = 0; i < n; i++) {
		pkts[i].tin = tin;
		pkts[i].flow = slot;
		pkts[i].flow_set = set;
		append(c, t, f, &pkts[i], now, &sums);
		if (pkts[i].tcp && c->params.ack_filter)
			record_tcp(c, f->queue.tail, pkts[i].tcp);
		bytes += pkts[i].len;
	}
	count_in(c, &sums);
	if (c->params.ack_filter && n == 1)
		thinned = thin_acks(c, pkts, now);
	if (c->params.autorate_ingress)
		follow_rate(c, bytes, thinned, now);
	activate(c, t, slot);

	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	account_keep_limits(c, now);
}

/* Packets by which the neighbours of a flow are fetched before it is its turn. */
#define FAR_AHEAD 6

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The same for as many packets from the front as are arrivals of their own that cannot cause a
 * drop, where nothing else has to be looked at: what the instance sums up is added once for all.
 * Returns how many went in.
 */
static unsigned enqueue_plain(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	uint64_t room = cake_memory_left(c);
	struct sums sums = {0};
	struct cake_packet *p, *end;

	if (c->params.ack_filter || c->params.autorate_ingress)
		return 0;
	end = pkts + min_u32(n, min_u32(c->slab.n_free, c->max_qlen - instance_qlen(c)));
	for (p = pkts; p < end; p++) {
		struct tin *t;
		struct flow *f;

		if (p->more || sums.charge + p->charge > room)
			break;
		p->tin = classify(&c->classifier, p);
		t = &c->tins[p->tin];
		if (c->far && end - p > FAR_AHEAD)
			tin_prefetch_neighbours(&c->tins[p[FAR_AHEAD].tin], p[FAR_AHEAD].flow);
		p->flow = tin_find_flow(t, c->params.flowmode, p);
		f = &t->table.flows[p->flow];
		p->flow_set = f->set;
		if (!tin_qlen(t)) {
			count_in(c, &sums);
			room = cake_memory_left(c);
			restart_shaper(c, t, now);
		}
		append(c, t, f, p, now, &sums);
		activate(c, t, p->flow);
	}
	count_in(c, &sums);
	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	return p - pkts;
}

/* Lines of flows are far away where there are many: all are on their way before the first is used.
 */
static void look_ahead(const struct cake *c, struct cake_packet *pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pkts[i].tin = classify(&c->classifier, &pkts[i]);
		pkts[i].flow =
			tin_prefetch_flow(&c->tins[pkts[i].tin], c->params.flowmode, &pkts[i]);
	}
}

unsigned cake_enqueue(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned done;

	if (c->far)
		look_ahead(c, pkts, n);
	/* Where one is not plain the next most likely is not either: the memory is full. */
	done = enqueue_plain(c, pkts, n, now);
	while (done < n) {
		unsigned len = 1;

		while (pkts[done + len - 1].more && done + len < n)
			len++;
		if (len > c->slab.n_free)
			break;
		enqueue_arrival(c, pkts + done, len, now);
		done += len;
	}
	return done;
}

/* One packet that has waited elsewhere since @enqueued_ns. */
static void requeue(struct cake *c, struct cake_packet *p, uint64_t enqueued_ns, uint64_t now)
{
	struct tin *t = &c->tins[classify(&c->classifier, p)];
	struct sums sums = {0};
	struct flow *f;

	p->tin = t->number;
	p->flow = tin_find_flow(t, c->params.flowmode, p);
	f = &t->table.flows[p->flow];
	p->flow_set = f->set;
	if (!tin_qlen(t))
		restart_shaper(c, t, now);
	append(c, t, f, p, enqueued_ns, &sums);
	if (p->tcp && c->params.ack_filter)
		record_tcp(c, f->queue.tail, p->tcp);
	count_in(c, &sums);
	activate(c, t, p->flow);
	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	account_keep_limits(c, now);
}

unsigned cake_requeue(struct cake *c, struct cake_packet *pkts, const uint64_t *enqueued_ns,
		      unsigned n, uint64_t now)
{
	unsigned done = 0;

	for (; done < n && c->slab.n_free; done++)
		requeue(c, &pkts[done], enqueued_ns[done], now);
	return done;
}

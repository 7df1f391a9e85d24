/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CAKE, the top level: what happens to a packet on its way in and on its way out.
 *
 *	in:	classify into a tin ─► find the flow ─► adjust the length ─► append
 *		─► an ACK? drop an older one ─► activate the flow
 *		─► over the memory limit? drop heads of the fattest flows
 *
 *	out:	does the shaper let anything through? ─► choose a tin: the highest within its
 *		threshold, else the one due first (unlimited: deficit round robin) ─► choose a
 *		flow: new ones before old ones, by deficit (DRR++) ─► ask COBALT about its head
 *		─► charge the shaper, the flow and the tin
 *
 * The parts are each in a file of their own (classify, tin, flow, host, cobalt, shaper, adjust,
 * overflow, ackfilter, slab; instance for creation); this one knows their order. Where it differs
 * from Linux, docs/deviations.md says so. A dropped packet is put on a list for the caller and no
 * longer counts as queued.
 */
#include <gateau/cake.h>

#include <errno.h>
#include <stddef.h>

#include "cake/ackfilter.h"
#include "cake/state.h"

/* Taking packets out of a flow, common to sending and dropping */

static struct cake_verdict verdict_of(const struct desc *d)
{
	return (struct cake_verdict){
		.enqueued_ns = d->enqueued_ns,
		.handle = d->handle,
		.len = d->len,
		.adj_len = d->adj_len,
		.flow = d->flow,
		.tin = d->tin,
		.decision = d->decision,
		.flow_set = d->flow_set,
		.ce = d->ce,
	};
}

/* Packet @i has been taken out of its flow's queue. */
static void count_out(struct cake *c, uint32_t i)
{
	const struct desc *d = &c->slab.descs[i];
	struct tin *t = &c->tins[d->tin];

	t->table.flows[d->flow].backlog -= d->len;
	t->backlog -= d->len;
	t->qlen--;
	if (d->pure_ack)
		t->pure_acks[d->flow]--;
	c->backlog -= d->len;
	c->qlen--;
	c->shaper.slot.queued_bytes -= d->adj_len;
	c->shaper.slot.queued--;
	c->memory -= d->charge;
	overflow_shrunk(&c->overflow, c->tins, d->tin, d->flow);
}

/* SLAB_NONE if the flow is empty. */
static uint32_t pop_head(struct cake *c, unsigned tin, uint16_t slot)
{
	uint32_t i = fifo_pop(&c->tins[tin].table.flows[slot].queue, &c->slab);

	if (i != SLAB_NONE)
		count_out(c, i);
	return i;
}

static void drop(struct cake *c, uint32_t i, enum cake_decision reason)
{
	struct desc *d = &c->slab.descs[i];
	struct tin *t = &c->tins[d->tin];

	d->decision = reason;
	d->flow_set = t->table.flows[d->flow].set;
	if (reason == CAKE_DROP_ACK) {
		t->ack_drops++; /* no sign of congestion: not among the drops of tin and flow */
	} else {
		t->drops++;
		t->table.drops[d->flow]++;
	}
	c->decisions[reason]++;
	fifo_push(&c->dropped, &c->slab, i);
}

static void charge_shaper(struct cake *c, struct tin *t, uint32_t adj_len, uint64_t now, bool sent)
{
	if (!c->shaper.rate.bytes_per_s)
		return;
	tin_schedule_charge(&t->next, &t->rate, adj_len, now);
	shaper_charge(&c->shaper, adj_len, sent);
}

/* A packet of @f that used its turn: sent, or dropped at the expense of who sent it. */
static void charge_turn(struct cake *c, struct tin *t, struct flow *f, uint32_t adj_len,
			uint64_t now, bool sent)
{
	charge_shaper(c, t, adj_len, now, sent);
	f->deficit -= adj_len;
	t->deficit -= adj_len;
}

/* BLUE's probability of a flow rose above 0 or fell to it. */
static void note_responsiveness(struct tin *t, const struct flow *f, bool was_unresponsive)
{
	t->unresponsive += (f->cobalt.p_drop != 0) - was_unresponsive;
}

/* The shaper lets nothing through: come back when it does. A caller that polls asks many times in
 * the same wait; it counts once. */
static void hold_back(struct cake *c)
{
	c->wake = shaper_wake(&c->shaper);
	if (c->wake == SHAPER_NEVER)
		return; /* a slot is wanted first */
	c->overlimits += c->wake != c->counted_wait;
	c->counted_wait = c->wake;
}

/* A tin that was not in use when the instance's share of the rate changed has still the old one. */
static void share_tin(struct cake *c, struct tin *t)
{
	if (t->share != c->share)
		instance_share_tin(c, t);
}

/* Enqueue */

static void restart_shaper(struct cake *c, struct tin *t, uint64_t now)
{
	struct shaper *s = &c->shaper;

	if (t->backlog)
		return;
	share_tin(c, t);
	if (t->next < now)
		t->next = now;
	if (c->qlen)
		return;
	if (shaper_blocks(s, now))
		hold_back(c);
	shaper_restart(s, now);
}

/* What the ACK filter will compare of packet @i. */
static void record_tcp(struct cake *c, uint32_t i, const struct cake_tcp *tcp)
{
	struct desc *d = &c->slab.descs[i];

	c->slab.tcps[i] = *tcp;
	d->tcp = true;
	d->pure_ack = tcp->pure;
	c->tins[d->tin].pure_acks[d->flow] += tcp->pure;
}

static void append(struct cake *c, const struct cake_packet *p, uint64_t now)
{
	struct tin *t = &c->tins[p->tin];
	struct flow *f = &t->table.flows[p->flow];
	uint32_t i = slab_get(&c->slab);
	struct desc *d = &c->slab.descs[i];

	*d = (struct desc){
		.enqueued_ns = now,
		.handle = p->handle,
		.len = p->len,
		.adj_len = adjust_length(&c->adjust, p),
		.charge = p->charge,
		.tin = p->tin,
		.flow = p->flow,
		.ecn_capable = p->ecn_capable,
	};
	if (p->tcp && c->params.ack_filter)
		record_tcp(c, i, p->tcp);
	fifo_push(&f->queue, &c->slab, i);
	f->backlog += d->len;
	t->backlog += d->len;
	t->qlen++;
	t->sent_packets++;
	t->sent_bytes += d->len;
	if (d->len > t->max_len)
		t->max_len = d->len;
	c->backlog += d->len;
	c->qlen++;
	c->shaper.slot.queued_bytes += d->adj_len;
	c->shaper.slot.queued++;
	c->memory += d->charge;
	c->enqueued_packets++;
	c->enqueued_bytes += d->len;
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
	count_out(c, i);
	if (c->params.ingress)
		charge_shaper(c, t, c->slab.descs[i].adj_len, now, false);
	drop(c, i, CAKE_DROP_ACK);
	return c->slab.descs[i].len;
}

static void drop_from_fattest(struct cake *c, uint64_t now)
{
	struct overflow_entry at = overflow_fattest(&c->overflow, c->tins);
	struct tin *t = &c->tins[at.tin];
	struct flow *f = &t->table.flows[at.slot];
	bool was_unresponsive = f->cobalt.p_drop != 0;
	uint32_t i = pop_head(c, at.tin, at.slot);

	cobalt_overflow(&f->cobalt, &t->cobalt, now);
	note_responsiveness(t, f, was_unresponsive);
	if (c->params.ingress)
		charge_shaper(c, t, c->slab.descs[i].adj_len, now, false);
	drop(c, i, CAKE_DROP_OVERFLOW);
}

static bool over_limit(const struct cake *c)
{
	return c->qlen && (c->memory > c->memory_limit || c->qlen > c->max_qlen);
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

/* One packet, or all segments of a super-packet that was cut. */
static void enqueue_arrival(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned tin = classify(&c->classifier, pkts);
	struct tin *t = &c->tins[tin];
	uint16_t slot = tin_find_flow(t, c->params.flowmode, pkts);
	uint8_t set = t->table.flows[slot].set;
	uint32_t thinned = 0;
	uint64_t bytes = 0;

	restart_shaper(c, t, now);
	for (unsigned i = 0; i < n; i++) {
		pkts[i].tin = tin;
		pkts[i].flow = slot;
		pkts[i].flow_set = set;
		append(c, &pkts[i], now);
		bytes += pkts[i].len;
	}
	if (c->params.ack_filter && n == 1)
		thinned = thin_acks(c, pkts, now);
	overflow_grown(&c->overflow, c->tins, tin, slot);
	if (c->params.autorate_ingress)
		follow_rate(c, bytes, thinned, now);
	tin_activate_flow(t, slot, c->rng);

	if (c->memory > c->memory_peak)
		c->memory_peak = c->memory;
	while (over_limit(c))
		drop_from_fattest(c, now);
}

unsigned cake_enqueue(struct cake *c, struct cake_packet *pkts, unsigned n, uint64_t now)
{
	unsigned done = 0;

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

/* Dequeue */

/* An unlimited link: deficit round robin over the tins that have flows. */
static struct tin *choose_tin_by_deficit(struct cake *c)
{
	struct tin *t = &c->tins[c->current_tin];
	bool wrapped = false, none = true;

	while (t->deficit < 0 || !tin_active(t)) {
		if (t->deficit <= 0)
			t->deficit += t->quantum;
		if (tin_active(t))
			none = false;
		if (++c->current_tin == c->n_tins) {
			c->current_tin = 0;
			if (wrapped && none)
				return NULL;
			wrapped = true;
		}
		t = &c->tins[c->current_tin];
	}
	return t;
}

/*
 * A shaped link: the highest tin that is within its threshold, else the one whose schedule comes
 * first. Tins above their threshold so share what the others leave.
 */
static struct tin *choose_tin_by_schedule(struct cake *c, uint64_t now)
{
	struct tin *best = NULL;
	int64_t best_wait = INT64_MAX;

	for (unsigned i = 0; i < c->n_tins; i++) {
		struct tin *t = &c->tins[i];
		int64_t wait = (int64_t)(t->next - now);

		if (tin_active(t) && (wait <= 0 || wait <= best_wait)) {
			best_wait = wait;
			best = t;
		}
	}
	if (best)
		c->current_tin = best - c->tins;
	return best;
}

/* -1 if no list has a flow. One decaying flow is looked at per packet sent. */
static int choose_flow(const struct tin *t, bool *first)
{
	const struct flow_table *table = &t->table;
	bool decaying = *first && !flow_list_empty(table, FLOWS_DECAYING);

	*first = false;
	if (!decaying && !flow_list_empty(table, FLOWS_NEW))
		return flow_list_first(table, FLOWS_NEW);
	if (!decaying && !flow_list_empty(table, FLOWS_OLD))
		return flow_list_first(table, FLOWS_OLD);
	if (!flow_list_empty(table, FLOWS_DECAYING))
		return flow_list_first(table, FLOWS_DECAYING);
	return -1;
}

/* The flow has used up its deficit: a new one, and to the end of the rotation. */
static void rotate_flow(struct cake *c, struct tin *t, uint16_t slot)
{
	struct flow *f = &t->table.flows[slot];

	if (f->set == CAKE_SET_SPARSE)
		tin_set_flow(t, slot,
			     f->queue.head != SLAB_NONE ? CAKE_SET_BULK : CAKE_SET_SPARSE_WAIT);
	f->deficit += tin_flow_refill(t, f, c->rng);
	flow_move_to_tail(&t->table, slot, FLOWS_OLD);
}

/* The flow was served and has no packet: it decays until its AQM state is at rest. */
static void retire_flow(struct tin *t, uint16_t slot, uint64_t now)
{
	struct flow *f = &t->table.flows[slot];
	bool was_unresponsive = f->cobalt.p_drop != 0;

	cobalt_empty(&f->cobalt, &t->cobalt, now);
	note_responsiveness(t, f, was_unresponsive);
	if (cobalt_at_rest(&f->cobalt, now)) {
		flow_unlink(&t->table, slot);
		tin_set_flow(t, slot, CAKE_SET_NONE);
	} else {
		flow_move_to_tail(&t->table, slot, FLOWS_DECAYING);
		if (f->set != CAKE_SET_DECAYING)
			tin_set_flow(t, slot, CAKE_SET_DECAYING);
	}
}

/*
 * Whether packet @i, just taken from the head of @f, is to be dropped: the reason, or CAKE_SEND.
 * The last packet of a queue is never dropped.
 */
static enum cake_decision judge(struct cake *c, struct tin *t, struct flow *f, uint32_t i,
				uint64_t now)
{
	struct desc *d = &c->slab.descs[i];
	bool was_unresponsive = f->cobalt.p_drop != 0;
	enum cobalt_verdict verdict;
	bool ce;

	verdict = cobalt_judge(&f->cobalt, &t->cobalt, now, now - d->enqueued_ns,
			       c->params.ingress ? t->bulk : 0, d->ecn_capable, c->rng, &ce);
	note_responsiveness(t, f, was_unresponsive);
	d->ce = ce;
	if (verdict == COBALT_PASS || f->queue.head == SLAB_NONE)
		return CAKE_SEND;
	return verdict == COBALT_CODEL ? CAKE_DROP_CODEL : CAKE_DROP_BLUE;
}

enum serve_result {
	SERVE_SENT,    /* a packet is to be sent */
	SERVE_FLOW,    /* choose another flow of the same tin */
	SERVE_RESTART, /* the flow is empty: begin anew */
};

/* Serve one flow that has deficit. */
static enum serve_result serve_flow(struct cake *c, struct tin *t, uint16_t slot, uint64_t now,
				    uint32_t *sent)
{
	struct flow *f = &t->table.flows[slot];

	for (;;) {
		uint32_t i = pop_head(c, t - c->tins, slot);
		enum cake_decision decision;

		if (i == SLAB_NONE) {
			retire_flow(t, slot, now);
			return SERVE_RESTART;
		}
		decision = judge(c, t, f, i, now);
		if (decision == CAKE_SEND) {
			*sent = i;
			return SERVE_SENT;
		}
		drop(c, i, decision);
		if (c->params.ingress) {
			/* It has used the link before it came here. */
			charge_turn(c, t, f, c->slab.descs[i].adj_len, now, false);
			return SERVE_FLOW;
		}
	}
}

static void send(struct cake *c, struct tin *t, uint32_t i, uint64_t now, struct cake_verdict *out)
{
	struct desc *d = &c->slab.descs[i];
	struct flow *f = &t->table.flows[d->flow];

	d->decision = d->ce ? CAKE_SEND_CE : CAKE_SEND;
	d->flow_set = f->set;
	t->ecn_marks += d->ce;
	tin_note_delay(t, now - d->enqueued_ns);
	charge_turn(c, t, f, d->adj_len, now, true);
	overflow_sent(&c->overflow);
	c->decisions[d->decision]++;
	c->sent_packets++;
	c->sent_bytes += d->len;
	*out = verdict_of(d);
	slab_put(&c->slab, i);
}

/* When to come back after a packet was sent. */
static void set_wake_after_send(struct cake *c, uint64_t now)
{
	if (c->qlen) {
		if (c->shaper.next > now || c->shaper.slot.on)
			c->wake = shaper_wake(&c->shaper);
		return;
	}
	for (unsigned i = 0; i < c->n_tins; i++) {
		if (c->tins[i].decaying) {
			c->wake = now + c->tins[i].cobalt.target;
			return;
		}
	}
}

/*
 * Flows looked at in one cake_dequeue(), at most. Under host isolation the flows of a host that has
 * 900 get 1.7 bytes per round, so 900 rounds of 900 flows pass before the first of them has a
 * frame's worth: 19 ms at 25 ns each, in which a poll-mode lcore serves nobody else. 1,024 are some
 * 25 us.
 */
#define STEPS_MAX 1024

/* Find the next packet to send. Returns whether there is one at @now. */
static bool dequeue_one(struct cake *c, uint64_t now, struct cake_verdict *out)
{
	bool first = true;

	for (;;) {
		enum serve_result result = SERVE_FLOW;
		struct tin *t;

		if (!c->qlen)
			return false;
		if (shaper_blocks(&c->shaper, now)) {
			hold_back(c);
			return false;
		}
		t = c->shaper.rate.bytes_per_s ? choose_tin_by_schedule(c, now)
					       : choose_tin_by_deficit(c);
		if (!t)
			return false;

		while (result == SERVE_FLOW) {
			int slot = choose_flow(t, &first);
			uint32_t i;

			if (slot < 0)
				break;
			if (!c->steps_left--) {
				c->wake = now; /* there is more to do */
				return false;
			}
			if (t->table.flows[slot].deficit <= 0) {
				rotate_flow(c, t, slot);
				continue;
			}
			result = serve_flow(c, t, slot, now, &i);
			if (result == SERVE_SENT) {
				send(c, t, i, now, out);
				set_wake_after_send(c, now);
				return true;
			}
		}
	}
}

/*
 * A stall's time that is given up is given up by the tins, too: each would think itself within its
 * threshold until it had made up for all of it, and the highest would keep the link for so long.
 */
static void limit_catch_up(struct cake *c, uint64_t now)
{
	uint64_t given_up = shaper_limit_catch_up(&c->shaper, now);

	if (!given_up)
		return;
	c->catch_ups++;
	c->catch_up_ns += given_up;
	for (unsigned i = 0; i < c->n_tins; i++)
		if (c->tins[i].next < shaper_wake(&c->shaper))
			c->tins[i].next = shaper_wake(&c->shaper);
}

unsigned cake_dequeue(struct cake *c, struct cake_verdict *out, unsigned max, uint64_t now)
{
	unsigned n = 0;

	if (c->wake <= now)
		c->wake = CAKE_NEVER;
	if (c->qlen && c->shaper.rate.bytes_per_s)
		limit_catch_up(c, now);
	c->steps_left = c->params.profile == CAKE_PROFILE_LINUX ? UINT64_MAX : STEPS_MAX;
	while (n < max && dequeue_one(c, now, &out[n]))
		n++;
	return n;
}

/* What is left to the caller */

unsigned cake_take_drops(struct cake *c, struct cake_verdict *out, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		uint32_t i = fifo_pop(&c->dropped, &c->slab);

		if (i == SLAB_NONE)
			break;
		out[n++] = verdict_of(&c->slab.descs[i]);
		slab_put(&c->slab, i);
	}
	return n;
}

unsigned cake_purge(struct cake *c)
{
	unsigned n = c->qlen;

	for (unsigned tin = 0; tin < c->n_tins; tin++) {
		struct tin *t = &c->tins[tin];

		for (uint32_t slot = 0; slot < t->table.n && t->qlen; slot++) {
			uint32_t i;

			while ((i = pop_head(c, tin, slot)) != SLAB_NONE)
				drop(c, i, CAKE_DROP_PURGE);
		}
		tin_reset(t);
	}
	c->overflow.countdown = 0;
	c->wake = CAKE_NEVER;
	return n;
}

/* A limit may have come down; and what held the queue back may be no more. */
static void apply_limits(struct cake *c, uint64_t now)
{
	while (over_limit(c))
		drop_from_fattest(c, now);
	if (c->qlen)
		c->wake = now;
}

int cake_set_bandwidth(struct cake *c, uint64_t bandwidth_bps, uint64_t now)
{
	if (bandwidth_bps && bandwidth_bps < 8)
		return -EINVAL;
	if (!bandwidth_bps) {
		/* Only an unlimited link refills them: they have all that was sent until now. */
		for (unsigned i = 0; i < c->n_tins; i++)
			c->tins[i].deficit = 0;
	}
	c->autorate.peak = bandwidth_bps / 8;
	instance_set_rate(c, bandwidth_bps / 8);
	apply_limits(c, now);
	return 0;
}

int cake_set_memlimit(struct cake *c, uint64_t bytes, uint64_t now)
{
	if (bytes > cake_memory_limit(&c->params))
		return -ENOSPC;
	c->memory_cap = bytes;
	instance_set_memory_limit(c);
	apply_limits(c, now);
	return 0;
}

uint64_t cake_memory_left(const struct cake *c)
{
	return c->memory < c->memory_limit ? c->memory_limit - c->memory : 0;
}

uint64_t cake_next_time(const struct cake *c)
{
	return c->wake;
}

uint32_t cake_backlog(const struct cake *c)
{
	return c->qlen;
}

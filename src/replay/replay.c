/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop of virtual time; see replay.h. */
#include "replay/replay.h"

#include <errno.h>
#include <net/ethernet.h>
#include <stdlib.h>
#include <string.h>

#include "packet/mark.h"
#include "packet/segment.h"
#include "replay/csv.h"
#include "replay/pending.h"

#define NS_PER_S   1000000000ull
#define START_NS   (1000 * NS_PER_S)
#define ECN_CE     3
#define SEGS_MAX   UINT16_MAX /* of a super-packet: what cake_packet.gso_segs can count */
#define DROPS_ONCE 64

#define PROGRESS_FRAMES 65536 /* between two calls of progress(): tens of milliseconds */

/* A frame on its way in. */
struct arrival {
	struct packet_segment bytes;
	struct packet_frame frame;
	struct packet_view view;
	struct cake_tcp tcp;      /* model.tcp points here, if anywhere */
	struct cake_packet model; /* of each packet that it becomes, ... */
	struct pending info;      /* ... and what is to be known of it */
};

struct run {
	const struct replay_options *opt;
	struct replay_result *result;
	struct capture *in;
	struct cake *cake;
	struct prng rng;
	/* Of one arrival: room for one, or for SEGS_MAX where there are super-packets. */
	struct cake_packet *pkts;

	struct capture_packet next; /* the next arrival */
	bool have_next;
	uint64_t first_time; /* of the capture */
	uint64_t next_ns;    /* virtual time of the next arrival */

	bool link_busy;
	uint64_t link_free_ns;

	struct pending_table pending;

	size_t mark_at;
	uint64_t rows;
	int csv_fault; /* 0 or -errno: a full disk ends the replay */
};

/**
 * Buffer a packet of @len bytes pins in a Linux host, bytes: struct sk_buff and the data buffer
 * with its headroom, rounded as the allocator rounds it. 60 -> 768, 1514 -> 2304.
 */
static uint32_t charge_of(uint32_t len)
{
	uint32_t data = ((len + 64 + 63) & ~63u) + 320;
	uint32_t size = 512;

	while (size < data)
		size *= 2;
	return 256 + size;
}

/* Rows of the decision log */

static const char *action_name(uint8_t decision)
{
	switch (decision) {
	case CAKE_DROP_OVERFLOW:
		return "dropped_enqueue";
	case CAKE_DROP_CODEL:
		return "dropped_aqm_codel";
	case CAKE_DROP_BLUE:
		return "dropped_aqm_blue";
	case CAKE_DROP_ACK:
		return "ack_filtered";
	default:
		return "sent";
	}
}

static void log_row(struct run *r, const struct csv_row *row)
{
	if (r->opt->csv && !r->csv_fault)
		r->csv_fault = csv_write(r->opt->csv, r->rows++, row);
}

/* A decision was made about a packet: log it and forget the packet. */
static void conclude(struct run *r, const struct cake_verdict *v, uint64_t now)
{
	const struct pending *p = &r->pending.packets[v->handle];

	log_row(r, &(struct csv_row){
			   .idx = p->idx,
			   .seg = p->seg,
			   .arrival_ns = p->arrival_ns - START_NS,
			   .action = action_name(v->decision),
			   .time_ns = now - START_NS,
			   .tin = v->tin,
			   .flow = v->flow,
			   .flow_set = v->flow_set,
			   .sojourn_ns = now - v->enqueued_ns,
			   .len = v->len,
			   .adj_len = v->adj_len,
			   .ecn = v->ce ? ECN_CE : p->ecn,
			   .dscp = p->dscp,
			   .hashes = p->hashes,
		   });
	r->result->duration_ns = now - START_NS;
	pending_remove(&r->pending, v->handle);
}

static void conclude_drops(struct run *r, uint64_t now)
{
	struct cake_verdict v[DROPS_ONCE];
	unsigned n;

	while ((n = cake_take_drops(r->cake, v, DROPS_ONCE)) > 0)
		for (unsigned i = 0; i < n; i++)
			conclude(r, &v[i], now);
}

/* Arrivals */

/*
 * The next frame that is one: what is shorter than an Ethernet header is counted and passed over.
 */
static int read_frame(struct run *r)
{
	int got;

	while ((got = capture_next(r->in, &r->next)) > 0 && r->next.len < ETHER_HDR_LEN) {
		r->result->received++;
		r->result->runts++;
	}
	return got;
}

/* Returns 0, also if there is none, or why the capture cannot be replayed. */
static int read_next(struct run *r)
{
	bool first = r->result->received == r->result->runts;
	int got = read_frame(r);
	uint64_t now;

	r->have_next = got > 0;
	r->result->damaged = got == -EBADMSG;
	if (got <= 0)
		return r->result->damaged ? 0 : got;
	if (first) {
		r->first_time = r->next.time_ns;
		r->next_ns = START_NS;
	}
	now = START_NS + r->next.time_ns - r->first_time;
	if (r->next.time_ns < r->first_time || now < r->next_ns)
		r->result->backwards++;
	else
		r->next_ns = now;
	r->result->received++;
	if (r->opt->progress && r->result->received % PROGRESS_FRAMES == 0)
		r->opt->progress(r->opt->progress_arg, r->result);
	return 0;
}

/* The operator's knowledge of packet @idx. */
static void apply_mark(struct run *r, uint64_t idx, struct cake_packet *pkt)
{
	const struct replay_options *o = r->opt;

	while (r->mark_at < o->n_marks && o->marks[r->mark_at].idx < idx)
		r->mark_at++;
	if (r->mark_at < o->n_marks && o->marks[r->mark_at].idx == idx) {
		pkt->mark = o->marks[r->mark_at].mark;
		pkt->priority_tin = o->marks[r->mark_at].priority_tin;
	}
}

/* A super-packet was cut: one row before those of its segments, the first of which is @first. */
static void log_split(struct run *r, const struct arrival *a, const struct cake_packet *first)
{
	log_row(r, &(struct csv_row){
			   .idx = a->info.idx,
			   .arrival_ns = a->info.arrival_ns - START_NS,
			   .action = "gso_split",
			   .time_ns = a->info.arrival_ns - START_NS,
			   .tin = first->tin,
			   .flow = first->flow,
			   .flow_set = first->flow_set,
			   .len = a->model.len,
			   .ecn = a->info.ecn,
			   .dscp = a->info.dscp,
			   .hashes = a->info.hashes,
		   });
}

/* Give packet @i of an arrival a handle; @cut is NULL for a frame that stays whole. */
static int admit(struct run *r, const struct arrival *a, const struct packet_cut *cut, uint32_t i,
		 uint32_t *handle)
{
	struct pending p = a->info;
	int err;

	p.seg = i;
	if (r->opt->out) {
		p.held = cut ? held_frame_cut(&a->frame, &a->view.headers, cut, i)
			     : held_frame_copy(&a->frame, &a->view.headers);
		if (!p.held)
			return -ENOMEM;
	}
	err = pending_add(&r->pending, &p, handle);
	if (err)
		free(p.held);
	return err;
}

static int enqueue(struct run *r, struct arrival *a)
{
	struct packet_cut cut = packet_cut_plan(&a->view.headers, a->frame.len, r->opt->gso_size);
	bool split = cut.segs > 1 && r->opt->params.split_gso;
	struct cake_packet *pkts = r->pkts;
	unsigned n = split ? cut.segs : 1;

	if (cut.segs > SEGS_MAX)
		return -E2BIG;
	if (cut.segs > 1 && !split) {
		a->model.gso_segs = cut.segs;
		a->model.gso_size = cut.gso_size;
		a->model.gso_header = cut.header;
	}
	for (unsigned i = 0; i < n; i++) {
		int err;

		pkts[i] = a->model;
		if (split)
			pkts[i].len = packet_cut_len(&cut, i);
		pkts[i].charge = charge_of(pkts[i].len);
		pkts[i].more = i + 1 < n;
		err = admit(r, a, split ? &cut : NULL, i, &pkts[i].handle);
		if (err)
			return err;
	}
	if (cake_enqueue(r->cake, pkts, n, r->next_ns) != n)
		return -ENOBUFS; /* the drop list is emptied after every call: cannot happen */
	r->result->segments_added += n - 1;
	if (split)
		log_split(r, a, pkts);
	conclude_drops(r, r->next_ns);
	return 0;
}

static int arrive(struct run *r)
{
	struct arrival a = {
		.bytes = {.data = r->next.data, .len = r->next.captured},
		.frame = {.segs = &a.bytes, .n_segs = 1, .len = r->next.len},
		.info = {.idx = r->result->received - 1, .arrival_ns = r->next_ns},
	};
	const struct packet_headers *h = &a.view.headers;
	bool is_ip;
	int err;

	packet_describe(&r->opt->describer, &a.frame, &a.view, &a.model);
	a.info.hashes = a.view.hashes;
	if (h->unclassified)
		r->result->unclassified[h->unclassified]++;
	apply_mark(r, a.info.idx, &a.model);
	if (r->opt->describer.tcp)
		a.model.tcp = packet_describe_tcp(&r->opt->describer, &a.frame, &a.view, &a.tcp);

	is_ip = h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6;
	a.info.ecn = is_ip ? h->ecn : -1;
	a.info.dscp = is_ip ? h->dscp : -1;
	if (r->opt->params.wash && packet_wash(&a.frame, h->l3, h->network_offset))
		a.info.dscp = 0;

	err = enqueue(r, &a);
	return err ? err : read_next(r);
}

/* Departures */

/* The frame on the wire. */
static int write_frame(struct run *r, const struct cake_verdict *v, uint64_t now)
{
	struct held_frame *held = r->pending.packets[v->handle].held;

	if (!held)
		return 0;
	if (v->ce)
		held_frame_set_ce(held);
	return capture_writer_frame(r->opt->out, &(struct capture_packet){
							 .time_ns = r->first_time + now - START_NS,
							 .data = held->bytes,
							 .captured = held->captured,
							 .len = held->len,
						 });
}

static int depart(struct run *r, uint64_t now)
{
	struct cake_verdict v;

	while (!r->link_busy) {
		bool sent = cake_dequeue(r->cake, &v, 1, now);
		int err;

		conclude_drops(r, now);
		if (!sent)
			return 0;
		replay_sent_add(&r->result->sent, &v, now);
		err = write_frame(r, &v, now);
		if (err)
			return err;
		conclude(r, &v, now);
		if (r->opt->link_rate_bps) {
			r->link_busy = true;
			r->link_free_ns = now + (uint64_t)((unsigned __int128)v.len * 8 * NS_PER_S /
							   r->opt->link_rate_bps);
		}
	}
	return 0;
}

/* When the instance or the link has something to do next. While the link is busy a wake-up would
 * find that nothing can be sent: the end of the transmission does its work. */
static uint64_t next_departure(const struct run *r)
{
	if (r->link_busy)
		return r->link_free_ns;
	return cake_backlog(r->cake) ? cake_next_time(r->cake) : CAKE_NEVER;
}

static int run_events(struct run *r)
{
	uint64_t now = START_NS;
	int err = read_next(r);

	if (err)
		return err;
	for (;;) {
		uint64_t departure = next_departure(r);

		if (r->have_next && r->next_ns <= departure) {
			now = r->next_ns;
			err = arrive(r);
			if (err)
				return err;
		} else if (departure != CAKE_NEVER) {
			/* A wake-up that has passed happens at once. */
			now = departure > now ? departure : now;
			r->link_busy = false;
		} else {
			return cake_backlog(r->cake) ? -ETIME : 0; /* a queue that never wakes */
		}
		err = depart(r, now);
		if (!err)
			err = r->csv_fault;
		if (err)
			return err;
	}
}

static int flush_outputs(const struct replay_options *opt)
{
	int err = opt->csv ? csv_flush(opt->csv) : 0;

	return !err && opt->out ? capture_writer_flush(opt->out) : err;
}

int replay_run(const struct replay_options *opt, struct capture *in, struct replay_result *out)
{
	struct run r = {.opt = opt, .result = out, .in = in, .rng = opt->rng};
	struct cake_params params = opt->params;
	int err;

	memset(out, 0, sizeof(*out));
	pending_init(&r.pending);
	params.min_charge = charge_of(0);
	params.burst = opt->gso_size ? SEGS_MAX : 1;
	err = cake_create(&r.cake, &params, &r.rng);
	if (err)
		return err;
	r.pkts = reallocarray(NULL, params.burst, sizeof(*r.pkts));
	if (!r.pkts) {
		err = -ENOMEM;
		goto destroy;
	}
	if (opt->csv)
		csv_header(opt->csv);
	err = run_events(&r);
	if (!err)
		err = flush_outputs(opt);
	cake_stats_get(r.cake, &out->stats);
	pending_free(&r.pending);
	free(r.pkts);
destroy:
	cake_destroy(r.cake);
	return err;
}

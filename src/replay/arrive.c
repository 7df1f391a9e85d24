/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrivals of a replay: from the capture into a scheduler; see run.h. */
#include "replay/run.h"

#include <errno.h>
#include <net/ethernet.h>
#include <stdlib.h>

#include "packet/mark.h"
#include "packet/segment.h"

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

int run_read_next(struct run *r)
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

static int enqueue(struct run *r, struct arrival *a, unsigned *queue)
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
		pkts[i].more = i + 1 < n;
		err = admit(r, a, split ? &cut : NULL, i, &pkts[i].handle);
		if (err)
			return err;
	}
	*queue = queues_enqueue(&r->queues, pkts, n, r->next_ns);
	r->result->segments_added += n - 1;
	if (split)
		run_log_split(r, *queue, &a->info, a->model.len, pkts);
	run_conclude_drops(r, *queue, r->next_ns);
	return 0;
}

int run_arrive(struct run *r, unsigned *queue)
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

	err = enqueue(r, &a, queue);
	return err ? err : run_read_next(r);
}

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

#define NS_PER_S   1000000000ull
#define START_NS   (1000 * NS_PER_S)
#define ECN_CE     3
#define SEGS_MAX   UINT16_MAX /* of a super-packet: what cake_packet.gso_segs can count */
#define DROPS_ONCE 64

/* A packet between arrival and decision, by handle. */
struct pending {
	uint64_t idx;
	uint64_t arrival_ns;
	struct packet_hashes hashes;
	uint32_t seg;
	int ecn, dscp; /* -1 = no IP */
	uint32_t next_free;
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

	struct pending *pending;
	uint32_t n_pending, free_pending;

	size_t mark_at;
	uint64_t rows;
};

#define PENDING_NONE UINT32_MAX

uint32_t replay_charge(uint32_t len)
{
	uint32_t data = ((len + 64 + 63) & ~63u) + 320;
	uint32_t size = 512;

	while (size < data)
		size *= 2;
	return 256 + size;
}

/* Pending packets */

static int pending_get(struct run *r, uint32_t *handle)
{
	if (r->free_pending == PENDING_NONE) {
		uint32_t n = r->n_pending ? 2 * r->n_pending : 1024;
		struct pending *p = reallocarray(r->pending, n, sizeof(*p));

		if (!p)
			return -ENOMEM;
		for (uint32_t i = n; i-- > r->n_pending;) {
			p[i].next_free = r->free_pending;
			r->free_pending = i;
		}
		r->pending = p;
		r->n_pending = n;
	}
	*handle = r->free_pending;
	r->free_pending = r->pending[*handle].next_free;
	return 0;
}

static void pending_put(struct run *r, uint32_t handle)
{
	r->pending[handle].next_free = r->free_pending;
	r->free_pending = handle;
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
	if (r->opt->csv)
		csv_write(r->opt->csv, r->rows++, row);
}

/* A decision was made about a packet: log it and forget the packet. */
static void conclude(struct run *r, const struct cake_verdict *v, uint64_t now)
{
	const struct pending *p = &r->pending[v->handle];

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
	pending_put(r, v->handle);
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

/* The next frame that is one: what is shorter than an Ethernet header is counted and passed over.
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

static void read_next(struct run *r)
{
	bool first = r->result->received == r->result->runts;
	int got = read_frame(r);
	uint64_t now;

	r->have_next = got > 0;
	r->result->damaged |= got < 0;
	if (got <= 0)
		return;
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

static int enqueue(struct run *r, const struct packet_headers *h, const struct pending *info,
		   struct cake_packet *model)
{
	struct packet_cut cut = packet_cut_plan(h, model->len, r->opt->gso_size);
	bool split = cut.segs > 1 && r->opt->params.split_gso;
	struct cake_packet *pkts = r->pkts;
	unsigned n = split ? cut.segs : 1;

	if (cut.segs > SEGS_MAX)
		return -E2BIG;
	if (cut.segs > 1 && !split) {
		model->gso_segs = cut.segs;
		model->gso_size = cut.gso_size;
		model->gso_header = cut.header;
	}
	for (unsigned i = 0; i < n; i++) {
		pkts[i] = *model;
		if (split)
			pkts[i].len = packet_cut_len(&cut, i);
		pkts[i].charge = replay_charge(pkts[i].len);
		pkts[i].more = i + 1 < n;
		if (pending_get(r, &pkts[i].handle))
			return -ENOMEM;
		r->pending[pkts[i].handle] = *info;
		r->pending[pkts[i].handle].seg = i;
	}
	if (cake_enqueue(r->cake, pkts, n, r->next_ns) != n)
		return -ENOBUFS; /* the drop list is emptied after every call: cannot happen */
	r->result->segments_added += n - 1;
	if (split)
		log_row(r, &(struct csv_row){
				   .idx = info->idx,
				   .arrival_ns = info->arrival_ns - START_NS,
				   .action = "gso_split",
				   .time_ns = info->arrival_ns - START_NS,
				   .tin = pkts[0].tin,
				   .flow = pkts[0].flow,
				   .flow_set = pkts[0].flow_set,
				   .len = model->len,
				   .ecn = info->ecn,
				   .dscp = info->dscp,
				   .hashes = info->hashes,
			   });
	conclude_drops(r, r->next_ns);
	return 0;
}

static int arrive(struct run *r)
{
	struct packet_segment bytes = {.data = r->next.data, .len = r->next.captured};
	struct packet_frame frame = {.segs = &bytes, .n_segs = 1, .len = r->next.len};
	struct pending info = {.idx = r->result->received - 1, .arrival_ns = r->next_ns};
	const struct packet_headers *h;
	struct packet_view view;
	struct cake_packet model;
	struct cake_tcp tcp;
	bool is_ip;
	int err;

	packet_describe(&r->opt->describer, &frame, &view, &model);
	h = &view.headers;
	info.hashes = view.hashes;
	apply_mark(r, info.idx, &model);
	if (r->opt->describer.tcp)
		model.tcp = packet_describe_tcp(&r->opt->describer, &frame, &view, &tcp);

	is_ip = h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6;
	info.ecn = is_ip ? h->ecn : -1;
	info.dscp = is_ip ? h->dscp : -1;
	if (r->opt->params.wash && packet_wash(&frame, h->l3, h->network_offset))
		info.dscp = 0;

	err = enqueue(r, h, &info, &model);
	if (!err)
		read_next(r);
	return err;
}

/* Departures */

static void depart(struct run *r, uint64_t now)
{
	struct cake_verdict v;

	while (!r->link_busy) {
		bool sent = cake_dequeue(r->cake, &v, 1, now);

		conclude_drops(r, now);
		if (!sent)
			return;
		replay_sent_add(&r->result->sent, &v, now);
		conclude(r, &v, now);
		if (r->opt->link_rate_bps) {
			r->link_busy = true;
			r->link_free_ns = now + (uint64_t)((unsigned __int128)v.len * 8 * NS_PER_S /
							   r->opt->link_rate_bps);
		}
	}
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
	int err;

	read_next(r);
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
		depart(r, now);
	}
}

int replay_run(const struct replay_options *opt, struct capture *in, struct replay_result *out)
{
	struct run r = {
		.opt = opt, .result = out, .in = in, .rng = opt->rng, .free_pending = PENDING_NONE};
	struct cake_params params = opt->params;
	int err;

	memset(out, 0, sizeof(*out));
	params.min_charge = replay_charge(0);
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
	if (!err && opt->csv && (fflush(opt->csv) || ferror(opt->csv)))
		err = -EIO;
	cake_stats_get(r.cake, &out->stats);
	free(r.pending);
	free(r.pkts);
destroy:
	cake_destroy(r.cake);
	return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop of virtual time, and departures; see replay.h. */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/csv.h"
#include "replay/run.h"

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

/* Queue @i sends until it has nothing to send or its link is busy. */
static int depart(struct run *r, unsigned i, uint64_t now)
{
	const struct replay_link *link = r->queues.queues[i].link;
	struct cake_verdict v;

	while (!link->busy) {
		bool sent = queues_dequeue(&r->queues, i, &v, now);
		int err;

		run_conclude_drops(r, i, now);
		if (!sent)
			return 0;
		replay_sent_add(&r->result->sent, &v, now);
		err = write_frame(r, &v, now);
		if (err)
			return err;
		run_conclude(r, i, &v, now);
		queues_occupy_link(&r->queues, i, v.len, now);
	}
	return 0;
}

/* The queues of a link send in turn. */
static int free_link(struct run *r, struct replay_link *link, uint64_t now)
{
	const unsigned n = r->queues.n;
	int err = 0;

	link->busy = false;
	for (unsigned k = 1; !err && !link->busy && k <= n; k++) {
		unsigned i = (link->last + k) % n;

		if (r->queues.queues[i].link == link)
			err = depart(r, i, now);
	}
	return err;
}

static int arrive(struct run *r)
{
	const uint64_t now = r->next_ns;
	unsigned queue;
	int err = run_arrive(r, &queue);

	return err ? err : depart(r, queue, now);
}

static int run_events(struct run *r)
{
	uint64_t now = START_NS;
	int err = run_read_next(r);

	while (!err && (r->have_next || queues_backlog(&r->queues))) {
		struct replay_event next = queues_next(&r->queues, now);

		if (r->have_next && r->next_ns <= next.time) {
			now = r->next_ns;
			err = arrive(r);
		} else if (next.time == CAKE_NEVER) {
			return -ETIME; /* a queue that never wakes */
		} else {
			now = next.time;
			err = next.frees_link ? free_link(r, &r->queues.links[next.index], now)
					      : depart(r, next.index, now);
		}
		if (!err)
			err = r->csv_fault;
	}
	return err;
}

static int flush_outputs(const struct replay_options *opt)
{
	int err = opt->csv ? csv_flush(opt->csv) : 0;

	return !err && opt->out ? capture_writer_flush(opt->out) : err;
}

int replay_run(const struct replay_options *opt, struct capture *in, struct replay_result *out)
{
	const uint32_t burst = opt->gso_size ? SEGS_MAX : 1;
	struct run r = {.opt = opt, .result = out, .in = in};
	int err;

	memset(out, 0, sizeof(*out));
	pending_init(&r.pending);
	err = queues_create(&r.queues, opt, burst, START_NS);
	if (err)
		goto destroy;
	r.pkts = reallocarray(NULL, burst, sizeof(*r.pkts));
	if (!r.pkts) {
		err = -ENOMEM;
		goto destroy;
	}
	if (opt->csv)
		csv_header(opt->csv);
	err = run_events(&r);
	if (!err)
		err = flush_outputs(opt);
	queues_result(&r.queues, out);
	pending_free(&r.pending);
	free(r.pkts);
destroy:
	queues_destroy(&r.queues);
	return err;
}

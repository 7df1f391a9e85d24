/* SPDX-License-Identifier: BSD-3-Clause */
/* What is decided in a replay becomes rows of the log; see run.h. */
#include "replay/run.h"

#include "replay/csv.h"

#define ECN_CE     3
#define DROPS_ONCE 64

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

void run_conclude(struct run *r, unsigned queue, const struct cake_verdict *v, uint64_t now)
{
	const struct pending *p = &r->pending.packets[v->handle];

	log_row(r, &(struct csv_row){
			   .idx = p->idx,
			   .seg = p->seg,
			   .queue = queue,
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

void run_conclude_drops(struct run *r, unsigned queue, uint64_t now)
{
	struct cake_verdict v[DROPS_ONCE];
	unsigned n;

	while ((n = cake_take_drops(r->queues.queues[queue].cake, v, DROPS_ONCE)) > 0)
		for (unsigned i = 0; i < n; i++)
			run_conclude(r, queue, &v[i], now);
}

void run_log_split(struct run *r, unsigned queue, const struct pending *info, uint32_t len,
		   const struct cake_packet *first)
{
	log_row(r, &(struct csv_row){
			   .idx = info->idx,
			   .queue = queue,
			   .arrival_ns = info->arrival_ns - START_NS,
			   .action = "gso_split",
			   .time_ns = info->arrival_ns - START_NS,
			   .tin = first->tin,
			   .flow = first->flow,
			   .flow_set = first->flow_set,
			   .len = len,
			   .ecn = info->ecn,
			   .dscp = info->dscp,
			   .hashes = info->hashes,
		   });
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h: the form for people. */
#include "daemon/summary.h"

#include <inttypes.h>

#include "base/units.h"
#include "report/machine.h"
#include "report/report.h"
#include "report/share.h"
#include "report/unclassified.h"
#include "stats/json.h"

/** By tin, in tc's order, if there is any. */
static void print_shed(FILE *out, const struct stats_port *p, enum cake_diffserv mode)
{
	if (!p->dropped[WORKER_DROP_SHED])
		return;
	fprintf(out, " shed:");
	for (unsigned i = 0; i < p->cake.tin_cnt; i++) {
		unsigned tin = cake_tin_order(mode, i);

		fprintf(out, "%s %s %" PRIu64, i ? "," : "", cake_tin_name(mode, tin),
			p->shed[tin]);
	}
	fprintf(out, "; collisions %" PRIu64 "\n", p->shed_collisions);
}

/** A row for a queue: what it sent, and what its part of the rate was. */
static void print_queue(FILE *out, const struct stats_queue *q)
{
	fprintf(out,
		"  %-5u %4u %13" PRIu64 " %16" PRIu64 " %11" PRIu64 " %11" PRIu64 " %10" PRIu64
		" %6" PRIu64,
		q->queue, q->cpu, q->tx_packets, q->tx_bytes, q->cake.drops, q->marked,
		q->device_full, q->stalls);
	if (q->shares)
		report_share_columns(out, &q->share);
	fputc('\n', out);
}

/** One queue is the port itself. */
static void print_queues(FILE *out, const struct stats_queue *queues, unsigned n)
{
	if (n < 2)
		return;
	fprintf(out, "  %-5s %4s %13s %16s %11s %11s %10s %6s", "queue", "CPU", "packets", "bytes",
		"dropped", "marked", "full", "stalls");
	if (queues->shares)
		report_share_headings(out);
	fputc('\n', out);
	for (unsigned i = 0; i < n; i++)
		print_queue(out, &queues[i]);
}

static void print_device(FILE *out, const struct stats_port *p)
{
	json_t *nic = stats_nic_json(&p->nic);

	report_device_text(out, nic, p->device_full);
	json_decref(nic);
}

static void print_port(FILE *out, const struct stats_snapshot *s, unsigned at)
{
	const struct config_port *c = &s->config->ports[at];
	const struct stats_port *p = &s->ports[at];

	fprintf(out,
		"port %s: received %" PRIu64 " packets %" PRIu64 " bytes, sent %" PRIu64
		" packets %" PRIu64 " bytes\n",
		c->name, p->rx_packets, p->rx_bytes, p->tx_packets, p->tx_bytes);
	fprintf(out, " dropped:");
	for (unsigned r = 0; r < STATS_REASONS; r++)
		fprintf(out, "%s %s %" PRIu64, r ? "," : "", stats_reason_name(r), p->dropped[r]);
	fputc('\n', out);
	print_shed(out, p, c->scheduler.cake.diffserv);
	report_unclassified_text(out, p->unclassified);
	print_device(out, p);
	if (p->n_queues) {
		print_queues(out, &s->queues[p->first_queue], p->n_queues);
		report_cake_text(out, &p->cake, c->scheduler.cake.diffserv);
	}
	fputc('\n', out);
}

static void print_worker(FILE *out, const struct stats_worker *w, uint64_t hz)
{
	json_t *lcore = stats_lcore_json(w);

	report_lcore_text(out, lcore, hz);
	json_decref(lcore);
}

static void print_balance(FILE *out, const struct stats_snapshot *s)
{
	int64_t difference = stats_difference(s);

	fprintf(out,
		"received %" PRIu64 " + segments added %" PRIu64 " = sent %" PRIu64
		" + dropped %" PRIu64 " + queued %" PRIu64 " + deferred %" PRIu64
		" + in flight %" PRIu64 ": ",
		s->received, s->segments_added, s->sent, s->dropped, s->queued, s->deferred,
		s->held);
	if (difference)
		fprintf(out, "NOT BALANCED by %" PRId64 "\n", difference);
	else
		fprintf(out, "balanced\n");
}

static void print_clock(FILE *out, const struct stats_snapshot *s)
{
	int64_t off_hz = (int64_t)(s->dpdk_hz - s->hz);
	char uptime[UNITS_FORMAT_MAX];

	fprintf(out,
		"ran %s; clock %" PRIu64 " Hz, within %" PRIu64 " ppb, DPDK's figure is %" PRId64
		" ppm off\n",
		units_format_time_short(uptime, sizeof(uptime), s->uptime_ns), s->hz, s->error_ppb,
		off_hz * 1000000 / (int64_t)s->hz);
}

void summary_print_text(const struct stats_snapshot *s, FILE *out)
{
	for (unsigned i = 0; i < s->config->n_ports; i++)
		print_port(out, s, i);
	for (unsigned i = 0; i < s->n_workers; i++)
		print_worker(out, &s->workers[i], s->hz);
	print_clock(out, s);
	fprintf(out, "mbufs lost: %u of %u\n", s->mbufs_lost, s->mbufs);
	print_balance(out, s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h: the form for people. */
#include "daemon/summary.h"

#include <inttypes.h>

#include "base/units.h"
#include "report/report.h"
#include "report/unclassified.h"

static void print_port(FILE *out, const struct config_port *c, const struct summary_port *p)
{
	fprintf(out,
		"port %s: received %" PRIu64 " packets %" PRIu64 " bytes, sent %" PRIu64
		" packets %" PRIu64 " bytes\n",
		c->name, p->rx_packets, p->rx_bytes, p->tx_packets, p->tx_bytes);
	fprintf(out, " dropped:");
	for (unsigned r = 0; r < SUMMARY_REASONS; r++)
		fprintf(out, "%s %s %" PRIu64, r ? "," : "", summary_reason_name(r), p->dropped[r]);
	fputc('\n', out);
	report_unclassified_text(out, p->unclassified);
	fprintf(out,
		" device: missed %" PRIu64 ", rx errors %" PRIu64 ", no buffer %" PRIu64
		", tx errors %" PRIu64 ", full %" PRIu64 " times\n",
		p->nic.missed, p->nic.rx_errors, p->nic.no_buffer, p->nic.tx_errors,
		p->device_full);
	if (p->scheduled)
		report_cake_text(out, &p->cake, c->scheduler.cake.diffserv);
	fputc('\n', out);
}

static void print_worker(FILE *out, const struct summary_worker *w)
{
	char sum[UNITS_FORMAT_MAX], max[UNITS_FORMAT_MAX];

	fprintf(out,
		"worker on CPU %u: %" PRIu64 " passes, %" PRIu64 " busy, %" PRIu64
		" stalls, %s in all, longest %s\n",
		w->cpu, w->passes, w->busy_passes, w->stalls,
		units_format_time_short(sum, sizeof(sum), w->stall_ns),
		units_format_time_short(max, sizeof(max), w->max_stall_ns));
}

static void print_balance(FILE *out, const struct summary *s)
{
	int64_t difference = summary_difference(s);

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

static void print_clock(FILE *out, const struct summary *s)
{
	int64_t off_hz = (int64_t)(s->dpdk_hz - s->hz);
	char uptime[UNITS_FORMAT_MAX];

	fprintf(out,
		"ran %s; clock %" PRIu64 " Hz, within %" PRIu64 " ppb, DPDK's figure is %" PRId64
		" ppm off\n",
		units_format_time_short(uptime, sizeof(uptime), s->uptime_ns), s->hz, s->error_ppb,
		off_hz * 1000000 / (int64_t)s->hz);
}

void summary_print_text(const struct summary *s, FILE *out)
{
	for (unsigned i = 0; i < s->config->n_ports; i++)
		print_port(out, &s->config->ports[i], &s->ports[i]);
	for (unsigned i = 0; i < s->n_workers; i++)
		print_worker(out, &s->workers[i]);
	print_clock(out, s);
	fprintf(out, "mbufs lost: %u of %u\n", s->mbufs_lost, s->mbufs);
	print_balance(out, s);
}

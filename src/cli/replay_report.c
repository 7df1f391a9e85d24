/* SPDX-License-Identifier: BSD-3-Clause */
/* See replay_report.h. */
#include "cli/replay_report.h"

#include <inttypes.h>

#include <jansson.h>

#include "base/units.h"
#include "report/report.h"
#include "report/share.h"
#include "report/unclassified.h"

/* What is told of the delays in a tin. */
static const struct {
	const char *json, *text;
	unsigned permille;
} quantiles[] = {
	{"min_ns", "min", 0},   {"median_ns", "median", 500}, {"p95_ns", "p95", 950},
	{"p99_ns", "p99", 990}, {"max_ns", "max", 1000},
};

#define N_QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

static json_t *delay_json(const struct replay_sent *s, unsigned tin, const char *name)
{
	const struct histogram *h = &s->tins[tin].delay_ns;
	json_t *o = json_object();

	json_object_set_new(o, "tin", json_string(name));
	report_set_number(o, "packets", h->n);
	report_set_number(o, "rate_bps", replay_sent_rate(s, s->tins[tin].bytes.frames));
	for (unsigned q = 0; q < N_QUANTILES; q++) {
		if (h->n)
			report_set_number(o, quantiles[q].json,
					  histogram_quantile(h, quantiles[q].permille));
		else
			json_object_set_new(o, quantiles[q].json, json_null());
	}
	return o;
}

static json_t *delays_json(const struct replay_result *r, enum cake_diffserv mode)
{
	json_t *tins = json_array();

	for (unsigned i = 0; i < r->stats.tin_cnt; i++) {
		unsigned tin = cake_tin_order(mode, i);

		json_array_append_new(tins, delay_json(&r->sent, tin, cake_tin_name(mode, tin)));
	}
	return tins;
}

static json_t *queues_json(const struct replay_result *r, enum cake_diffserv mode)
{
	json_t *queues = json_array();

	for (unsigned i = 0; i < r->n_queues; i++) {
		const struct replay_queue_result *q = &r->queues[i];
		json_t *o = json_object();

		report_set_number(o, "queue", i);
		report_set_number(o, "sent", q->stats.packets);
		report_set_number(o, "dropped", q->stats.drops);
		json_object_set_new(o, "share", report_share_json(r->shares ? &q->share : NULL));
		json_object_set_new(o, "cake", report_cake_json(&q->stats, mode));
		json_array_append_new(queues, o);
	}
	return queues;
}

void replay_report_json(FILE *out, const struct replay_result *r, enum cake_diffserv mode)
{
	json_t *root = json_object();
	struct replay_bytes bytes = replay_sent_bytes(&r->sent);

	report_set_number(root, "received", r->received);
	report_set_number(root, "segments_added", r->segments_added);
	report_set_number(root, "sent", r->stats.packets);
	report_set_number(root, "dropped", r->stats.drops);
	report_set_number(root, "runts", r->runts);
	report_set_number(root, "duration_ns", r->duration_ns);
	report_set_number(root, "rate_bps", replay_sent_rate(&r->sent, bytes.frames));
	report_set_number(root, "adjusted_rate_bps", replay_sent_rate(&r->sent, bytes.adjusted));
	report_set_number(root, "timestamps_backwards", r->backwards);
	json_object_set_new(root, "truncated", json_boolean(r->damaged));
	json_object_set_new(root, "cake", report_cake_json(&r->stats, mode));
	json_object_set_new(root, "unclassified", report_unclassified_json(r->unclassified));
	json_object_set_new(root, "delays", delays_json(r, mode));
	json_object_set_new(root, "queues", queues_json(r, mode));
	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
}

/* One tin's cell of a row of delays. */
static void print_delay(FILE *out, const struct histogram *h, unsigned permille)
{
	char cell[UNITS_FORMAT_MAX];

	fprintf(out, " %12s",
		h->n ? units_format_time_short(cell, sizeof(cell), histogram_quantile(h, permille))
		     : "-");
}

/* The columns are those of the scheduler's table. */
static void print_delays(FILE *out, const struct replay_result *r, enum cake_diffserv mode)
{
	const unsigned tins = r->stats.tin_cnt;
	char cell[UNITS_FORMAT_MAX];
	unsigned order[CAKE_MAX_TINS];

	for (unsigned i = 0; i < tins; i++)
		order[i] = cake_tin_order(mode, i);
	fprintf(out, "\n Delay of what was sent, to %.1f %%\n%10s", HISTOGRAM_ERROR * 100, "");
	for (unsigned i = 0; i < tins; i++)
		fprintf(out, " %12s", cake_tin_name(mode, order[i]));
	fprintf(out, "\n  %-8s", "sent");
	for (unsigned i = 0; i < tins; i++)
		fprintf(out, " %12" PRIu64, r->sent.tins[order[i]].delay_ns.n);
	fprintf(out, "\n  %-8s", "rate");
	for (unsigned i = 0; i < tins; i++)
		fprintf(out, " %12s",
			report_format_rate(
				cell, sizeof(cell),
				replay_sent_rate(&r->sent, r->sent.tins[order[i]].bytes.frames)));
	for (unsigned q = 0; q < N_QUANTILES; q++) {
		fprintf(out, "\n  %-8s", quantiles[q].text);
		for (unsigned i = 0; i < tins; i++)
			print_delay(out, &r->sent.tins[order[i]].delay_ns, quantiles[q].permille);
	}
	fputc('\n', out);
}

/* Both ways to count bytes, if they differ. */
static void print_rate(FILE *out, const struct replay_sent *sent)
{
	struct replay_bytes bytes = replay_sent_bytes(sent);
	char cell[UNITS_FORMAT_MAX];

	fprintf(out, "rate while sending %s",
		report_format_rate(cell, sizeof(cell), replay_sent_rate(sent, bytes.frames)));
	if (bytes.adjusted != bytes.frames)
		fprintf(out, ", %s as the shaper counts (overhead, mpu, atm)",
			report_format_rate(cell, sizeof(cell),
					   replay_sent_rate(sent, bytes.adjusted)));
	fputc('\n', out);
}

/* A row for each; one queue is all there is. */
static void print_queues(FILE *out, const struct replay_result *r)
{
	if (r->n_queues == 1)
		return;
	fprintf(out, "  %-5s %10s %14s %10s %10s", "queue", "packets", "bytes", "dropped",
		"marked");
	if (r->shares)
		report_share_headings(out);
	for (unsigned i = 0; i < r->n_queues; i++) {
		const struct cake_stats *s = &r->queues[i].stats;

		fprintf(out, "\n  %-5u %10" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64, i,
			s->packets, s->bytes, s->drops, s->decisions[CAKE_SEND_CE]);
		if (r->shares)
			report_share_columns(out, &r->queues[i].share);
	}
	fputc('\n', out);
}

void replay_report_text(FILE *out, const struct replay_result *r, enum cake_diffserv mode)
{
	fprintf(out, "received %" PRIu64 " frames", r->received);
	if (r->segments_added)
		fprintf(out, " and cut them into %" PRIu64 " more", r->segments_added);
	fprintf(out, ", sent %" PRIu64 ", dropped %" PRIu64 ", in %" PRIu64 ".%06" PRIu64 " s\n",
		r->stats.packets, r->stats.drops, r->duration_ns / 1000000000,
		r->duration_ns / 1000 % 1000000);
	if (r->runts)
		fprintf(out, "%" PRIu64 " were shorter than an Ethernet header and left out\n",
			r->runts);
	if (r->backwards)
		fprintf(out,
			"%" PRIu64
			" had an earlier time than the frame before and were moved to it\n",
			r->backwards);
	report_unclassified_text(out, r->unclassified);
	print_rate(out, &r->sent);
	print_queues(out, r);
	report_cake_text(out, &r->stats, mode);
	print_delays(out, r, mode);
}

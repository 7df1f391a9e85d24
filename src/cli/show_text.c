/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of `gateau show`: tc's lines, from JSON that has tc's keys. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "cli/show_ports.h"
#include "report/machine.h"
#include "report/report.h"
#include "report/share.h"

static uint64_t number(const json_t *o, const char *key)
{
	return report_get_number(o, key);
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/** A flag that tc prints in either case. */
static void print_flag(FILE *out, const json_t *options, const char *key, const char *on,
		       const char *off)
{
	const char *word = json_is_true(json_object_get(options, key)) ? on : off;

	if (*word)
		fprintf(out, " %s", word);
}

static void print_ack_filter(FILE *out, const char *mode)
{
	if (!strcmp(mode, "aggressive"))
		fprintf(out, " ack-filter-aggressive");
	else
		fprintf(out, " %s", !strcmp(mode, "enabled") ? "ack-filter" : "no-ack-filter");
}

static void print_bandwidth(FILE *out, const json_t *bandwidth)
{
	char rate[UNITS_FORMAT_MAX];

	if (json_is_integer(bandwidth))
		units_format_rate(rate, sizeof(rate), 8 * (uint64_t)json_integer_value(bandwidth));
	else
		strcpy(rate, "unlimited");
	fprintf(out, " bandwidth %s", rate);
}

static void print_framing(FILE *out, const json_t *o)
{
	char size[UNITS_FORMAT_MAX];

	print_flag(out, o, "raw", "raw", "");
	if (*text(o, "atm"))
		fprintf(out, " %s", text(o, "atm"));
	fprintf(out, " overhead %" JSON_INTEGER_FORMAT,
		json_integer_value(json_object_get(o, "overhead")));
	if (number(o, "mpu"))
		fprintf(out, " mpu %" PRIu64, number(o, "mpu"));
	if (number(o, "memlimit"))
		fprintf(out, " memlimit %s",
			units_format_size(size, sizeof(size), number(o, "memlimit")));
}

/** In the words and the order of tc; then what tc has not, where it is not the default. */
static void print_options(FILE *out, const json_t *o)
{
	char time[UNITS_FORMAT_MAX];

	print_bandwidth(out, json_object_get(o, "bandwidth"));
	if (*text(o, "autorate"))
		fprintf(out, " %s", text(o, "autorate"));
	fprintf(out, " %s %s", text(o, "diffserv"), text(o, "flowmode"));
	print_flag(out, o, "nat", "nat", "nonat");
	print_flag(out, o, "wash", "wash", "nowash");
	print_flag(out, o, "ingress", "ingress", "");
	print_ack_filter(out, text(o, "ack-filter"));
	print_flag(out, o, "split_gso", "split-gso", "no-split-gso");
	fprintf(out, " rtt %s", units_format_time(time, sizeof(time), number(o, "rtt") * 1000));
	print_framing(out, o);
	if (strcmp(text(o, "fwmark"), "0") != 0)
		fprintf(out, " fwmark %s", text(o, "fwmark"));
	if (!strcmp(text(o, "profile"), "linux"))
		fprintf(out, " profile linux");
	if (number(o, "flows") != CAKE_FLOWS_DEFAULT)
		fprintf(out, " flows %" PRIu64, number(o, "flows"));
}

static void print_port_line(FILE *out, const json_t *port)
{
	fprintf(out, "port %s: %s", text(port, "port"), text(port, "kind"));
	if (json_object_get(port, "options"))
		print_options(out, json_object_get(port, "options"));
	if (number(port, "tx_queues") > 1 && *text(port, "share"))
		fprintf(out, " queues %" PRIu64 " share %s steer %s", number(port, "tx_queues"),
			text(port, "share"), text(port, "steer"));
	if (!strcmp(text(port, "link"), "down"))
		fprintf(out, " link down");
	fputc('\n', out);
}

/** "heading: name n, name n" of an object's numbers; of those that are not 0 if told so. */
static void print_reasons(FILE *out, const char *heading, json_t *reasons, bool all)
{
	const char *reason, *separator = "";
	bool any = false;
	json_t *n;

	json_object_foreach (reasons, reason, n) {
		if (!all && !json_integer_value(n))
			continue;
		if (!any)
			fprintf(out, " %s:", heading);
		fprintf(out, "%s %s %" JSON_INTEGER_FORMAT, separator, reason,
			json_integer_value(n));
		separator = ",";
		any = true;
	}
	if (any)
		fputc('\n', out);
}

static void print_traffic(FILE *out, const json_t *port)
{
	fprintf(out,
		" received %" PRIu64 " bytes %" PRIu64 " pkt, device took %" PRIu64
		" bytes %" PRIu64 " pkt\n",
		number(port, "rx_bytes"), number(port, "rx_packets"), number(port, "tx_bytes"),
		number(port, "tx_packets"));
	print_reasons(out, "other drops", json_object_get(port, "other_drops"), true);
	print_reasons(out, "unclassified", json_object_get(port, "unclassified"), false);
	report_device_text(out, json_object_get(port, "nic"), number(port, "requeues"));
}

/** The bound that @permille of the packets of @tin waited less than; "-" if there were none. */
static const char *format_wait(char *buf, size_t size, const json_t *tin, const json_t *bounds,
			       unsigned permille)
{
	const json_t *counts = json_object_get(tin, "sojourn_counts");
	uint64_t total = 0, below = 0, rank;
	json_t *n;
	size_t i;

	json_array_foreach (counts, i, n)
		total += (uint64_t)json_integer_value(n);
	if (!total)
		return "-";
	/* ceil(total * permille / 1000) without overflow */
	rank = total / 1000 * permille + (total % 1000 * permille + 999) / 1000;
	json_array_foreach (counts, i, n) {
		below += (uint64_t)json_integer_value(n);
		if (below >= rank)
			break;
	}
	*buf = i < json_array_size(bounds) ? '<' : '>';
	if (i >= json_array_size(bounds))
		i = json_array_size(bounds) - 1;
	units_format_time_short(buf + 1, size - 1,
				(uint64_t)json_integer_value(json_array_get(bounds, i)));
	return buf;
}

/** Below tc's rows: how long packets waited, and of a port how many were shed. */
static void print_more_rows(FILE *out, const json_t *cake, const json_t *bounds)
{
	static const struct {
		const char *heading;
		unsigned permille;
	} waits[] = {{"wait_50%", 500}, {"wait_99%", 990}};
	const json_t *tins = json_object_get(cake, "tins");
	char cell[UNITS_FORMAT_MAX + 1];
	json_t *tin;
	size_t i;

	for (unsigned w = 0; w < sizeof(waits) / sizeof(waits[0]); w++) {
		fprintf(out, "  %-8s", waits[w].heading);
		json_array_foreach (tins, i, tin)
			fprintf(out, " %*s", REPORT_TIN_WIDTH,
				format_wait(cell, sizeof(cell), tin, bounds, waits[w].permille));
		fputc('\n', out);
	}
	if (!json_object_get(json_array_get(tins, 0), "shed"))
		return;
	fprintf(out, "  %-8s", "shed");
	json_array_foreach (tins, i, tin)
		fprintf(out, " %*" PRIu64, REPORT_TIN_WIDTH, number(tin, "shed"));
	fputc('\n', out);
}

static void print_queue_row(FILE *out, const json_t *q, bool shares)
{
	struct share_counters share;

	fprintf(out,
		"  %-5" PRIu64 " %4" PRIu64 " %13" PRIu64 " %16" PRIu64 " %11" PRIu64 " %11" PRIu64
		" %10" PRIu64 " %6" PRIu64,
		number(q, "queue"), number(q, "cpu"), number(q, "tx_packets"),
		number(q, "tx_bytes"), number(q, "drops"), number(q, "ecn_marked"),
		number(q, "requeues"), number(q, "stalls"));
	report_share_read(&share, json_object_get(q, "share"));
	if (shares)
		report_share_columns(out, &share);
	if (json_is_true(json_object_get(q, "stalled")))
		fprintf(out, " stalled: numbers of before");
	fputc('\n', out);
}

/** One queue is the port itself. */
static void print_queue_rows(FILE *out, const json_t *queues)
{
	const json_t *first = json_array_get(queues, 0);
	const bool shares = json_is_object(json_object_get(first, "share"));
	json_t *q;
	size_t i;

	if (json_array_size(queues) == 1 && !json_is_true(json_object_get(first, "stalled")))
		return;
	fprintf(out, "  %-5s %4s %13s %16s %11s %11s %10s %6s", "queue", "CPU", "packets", "bytes",
		"dropped", "marked", "full", "stalls");
	if (shares)
		report_share_headings(out);
	fputc('\n', out);
	json_array_foreach (queues, i, q)
		print_queue_row(out, q, shares);
}

static void print_cake(FILE *out, const json_t *cake, const json_t *bounds)
{
	report_cake_totals(out, cake);
	report_cake_tins(out, cake);
	print_more_rows(out, cake, bounds);
}

static void print_stats(FILE *out, const json_t *port, const json_t *bounds, bool each)
{
	const json_t *queues = json_object_get(port, "queues");
	json_t *q;
	size_t i;

	print_traffic(out, port);
	if (!queues)
		return;
	print_queue_rows(out, queues);
	print_cake(out, port, bounds);
	if (!each)
		return;
	json_array_foreach (queues, i, q) {
		fprintf(out, "\nport %s queue %" PRIu64 ":\n", text(port, "port"),
			number(q, "queue"));
		print_cake(out, q, bounds);
	}
}

static void print_lcores(FILE *out, const json_t *result)
{
	const uint64_t hz = number(json_object_get(result, "clock"), "hz");
	json_t *lcore;
	size_t i;

	json_array_foreach (json_object_get(result, "lcores"), i, lcore)
		report_lcore_text(out, lcore, hz);
}

void show_ports_text(FILE *out, const json_t *result, bool queues)
{
	const json_t *bounds = json_object_get(result, "sojourn_bounds_ns");
	json_t *port;
	size_t i;

	json_array_foreach (json_object_get(result, "ports"), i, port) {
		print_port_line(out, port);
		if (!bounds)
			continue;
		print_stats(out, port, bounds, queues);
		fputc('\n', out);
	}
	if (bounds)
		print_lcores(out, result);
}

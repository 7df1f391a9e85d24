/* SPDX-License-Identifier: BSD-3-Clause */
/* See report.h. One table has every statistic of a tin, for both forms. */
#include "report/report.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"

#define CELL_SIZE 32

enum unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_RATE, /* bytes/s, shown in bit/s */
	UNIT_TIME, /* us */
};

struct row {
	const char *json; /* tc's key */
	const char *text; /* tc's heading */
	size_t offset, width;
	enum unit unit;
};

#define ROW(field, heading, u)                                                                     \
	{                                                                                          \
		.json = #field, .text = heading, .offset = offsetof(struct cake_tin_stats, field), \
		.width = sizeof(((struct cake_tin_stats *)0)->field), .unit = u                    \
	}

/* tc's order. */
/* clang-format off */
static const struct row tin_rows[] = {
	ROW(threshold_rate, "thresh", UNIT_RATE),
	ROW(target_us, "target", UNIT_TIME),
	ROW(interval_us, "interval", UNIT_TIME),
	ROW(peak_delay_us, "pk_delay", UNIT_TIME),
	ROW(avg_delay_us, "av_delay", UNIT_TIME),
	ROW(base_delay_us, "sp_delay", UNIT_TIME),
	ROW(backlog_bytes, "backlog", UNIT_BYTES),
	ROW(sent_packets, "pkts", UNIT_COUNT),
	ROW(sent_bytes, "bytes", UNIT_COUNT),
	ROW(way_indirect_hits, "way_inds", UNIT_COUNT),
	ROW(way_misses, "way_miss", UNIT_COUNT),
	ROW(way_collisions, "way_cols", UNIT_COUNT),
	ROW(drops, "drops", UNIT_COUNT),
	ROW(ecn_mark, "marks", UNIT_COUNT),
	ROW(ack_drops, "ack_drop", UNIT_COUNT),
	ROW(sparse_flows, "sp_flows", UNIT_COUNT),
	ROW(bulk_flows, "bk_flows", UNIT_COUNT),
	ROW(unresponsive_flows, "un_flows", UNIT_COUNT),
	ROW(max_pkt_len, "max_len", UNIT_COUNT),
	ROW(flow_quantum, "quantum", UNIT_COUNT),
};
/* clang-format on */

#define N_TIN_ROWS (sizeof(tin_rows) / sizeof(tin_rows[0]))

static uint64_t row_value(const struct row *row, const struct cake_tin_stats *t)
{
	const char *field = (const char *)t + row->offset;

	return row->width == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
}

void report_set_number(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

uint64_t report_get_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static json_t *tin_json(const struct cake_tin_stats *t, const char *name)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string(name));
	for (unsigned i = 0; i < N_TIN_ROWS; i++)
		report_set_number(o, tin_rows[i].json, row_value(&tin_rows[i], t));
	return o;
}

json_t *report_cake_json(const struct cake_stats *s, enum cake_diffserv mode)
{
	json_t *o = json_object(), *drops = json_object(), *tins = json_array();

	report_set_number(o, "bytes", s->bytes);
	report_set_number(o, "packets", s->packets);
	report_set_number(o, "drops", s->drops);
	report_set_number(o, "overlimits", s->overlimits);
	report_set_number(o, "backlog", s->backlog);
	report_set_number(o, "qlen", s->qlen);
	report_set_number(o, "memory_used", s->memory_used);
	report_set_number(o, "memory_limit", s->memory_limit);
	report_set_number(o, "capacity_estimate", s->capacity_estimate);
	report_set_number(o, "min_network_size", s->min_network_size);
	report_set_number(o, "max_network_size", s->max_network_size);
	report_set_number(o, "min_adj_size", s->min_adj_size);
	report_set_number(o, "max_adj_size", s->max_adj_size);
	report_set_number(o, "avg_hdr_offset", s->avg_hdr_offset);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		report_set_number(drops, cake_decision_name(d), s->decisions[d]);
	json_object_set_new(o, "drops_by_reason", drops);
	report_set_number(o, "catch_ups", s->catch_ups);
	report_set_number(o, "catch_up_ns", s->catch_up_ns);
	for (unsigned i = 0; i < s->tin_cnt; i++) {
		const unsigned tin = cake_tin_order(mode, i);

		json_array_append_new(tins, tin_json(&s->tins[tin], cake_tin_name(mode, tin)));
	}
	json_object_set_new(o, "tins", tins);
	return o;
}

const char *report_format_rate(char *buf, size_t size, uint64_t bps)
{
	uint64_t unit = 1;

	while (bps / unit >= 10000)
		unit *= 10;
	return units_format_rate(buf, size, (bps + unit / 2) / unit * unit);
}

static const char *format_value(char *buf, size_t size, enum unit unit, uint64_t value)
{
	switch (unit) {
	case UNIT_RATE:
		return value ? units_format_rate(buf, size, value * 8) : "unlimited";
	case UNIT_TIME:
		return units_format_time_short(buf, size, value * 1000);
	case UNIT_BYTES:
		snprintf(buf, size, "%" PRIu64 "b", value);
		return buf;
	case UNIT_COUNT:
		break;
	}
	snprintf(buf, size, "%" PRIu64, value);
	return buf;
}

/* Ours, between tc's lines: why, and what stalls cost. */
static void print_reasons(FILE *out, const json_t *cake)
{
	json_t *drops = json_object_get(cake, "drops_by_reason"), *n;
	const char *reason;
	char time[CELL_SIZE];

	fprintf(out, " drops:");
	json_object_foreach (drops, reason, n)
		fprintf(out, " %s %" JSON_INTEGER_FORMAT, reason, json_integer_value(n));
	fprintf(out, "; catch-ups %" PRIu64 ", %s given up\n", report_get_number(cake, "catch_ups"),
		units_format_time_short(time, sizeof(time),
					report_get_number(cake, "catch_up_ns")));
}

void report_cake_tins(FILE *out, const json_t *cake)
{
	const json_t *tins = json_object_get(cake, "tins");
	json_t *tin;
	size_t i;
	char cell[CELL_SIZE];

	fprintf(out, "%10s", "");
	json_array_foreach (tins, i, tin)
		fprintf(out, " %*s", REPORT_TIN_WIDTH,
			json_string_value(json_object_get(tin, "name")));
	for (unsigned r = 0; r < N_TIN_ROWS; r++) {
		const struct row *row = &tin_rows[r];

		fprintf(out, "\n  %-8s", row->text);
		json_array_foreach (tins, i, tin)
			fprintf(out, " %*s", REPORT_TIN_WIDTH,
				format_value(cell, sizeof(cell), row->unit,
					     report_get_number(tin, row->json)));
	}
	fputc('\n', out);
}

void report_cake_totals(FILE *out, const json_t *cake)
{
	char cell[CELL_SIZE];

#define NUMBER(key) report_get_number(cake, key)
	fprintf(out,
		" Sent %" PRIu64 " bytes %" PRIu64 " pkt (dropped %" PRIu64 ", overlimits %" PRIu64
		")\n",
		NUMBER("bytes"), NUMBER("packets"), NUMBER("drops"), NUMBER("overlimits"));
	print_reasons(out, cake);
	fprintf(out, " backlog %" PRIu64 "b %" PRIu64 "p\n", NUMBER("backlog"), NUMBER("qlen"));
	fprintf(out, " memory used: %" PRIu64 "b of %" PRIu64 "b\n", NUMBER("memory_used"),
		NUMBER("memory_limit"));
	fprintf(out, " capacity estimate: %s\n",
		format_value(cell, sizeof(cell), UNIT_RATE, NUMBER("capacity_estimate")));
	fprintf(out, " min/max network layer size: %12" PRIu64 " / %7" PRIu64 "\n",
		NUMBER("min_network_size"), NUMBER("max_network_size"));
	fprintf(out, " min/max overhead-adjusted size: %8" PRIu64 " / %7" PRIu64 "\n",
		NUMBER("min_adj_size"), NUMBER("max_adj_size"));
	fprintf(out, " average network hdr offset: %12" PRIu64 "\n\n", NUMBER("avg_hdr_offset"));
#undef NUMBER
}

void report_cake_text(FILE *out, const struct cake_stats *s, enum cake_diffserv mode)
{
	json_t *cake = report_cake_json(s, mode);

	report_cake_totals(out, cake);
	report_cake_tins(out, cake);
	json_decref(cake);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See share.h. */
#include "report/share.h"

#include <inttypes.h>

#include "base/units.h"
#include "report/report.h"

json_t *report_share_json(const struct share_counters *c)
{
	json_t *o;

	if (!c)
		return json_null();
	o = json_object();
	report_set_number(o, "syncs", c->syncs);
	report_set_number(o, "reservations", c->reservations);
	report_set_number(o, "share_changes", c->share_changes);
	report_set_number(o, "active_queues", c->active_queues);
	report_set_number(o, "share_rate", c->share_bytes_s);
	return o;
}

bool report_share_read(struct share_counters *c, const json_t *share)
{
	*c = (struct share_counters){
		.syncs = report_get_number(share, "syncs"),
		.reservations = report_get_number(share, "reservations"),
		.share_changes = report_get_number(share, "share_changes"),
		.active_queues = (uint32_t)report_get_number(share, "active_queues"),
		.share_bytes_s = report_get_number(share, "share_rate"),
	};
	return json_is_object(share);
}

void report_share_headings(FILE *out)
{
	fprintf(out, " %6s %11s %10s %10s %8s", "active", "part", "syncs", "slots", "changes");
}

void report_share_columns(FILE *out, const struct share_counters *c)
{
	char rate[UNITS_FORMAT_MAX];

	fprintf(out, " %6u %11s %10" PRIu64 " %10" PRIu64 " %8" PRIu64, c->active_queues,
		report_format_rate(rate, sizeof(rate), c->share_bytes_s * 8), c->syncs,
		c->reservations, c->share_changes);
}

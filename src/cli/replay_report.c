/* SPDX-License-Identifier: BSD-3-Clause */
/* See replay_report.h. */
#include "cli/replay_report.h"

#include <inttypes.h>

#include <jansson.h>

#include "report/report.h"

void replay_report_json(FILE *out, const struct replay_result *r, enum cake_diffserv mode)
{
	json_t *root = json_object();

	report_set_number(root, "received", r->received);
	report_set_number(root, "segments_added", r->segments_added);
	report_set_number(root, "sent", r->stats.packets);
	report_set_number(root, "dropped", r->stats.drops);
	report_set_number(root, "runts", r->runts);
	report_set_number(root, "duration_ns", r->duration_ns);
	report_set_number(root, "timestamps_backwards", r->backwards);
	json_object_set_new(root, "truncated", json_boolean(r->damaged));
	json_object_set_new(root, "cake", report_cake_json(&r->stats, mode));
	json_dumpf(root, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(root);
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
	report_cake_text(out, &r->stats, mode);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See unclassified.h. */
#include "report/unclassified.h"

#include <inttypes.h>

#include "report/report.h"

json_t *report_unclassified_json(const uint64_t counts[PACKET_UNCLASSIFIED_REASONS])
{
	json_t *o = json_object();

	for (unsigned r = PACKET_CLASSIFIED + 1; r < PACKET_UNCLASSIFIED_REASONS; r++)
		report_set_number(o, packet_unclassified_name(r), counts[r]);
	return o;
}

void report_unclassified_text(FILE *out, const uint64_t counts[PACKET_UNCLASSIFIED_REASONS])
{
	const char *separator = " unclassified:";

	for (unsigned r = PACKET_CLASSIFIED + 1; r < PACKET_UNCLASSIFIED_REASONS; r++) {
		if (!counts[r])
			continue;
		fprintf(out, "%s %s %" PRIu64, separator, packet_unclassified_name(r), counts[r]);
		separator = ",";
	}
	if (*separator == ',')
		fputc('\n', out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that could not be classified, by reason; for people and programs. */
#ifndef GATEAU_REPORT_UNCLASSIFIED_H
#define GATEAU_REPORT_UNCLASSIFIED_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "packet/packet.h"

/** A new JSON object with every reason. @counts by enum packet_unclassified; NULL: no memory. */
json_t *report_unclassified_json(const uint64_t counts[PACKET_UNCLASSIFIED_REASONS]);

/** A line with the reasons that occurred; nothing if none did. */
void report_unclassified_text(FILE *out, const uint64_t counts[PACKET_UNCLASSIFIED_REASONS]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The decision log: one CSV row per decision, in the order they were made. */
#ifndef GATEAU_REPLAY_CSV_H
#define GATEAU_REPLAY_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "packet/hash.h"

/** A row; times in ns since the first arrival. */
struct csv_row {
	uint64_t idx;
	uint32_t seg;
	unsigned queue;
	uint64_t arrival_ns;
	const char *action;
	uint64_t time_ns;
	unsigned tin, flow, flow_set;
	uint64_t sojourn_ns;
	uint32_t len, adj_len;
	int ecn, dscp; /* after marking and washing; -1 = no IP */
	struct packet_hashes hashes;
};

void csv_header(FILE *f);

/** Return 0, or -errno if something could not be written, now or before. */
int csv_write(FILE *f, uint64_t order, const struct csv_row *row);
int csv_flush(FILE *f);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of metrics, and what its entries write with: openmetrics.h is what others use. */
#ifndef GATEAU_STATS_OPENMETRICS_FAMILY_H
#define GATEAU_STATS_OPENMETRICS_FAMILY_H

#include "stats/openmetrics.h"

enum family_type {
	FAMILY_GAUGE,
	FAMILY_COUNTER,
	FAMILY_HISTOGRAM,
	FAMILY_INFO,
};

/** What there is a sample of each of, and the structure its number is in. */
enum family_scope {
	SCOPE_ALL,    /* one, of struct stats_snapshot */
	SCOPE_PORT,   /* struct stats_port */
	SCOPE_QUEUE,  /* struct stats_queue */
	SCOPE_SHARE,  /* struct stats_queue, of those that share a rate */
	SCOPE_TIN,    /* struct cake_tin_stats */
	SCOPE_LCORE,  /* struct stats_worker */
	SCOPE_OTHERS, /* write() knows */
};

struct exposition;

/** A metric. The table ends with a null name. */
struct family {
	const char *name; /* without "gateau_" and what its type adds, such as "_total" */
	const char *unit; /* the end of its name, or NULL */
	const char *help;
	enum family_type type;
	enum family_scope scope;
	size_t field;      /* bytes from the start of the scope's structure */
	size_t width;      /* of the field: 1, 4 or 8 */
	unsigned decimals; /* the field counts in 10^-decimals of the unit */
	void (*write)(const struct exposition *e, const struct family *f); /* SCOPE_OTHERS */
};

extern const struct family openmetrics_families[];

/** What is being written, and whereto. */
struct exposition {
	FILE *out;
	enum openmetrics_format format;
	const struct stats_snapshot *s;
	uint64_t generation;
};

/** Labels of a sample, as text: port="a",queue="0". */
struct labels {
	size_t used;
	char text[512];
};

/** One more label; @value is escaped. What does not fit is left out. */
void labels_add(struct labels *l, const char *name, const char *value);
void labels_add_number(struct labels *l, const char *name, uint64_t value);

/** The labels of a port, of one of its queues, and of a tin (internal index) of that. */
struct labels labels_port(const struct exposition *e, unsigned port);
struct labels labels_queue(const struct exposition *e, const struct stats_queue *q);
struct labels labels_tin(const struct exposition *e, const struct stats_queue *q, unsigned tin);

/**
 * A sample.
 *
 * @param suffix  what is behind the name of the family, but for what its type adds
 * @param l       NULL: no labels
 * @param value   in 10^-decimals of the unit
 */
void write_sample(const struct exposition *e, const struct family *f, const char *suffix,
		  const struct labels *l, uint64_t value, unsigned decimals);

#endif

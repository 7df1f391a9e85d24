/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The screen of `gateau top` as lines of text: what is shown where, for a terminal of any size.
 * Pure: it is given the answers and what was chosen, and draws nothing.
 */
#ifndef GATEAU_CLI_TOP_LINES_H
#define GATEAU_CLI_TOP_LINES_H

#include <stdbool.h>

#include <jansson.h>

/** The largest screen; what is beyond stays empty. */
#define TOP_ROWS_MAX    200
#define TOP_COLUMNS_MAX 400

/** What is looked at. */
struct top_view {
	unsigned port; /* among those in the answer */
	int queue;     /* place among the port's; -1: their sum */
	bool help;
};

/** What is known. */
struct top_data {
	const json_t *now;    /* the operation "show"'s last answer; NULL: there was none yet */
	const json_t *before; /* the one before it, of the same run of gateaud, or NULL */
	const char *trouble;  /* why there is no newer one; NULL: there is */
};

/** What is printed. */
struct top_screen {
	unsigned rows, columns; /* of the terminal */
	unsigned used;          /* lines */
	char lines[TOP_ROWS_MAX][TOP_COLUMNS_MAX + 1];
	bool bold[TOP_ROWS_MAX];
};

/** Fill @s, whose rows and columns are given; @v is brought within what there is. */
void top_lines(struct top_screen *s, const struct top_data *d, struct top_view *v);

/** The view after @step ports, resp. queues, more or less; goes round. */
void top_next_port(const struct top_data *d, struct top_view *v, int step);
void top_next_queue(const struct top_data *d, struct top_view *v, int step);

#endif

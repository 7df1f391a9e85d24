/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run came to, as numbers with names, and what they should be. */
#ifndef GATEAU_SCENARIO_EXPECT_H
#define GATEAU_SCENARIO_EXPECT_H

#include <stdbool.h>

#include "phase.h"
#include "world.h"

#define EXPECTS_MAX     24
#define EXPECT_NAME_MAX 32

struct expect {
	char of[GROUP_NAME_MAX]; /* "port", "port1", or a group */
	char metric[EXPECT_NAME_MAX];
	char in[PHASE_NAME_MAX];
	char as[EXPECT_NAME_MAX]; /* its column's title; "" = from the other three */
	bool has_min, has_max;
	double min, max; /* limits included */
	bool has_rise, has_fall;
	double rise, fall; /* last row over first, first over last: at least; and from row to row
			      it does not go the other way */
};

/** A number's name, unit and meaning. */
struct metric {
	const char *name;
	const char *unit;
	const char *help;
	double (*port)(const struct world *w, const struct port *p, const struct phase *phase);
	double (*group)(const struct world *w, const struct group *g, const struct phase *phase);
};

/** NULL: there is none. The list ends with a null name. */
const struct metric *metric_find(const char *name);
extern const struct metric metrics[];

/** The number; NAN if a port, group or phase of that name, or a number of it, is not there. */
double expect_value(const struct expect *e, const struct world *w);

/** Whether @value is as it should be. */
bool expect_met(const struct expect *e, double value);

/** A column, row by row. All zero is an empty one. */
struct expect_column {
	unsigned rows;
	double first, last;
};

/** Add a row. Returns whether it goes on as it should from the one before. */
bool expect_goes_on(const struct expect *e, struct expect_column *c, double value);

/** Whether the whole column has risen or fallen as much as it should. */
bool expect_trend_met(const struct expect *e, const struct expect_column *c);

/** Its column's title. Returns @buf. */
char *expect_title(const struct expect *e, char *buf, size_t size);

#endif

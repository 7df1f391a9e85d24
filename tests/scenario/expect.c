/* SPDX-License-Identifier: BSD-3-Clause */
/* See expect.h; the numbers themselves are in metric.c. */
#include "expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct metric *metric_find(const char *name)
{
	const struct metric *m = metrics;

	while (m->name && strcmp(m->name, name) != 0)
		m++;
	return m->name ? m : NULL;
}

static const struct phase *find_phase(const struct world *w, const char *name)
{
	for (unsigned i = 0; i < w->n_phases; i++)
		if (!strcmp(w->phases[i].name, name))
			return &w->phases[i];
	return NULL;
}

static const struct group *find_group(const struct world *w, const char *name)
{
	for (unsigned i = 0; i < w->n_groups; i++)
		if (!strcmp(w->groups[i].name, name))
			return &w->groups[i];
	return NULL;
}

static const struct port *find_port(const struct world *w, const char *name)
{
	if (!strcmp(name, "port"))
		return &w->ports[0];
	return !strcmp(name, "port1") && w->params.ports > 1 ? &w->ports[1] : NULL;
}

double expect_value(const struct expect *e, const struct world *w)
{
	const struct metric *m = metric_find(e->metric);
	const struct phase *phase = find_phase(w, e->in);
	const struct group *g = find_group(w, e->of);
	const struct port *p = find_port(w, e->of);

	if (!m || !phase)
		return NAN;
	if (p && m->port)
		return m->port(w, p, phase);
	return g && m->group ? m->group(w, g, phase) : NAN;
}

bool expect_met(const struct expect *e, double value)
{
	if (isnan(value))
		return !e->has_min && !e->has_max;
	return (!e->has_min || value >= e->min) && (!e->has_max || value <= e->max);
}

/* What a row may go the other way by: rows that should be alike differ by chance. */
#define TREND_TOLERANCE 0.01

bool expect_goes_on(const struct expect *e, struct expect_column *c, double value)
{
	const double before = c->rows ? c->last : value;

	if (!c->rows++)
		c->first = value;
	c->last = value;
	if (isnan(value))
		return !e->has_rise && !e->has_fall;
	return (!e->has_rise || value >= before * (1 - TREND_TOLERANCE)) &&
	       (!e->has_fall || value <= before * (1 + TREND_TOLERANCE));
}

bool expect_trend_met(const struct expect *e, const struct expect_column *c)
{
	return (!e->has_rise || c->last >= e->rise * c->first) &&
	       (!e->has_fall || c->first >= e->fall * c->last);
}

char *expect_title(const struct expect *e, char *buf, size_t size)
{
	if (*e->as)
		snprintf(buf, size, "%s", e->as);
	else if (!strcmp(e->in, "all"))
		snprintf(buf, size, "%s.%s", e->of, e->metric);
	else
		snprintf(buf, size, "%s.%s/%s", e->of, e->metric, e->in);
	return buf;
}

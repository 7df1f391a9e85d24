/* SPDX-License-Identifier: BSD-3-Clause */
/* See top_lines.h. */
#include "cli/top_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/top_rates.h"
#include "report/report.h"

/** Two answers, reduced to what is looked at. */
struct scene {
	struct top_screen *s;
	const struct top_view *v;
	uint64_t ns; /* between the answers; 0: there is one */
	unsigned n_ports;
	const json_t *now, *before;       /* the answers */
	const json_t *port, *port_before; /* the port looked at */
	const json_t *cake, *cake_before; /* the queue of it, or the port itself */
	const json_t *queues;             /* the port's; NULL: no scheduler */
};

static void __attribute__((format(printf, 3, 4)))
put(struct top_screen *s, bool bold, const char *fmt, ...)
{
	/* The last line is for the keys. */
	va_list ap;
	char *line;

	if (s->used + 1 >= s->rows)
		return;
	line = s->lines[s->used];
	va_start(ap, fmt);
	vsnprintf(line, s->columns + 1, fmt, ap);
	va_end(ap);
	s->bold[s->used++] = bold;
}

static uint64_t number(const json_t *o, const char *key)
{
	return report_get_number(o, key);
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

/** Per second, of an object that is @was in the answer before. */
static const char *rate(char *buf, const struct scene *c, const json_t *is, const json_t *was,
			const char *key)
{
	return top_format(buf, top_rate(is, was, key, c->ns), "");
}

static const char *bits(char *buf, const struct scene *c, const json_t *is, const json_t *was,
			const char *key)
{
	return top_format(buf, 8 * top_rate(is, was, key, c->ns), "bit");
}

/** All of the numbers in an object that reasons are the keys of. */
static double sum_rate(const struct scene *c, const char *key)
{
	const json_t *was = json_object_get(c->port_before, key);
	const char *reason;
	double sum = 0;
	json_t *n;

	json_object_foreach (json_object_get(c->port, key), reason, n)
		sum += top_rate(json_object_get(c->port, key), was, reason, c->ns);
	return sum;
}

static void put_title(const struct scene *c)
{
	char up[UNITS_FORMAT_MAX];

	put(c->s, true, "gateau top - port %s (%u of %u), up %s, generation %" PRIu64,
	    text(c->port, "port"), c->v->port + 1, c->n_ports,
	    units_format_time_short(up, sizeof(up), number(c->now, "uptime_ns")),
	    number(c->now, "generation"));
}

static void put_port(const struct scene *c)
{
	const json_t *limit = json_object_get(json_object_get(c->port, "options"), "bandwidth");
	char a[TOP_CELL_MAX], b[TOP_CELL_MAX], of[TOP_CELL_MAX] = "unlimited";

	put(c->s, false, "in   %s, %s packets/s%s", bits(a, c, c->port, c->port_before, "rx_bytes"),
	    rate(b, c, c->port, c->port_before, "rx_packets"),
	    !strcmp(text(c->port, "link"), "down") ? "; LINK DOWN" : "");
	if (!c->queues)
		return;
	if (json_is_integer(limit))
		top_format(of, 8 * (double)json_integer_value(limit), "bit");
	put(c->s, false, "out  %s of %s, %s packets/s",
	    bits(a, c, c->port, c->port_before, "tx_bytes"), of,
	    rate(b, c, c->port, c->port_before, "tx_packets"));
	put(c->s, false, "drop %s packets/s in the scheduler, %s elsewhere",
	    rate(a, c, c->port, c->port_before, "drops"),
	    top_format(b, sum_rate(c, "other_drops"), ""));
}

static void put_tin(const struct scene *c, const json_t *t)
{
	const json_t *bounds = json_object_get(c->now, "sojourn_bounds_ns");
	const json_t *was = top_find(json_object_get(c->cake_before, "tins"), "name",
				     json_object_get(t, "name"));
	char arrives[TOP_CELL_MAX], packets[TOP_CELL_MAX], half[TOP_CELL_MAX], most[TOP_CELL_MAX];
	char backlog[TOP_CELL_MAX], drops[TOP_CELL_MAX], marks[TOP_CELL_MAX];

	put(c->s, false, "%-11s %8s %6s %7s %7s %8s %7s %7s %4" PRIu64 " %4" PRIu64,
	    text(t, "name"), bits(arrives, c, t, was, "sent_bytes"),
	    rate(packets, c, t, was, "sent_packets"), top_format_wait(half, t, was, bounds, 500),
	    top_format_wait(most, t, was, bounds, 990),
	    top_format(backlog, (double)number(t, "backlog_bytes"), "b"),
	    rate(drops, c, t, was, "drops"), rate(marks, c, t, was, "ecn_mark"),
	    number(t, "sparse_flows"), number(t, "bulk_flows"));
}

static void put_tins(const struct scene *c)
{
	json_t *t;
	size_t i;

	put(c->s, true, "%-11s %8s %6s %7s %7s %8s %7s %7s %4s %4s", "tin", "arrives", "pkts/s",
	    "wait50%", "wait99%", "backlog", "drops/s", "marks/s", "sp", "bk");
	json_array_foreach (json_object_get(c->cake, "tins"), i, t)
		put_tin(c, t);
}

static void put_queue(const struct scene *c, const char *name, const json_t *q, bool chosen)
{
	const json_t *was = c->port_before, *share = json_object_get(q, "share");
	char out[TOP_CELL_MAX], packets[TOP_CELL_MAX], backlog[TOP_CELL_MAX], drops[TOP_CELL_MAX];
	char marks[TOP_CELL_MAX], part[TOP_CELL_MAX] = "";

	if (q != c->port)
		was = top_find(json_object_get(c->port_before, "queues"), "queue",
			       json_object_get(q, "queue"));
	if (json_is_object(share))
		top_format(part, 8 * (double)number(share, "share_rate"), "bit");
	put(c->s, chosen, "%c %-9s %9s %8s %8s %8s %8s %9s%s", chosen ? '>' : ' ', name,
	    bits(out, c, q, was, "tx_bytes"), rate(packets, c, q, was, "tx_packets"),
	    top_format(backlog, (double)number(q, "backlog"), "b"), rate(drops, c, q, was, "drops"),
	    rate(marks, c, q, was, "ecn_marked"), part,
	    json_is_true(json_object_get(q, "stalled")) ? " STALLED" : "");
}

/** Those around the chosen one that fit in @room lines, the sum first. */
static void put_queues(const struct scene *c, unsigned room)
{
	const int n = (int)json_array_size(c->queues);
	char name[TOP_CELL_MAX];
	int first = 0, fit;

	if (n < 2 || room < 3)
		return;
	put(c->s, true, "  %-9s %9s %8s %8s %8s %8s %9s", "queue", "out", "pkts/s", "backlog",
	    "drops/s", "marks/s", "part");
	put_queue(c, "all", c->port, c->v->queue < 0);
	fit = (int)room - 2;
	if (c->v->queue >= fit)
		first = c->v->queue - fit + 1;
	for (int i = first; i < n && i < first + fit; i++) {
		const json_t *q = json_array_get(c->queues, (size_t)i);

		snprintf(name, sizeof(name), "%" PRIu64 " CPU %" PRIu64, number(q, "queue"),
			 number(q, "cpu"));
		put_queue(c, name, q, i == c->v->queue);
	}
}

#define LCORE_WIDTH 14

static unsigned lcores_per_line(const struct top_screen *s)
{
	return s->columns < 2 * LCORE_WIDTH ? 1 : s->columns / LCORE_WIDTH;
}

static void put_lcores(const struct scene *c)
{
	const json_t *lcores = json_object_get(c->now, "lcores");
	const double hz = (double)number(json_object_get(c->now, "clock"), "hz");
	const unsigned per_line = lcores_per_line(c->s);
	char line[TOP_COLUMNS_MAX + 1] = "";
	json_t *l;
	size_t i;

	json_array_foreach (lcores, i, l) {
		const json_t *was = top_find(json_object_get(c->before, "lcores"), "cpu",
					     json_object_get(l, "cpu"));
		const double busy = top_rate(l, was, "busy_cycles", c->ns) * 100 / hz;
		const size_t used = strlen(line);

		snprintf(line + used, sizeof(line) - used, "CPU %-4" PRIu64 "%3.0f%%  ",
			 number(l, "cpu"), busy);
		if ((i + 1) % per_line && i + 1 < json_array_size(lcores))
			continue;
		put(c->s, false, "%s", line);
		*line = 0;
	}
}

static void put_help(struct top_screen *s)
{
	static const char *const lines[] = {
		"left, right, Tab   another port",
		"up, down           a TX queue by itself, or all of the port",
		"?                  this, or back",
		"q, Esc             quit",
		"",
		"All is of the time since the screen before. Of a tin:",
		"arrives   bits per second that came into it",
		"wait50%   half of the packets that left had waited for less than that,",
		"wait99%   99 of 100 for less than that",
		"sp, bk    flows: sparse ones, and those with a queue",
		"Of a queue: part is the part of the rate that its tins go by.",
		"Of a CPU: the share of time in which its worker moved packets.",
	};

	put(s, true, "gateau top: help");
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		put(s, false, "%s", lines[i]);
}

static const json_t *ports_of(const struct top_data *d)
{
	return json_object_get(d->now, "ports");
}

static const json_t *queues_of(const struct top_data *d, const struct top_view *v)
{
	return json_object_get(json_array_get(ports_of(d), v->port), "queues");
}

/** What was chosen may be gone since. */
static void limit_view(const struct top_data *d, struct top_view *v)
{
	if (v->port >= json_array_size(ports_of(d)))
		v->port = 0;
	if (v->queue >= (int)json_array_size(queues_of(d, v)))
		v->queue = -1;
}

static void set_scene(struct scene *c, struct top_screen *s, const struct top_data *d,
		      const struct top_view *v)
{
	*c = (struct scene){.s = s, .v = v, .now = d->now, .before = d->before};
	c->n_ports = (unsigned)json_array_size(ports_of(d));
	c->port = json_array_get(ports_of(d), v->port);
	c->port_before = top_find(json_object_get(d->before, "ports"), "port",
				  json_object_get(c->port, "port"));
	if (d->before)
		c->ns = number(d->now, "uptime_ns") - number(d->before, "uptime_ns");
	c->queues = json_object_get(c->port, "queues");
	c->cake = c->port;
	c->cake_before = c->port_before;
	if (v->queue < 0)
		return;
	c->cake = json_array_get(c->queues, (size_t)v->queue);
	c->cake_before = top_find(json_object_get(c->port_before, "queues"), "queue",
				  json_object_get(c->cake, "queue"));
}

static void put_scene(const struct scene *c)
{
	const unsigned lcores = (unsigned)json_array_size(json_object_get(c->now, "lcores"));
	const unsigned per_line = lcores_per_line(c->s);
	const unsigned below = (lcores + per_line - 1) / per_line + 3; /* two blanks, the keys */

	put_port(c);
	put(c->s, false, "%s", "");
	if (c->queues) {
		put_tins(c);
		put(c->s, false, "%s", "");
		if (c->s->rows > c->s->used + below)
			put_queues(c, c->s->rows - c->s->used - below);
		put(c->s, false, "%s", "");
	}
	put_lcores(c);
}

/** The last line of the screen, whatever is above it. */
static void put_keys(struct top_screen *s)
{
	if (!s->rows)
		return;
	while (s->used + 1 < s->rows)
		put(s, false, "%s", "");
	snprintf(s->lines[s->used], s->columns + 1, "%s", "q quit  arrows port and queue  ? help");
	s->bold[s->used++] = true;
}

void top_lines(struct top_screen *s, const struct top_data *d, struct top_view *v)
{
	struct scene c;

	s->used = 0;
	s->rows = s->rows < TOP_ROWS_MAX ? s->rows : TOP_ROWS_MAX;
	s->columns = s->columns < TOP_COLUMNS_MAX ? s->columns : TOP_COLUMNS_MAX;
	limit_view(d, v);
	set_scene(&c, s, d, v);
	if (v->help) {
		put_help(s);
	} else {
		if (d->now)
			put_title(&c);
		else
			put(s, true, "gateau top");
		if (d->trouble)
			put(s, true, "NO ANSWER, trying again: %s", d->trouble);
		if (d->now)
			put_scene(&c);
	}
	put_keys(s);
}

void top_next_port(const struct top_data *d, struct top_view *v, int step)
{
	const int n = (int)json_array_size(ports_of(d));

	if (n)
		v->port = (unsigned)(((int)v->port + step + n) % n);
	v->queue = -1;
}

void top_next_queue(const struct top_data *d, struct top_view *v, int step)
{
	/* Their sum is a place as well. */
	const int n = (int)json_array_size(queues_of(d, v)) + 1;

	v->queue = (v->queue + 1 + step + n) % n - 1;
}

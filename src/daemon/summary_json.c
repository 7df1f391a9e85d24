/* SPDX-License-Identifier: BSD-3-Clause */
/* See summary.h: the form for programs. Its keys are documented in docs/operations.md. */
#include "daemon/summary.h"

#include <errno.h>

#include <jansson.h>

#include "base/version.h"
#include "report/report.h"
#include "stats/json.h"

static json_t *drops_json(const struct stats_port *p)
{
	json_t *o = json_object();

	for (unsigned r = 0; r < STATS_REASONS; r++)
		report_set_number(o, stats_reason_name(r), p->dropped[r]);
	return o;
}

static json_t *queue_json(const struct stats_queue *q, enum cake_diffserv mode)
{
	json_t *o = stats_queue_counts_json(q);

	report_set_number(o, "device_full", q->device_full);
	json_object_set_new(o, "scheduler", report_cake_json(&q->cake, mode));
	return o;
}

/** What its queues' schedulers did together; of a tin also what never reached one. */
static json_t *scheduler_json(const struct stats_port *p, enum cake_diffserv mode)
{
	json_t *o = report_cake_json(&p->cake, mode);

	for (unsigned i = 0; i < p->cake.tin_cnt; i++)
		report_set_number(json_array_get(json_object_get(o, "tins"), i), "shed",
				  p->shed[cake_tin_order(mode, i)]);
	return o;
}

static json_t *port_json(const struct stats_snapshot *s, unsigned at)
{
	const struct config_port *c = &s->config->ports[at];
	const struct stats_port *p = &s->ports[at];
	enum cake_diffserv mode = c->scheduler.cake.diffserv;
	json_t *o = stats_port_counts_json(p), *queues = json_array();

	json_object_set_new(o, "name", json_string(c->name));
	json_object_set_new(o, "device", json_string(c->device));
	json_object_set_new(o, "drops", drops_json(p));
	report_set_number(o, "device_full", p->device_full);
	json_object_set_new(o, "scheduler", p->n_queues ? scheduler_json(p, mode) : json_null());
	for (unsigned i = 0; i < p->n_queues; i++)
		json_array_append_new(queues, queue_json(&s->queues[p->first_queue + i], mode));
	json_object_set_new(o, "queues", queues);
	return o;
}

static json_t *balance_json(const struct stats_snapshot *s)
{
	json_t *o = stats_balance_json(s);

	json_object_set_new(o, "balanced", json_boolean(stats_difference(s) == 0));
	return o;
}

static json_t *mbufs_json(const struct stats_snapshot *s)
{
	json_t *o = json_object();

	report_set_number(o, "total", s->mbufs);
	report_set_number(o, "lost", s->mbufs_lost);
	return o;
}

int summary_print_json(const struct stats_snapshot *s, FILE *out)
{
	json_t *o = json_object(), *ports = json_array(), *lcores = json_array();
	int ret = 0;

	for (unsigned i = 0; i < s->config->n_ports; i++)
		json_array_append_new(ports, port_json(s, i));
	for (unsigned i = 0; i < s->n_workers; i++)
		json_array_append_new(lcores, stats_lcore_json(&s->workers[i]));
	json_object_set_new(o, "version", json_string(GATEAU_VERSION));
	report_set_number(o, "uptime_ns", s->uptime_ns);
	json_object_set_new(o, "clock", stats_clock_json(s));
	json_object_set_new(o, "ports", ports);
	json_object_set_new(o, "lcores", lcores);
	json_object_set_new(o, "balance", balance_json(s));
	json_object_set_new(o, "mbufs", mbufs_json(s));
	if (!o || json_dumpf(o, out, JSON_INDENT(2)) || fputc('\n', out) == EOF)
		ret = o ? -EIO : -ENOMEM;
	json_decref(o);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See show.h. */
#include "ctl/show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "report/report.h"
#include "stats/flows_json.h"
#include "stats/json.h"

int show_collect(struct ctl *ctl)
{
	dataplane_read_nics(ctl->dp);
	return stats_collect(&ctl->stats, ctl->dp, STATS_LIVE, ctl_uptime_ns(ctl));
}

static int unknown_port(const struct gateau_config *cfg, const char *name, struct ops_error *err)
{
	char names[sizeof(err->text) / 2] = "";
	size_t used = 0;

	/* As many as fit: 32 names of 31 bytes would not. */
	for (unsigned i = 0; i < cfg->n_ports && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 cfg->ports[i].name);
	return ops_fail(err, -ENOENT, "no port \"%.*s\"; there are: %s", CONFIG_NAME_MAX, name,
			names);
}

int show_find_port(const struct ctl *ctl, const json_t *request, struct ops_error *err)
{
	const struct gateau_config *cfg = ctl->dp->config;
	const char *name = json_string_value(json_object_get(request, "port"));

	if (!name)
		return ops_fail(err, -EINVAL, "\"port\" is to be a string");
	for (unsigned i = 0; i < cfg->n_ports; i++)
		if (!strcmp(cfg->ports[i].name, name))
			return (int)i;
	return unknown_port(cfg, name, err);
}

static json_t *ports_json(struct ctl *ctl, unsigned first, unsigned end, bool stats)
{
	json_t *ports = json_array();

	for (unsigned i = first; i < end; i++)
		json_array_append_new(ports, stats ? stats_port_json(&ctl->stats, ctl->dp, i)
						   : stats_port_options_json(ctl->dp, i));
	return ports;
}

static json_t *balance_json(const struct stats_snapshot *s)
{
	json_t *o = stats_balance_json(s);

	report_set_number(o, "moved", s->moved);
	return o;
}

/** What is no port's. */
static void set_whole(json_t *o, const struct stats_snapshot *s)
{
	json_t *lcores = json_array();

	for (unsigned i = 0; i < s->n_workers; i++)
		json_array_append_new(lcores, stats_lcore_json(&s->workers[i]));
	json_object_set_new(o, "sojourn_bounds_ns", stats_sojourn_bounds_json());
	json_object_set_new(o, "clock", stats_clock_json(s));
	json_object_set_new(o, "lcores", lcores);
	json_object_set_new(o, "balance", balance_json(s));
}

int show_ports(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	const bool stats = json_is_true(json_object_get(request, "stats"));
	unsigned first = 0, end = ctl->dp->config->n_ports;
	int ret;

	if (json_object_get(request, "port")) {
		ret = show_find_port(ctl, request, err);
		if (ret < 0)
			return ret;
		first = (unsigned)ret;
		end = first + 1;
	}
	ret = stats ? show_collect(ctl) : 0;
	if (ret)
		return ret;
	*result =
		json_pack("{s:s, s:I, s:I, s:o}", "version", GATEAU_VERSION, "uptime_ns",
			  (json_int_t)ctl_uptime_ns(ctl), "generation", (json_int_t)ctl->generation,
			  "ports", ports_json(ctl, first, end, stats));
	if (*result && stats)
		set_whole(*result, &ctl->stats);
	return *result ? 0 : -ENOMEM;
}

#define FLOWS_DEFAULT 10

/** How many are asked for; -EINVAL, said in @err. */
static int most_flows(const json_t *request, struct ops_error *err)
{
	const json_t *most = json_object_get(request, "most");
	const json_int_t n = json_integer_value(most);

	if (!most)
		return FLOWS_DEFAULT;
	if (n < 1 || n > FLOWS_MAX)
		return ops_fail(err, -EINVAL, "\"most\" is to be an integer, 1 to %u", FLOWS_MAX);
	return (int)n;
}

int show_flows(struct ctl *ctl, const json_t *request, json_t **result, struct ops_error *err)
{
	const int most = most_flows(request, err);
	struct flows f;
	int port = -1, ret;

	if (most < 0)
		return most;
	if (json_object_get(request, "port")) {
		port = show_find_port(ctl, request, err);
		if (port < 0)
			return port;
	}
	ret = flows_collect(&f, ctl->dp, port, (unsigned)most);
	if (!ret)
		*result = flows_json(&f, ctl->dp->config, (unsigned)most);
	flows_free(&f);
	return ret || *result ? ret : -ENOMEM;
}

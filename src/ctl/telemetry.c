/* SPDX-License-Identifier: BSD-3-Clause */
/* See telemetry.h. DPDK has no way to take a command back, so each looks whether gateaud still
 * runs. */
#include "ctl/telemetry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>
#include <rte_telemetry.h>

#include "base/log.h"
#include "ctl/telemetry_data.h"

/** A command: the operation it is, and what of its result it answers. */
struct command {
	const char *path, *op;
	json_t *(*pick)(json_t *result, const char *queue); /* borrowed; NULL: there is none such */
	const char *help;
};

static json_t *pick_all(json_t *result, const char *queue)
{
	(void)queue;
	return result;
}

/** The port that was asked for, without its queues, which would be too much; or one of them. */
static json_t *pick_port(json_t *result, const char *queue)
{
	json_t *port = json_array_get(json_object_get(result, "ports"), 0);
	json_t *queues = json_object_get(port, "queues"), *q;
	size_t i;

	if (!queue) {
		json_object_del(port, "queues");
		return port;
	}
	json_array_foreach (queues, i, q)
		if (json_integer_value(json_object_get(q, "queue")) == atoi(queue))
			return q;
	return NULL;
}

static json_t *pick_workers(json_t *result, const char *queue)
{
	json_t *ports = json_object_get(result, "ports");

	(void)queue;
	json_array_clear(ports);
	return result;
}

static const struct command commands[] = {
	{"/gateau/version", "version", pick_all, "Version, process and uptime. No parameters."},
	{"/gateau/show", "show", pick_port,
	 "Statistics of a port, or of one of its TX queues. Parameters: PORT[,QUEUE]"},
	{"/gateau/workers", "show", pick_workers,
	 "Statistics of the workers, the clock and the balance. No parameters."},
	{"/gateau/config", "config", pick_all, "The configuration in force. No parameters."},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ctl *attached; /* by telemetry_open(); NULL: gateaud does not run */

static const struct command *find_command(const char *path)
{
	for (unsigned i = 0; i < RTE_DIM(commands); i++)
		if (!strcmp(commands[i].path, path))
			return &commands[i];
	return NULL;
}

/** @port may be NULL. */
static json_t *make_request(const struct command *c, const char *port)
{
	json_t *request = json_pack("{s:s, s:b}", "op", c->op, "stats", 1);

	if (c->pick == pick_port)
		json_object_set_new(request, "port", json_string(port ? port : ""));
	return request;
}

static void set_error(struct rte_tel_data *out, const char *text)
{
	rte_tel_data_start_dict(out);
	rte_tel_data_add_dict_string(out, "error", text);
}

static int set_answer(struct rte_tel_data *out, const struct command *c, const json_t *answer,
		      const char *queue)
{
	json_t *result = json_object_get(answer, "result");
	const char *why = json_string_value(json_object_get(answer, "error"));
	char text[RTE_TEL_MAX_STRING_LEN];
	json_t *picked = result ? c->pick(result, queue) : NULL;
	int ret;

	if (!picked) {
		strlcpy(text, why ? why : "no such queue", sizeof(text));
		set_error(out, text);
		return 0;
	}
	ret = telemetry_data_set(out, picked);
	if (ret == -E2BIG) {
		set_error(out, "too much for telemetry: gateau(1) has it");
		ret = 0;
	}
	return ret;
}

static int run(const struct command *c, const char *port, const char *queue,
	       struct rte_tel_data *out)
{
	json_t *request = make_request(c, port);
	json_t *answer = ops_run(attached, request);
	int ret = answer ? set_answer(out, c, answer, queue) : -ENOMEM;

	json_decref(answer);
	json_decref(request);
	return ret;
}

static int on_command(const char *path, const char *params, struct rte_tel_data *out)
{
	const struct command *c = find_command(path);
	char text[RTE_TEL_MAX_STRING_LEN], *at = text, *port;
	int ret = -ESHUTDOWN;

	strlcpy(text, params ? params : "", sizeof(text));
	port = strsep(&at, ",");
	pthread_mutex_lock(&lock);
	if (c && attached)
		ret = run(c, port, at, out);
	pthread_mutex_unlock(&lock);
	return ret;
}

void telemetry_open(struct ctl *ctl)
{
	pthread_mutex_lock(&lock);
	attached = ctl;
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < RTE_DIM(commands); i++)
		if (rte_telemetry_register_cmd(commands[i].path, on_command, commands[i].help))
			log_warning("telemetry has no room for %s", commands[i].path);
}

void telemetry_close(void)
{
	pthread_mutex_lock(&lock);
	attached = NULL;
	pthread_mutex_unlock(&lock);
}

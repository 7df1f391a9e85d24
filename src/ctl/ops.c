/* SPDX-License-Identifier: BSD-3-Clause */
/* See ops.h. */
#include "ctl/ops.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "base/version.h"
#include "ctl/configure.h"
#include "ctl/show.h"

struct op {
	const char *name;
	ops_fn run;
};

static int op_version(struct ctl *ctl, const json_t *request, json_t **result,
		      struct ops_error *err)
{
	(void)request;
	(void)err;
	*result = json_pack("{s:s, s:i, s:I}", "version", GATEAU_VERSION, "pid", (int)getpid(),
			    "uptime_ns", (json_int_t)ctl_uptime_ns(ctl));
	return *result ? 0 : -ENOMEM;
}

/* In the order of docs/operations.md. */
static const struct op ops[] = {
	{"version", op_version},      {"show", show_ports},     {"flows", show_flows},
	{"config", configure_show},   {"diff", configure_diff}, {"set", configure_set},
	{"reload", configure_reload},
};

int ops_fail(struct ops_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

void ctl_init(struct ctl *ctl, struct dataplane *dp, const char *file, uint64_t now)
{
	*ctl = (struct ctl){.dp = dp, .file = file, .start_ns = now, .generation = 1};
	pthread_mutex_init(&ctl->lock, NULL);
}

void ctl_fini(struct ctl *ctl)
{
	stats_free(&ctl->stats);
	pthread_mutex_destroy(&ctl->lock);
}

uint64_t ctl_uptime_ns(const struct ctl *ctl)
{
	return tsc_clock_convert(&ctl->dp->clock, rte_rdtsc()) - ctl->start_ns;
}

/** A token of the client's is quoted no longer than this. */
#define QUOTE_MAX 32

static const struct op *find_op(const json_t *request, struct ops_error *err)
{
	const char *name = json_string_value(json_object_get(request, "op"));

	if (!name) {
		ops_fail(err, -EINVAL, "a request is an object with \"op\", a string");
		return NULL;
	}
	for (unsigned i = 0; i < RTE_DIM(ops); i++)
		if (!strcmp(ops[i].name, name))
			return &ops[i];
	ops_fail(err, -ENOENT, "no operation \"%.*s\"", QUOTE_MAX, name);
	return NULL;
}

json_t *ops_run(struct ctl *ctl, const json_t *request)
{
	struct ops_error err = {0};
	const struct op *op = find_op(request, &err);
	json_t *result = NULL;
	int ret = -EINVAL;

	if (op) {
		pthread_mutex_lock(&ctl->lock);
		ret = op->run(ctl, request, &result, &err);
		pthread_mutex_unlock(&ctl->lock);
	}
	if (!ret)
		return json_pack("{s:b, s:o}", "ok", 1, "result", result);
	if (!*err.text)
		ops_fail(&err, ret, "%s", strerror(-ret));
	/* Words of a client may be cut in the middle of a character. */
	json_t *text = json_string(err.text);

	return json_pack("{s:b, s:o}", "ok", 0, "error",
			 text ? text : json_string("the request's text is no UTF-8"));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* From a file to structs, by tables as the configuration's: keys.c. Rules here look at more. */
#include "scenario.h"

#include <errno.h>
#include <string.h>

#include "config/parse.h"
#include "keys.h"
#include "memory.h"
#include "txq/shed.h"

int scenario_load(const char *path, bool brief, json_t *values, int64_t seed,
		  struct scenario_file *out, struct config_error *err)
{
	int rc;

	memset(out, 0, sizeof(*out));
	out->seed = seed;
	rc = config_document_load(path, &out->doc, err);
	if (rc)
		return rc;
	out->root = json_copy(out->doc.root);
	must_have(out->root);
	if (!json_is_object(out->root))
		rc = config_fault(&out->doc, "", err, "not an object");
	else
		rc = sweep_init(&out->sweep, &out->doc, out->root, brief, values, err);
	if (rc)
		scenario_close(out);
	return rc;
}

void scenario_close(struct scenario_file *f)
{
	sweep_fini(&f->sweep);
	json_decref(f->root);
	config_document_close(&f->doc);
}

/** "min" and "max" may be fractions, which the configuration's tables do not know. */
static int take_limit(const struct config_document *doc, const char *path, json_t *entry,
		      const char *name, bool *has, double *limit, struct config_error *err)
{
	json_t *value = json_object_get(entry, name);
	char inner[CONFIG_PATH_MAX];

	*has = value != NULL;
	if (!value)
		return 0;
	snprintf(inner, sizeof(inner), "%s.%s", path, name);
	if (!json_is_number(value))
		return config_fault(doc, inner, err, "must be a number");
	*limit = json_number_value(value);
	json_object_del(entry, name);
	return 0;
}

static int parse_expect(const struct config_document *doc, size_t i, json_t *entry,
			struct expect *out, struct config_error *err)
{
	char path[CONFIG_PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "expect[%zu]", i);
	if (!json_is_object(entry))
		return config_fault(doc, path, err, "must be an object");
	rc = take_limit(doc, path, entry, "min", &out->has_min, &out->min, err);
	if (!rc)
		rc = take_limit(doc, path, entry, "max", &out->has_max, &out->max, err);
	if (!rc)
		rc = take_limit(doc, path, entry, "rise", &out->has_rise, &out->rise, err);
	if (!rc)
		rc = take_limit(doc, path, entry, "fall", &out->has_fall, &out->fall, err);
	if (!rc)
		rc = config_parse_keys(doc, path, keys_expect, entry, out, err);
	if (!rc && !metric_find(out->metric)) {
		strcat(path, ".metric");
		rc = config_fault(doc, path, err, "no such number; --metrics lists them");
	}
	return rc;
}

static int parse_expects(const struct config_document *doc, json_t *root, struct scenario *out,
			 struct config_error *err)
{
	json_t *array = json_object_get(root, "expect");
	int rc = 0;

	if (!json_is_array(array) || !json_array_size(array) ||
	    json_array_size(array) > EXPECTS_MAX)
		return config_fault(doc, "expect", err, "must be an array of 1..%u objects",
				    EXPECTS_MAX);
	out->n_expects = (unsigned)json_array_size(array);
	for (size_t i = 0; !rc && i < out->n_expects; i++)
		rc = parse_expect(doc, i, json_array_get(array, i), &out->expects[i], err);
	json_object_del(root, "expect");
	return rc;
}

static int check_sender(const struct config_document *doc, unsigned i, const struct scenario *s,
			struct config_error *err)
{
	const struct sender_params *p = &s->senders[i];
	char path[CONFIG_PATH_MAX];
	const char *fault = NULL;

	snprintf(path, sizeof(path), "senders[%u]", i);
	if (!!*p->load + !!p->bps + !!p->interval_ns + !!p->window != 1)
		fault = "give one of load, rate, interval and window";
	else if (*p->load && !s->scheduler.cake.bandwidth_bps)
		fault = "load is of the scheduler's bandwidth, which is unlimited";
	else if (p->zipf && !*p->load && !p->bps)
		fault = "zipf deals out a load or a rate";
	else if (p->window && (p->burst > 1 || p->jitter || p->on_ns || p->spray))
		fault = "a window is no matter of time: no burst, jitter, on, off or spray";
	else if (!p->on_ns != !p->off_ns)
		fault = "on and off go together";
	else if (p->port >= s->world.ports)
		fault = "there is no such port";
	else if (p->hosts > p->flows || p->dst_hosts > p->flows)
		fault = "more hosts than flows";
	return fault ? config_fault(doc, path, err, "%s", fault) : 0;
}

static unsigned lcores(const struct world_params *p)
{
	return p->apart ? p->rx_lcores + p->tx_lcores : RTE_MAX(p->rx_lcores, p->tx_lcores);
}

static int check(const struct config_document *doc, struct scenario *s, struct config_error *err)
{
	int rc = 0;

	if (lcores(&s->world) > SHED_LCORES_MAX)
		return config_fault(doc, "box", err, "more than %u lcores", SHED_LCORES_MAX);

	for (unsigned i = 0; !rc && i < s->n_senders; i++)
		rc = check_sender(doc, i, s, err);
	if (!rc && !s->n_senders && !s->n_tcp && !s->n_probes)
		rc = config_fault(doc, "", err, "nobody sends: give senders, tcp or probes");
	if (!rc && (s->n_tcp || s->n_probes) && s->world.ports < 2)
		rc = config_fault(doc, s->n_tcp ? "tcp" : "probes", err,
				  "needs \"ports\": 2, one each way");
	for (unsigned i = 0; !rc && i < s->n_phases; i++)
		if (s->phases[i].from >= s->phases[i].until ||
		    s->phases[i].until > s->world.duration)
			rc = config_fault(doc, "phases", err,
					  "\"%s\" does not end after it begins and before the run",
					  s->phases[i].name);
	return rc;
}

/** The first is the whole run. */
static void add_whole_run(struct scenario *s)
{
	memmove(s->phases + 1, s->phases, s->n_phases * sizeof(*s->phases));
	s->phases[0] = (struct phase){.name = "all", .until = s->world.duration};
	s->n_phases++;
}

/* In the daemon the MTU says how long a frame may be, which slots and quanta follow. */
static void allow_frames(struct scenario *s)
{
	struct cake_params *cake = &s->world.cake;

	for (unsigned i = 0; i < s->n_senders; i++)
		for (unsigned k = 0; k < s->senders[i].n_sizes; k++)
			if (s->senders[i].sizes[k] > cake->max_frame)
				cake->max_frame = (uint32_t)s->senders[i].sizes[k];
}

int scenario_parse(const struct scenario_file *f, struct scenario *out, struct config_error *err)
{
	json_t *root = sweep_fill(&f->sweep, f->root, err);
	json_t *scheduler;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!root)
		return -EINVAL;
	cost_default(&out->world.cost);
	scheduler = json_incref(json_object_get(root, "scheduler"));
	rc = config_parse_scheduler(&f->doc, "scheduler", scheduler, &out->scheduler, err);
	json_decref(scheduler);
	json_object_del(root, "scheduler");
	if (!rc)
		rc = parse_expects(&f->doc, root, out, err);
	if (!rc)
		rc = config_parse_keys(&f->doc, "", keys_scenario(), root, out, err);
	if (!rc)
		rc = check(&f->doc, out, err);
	if (!rc)
		add_whole_run(out);
	out->world.cake = out->scheduler.cake;
	if (!rc)
		allow_frames(out);
	if (f->seed >= 0)
		out->world.seed = (uint32_t)f->seed;
	json_decref(root);
	return rc;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Cross references and combinations: what is accepted must be in force. */
#include "config/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config/names.h"
#include "config/rules.h"
#include "config/schema.h"

/*
 * A limit that no full frame fits in would drop all of them: 4 KiB, one mbuf of 2 KiB and to spare.
 */
#define PORT_MEMLIMIT_MIN 4096

/* Longest here: "ports[31].rx_lcores[63]" and "ports[31].scheduler.catch-up". */
#define PLACE_MAX 64

struct validator {
	const struct config_document *doc;
	struct gateau_config *cfg;
	struct config_error *err;
};

/** config_fault() at ports[@port].@key. */
static int __attribute__((format(printf, 4, 5)))
port_fault(const struct validator *v, unsigned port, const char *key, const char *fmt, ...)
{
	char place[PLACE_MAX];
	va_list args;
	int rc;

	snprintf(place, sizeof(place), "ports[%u]%s%s", port, *key ? "." : "", key);
	va_start(args, fmt);
	rc = config_vfault(v->doc, place, v->err, fmt, args);
	va_end(args);
	return rc;
}

static bool same_device(const char *a, const char *b)
{
	size_t len = config_device_name_length(a);

	/* PCI addresses are equal in either case of their hex digits; vdevs have lower case only */
	return len == config_device_name_length(b) && !strncasecmp(a, b, len);
}

/** Both would take every frame of the interface, and send it back where it came from. */
static bool same_interface(const char *a, const char *b)
{
	size_t a_len, b_len;
	const char *a_name = config_device_interface(a, &a_len);
	const char *b_name = config_device_interface(b, &b_len);

	return a_name && b_name && a_len == b_len && !memcmp(a_name, b_name, a_len);
}

static int check_unique(const struct validator *v, unsigned port)
{
	const struct config_port *p = &v->cfg->ports[port];

	for (unsigned i = 0; i < port; i++) {
		const struct config_port *other = &v->cfg->ports[i];

		if (!strcmp(p->name, other->name))
			return port_fault(v, port, "name", "\"%s\": ports[%u] has this name, too",
					  p->name, i);
		if (same_device(p->device, other->device))
			return port_fault(v, port, "device",
					  "\"%s\": ports[%u] has this device, too", p->device, i);
		if (same_interface(p->device, other->device))
			return port_fault(v, port, "device",
					  "\"%s\": ports[%u] has this interface, too", p->device,
					  i);
	}
	return 0;
}

/**
 * A NIC writes to buffers by addresses that DPDK knows for hugepages only: without, it would start,
 * and every frame be lost.
 */
static int check_memory(const struct validator *v, unsigned port)
{
	const struct config_port *p = &v->cfg->ports[port];

	if (v->cfg->eal.hugepages || !config_device_is_pci(p->device))
		return 0;
	return port_fault(v, port, "device",
			  "\"%s\": a PCI device needs hugepages, and eal.hugepages is false",
			  p->device);
}

static bool is_worker(const struct config_eal *eal, uint16_t cpu)
{
	for (unsigned i = 0; i < eal->n_lcores; i++) {
		if (eal->lcores[i] == cpu)
			return true;
	}
	return !eal->n_lcores; /* every CPU may be one */
}

static int worker_fault(const struct validator *v, unsigned port, const char *key, uint16_t cpu)
{
	const struct config_eal *eal = &v->cfg->eal;
	char list[256] = "", number[16];

	for (unsigned i = 0; i < eal->n_lcores; i++) {
		snprintf(number, sizeof(number), "%s%u", i ? ", " : "", eal->lcores[i]);
		strlcat(list, number, sizeof(list));
	}
	return port_fault(v, port, key, "%u: not in eal.lcores; accepted: %s", cpu, list);
}

/** Of the workers that a port's "rx_lcores" or "tx_lcores", @key, names for @queues @kind queues.
 */
static int check_lcores(const struct validator *v, unsigned port, const char *key,
			const uint16_t *cpus, unsigned n_cpus, const char *kind, unsigned queues)
{
	char entry[PLACE_MAX];

	if (n_cpus && n_cpus != queues)
		return port_fault(
			v, port, key, "%u entr%s for %u %s queue%s; accepted: one CPU per queue",
			n_cpus, n_cpus == 1 ? "y" : "ies", queues, kind, queues == 1 ? "" : "s");
	for (unsigned i = 0; i < n_cpus; i++) {
		if (is_worker(&v->cfg->eal, cpus[i]))
			continue;
		snprintf(entry, sizeof(entry), "%s[%u]", key, i);
		return worker_fault(v, port, entry, cpus[i]);
	}
	return 0;
}

static int check_workers(const struct validator *v, unsigned port)
{
	const struct config_port *p = &v->cfg->ports[port];
	int rc = check_lcores(v, port, "rx_lcores", p->rx_lcores, p->n_rx_lcores, "RX",
			      p->rx_queues);

	return rc ? rc
		  : check_lcores(v, port, "tx_lcores", p->tx_lcores, p->n_tx_lcores, "TX",
				 p->tx_queues);
}

/** Combinations that several TX queues do not have, and what steers unless the file says it. */
static int check_tx_queues(const struct validator *v, unsigned port)
{
	struct config_port *p = &v->cfg->ports[port];
	const struct cake_params *s = &p->scheduler.cake;

	if (p->tx_queues > 1 && s->autorate_ingress)
		return port_fault(v, port, "scheduler.autorate-ingress",
				  "true: %u TX queues share one rate, which cannot follow what "
				  "arrives at each; use \"tx_queues\": 1, or leave it out",
				  p->tx_queues);
	if (p->steer_set || steer_by_mode(s->flowmode, &p->steer))
		return 0;
	p->steer = STEER_FLOW;
	if (p->tx_queues == 1)
		return 0;
	return port_fault(
		v, port, "steer",
		"missing; \"flowmode\": \"%s\" looks at both hosts, and a frame's queue "
		"among %u is chosen by one of them; accepted: \"src-host\" (fair to source "
		"hosts across queues), \"dst-host\" (to destination hosts), \"flow\" "
		"(spread most evenly; to hosts within a queue only)",
		schema_word(schema_find(schema_scheduler, "flowmode"), s->flowmode), p->tx_queues);
}

/** What a port's scheduler may not be told beyond what none may. */
static int check_port_scheduler(const struct validator *v, unsigned port)
{
	struct config_scheduler *scheduler = &v->cfg->ports[port].scheduler;
	const struct cake_params *s = &scheduler->cake;
	char place[PLACE_MAX];

	if (s->memlimit && s->memlimit < PORT_MEMLIMIT_MIN)
		return port_fault(v, port, "scheduler.memlimit",
				  "%" PRIu64 ": hardly a frame fits in; accepted: 4kb..16gb, 0",
				  s->memlimit);
	snprintf(place, sizeof(place), "ports[%u].scheduler", port);
	return config_validate_scheduler(v->doc, place, scheduler, v->err);
}

int config_validate_scheduler(const struct config_document *doc, const char *path,
			      struct config_scheduler *scheduler, struct config_error *err)
{
	const struct cake_params *params = &scheduler->cake;
	uint64_t limit = cake_memory_limit(params);
	char place[PLACE_MAX];

	if (limit > CONFIG_MEMLIMIT_MAX) {
		snprintf(place, sizeof(place), "%s.rtt", path);
		return config_fault(doc, place, err,
				    "at this bandwidth an rtt's worth is %" PRIu64
				    " bytes of buffer; at most 16gb can be held: say how much by "
				    "\"memlimit\", or give a shorter rtt",
				    limit);
	}
	if (params->profile != CAKE_PROFILE_LINUX || !params->catch_up_ns)
		return config_validate_rules(doc, path, scheduler, err);
	snprintf(place, sizeof(place), "%s.catch-up", path);
	return config_fault(doc, place, err,
			    "the linux profile makes up for all time missed; leave it out, or use "
			    "\"profile\": \"gateau\"");
}

/** The index of the port that links[@link].@key names. */
static int resolve(const struct validator *v, unsigned link, const char *key, unsigned *port)
{
	json_t *links = json_object_get(v->doc->root, "links");
	const char *name = json_string_value(json_object_get(json_array_get(links, link), key));
	char place[PLACE_MAX], list[sizeof(v->err->text)] = "";

	for (unsigned i = 0; i < v->cfg->n_ports; i++) {
		if (!strcmp(v->cfg->ports[i].name, name)) {
			*port = i;
			return 0;
		}
		strlcat(list, i ? ", " : "", sizeof(list));
		strlcat(list, v->cfg->ports[i].name, sizeof(list));
	}
	snprintf(place, sizeof(place), "links[%u].%s", link, key);
	return config_fault(v->doc, place, v->err, "\"%s\": no such port; there are: %s", name,
			    list);
}

static int check_link(const struct validator *v, unsigned link)
{
	struct config_link *l = &v->cfg->links[link];
	const char *from;
	char place[PLACE_MAX];
	int rc;

	rc = resolve(v, link, "from", &l->from);
	if (!rc)
		rc = resolve(v, link, "to", &l->to);
	if (rc)
		return rc;
	snprintf(place, sizeof(place), "links[%u]", link);
	from = v->cfg->ports[l->from].name;
	if (l->from == l->to)
		return config_fault(v->doc, place, v->err, "leads port \"%s\" to itself", from);
	for (unsigned i = 0; i < link; i++) {
		if (v->cfg->links[i].from == l->from)
			return config_fault(v->doc, place, v->err,
					    "links[%u] leads from port \"%s\" already; several "
					    "links from one port are not available yet",
					    i, from);
	}
	return 0;
}

static int check_used(const struct validator *v, unsigned port)
{
	for (unsigned i = 0; i < v->cfg->n_links; i++) {
		if (v->cfg->links[i].from == port || v->cfg->links[i].to == port)
			return 0;
	}
	return port_fault(v, port, "",
			  "no link uses port \"%s\": it would drop all it receives; add a link or "
			  "remove the port",
			  v->cfg->ports[port].name);
}

int config_validate(const struct config_document *doc, struct gateau_config *cfg,
		    struct config_error *err)
{
	const struct validator v = {.doc = doc, .cfg = cfg, .err = err};
	int rc = 0;

	for (unsigned i = 0; !rc && i < cfg->n_ports; i++) {
		rc = check_unique(&v, i);
		if (!rc)
			rc = check_memory(&v, i);
		if (!rc)
			rc = check_workers(&v, i);
		if (!rc)
			rc = check_port_scheduler(&v, i);
		if (!rc)
			rc = check_tx_queues(&v, i);
	}
	for (unsigned i = 0; !rc && i < cfg->n_links; i++)
		rc = check_link(&v, i);
	for (unsigned i = 0; !rc && i < cfg->n_ports; i++)
		rc = check_used(&v, i);
	return rc;
}

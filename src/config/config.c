/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole way of a file: document, table of keys, rules across keys; or nothing. */
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/document.h"
#include "config/parse.h"
#include "config/validate.h"

/* An Ethernet header without tags, bytes: cake_params.max_frame is MTU + header. */
#define ETHERNET_HEADER 14

/** -ENOMEM comes without a message from below; everything else has one. */
static int with_message(const char *name, int rc, struct config_error *err)
{
	if (rc == -ENOMEM)
		snprintf(err->text, sizeof(err->text), "%s: %s", name, strerror(ENOMEM));
	return rc;
}

/** What follows from keys rather than being one. */
static void derive(struct config_port *port)
{
	port->tx_descriptors = port->rx_descriptors;
	port->scheduler.cake.max_frame = port->mtu + ETHERNET_HEADER;
}

void config_scheduler_default(struct config_scheduler *s)
{
	*s = (struct config_scheduler){0};
	cake_params_default(&s->cake);
}

static int config_from_document(const struct config_document *doc, struct gateau_config **out,
				struct config_error *err)
{
	struct gateau_config *cfg = calloc(1, sizeof(*cfg));
	int rc;

	if (!cfg)
		return with_message(doc->name, -ENOMEM, err);
	for (unsigned i = 0; i < CONFIG_PORTS_MAX; i++)
		config_scheduler_default(&cfg->ports[i].scheduler);
	rc = config_parse_keys(doc, "", schema_file, doc->root, cfg, err);
	if (!rc)
		rc = config_validate(doc, cfg, err);
	if (rc) {
		free(cfg);
		return with_message(doc->name, rc, err);
	}
	for (unsigned i = 0; i < cfg->n_ports; i++)
		derive(&cfg->ports[i]);
	cfg->written = json_incref(doc->root);
	*out = cfg;
	return 0;
}

int config_load(const char *path, struct gateau_config **out, struct config_error *err)
{
	struct config_document doc;
	int rc = config_document_load(path, &doc, err);

	if (rc)
		return rc;
	rc = config_from_document(&doc, out, err);
	config_document_close(&doc);
	return rc;
}

int config_parse(const char *name, const char *text, size_t len, struct gateau_config **out,
		 struct config_error *err)
{
	struct config_document doc;
	int rc = config_document_parse(name, text, len, &doc, err);

	if (rc)
		return rc;
	rc = config_from_document(&doc, out, err);
	config_document_close(&doc);
	return rc;
}

void config_free(struct gateau_config *cfg)
{
	if (cfg)
		json_decref(cfg->written);
	free(cfg);
}

void config_swap(struct gateau_config *a, struct gateau_config *b)
{
	char *x = (char *)a, *y = (char *)b;

	for (size_t i = 0; i < sizeof(*a); i++) {
		char byte = x[i];

		x[i] = y[i];
		y[i] = byte;
	}
}

int config_parse_scheduler(const struct config_document *doc, const char *path, json_t *obj,
			   struct config_scheduler *out, struct config_error *err)
{
	int rc;

	config_scheduler_default(out);
	rc = config_parse_keys(doc, path, schema_scheduler, obj, out, err);
	if (!rc)
		rc = config_validate_scheduler(doc, path, out, err);
	return with_message(doc->name, rc, err);
}

/** A file without ports: nothing but "scheduler". */
static int only_scheduler(const struct config_document *doc, const char *port,
			  struct config_port *out, struct config_error *err)
{
	struct config_scheduler *s = &out->scheduler;
	int rc;

	if (port)
		return config_fault(doc, "scheduler", err,
				    "the file has no ports, so there is no \"%s\"; leave the port "
				    "out",
				    port);
	*out = (struct config_port){.tx_queues = 1};
	config_scheduler_default(s);
	rc = config_parse_keys(doc, "", schema_scheduler_file, doc->root, s, err);
	if (!rc)
		rc = config_validate_scheduler(doc, "scheduler", s, err);
	return with_message(doc->name, rc, err);
}

static int find_port(const struct config_document *doc, const char *port, struct config_port *out,
		     struct config_error *err)
{
	struct gateau_config *cfg;
	char list[sizeof(err->text)] = "";
	int rc = config_from_document(doc, &cfg, err);

	if (rc)
		return rc;
	for (unsigned i = 0; i < cfg->n_ports; i++) {
		if (port && !strcmp(cfg->ports[i].name, port)) {
			*out = cfg->ports[i];
			config_free(cfg);
			return 0;
		}
		strlcat(list, i ? ", " : "", sizeof(list));
		strlcat(list, cfg->ports[i].name, sizeof(list));
	}
	config_free(cfg);
	if (!port)
		return config_fault(doc, "ports", err, "name one of: %s", list);
	return config_fault(doc, "ports", err, "no port \"%s\"; there are: %s", port, list);
}

int config_load_port(const char *path, const char *port, struct config_port *out,
		     struct config_error *err)
{
	struct config_document doc;
	int rc = config_document_load(path, &doc, err);

	if (rc)
		return rc;
	if (json_object_get(doc.root, "scheduler"))
		rc = only_scheduler(&doc, port, out, err);
	else
		rc = find_port(&doc, port, out, err);
	config_document_close(&doc);
	return rc;
}

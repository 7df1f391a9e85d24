/* SPDX-License-Identifier: BSD-3-Clause */
/* See flows_json.h. */
#include "stats/flows_json.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "report/report.h"

static const char *set_name(enum cake_flow_set set)
{
	static const char *const names[] = {
		[CAKE_SET_NONE] = "none",
		[CAKE_SET_SPARSE] = "sparse",
		[CAKE_SET_SPARSE_WAIT] = "sparse-wait",
		[CAKE_SET_BULK] = "bulk",
		[CAKE_SET_DECAYING] = "decaying",
	};

	return names[set];
}

static json_t *address_json(const struct packet_headers *h, const uint8_t *address)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(h->addr_len == 4 ? AF_INET : AF_INET6, address, text, sizeof(text));
	return json_string(text);
}

/** Whose it is: of what is not IP the ethertype. */
static void set_identity(json_t *o, const struct packet_headers *h)
{
	if (h->vlan_id)
		report_set_number(o, "vlan", h->vlan_id);
	if (!h->addr_len) {
		report_set_number(o, "ethertype", h->ethertype);
		return;
	}
	json_object_set_new(o, "src", address_json(h, h->src));
	json_object_set_new(o, "dst", address_json(h, h->dst));
	report_set_number(o, "protocol", h->proto);
	if (h->sport || h->dport) {
		report_set_number(o, "sport", h->sport);
		report_set_number(o, "dport", h->dport);
	}
	report_set_number(o, "dscp", h->dscp);
}

/** tc's keys of a class; times from now, us. */
static void set_state(json_t *o, const struct cake_flow_stats *s)
{
	report_set_number(o, "drops", s->drops);
	json_object_set_new(o, "deficit", json_integer(s->deficit));
	report_set_number(o, "count", s->cobalt_count);
	json_object_set_new(o, "dropping", json_boolean(s->dropping));
	json_object_set_new(o, "drop_next", json_integer(s->drop_next_us));
	report_set_number(o, "blue_prob", s->blue_prob);
	json_object_set_new(o, "blue_timer", json_integer(s->blue_timer_us));
}

static void set_hosts(json_t *o, const struct cake_flow_seen *s)
{
	if (s->src_host)
		report_set_number(o, "src_bulk_flows", s->src_bulk);
	if (s->dst_host)
		report_set_number(o, "dst_bulk_flows", s->dst_bulk);
}

static json_t *flow_json(const struct flows_entry *e, const struct gateau_config *cfg)
{
	const struct config_port *c = &cfg->ports[e->port];
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(c->name));
	report_set_number(o, "queue", e->queue);
	json_object_set_new(o, "tin",
			    json_string(cake_tin_name(c->scheduler.cake.diffserv, e->seen.tin)));
	report_set_number(o, "slot", e->seen.flow);
	report_set_number(o, "backlog", e->seen.backlog);
	json_object_set_new(o, "set", json_string(set_name(e->seen.set)));
	set_hosts(o, &e->seen);
	if (!e->there)
		return o;
	report_set_number(o, "wait_ns", e->wait_ns);
	report_set_number(o, "head_bytes", e->head_bytes);
	set_state(o, &e->state);
	set_identity(o, &e->headers);
	return o;
}

static json_t *host_json(const struct flows_host *h, const struct flows *f,
			 const struct gateau_config *cfg)
{
	const struct packet_headers *p = &f->entries[h->fattest].headers;
	json_t *o = json_object();

	json_object_set_new(o, "port", json_string(cfg->ports[h->port].name));
	json_object_set_new(o, "as", json_string(h->source ? "source" : "destination"));
	if (p->addr_len)
		json_object_set_new(o, "address", address_json(p, h->source ? p->src : p->dst));
	report_set_number(o, "backlog", h->backlog);
	report_set_number(o, "flows", h->flows);
	report_set_number(o, "bulk_flows", h->bulk);
	return o;
}

json_t *flows_json(const struct flows *f, const struct gateau_config *cfg, unsigned most)
{
	json_t *flows = json_array(), *hosts = json_array();

	for (unsigned i = 0; i < most && i < f->n; i++)
		json_array_append_new(flows, flow_json(&f->entries[i], cfg));
	for (unsigned i = 0; i < most && i < f->n_hosts; i++)
		json_array_append_new(hosts, host_json(&f->hosts[i], f, cfg));
	return json_pack("{s:I, s:b, s:o, s:o}", "queuing", (json_int_t)f->n, "complete",
			 f->complete, "flows", flows, "hosts", hosts);
}

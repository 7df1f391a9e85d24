/* SPDX-License-Identifier: BSD-3-Clause */
/* See options.h. */
#include "stats/options.h"

#include <stdio.h>

#include "config/schema.h"
#include "report/report.h"

static json_t *word(const char *key, int value)
{
	return json_string(schema_word(schema_find(schema_scheduler, key), value));
}

const char *options_port_word(const char *name, int value)
{
	const struct schema_key *ports = schema_find(schema_file, "ports");

	return schema_word(schema_find(ports->members, name), value);
}

static json_t *bandwidth_json(uint64_t bps)
{
	return bps ? json_integer((json_int_t)(bps / 8)) : json_string("unlimited");
}

static json_t *ack_filter_json(enum cake_ack_filter mode)
{
	static const char *const words[] = {
		[CAKE_ACK_FILTER_OFF] = "disabled",
		[CAKE_ACK_FILTER_ON] = "enabled",
		[CAKE_ACK_FILTER_AGGRESSIVE] = "aggressive",
	};

	return json_string(words[mode]);
}

/** "0" of nothing, as C's %#x. */
static json_t *fwmark_json(uint32_t mask)
{
	char text[16];

	snprintf(text, sizeof(text), "%#x", mask);
	return json_string(text);
}

static void set_flag(json_t *o, const char *key, bool on)
{
	json_object_set_new(o, key, json_boolean(on));
}

/** Overhead and what goes with it; raw says nothing of cells unless there are some. */
static void set_framing(json_t *o, const struct cake_params *p)
{
	set_flag(o, "raw", !p->overhead_set);
	if (p->overhead_set || p->atm != CAKE_NOATM)
		json_object_set_new(o, "atm", word("atm", p->atm));
	json_object_set_new(o, "overhead", json_integer(p->overhead));
	if (p->mpu)
		report_set_number(o, "mpu", p->mpu);
}

json_t *options_json(const struct cake_params *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "bandwidth", bandwidth_json(p->bandwidth_bps));
	if (p->autorate_ingress)
		json_object_set_new(o, "autorate", json_string("autorate-ingress"));
	json_object_set_new(o, "diffserv", word("diffserv", p->diffserv));
	json_object_set_new(o, "flowmode", word("flowmode", p->flowmode));
	set_flag(o, "nat", false);
	set_flag(o, "wash", p->wash);
	set_flag(o, "ingress", p->ingress);
	json_object_set_new(o, "ack-filter", ack_filter_json(p->ack_filter));
	set_flag(o, "split_gso", p->split_gso);
	report_set_number(o, "rtt", p->rtt_ns / 1000);
	set_framing(o, p);
	if (p->memlimit)
		report_set_number(o, "memlimit", p->memlimit);
	json_object_set_new(o, "fwmark", fwmark_json(p->fwmark));
	json_object_set_new(o, "profile", word("profile", p->profile));
	report_set_number(o, "flows", p->flows);
	return o;
}

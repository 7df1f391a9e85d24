/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables; README.md explains the keys. */
#include "keys.h"

#include <stddef.h>
#include <string.h>

#include "config/config.h"
#include "scenario.h"

#define RATE_MAX (INT64_C(1000) * 1000000000)

/** That receive, or that send; both together no more than dispatch.h takes. */
#define LCORES_MAX 256

static struct schema_key box_keys[] = {
	KEYS_COUNT("ports", "Directions: 1, or 2 whose lcores serve both.", "1", 1, 2,
		   struct world_params, ports),
	KEYS_COUNT("queues", "TX queues of a port.", "1", 1, SHARE_QUEUES_MAX, struct world_params,
		   queues),
	{.name = "share",
	 .help = "How the queues share the rate.",
	 .type = SCHEMA_CHOICE,
	 .initial = "\"demand\"",
	 SCHEMA_STORE(struct world_params, share)},
	{.name = "steer",
	 .help = "What of a packet chooses its queue.",
	 .type = SCHEMA_CHOICE,
	 .initial = "\"flow\"",
	 SCHEMA_STORE(struct world_params, steer)},
	KEYS_COUNT("rx_lcores", "Lcores that receive, with an RX queue of each port.", "1", 1,
		   LCORES_MAX, struct world_params, rx_lcores),
	KEYS_COUNT("tx_lcores", "Lcores that TX queues are dealt to.", "1", 1, LCORES_MAX,
		   struct world_params, tx_lcores),
	KEYS_BOOL("apart", "Those that receive are others than those that send.",
		  struct world_params, apart),
	KEYS_COUNT("rx_ring", "Frames that an RX ring holds.", "1024", 1, 65536,
		   struct world_params, rx_ring),
	KEYS_COUNT("tx_ring", "Frames that a TX ring holds, if the wire takes time.", "1024", 32,
		   65536, struct world_params, tx_ring),
	{.name = "wire",
	 .help = "Speed of the wire. Without it: infinite.",
	 .type = SCHEMA_RATE,
	 .min = 1000,
	 .max = RATE_MAX,
	 .examples = "\"10gbit\"",
	 SCHEMA_STORE(struct world_params, wire_bps)},
	KEYS_TIME("delay", "From the wire to who receives.", false, struct world_params, delay_ns),
	{0},
};

/** ns; without the key: cost_default(). */
#define COST(field_name, text)                                                             \
	{                                                                                  \
		.name = #field_name, .help = text, .type = SCHEMA_INTEGER, .max = 1000000, \
		.quantity = "ns", SCHEMA_STORE(struct cost, field_name)                    \
	}

static const struct schema_key cost_keys[] = {
	COST(poll, "Looking into an RX ring."),
	COST(parse, "Receiving and describing a frame."),
	COST(ring, "Putting it on a ring."),
	COST(shed, "Judging and dropping it there."),
	COST(run, "Claiming and releasing a TX queue."),
	COST(enqueue, "Into CAKE."),
	COST(dequeue, "Out of CAKE and to the device."),
	COST(drop, "By CAKE."),
	COST(line, "Reading what another queue published."),
	COST(clear, "Visiting a flow queue of a tin that is not used, 1,024 of each at each sync."),
	COST(reserve, "Reserving a slot."),
	{0},
};

static const struct schema_key phase_keys[] = {
	{.name = "name",
	 .help = "What expectations call it.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a name",
	 .valid = keys_any_text,
	 .examples = "\"flood\"",
	 SCHEMA_STORE(struct phase, name)},
	KEYS_TIME("from", "When it begins, since the start.", false, struct phase, from),
	KEYS_TIME("until", "When it ends.", true, struct phase, until),
	{0},
};

static const struct schema_key stall_keys[] = {
	KEYS_COUNT("lcore", "Which stops.", "0", 0, LCORES_MAX - 1, struct scenario_stall, lcore),
	KEYS_TIME("at", "When, since the start.", false, struct scenario_stall, stall.at),
	KEYS_TIME("for", "How long.", true, struct scenario_stall, stall.ns),
	KEYS_TIME("every", "Again and again. Without it: once.", false, struct scenario_stall,
		  stall.every),
	KEYS_BOOL("inside", "With a TX queue in its hand.", struct scenario_stall, stall.inside),
	{0},
};

static const struct schema_key stale_keys[] = {
	KEYS_COUNT("lcore", "Whose view of the queues is old.", "0", 0, LCORES_MAX - 1,
		   struct scenario_stale, lcore),
	KEYS_TIME("by", "How much older than it should be.", true, struct scenario_stale, ns),
	{0},
};

static const struct schema_key file_keys[] = {
	{.name = "scenario",
	 .help = "Its name.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a name",
	 .valid = keys_any_text,
	 .examples = "\"busy\"",
	 SCHEMA_STORE(struct scenario, name)},
	{.name = "claim",
	 .help = "What it is to show.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a sentence",
	 .valid = keys_any_text,
	 .examples = "\"The port is filled.\"",
	 SCHEMA_STORE(struct scenario, claim)},
	KEYS_TIME("duration", "How long it runs.", true, struct scenario, world.duration),
	KEYS_COUNT("seed", "What is random follows from it.", "1", 0, UINT32_MAX, struct scenario,
		   world.seed),
	{.name = "box",
	 .help = "The box.",
	 .type = SCHEMA_OBJECT,
	 .initial = "{}",
	 .members = box_keys,
	 SCHEMA_STORE(struct scenario, world)},
	{.name = "cost",
	 .help = "What work takes, ns.",
	 .type = SCHEMA_OBJECT,
	 .initial = "{}",
	 .members = cost_keys,
	 SCHEMA_STORE(struct scenario, world.cost)},
	{.name = "senders",
	 .help = "Who sends, whatever becomes of it.",
	 .type = SCHEMA_OBJECTS,
	 .members = keys_sender,
	 .entries_min = 1,
	 .entries_max = SCENARIO_SENDERS_MAX,
	 SCHEMA_STORE_ARRAY(struct scenario, senders, n_senders)},
	{.name = "tcp",
	 .help = "Connections.",
	 .type = SCHEMA_OBJECTS,
	 .members = keys_tcp,
	 .entries_min = 1,
	 .entries_max = SCENARIO_CLOSED_MAX,
	 SCHEMA_STORE_ARRAY(struct scenario, tcp, n_tcp)},
	{.name = "probes",
	 .help = "Pings.",
	 .type = SCHEMA_OBJECTS,
	 .members = keys_probes,
	 .entries_min = 1,
	 .entries_max = SCENARIO_CLOSED_MAX,
	 SCHEMA_STORE_ARRAY(struct scenario, probes, n_probes)},
	{.name = "phases",
	 .help = "What is measured by itself.",
	 .type = SCHEMA_OBJECTS,
	 .members = phase_keys,
	 .entries_min = 1,
	 .entries_max = SCENARIO_PHASES_MAX - 1,
	 SCHEMA_STORE_ARRAY(struct scenario, phases, n_phases)},
	{.name = "stalls",
	 .help = "Lcores that stop.",
	 .type = SCHEMA_OBJECTS,
	 .members = stall_keys,
	 .entries_min = 1,
	 .entries_max = SCENARIO_STALLS_MAX,
	 SCHEMA_STORE_ARRAY(struct scenario, stalls, n_stalls)},
	{.name = "stale",
	 .help = "Lcores with an old view.",
	 .type = SCHEMA_OBJECTS,
	 .members = stale_keys,
	 .entries_min = 1,
	 .entries_max = SCENARIO_STALLS_MAX,
	 SCHEMA_STORE_ARRAY(struct scenario, stale, n_stale)},
	{0},
};

const struct schema_key keys_expect[] = {
	{.name = "of",
	 .help = "A port or a group.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "port, port1 or the name of a group",
	 .valid = keys_any_text,
	 .examples = "\"port\"",
	 SCHEMA_STORE(struct expect, of)},
	{.name = "metric",
	 .help = "The number.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "the name of a number",
	 .valid = keys_any_text,
	 .examples = "\"use\"",
	 SCHEMA_STORE(struct expect, metric)},
	{.name = "in",
	 .help = "The phase.",
	 .type = SCHEMA_STRING,
	 .initial = "\"all\"",
	 .noun = "the name of a phase",
	 .valid = keys_any_text,
	 .examples = "\"flood\"",
	 SCHEMA_STORE(struct expect, in)},
	{.name = "as",
	 .help = "Title of its column.",
	 .type = SCHEMA_STRING,
	 .noun = "a title",
	 .valid = keys_any_text,
	 .examples = "\"loss\"",
	 SCHEMA_STORE(struct expect, as)},
	{0},
};

/** The words of "share" and "steer" are the configuration's. */
static void borrow_words(void)
{
	const struct schema_key *port = schema_find(schema_file, "ports")->members;

	for (struct schema_key *k = box_keys; k->name; k++)
		if (k->type == SCHEMA_CHOICE)
			k->choices = schema_find(port, k->name)->choices;
}

const struct schema_key *keys_scenario(void)
{
	borrow_words();
	return file_keys;
}

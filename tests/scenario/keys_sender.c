/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of open-loop senders: sender.h. */
#include "keys.h"

#include "sender.h"

#define SEC INT64_C(1000000000)

#define RATE_MAX (INT64_C(1000) * SEC)

static bool is_load(const char *s)
{
	double part;

	return sender_load(s, &part);
}

static bool is_span(const char *s)
{
	unsigned first, count;

	return sender_span(s, UINT32_MAX, &first, &count);
}

const struct schema_key keys_sender[] = {
	{.name = "name",
	 .help = "What expectations call the group.",
	 .type = SCHEMA_STRING,
	 .required = true,
	 .noun = "a name",
	 .valid = keys_any_text,
	 .examples = "\"bulk\"",
	 SCHEMA_STORE(struct sender_params, name)},
	KEYS_COUNT("port", "Port that it leaves by.", "0", 0, 1, struct sender_params, port),
	KEYS_COUNT("flows", "Flows of the group.", "1", 1, 1000000, struct sender_params, flows),
	{.name = "load",
	 .help = "Part of the port's rate that the group sends.",
	 .type = SCHEMA_STRING,
	 .noun = "a percentage, or a part of one",
	 .valid = is_load,
	 .examples = "\"80%\", \"50%/1024\"",
	 SCHEMA_STORE(struct sender_params, load)},
	{.name = "rate",
	 .help = "What the group sends, frame lengths.",
	 .type = SCHEMA_RATE,
	 .min = 1000,
	 .max = RATE_MAX,
	 .examples = "\"1gbit\"",
	 SCHEMA_STORE(struct sender_params, bps)},
	KEYS_TIME("interval", "Time between packets of a flow.", false, struct sender_params,
		  interval_ns),
	{.name = "window",
	 .help = "Packets that each flow has on their way, always.",
	 .type = SCHEMA_INTEGER,
	 .max = 10000,
	 .quantity = "packets",
	 .examples = "8",
	 SCHEMA_STORE(struct sender_params, window)},
	{.name = "over",
	 .help = "With a window: flows begin one after another over this time.",
	 .type = SCHEMA_TIME,
	 .initial = "\"1ms\"",
	 .min = 1,
	 .max = 1000 * SEC,
	 .examples = "\"100ms\"",
	 SCHEMA_STORE(struct sender_params, over_ns)},
	KEYS_COUNT("zipf", "Flow i sends in proportion to 1 / i^(zipf/100).", "0", 0, 400,
		   struct sender_params, zipf),
	{.name = "sizes",
	 .help = "Frame lengths, of which each packet has one.",
	 .type = SCHEMA_INTEGERS,
	 .initial = "[1514]",
	 .min = 60,
	 .max = 9730,
	 .entries_min = 1,
	 .entries_max = SOURCE_SIZES_MAX,
	 SCHEMA_STORE_ARRAY(struct sender_params, sizes, n_sizes)},
	KEYS_COUNT("burst", "Packets that come at once.", "1", 1, 10000, struct sender_params,
		   burst),
	KEYS_COUNT("jitter", "Up to so many percent of the interval late.", "0", 0, 100,
		   struct sender_params, jitter),
	KEYS_TIME("from", "When it begins, since the start.", false, struct sender_params, from),
	KEYS_TIME("until", "When it ends. Without it: with the run.", false, struct sender_params,
		  until),
	KEYS_TIME("on", "How long it sends at a time.", false, struct sender_params, on_ns),
	KEYS_TIME("off", "How long it pauses.", false, struct sender_params, off_ns),
	KEYS_BOOL("random", "On and off last exponential times.", struct sender_params, random),
	KEYS_BOOL("together", "All flows are on and off together, on first.", struct sender_params,
		  together),
	KEYS_COUNT("hosts", "Source hosts of the group.", "1", 1, 65536, struct sender_params,
		   hosts),
	KEYS_COUNT("dst_hosts", "Destination hosts of the group.", "1", 1, 65536,
		   struct sender_params, dst_hosts),
	KEYS_BOOL("uneven", "Host i has flows in proportion to i; hosts send alike.",
		  struct sender_params, uneven),
	{.name = "queues",
	 .help = "TX queues of the flows. Without it: as chance has it.",
	 .type = SCHEMA_STRING,
	 .noun = "a number or a span",
	 .valid = is_span,
	 .examples = "\"0\", \"1-7\", \"1-\"",
	 SCHEMA_STORE(struct sender_params, queues)},
	{.name = "rx",
	 .help = "RX queues of the flows. Without it: as chance has it.",
	 .type = SCHEMA_STRING,
	 .noun = "a number or a span",
	 .valid = is_span,
	 .examples = "\"0\", \"1-7\", \"1-\"",
	 SCHEMA_STORE(struct sender_params, rx)},
	KEYS_BOOL("spray", "Every packet comes in by another RX queue.", struct sender_params,
		  spray),
	KEYS_TIME("hop", "How often each flow becomes another one, elsewhere.", false,
		  struct sender_params, hop_ns),
	KEYS_COUNT("dscp", "Of its packets.", "0", 0, 63, struct sender_params, dscp),
	KEYS_BOOL("ecn", "Its packets can carry a mark.", struct sender_params, ecn),
	{0},
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a scenario file. */
#ifndef GATEAU_SCENARIO_KEYS_H
#define GATEAU_SCENARIO_KEYS_H

#include "config/schema.h"

/** All but "params", "short", "scheduler" and "expect"; stored in struct scenario. */
const struct schema_key *keys_scenario(void);

/** An entry of "expect" but for its limits; stored in struct expect. */
extern const struct schema_key keys_expect[];

/** Entries of "senders"; stored in struct sender_params. */
extern const struct schema_key keys_sender[];

/** Entries of "tcp" and "probes"; stored in the structs of closed.h. */
extern const struct schema_key keys_tcp[], keys_probes[];

/** A time, a flag that is off unless said, a number: what most keys are. */
#define KEYS_TIME(key, text, must, struct_type, member)                                     \
	{                                                                                   \
		.name = key, .help = text, .type = SCHEMA_TIME, .required = must, .min = 1, \
		.max = INT64_C(1000000000000), .examples = "\"10ms\"",                      \
		SCHEMA_STORE(struct_type, member)                                           \
	}
#define KEYS_BOOL(key, text, struct_type, member)                                   \
	{                                                                           \
		.name = key, .help = text, .type = SCHEMA_BOOL, .initial = "false", \
		SCHEMA_STORE(struct_type, member)                                   \
	}
#define KEYS_COUNT(key, text, default_text, least, most, struct_type, member)               \
	{                                                                                   \
		.name = key, .help = text, .type = SCHEMA_INTEGER, .initial = default_text, \
		.min = least, .max = most, SCHEMA_STORE(struct_type, member)                \
	}

/** For schema_key.valid: all but "". */
static inline bool keys_any_text(const char *s)
{
	return *s != 0;
}

#endif

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

/** For schema_key.valid: all but "". */
static inline bool keys_any_text(const char *s)
{
	return *s != 0;
}

#endif

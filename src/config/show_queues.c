/* SPDX-License-Identifier: BSD-3-Clause */
/* Showing what several TX queues do to fairness; see show.h. */
#include "config/show.h"

#include <stdio.h>
#include <string.h>

#include "config/schema.h"

static const char *port_word(const char *key, int value)
{
	const struct schema_key *ports = schema_find(schema_file, "ports");

	return schema_word(schema_find(ports->members, key), value);
}

char *config_show_sharing(const struct config_port *p, char *buf, size_t size)
{
	static const char *const by[] = {
		[SHARE_BY_FLOWS] = " by flows",
		[SHARE_BY_SRC_HOSTS] = " by source hosts",
		[SHARE_BY_DST_HOSTS] = " by destination hosts",
	};
	const char *weight = by[steer_weight(p->steer, p->scheduler.cake.flowmode)];
	const char *steer = port_word("steer", p->steer);

	if (p->scheduler.cake.bandwidth_bps)
		snprintf(buf, size, "share %s%s, steer %s", port_word("share", p->share),
			 p->share == SHARE_DEMAND ? weight : "", steer);
	else
		snprintf(buf, size, "no rate to share, steer %s", steer);
	return buf;
}

#define KEPT_BY(steer) (1u << (steer))
#define KEPT_BY_ANY    (KEPT_BY(STEER_FLOW) | KEPT_BY(STEER_SRC_HOST) | KEPT_BY(STEER_DST_HOST))

/** Somebody whom a flow mode is fair to. */
struct party {
	const char *name;
	unsigned kept; /* KEPT_BY() what all packets of one meet in one queue */
};

/** A mode that tells nothing apart has none. */
static const struct party parties[CAKE_TRIPLE_ISOLATE + 1][2] = {
	[CAKE_SRCHOST] = {{"source hosts", KEPT_BY(STEER_SRC_HOST)}},
	[CAKE_DSTHOST] = {{"destination hosts", KEPT_BY(STEER_DST_HOST)}},
	[CAKE_HOSTS] = {{"pairs of hosts", KEPT_BY(STEER_SRC_HOST) | KEPT_BY(STEER_DST_HOST)}},
	[CAKE_FLOWS] = {{"flows", KEPT_BY_ANY}},
	[CAKE_DUAL_SRCHOST] = {{"source hosts", KEPT_BY(STEER_SRC_HOST)}},
	[CAKE_DUAL_DSTHOST] = {{"destination hosts", KEPT_BY(STEER_DST_HOST)}},
	[CAKE_TRIPLE_ISOLATE] = {{"source hosts", KEPT_BY(STEER_SRC_HOST)},
				 {"destination hosts", KEPT_BY(STEER_DST_HOST)}},
};

/** Only parts by demand follow what is in the queues. */
static bool is_fair_across(const struct config_port *p, const struct party *party)
{
	return p->scheduler.cake.bandwidth_bps && p->share == SHARE_DEMAND &&
	       party->kept & KEPT_BY(p->steer);
}

char *config_show_fairness(const struct config_port *p, char *buf, size_t size)
{
	const struct party *party = parties[p->scheduler.cake.flowmode];

	strlcpy(buf, party->name ? "" : "each queue is one flow", size);
	for (unsigned i = 0; i < 2 && party[i].name; i++) {
		strlcat(buf, i ? ", " : "", size);
		strlcat(buf, party[i].name, size);
		strlcat(buf,
			is_fair_across(p, &party[i]) ? " across queues" : " within each queue only",
			size);
	}
	return buf;
}

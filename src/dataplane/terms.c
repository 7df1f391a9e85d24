/* SPDX-License-Identifier: BSD-3-Clause */
/* See terms.h. */
#include "dataplane/terms.h"

#include <rte_cycles.h>

#include "dataplane/plan.h"

bool terms_shares(const struct gateau_config *cfg, unsigned p)
{
	const struct config_port *c = &cfg->ports[p];

	return c->tx_queues > 1 && c->scheduler.cake.bandwidth_bps;
}

struct share_params terms_share(const struct dataplane *dp, const struct gateau_config *cfg,
				unsigned p)
{
	const struct config_port *c = &cfg->ports[p];

	return (struct share_params){
		.bytes_per_s = c->scheduler.cake.bandwidth_bps / 8,
		.queues = c->tx_queues,
		.max_frame = plan_largest_packet(cfg, dp->ports, p),
		.mode = c->share,
		.weight = steer_weight(c->steer, c->scheduler.cake.flowmode),
		.now = tsc_clock_convert(&dp->clock, rte_rdtsc()),
	};
}

void terms_describer(struct packet_describer *out, const struct dataplane *dp,
		     const struct gateau_config *cfg, unsigned p)
{
	const struct config_port *c = &cfg->ports[p];

	packet_describer_init(out, &c->scheduler.cake, &dp->hash);
	packet_describer_set_rules(out, c->scheduler.rules, c->scheduler.n_rules);
	if (c->tx_queues > 1)
		packet_describer_need(out, steer_hashes(c->steer));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Tins and the states of their flows; see tin.h. */
#include "cake/tin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cake/params.h"

/* A flow's quantum: a 4096th of a second's bytes, at least 300, at most a full frame. */
#define QUANTUM_MIN 300
#define QUANTUM_MAX 1514

int tin_init(struct tin *t, const struct cake_params *p)
{
	*t = (struct tin){0};
	if (flow_table_init(&t->table, p->flows))
		goto fail;
	if (cake_isolates_sources(p->flowmode) && host_table_init(&t->src_hosts, p->flows))
		goto fail;
	if (cake_isolates_destinations(p->flowmode) && host_table_init(&t->dst_hosts, p->flows))
		goto fail;
	if (p->ack_filter) {
		t->pure_acks = calloc(p->flows, sizeof(*t->pure_acks));
		if (!t->pure_acks)
			goto fail;
	}
	return 0;

fail:
	tin_fini(t);
	return -ENOMEM;
}

void tin_fini(struct tin *t)
{
	flow_table_fini(&t->table);
	host_table_fini(&t->src_hosts);
	host_table_fini(&t->dst_hosts);
	free(t->pure_acks);
}

uint64_t tin_footprint(const struct cake_params *p)
{
	unsigned host_tables =
		cake_isolates_sources(p->flowmode) + cake_isolates_destinations(p->flowmode);

	return flow_table_footprint(p->flows) + host_tables * host_table_footprint(p->flows) +
	       (p->ack_filter ? p->flows * sizeof(uint32_t) : 0);
}

void tin_reset(struct tin *t)
{
	flow_table_reset(&t->table);
	host_table_reset(&t->src_hosts);
	host_table_reset(&t->dst_hosts);
	memset(t->flows_in, 0, sizeof(t->flows_in));
	t->unresponsive = 0;
	t->busy_src_hosts = 0;
	t->busy_dst_hosts = 0;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void tin_share_rate(struct tin *t, uint64_t bytes_per_s, const struct cake_params *p)
{
	t->rate = rate_from_bytes(bytes_per_s, params_keep_carry(p));
	t->flow_quantum = QUANTUM_MAX;
	if (bytes_per_s && bytes_per_s >> 12 < QUANTUM_MAX)
		t->flow_quantum = max_u64(bytes_per_s >> 12, QUANTUM_MIN);
}

void tin_set_rate(struct tin *t, uint64_t bytes_per_s, const struct cake_params *p)
{
	bool as_linux = p->profile == CAKE_PROFILE_LINUX;
	uint64_t mtu_time, target;

	tin_share_rate(t, bytes_per_s, p);
	mtu_time = rate_duration(&t->rate, p->max_frame);
	target = max_u64(mtu_time * 3 / 2, p->target_ns);
	t->cobalt = (struct cobalt_config){
		.target = target,
		.interval = max_u64(p->rtt_ns + target - p->target_ns, 2 * target),
		.mtu_time = mtu_time,
		.p_max = as_linux ? UINT32_MAX : COBALT_P_QUARTER,
		.fade = !as_linux,
		.interval32 = as_linux,
		.stride = !as_linux,
	};
}

uint32_t tin_search_flow(struct tin *t, enum cake_flowmode mode, const struct cake_packet *p)
{
	struct flow *f;
	enum flow_hit hit;
	uint32_t slot;
	bool bulk;

	if (mode == CAKE_FLOWBLIND)
		return 0;
	hit = flow_lookup(&t->table, cake_flow_key(mode, p), &slot);
	t->way_indirect_hits += hit == FLOW_HIT_INDIRECT;
	t->way_misses += hit == FLOW_MISS;
	t->way_collisions += hit == FLOW_COLLISION;

	f = &t->table.flows[slot];
	if (f->set != CAKE_SET_NONE && hit != FLOW_COLLISION)
		return slot; /* the slot knows its hosts */

	bulk = f->set == CAKE_SET_BULK;
	if (bulk)
		tin_hosts_dec(t, f);
	if (t->src_hosts.tags)
		f->src_host = host_lookup(&t->src_hosts, p->src_hash);
	if (t->dst_hosts.tags)
		f->dst_host = host_lookup(&t->dst_hosts, p->dst_hash);
	if (bulk)
		tin_hosts_inc(t, f);
	return slot;
}

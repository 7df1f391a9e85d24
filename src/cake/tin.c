/* SPDX-License-Identifier: BSD-3-Clause */
/* Tins and the states of their flows; see tin.h. */
#include "cake/tin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cake/ewma.h"
#include "cake/params.h"

/* A flow's quantum: a 4096th of a second's bytes, at least 300, at most a full frame. */
#define QUANTUM_MIN 300
#define QUANTUM_MAX 1514

int tin_init(struct tin *t, const struct cake_params *p)
{
	*t = (struct tin){0};
	if (flow_table_init(&t->table, p->flows))
		return -ENOMEM;
	if (cake_isolates_sources(p->flowmode))
		t->src_hosts = calloc(p->flows, sizeof(*t->src_hosts));
	if (cake_isolates_destinations(p->flowmode))
		t->dst_hosts = calloc(p->flows, sizeof(*t->dst_hosts));
	if (p->ack_filter)
		t->pure_acks = calloc(p->flows, sizeof(*t->pure_acks));
	if ((cake_isolates_sources(p->flowmode) && !t->src_hosts) ||
	    (cake_isolates_destinations(p->flowmode) && !t->dst_hosts) ||
	    (p->ack_filter && !t->pure_acks)) {
		tin_fini(t);
		return -ENOMEM;
	}
	return 0;
}

void tin_fini(struct tin *t)
{
	flow_table_fini(&t->table);
	free(t->src_hosts);
	free(t->dst_hosts);
	free(t->pure_acks);
}

uint64_t tin_footprint(const struct cake_params *p)
{
	unsigned host_tables =
		cake_isolates_sources(p->flowmode) + cake_isolates_destinations(p->flowmode);

	return flow_table_footprint(p->flows) +
	       (uint64_t)host_tables * p->flows * sizeof(struct host) +
	       (p->ack_filter ? p->flows * sizeof(uint32_t) : 0);
}

void tin_reset(struct tin *t)
{
	flow_table_reset(&t->table);
	if (t->src_hosts)
		memset(t->src_hosts, 0, t->table.n * sizeof(*t->src_hosts));
	if (t->dst_hosts)
		memset(t->dst_hosts, 0, t->table.n * sizeof(*t->dst_hosts));
	t->sparse = 0;
	t->bulk = 0;
	t->decaying = 0;
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

/* A flow in the bulk rotation weighs on its hosts. */
static void hosts_inc(struct tin *t, const struct flow *f)
{
	if (t->src_hosts)
		t->busy_src_hosts += host_inc(&t->src_hosts[f->src_host], t->table.n - 1);
	if (t->dst_hosts)
		t->busy_dst_hosts += host_inc(&t->dst_hosts[f->dst_host], t->table.n - 1);
}

static void hosts_dec(struct tin *t, const struct flow *f)
{
	if (t->src_hosts)
		t->busy_src_hosts -= host_dec(&t->src_hosts[f->src_host]);
	if (t->dst_hosts)
		t->busy_dst_hosts -= host_dec(&t->dst_hosts[f->dst_host]);
}

uint16_t tin_find_flow(struct tin *t, enum cake_flowmode mode, const struct cake_packet *p)
{
	struct flow *f;
	enum flow_hit hit;
	uint16_t slot;
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
		hosts_dec(t, f);
	if (t->src_hosts)
		f->src_host = host_lookup(t->src_hosts, t->table.n - 1, p->src_hash);
	if (t->dst_hosts)
		f->dst_host = host_lookup(t->dst_hosts, t->table.n - 1, p->dst_hash);
	if (bulk)
		hosts_inc(t, f);
	return slot;
}

/* Where flows in a state are counted; NULL for NONE. */
static uint32_t *flow_counter(struct tin *t, enum cake_flow_set set)
{
	switch (set) {
	case CAKE_SET_SPARSE:
	case CAKE_SET_SPARSE_WAIT:
		return &t->sparse;
	case CAKE_SET_BULK:
		return &t->bulk;
	case CAKE_SET_DECAYING:
		return &t->decaying;
	case CAKE_SET_NONE:
		break;
	}
	return NULL;
}

void tin_set_flow(struct tin *t, uint16_t slot, enum cake_flow_set set)
{
	struct flow *f = &t->table.flows[slot];
	uint32_t *from = flow_counter(t, f->set);
	uint32_t *to = flow_counter(t, set);

	if (from)
		--*from;
	if (to)
		++*to;
	if (f->set == CAKE_SET_BULK)
		hosts_dec(t, f);
	if (set == CAKE_SET_BULK)
		hosts_inc(t, f);
	f->set = set;
}

int32_t tin_flow_refill(const struct tin *t, const struct flow *f, struct prng *rng)
{
	uint32_t load = 1;

	if (t->src_hosts && t->src_hosts[f->src_host].bulk_flows > load)
		load = t->src_hosts[f->src_host].bulk_flows;
	if (t->dst_hosts && t->dst_hosts[f->dst_host].bulk_flows > load)
		load = t->dst_hosts[f->dst_host].bulk_flows;

	/* Dithered, so that the rounding of a small share evens out over the rounds. */
	return (t->flow_quantum * (65535 / load) + prng_u16(rng)) >> 16;
}

void tin_activate_flow(struct tin *t, uint16_t slot, struct prng *rng)
{
	struct flow *f = &t->table.flows[slot];

	if (f->set == CAKE_SET_NONE || f->set == CAKE_SET_DECAYING) {
		flow_move_to_tail(&t->table, slot, FLOWS_NEW);
		tin_set_flow(t, slot, CAKE_SET_SPARSE);
		f->deficit = tin_flow_refill(t, f, rng);
	} else if (f->set == CAKE_SET_SPARSE_WAIT) {
		tin_set_flow(t, slot, CAKE_SET_BULK);
	}
}

void tin_note_delay(struct tin *t, uint64_t sojourn)
{
	t->avg_delay = ewma(t->avg_delay, sojourn, 8);
	t->peak_delay = ewma(t->peak_delay, sojourn, sojourn > t->peak_delay ? 2 : 8);
	t->base_delay = ewma(t->base_delay, sojourn, sojourn < t->base_delay ? 2 : 8);
}

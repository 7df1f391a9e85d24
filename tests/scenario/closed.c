/* SPDX-License-Identifier: BSD-3-Clause */
/* See closed.h. */
#include "closed.h"

#include <stdio.h>
#include <stdlib.h>

#include "connection.h"
#include "dice.h"
#include "memory.h"
#include "probe.h"

/* One host on either side: who shares fairly are the flows. */
#define NEAR_HOST 0x2545f491
#define FAR_HOST  0xd1b54a33

struct closed {
	unsigned n;
	struct connection **connections; /* n of them, or NULL */
	struct probe **probes;           /* likewise */
};

/** A flow each way for each of the group's: theirs first, then what comes back. */
static struct flow **add_flows(struct world *w, const char *name, unsigned n, unsigned port)
{
	struct flow **flows = must_calloc(2 * (size_t)n, sizeof(struct flow *));
	char back[GROUP_NAME_MAX];

	snprintf(back, sizeof(back), "%.*s.back", GROUP_NAME_MAX - 6, name);
	world_add_group(w, name);
	for (unsigned i = 0; i < 2 * n; i++) {
		struct flow *f;

		if (i == n)
			world_add_group(w, back);
		f = flows[i] = world_add_flow(w);
		/* Both directions are one flow, as src/packet hashes them. */
		f->flow_hash = i < n ? prng_u32(&w->rng) | 1 : flows[i - n]->flow_hash;
		f->port = i < n ? port : !port;
		f->src_hash = f->port ? FAR_HOST : NEAR_HOST;
		f->dst_hash = f->port ? NEAR_HOST : FAR_HOST;
		f->rx = world_rss(w, f->flow_hash);
	}
	return flows;
}

struct closed *closed_create_tcp(struct world *w, const struct closed_tcp_params *p)
{
	struct closed *c = must_calloc(1, sizeof(*c));
	struct flow **flows = add_flows(w, p->name, p->flows, p->port);

	c->n = p->flows;
	c->connections = must_calloc(c->n, sizeof(struct connection *));
	for (unsigned i = 0; i < c->n; i++) {
		const struct connection_params params = {
			.algorithm = p->algorithm,
			.ecn = p->ecn,
			.data = flows[i],
			.acks = flows[c->n + i],
			.start = WORLD_START + p->from +
				 (uint64_t)((double)p->within * dice_unit(&w->rng)),
		};

		params.data->dscp = params.acks->dscp = (uint8_t)p->dscps[i % p->n_dscps];
		c->connections[i] = connection_create(w, &params);
	}
	free(flows);
	return c;
}

struct closed *closed_create_probes(struct world *w, const struct closed_probe_params *p)
{
	struct closed *c = must_calloc(1, sizeof(*c));
	struct flow **flows = add_flows(w, p->name, p->flows, p->port);

	c->n = p->flows;
	c->probes = must_calloc(c->n, sizeof(struct probe *));
	for (unsigned i = 0; i < c->n; i++) {
		const struct probe_params params = {
			.request = flows[i],
			.reply = flows[c->n + i],
			.len = p->size,
			.interval_ns = p->interval_ns,
			.start = WORLD_START +
				 (uint64_t)((double)p->interval_ns * dice_unit(&w->rng)),
			.seed = prng_u32(&w->rng),
		};

		params.request->dscp = params.reply->dscp = p->dscp;
		c->probes[i] = probe_create(w, &params);
	}
	free(flows);
	return c;
}

void closed_destroy(struct closed *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (c->connections)
			connection_destroy(c->connections[i]);
		else
			probe_destroy(c->probes[i]);
	}
	free(c->connections);
	free(c->probes);
	free(c);
}

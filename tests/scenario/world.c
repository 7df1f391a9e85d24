/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h. */
#include "world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "balance.h"
#include "dice.h"
#include "memory.h"

/* src/txq calls back without saying for whom. */
static struct world *running;

/** A frame is no longer queued. Returns its flow. */
static struct flow *leaves(const struct frame_note *note, uint64_t now)
{
	meter_inside(&running->ports[note->flow->port].meter, -1, now);
	return note->flow;
}

static void note_wait(struct world *w, const struct frame_note *note, uint64_t now)
{
	for (unsigned i = 0; i < w->n_phases; i++)
		if (now >= w->phases[i].from && now < w->phases[i].until)
			histogram_add(&w->phases[i].waits[note->flow->group],
				      now - note->arrived_ns);
}

static void note_sent(struct port *p, unsigned queue, struct rte_mbuf *m, uint64_t now)
{
	const struct frame_note *note = frame_note(m);
	struct flow *flow = leaves(note, now);
	uint32_t adjusted = adjust_length(&p->adjust, &mbuf_private(m)->packet);

	flow->tally.sent_packets++;
	flow->tally.sent_bytes += m->pkt_len;
	if (note->number < flow->next_sent && !flow->unordered)
		flow->tally.late++;
	else
		flow->next_sent = note->number + 1;
	p->queue_bytes[queue] += adjusted;
	meter_sent(&p->meter, adjusted, now);
	note_wait(p->world, note, now);
	flow_packet_gone(flow, now);
}

/** The device. */
static uint16_t transmit(uint16_t port, uint16_t queue, struct rte_mbuf **pkts, uint16_t n)
{
	struct port *p = &running->ports[port];
	uint64_t now = world_now(running);
	uint16_t taken = (uint16_t)wire_room(&p->wire, queue, n, now);

	for (uint16_t i = 0; i < taken; i++) {
		note_sent(p, queue, pkts[i], now);
		wire_send(&p->wire, queue, pkts[i], now);
		frame_put(running->frames, pkts[i]);
	}
	return taken;
}

static void free_dropped(struct rte_mbuf **pkts, unsigned n)
{
	const uint64_t now = world_now(running);

	for (unsigned i = 0; i < n; i++) {
		struct flow *flow = leaves(frame_note(pkts[i]), now);

		flow->tally.lost += !running->ending;
		flow_packet_gone(flow, now);
		frame_put(running->frames, pkts[i]);
	}
}

static int create_share(struct port *p)
{
	const struct world_params *w = &p->world->params;
	struct cake_packet largest = {.len = w->cake.max_frame, .network_offset = 14};
	const struct share_params params = {
		.bytes_per_s = w->cake.bandwidth_bps / 8,
		.queues = w->queues,
		.max_frame = adjust_length(&p->adjust, &largest),
		.mode = w->share,
		.weight = steer_weight(w->steer, w->cake.flowmode),
		.now = WORLD_START,
	};

	if (w->queues == 1 || !params.bytes_per_s)
		return 0;
	return share_create(&p->share, &params);
}

static int create_txq(struct port *p, unsigned queue)
{
	struct world *w = p->world;
	struct txq_params params = {
		.cake = w->params.cake,
		.map = frames_map(w->frames),
		.port = p->index,
		.queue = queue,
		.tx = transmit,
		.free = free_dropped,
		.home = p->homes[queue]->number,
		.share = p->share,
		.share_index = queue,
	};

	params.cake.slots = p->share && w->params.share == SHARE_DEMAND;
	return txq_create(&p->txqs[queue], &params);
}

static unsigned first_sender(const struct world_params *p)
{
	return p->apart ? p->rx_lcores : 0;
}

static int create_port(struct world *w, unsigned index)
{
	const struct world_params *params = &w->params;
	struct port *p = &w->ports[index];
	int ret;

	p->world = w;
	p->index = index;
	p->n = params->queues;
	p->n_rx = params->rx_lcores;
	p->rxqs = must_calloc(p->n_rx, sizeof(*p->rxqs));
	p->receivers = must_calloc(p->n_rx, sizeof(struct lcore *));
	for (unsigned i = 0; i < p->n_rx; i++) {
		rxq_init(&p->rxqs[i], w->frames, params->rx_ring);
		p->receivers[i] = &w->lcores[i];
	}
	wire_init(&p->wire, w->events, params->wire_bps, params->delay_ns, p->n, params->tx_ring);
	meter_init(&p->meter, WORLD_START, params->duration);
	adjust_init(&p->adjust, &params->cake);
	ret = create_share(p);
	for (unsigned q = 0; !ret && q < p->n; q++) {
		p->homes[q] = &w->lcores[first_sender(params) + q % params->tx_lcores];
		ret = create_txq(p, q);
	}
	return ret;
}

static int start_lcores(struct world *w)
{
	int ret = 0;

	/* Not in step: passes begin some ns apart. */
	for (unsigned i = 0; !ret && i < w->n_lcores; i++)
		ret = lcore_start(&w->lcores[i], WORLD_START + dice_below(&w->rng, 1000));
	return ret;
}

int world_create(struct world **out, const struct world_params *params)
{
	struct world *w = must_calloc(1, sizeof(*w));
	int ret = 0;

	w->params = *params;
	w->rng = prng_xorshift32(dice_seed(params->seed, 0));
	w->events = events_create();
	w->frames = frames_create();
	w->n_lcores = params->apart ? params->rx_lcores + params->tx_lcores
				    : RTE_MAX(params->rx_lcores, params->tx_lcores);
	w->lcores = aligned_alloc(RTE_CACHE_LINE_SIZE,
				  RTE_CACHE_LINE_ROUNDUP(w->n_lcores * sizeof(*w->lcores)));
	must_have(w->lcores);
	memset(w->lcores, 0, w->n_lcores * sizeof(*w->lcores));
	for (unsigned i = 0; i < w->n_lcores; i++) {
		w->lcores[i].world = w;
		w->lcores[i].number = i;
	}
	running = w;
	events_run(w->events, WORLD_START);
	for (unsigned i = 0; !ret && i < params->ports; i++)
		ret = create_port(w, i);
	if (!ret)
		ret = start_lcores(w);
	if (ret) {
		world_destroy(w);
		return ret;
	}
	*out = w;
	return 0;
}

static void destroy_port(struct port *p)
{
	for (unsigned q = 0; q < p->n; q++)
		txq_destroy(p->txqs[q]);
	share_destroy(p->share);
	for (unsigned i = 0; i < p->n_rx; i++)
		rxq_fini(&p->rxqs[i]);
	free(p->rxqs);
	free(p->receivers);
	wire_fini(&p->wire);
	meter_fini(&p->meter);
}

void world_destroy(struct world *w)
{
	for (unsigned i = 0; i < w->n_lcores; i++)
		lcore_fini(&w->lcores[i]);
	for (unsigned i = 0; i < w->params.ports; i++)
		destroy_port(&w->ports[i]);
	for (unsigned i = 0; i < w->n_flows; i++)
		free(w->flows[i]);
	free(w->flows);
	free(w->groups);
	free(w->lcores);
	frames_destroy(w->frames);
	events_destroy(w->events);
	free(w);
	running = NULL;
}

unsigned world_add_group(struct world *w, const char *name)
{
	struct group *g;

	w->groups = must_realloc(w->groups, (w->n_groups + 1) * sizeof(*w->groups));
	g = &w->groups[w->n_groups];
	*g = (struct group){.first = w->n_flows};
	strncpy(g->name, name, sizeof(g->name) - 1);
	return w->n_groups++;
}

struct flow *world_add_flow(struct world *w)
{
	struct flow *flow = must_calloc(1, sizeof(*flow));

	/* Room doubles at each power of 2. */
	if (!(w->n_flows & (w->n_flows - 1)))
		w->flows = must_realloc(w->flows,
					(w->n_flows ? 2 * w->n_flows : 1) * sizeof(struct flow *));
	w->flows[w->n_flows++] = flow;
	flow->group = w->n_groups - 1;
	w->groups[flow->group].n++;
	return flow;
}

unsigned world_rss(const struct world *w, uint32_t hash)
{
	/* A NIC's hash has nothing to do with ours. */
	return (uint64_t)dice_seed(w->params.seed, hash) * w->params.rx_lcores >> 32;
}

uint32_t world_hash_for(struct world *w, unsigned queue)
{
	const uint64_t n = w->params.queues;
	uint64_t first = ((uint64_t)queue << 32) / n + 1;
	uint64_t end = ((uint64_t)(queue + 1) << 32) / n;

	return first + ((uint64_t)prng_u32(&w->rng) * (end - first) >> 32);
}

void world_send(struct world *w, struct flow *flow, uint32_t len, uint64_t cookie)
{
	struct port *p = &w->ports[flow->port];

	rxq_arrive(&p->rxqs[flow->rx], flow, len, cookie, world_now(w));
	lcore_wake(p->receivers[flow->rx], world_now(w));
}

void world_note_rtt(struct world *w, const struct flow *flow, uint64_t sent, uint64_t now)
{
	for (unsigned i = 0; i < w->n_phases; i++)
		if (sent >= w->phases[i].from && sent < w->phases[i].until)
			histogram_add(&w->phases[i].rtts[flow->group], now - sent);
}

/** Frames a port's queues sent and dropped, and what became of those on the way there. */
static void add_queue(const struct txq *q, struct phase_port *out)
{
	struct share_counters share = {0};

	out->sent += counter_get(&txq_counters(q)->sent_packets);
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		out->dropped[d] += counter_get(&txq_counters(q)->dropped[d]);
	txq_share_counters(q, &share);
	out->syncs += share.syncs;
	out->reservations += share.reservations;
	out->share_changes += share.share_changes;
}

static void add_dispatch(const struct dispatch *d, struct phase_port *out)
{
	const struct dispatch_counters *c = dispatch_counters(d);

	out->deferred += counter_get(&c->deferred);
	out->defer += counter_get(&c->defer);
	for (unsigned t = 0; t < CAKE_MAX_TINS; t++)
		out->shed += counter_get(&c->shed[t]);
}

void world_mark_port(struct world *w, unsigned index, struct phase_port *out)
{
	struct port *p = &w->ports[index];

	memset(out, 0, sizeof(*out));
	memcpy(out->queue_bytes, p->queue_bytes, sizeof(out->queue_bytes));
	for (unsigned q = 0; q < p->n; q++)
		add_queue(p->txqs[q], out);
	for (unsigned i = 0; i < w->n_lcores; i++)
		add_dispatch(w->lcores[i].to[index], out);
	for (unsigned i = 0; i < p->n_rx; i++)
		out->nic_lost += p->rxqs[i].lost;
}

static void mark(struct world *w, struct phase_mark *out)
{
	out->flows = must_calloc(w->n_flows, sizeof(*out->flows));
	for (unsigned i = 0; i < w->n_flows; i++)
		out->flows[i] = w->flows[i]->tally;
	for (unsigned i = 0; i < w->params.ports; i++)
		world_mark_port(w, i, &out->ports[i]);
}

/** The next boundary of a phase at or after @at, ns; the end of the run if there is none. */
static uint64_t next_boundary(const struct world *w, uint64_t at)
{
	uint64_t next = WORLD_START + w->params.duration;

	for (unsigned i = 0; i < w->n_phases; i++) {
		if (w->phases[i].from > at)
			next = RTE_MIN(next, w->phases[i].from);
		if (w->phases[i].until > at)
			next = RTE_MIN(next, w->phases[i].until);
	}
	return next;
}

static void mark_boundary(struct world *w, uint64_t at)
{
	for (unsigned i = 0; i < w->n_phases; i++) {
		if (w->phases[i].from == at)
			mark(w, &w->phases[i].begin);
		if (w->phases[i].until == at)
			mark(w, &w->phases[i].end);
	}
}

static void run_to_end(struct world *w)
{
	const uint64_t end = WORLD_START + w->params.duration;

	mark_boundary(w, world_now(w));
	while (world_now(w) < end) {
		events_run(w->events, next_boundary(w, world_now(w)));
		mark_boundary(w, world_now(w));
	}
}

const char *world_run(struct world *w, struct phase *phases, unsigned n)
{
	const char *fault;

	w->phases = phases;
	w->n_phases = n;
	for (unsigned i = 0; i < n; i++) {
		phases[i].waits = must_calloc(w->n_groups, sizeof(*phases[i].waits));
		phases[i].rtts = must_calloc(w->n_groups, sizeof(*phases[i].rtts));
	}
	run_to_end(w);
	fault = balance_fault(w);
	w->ending = true;
	return fault ? fault : balance_empty(w);
}

void world_free_phases(struct phase *phases, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		free(phases[i].begin.flows);
		free(phases[i].end.flows);
		free(phases[i].waits);
		free(phases[i].rtts);
	}
}

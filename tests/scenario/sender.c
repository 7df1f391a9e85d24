/* SPDX-License-Identifier: BSD-3-Clause */
/* See sender.h. */
#include "sender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "greedy.h"
#include "memory.h"

struct sender {
	struct world *world;
	struct sender_params p;
	struct flow **flows;            /* all, in order */
	struct flow **by_source;        /* the same, those of a source together */
	uint32_t *src, *dst;            /* host hashes */
	unsigned *host;                 /* source host by flow */
	unsigned first_queue, n_queues; /* 0 queues = as chance has it */
	unsigned first_rx, n_rx;
	struct event hop;
	struct greedy *greedy; /* NULL = they send at times of their own */
};

bool sender_load(const char *text, double *part)
{
	double percent, by = 1;
	char end;
	int n = sscanf(text, "%lf%%%c%lf", &percent, &end, &by);

	if (!(percent > 0) || (n != 1 && (n != 3 || end != '/' || by < 1)))
		return false;
	if (!strchr(text, '%'))
		return false;
	*part = percent / 100 / by;
	return true;
}

bool sender_span(const char *text, unsigned n, unsigned *first, unsigned *count)
{
	unsigned last = n - 1;
	char rest;

	if (sscanf(text, "%u%c", first, &rest) == 1)
		last = *first;
	else if (sscanf(text, "%u-%u%c", first, &last, &rest) != 2 &&
		 (sscanf(text, "%u%c%c", first, &rest, &rest) != 2 || rest != '-'))
		return false;
	*count = last - *first + 1;
	return *first < n && last < n && *first <= last;
}

static uint32_t random_hash(struct world *w)
{
	return prng_u32(&w->rng) | 1;
}

/** The TX queue that number @i of what is steered is for. */
static uint32_t pinned_hash(struct sender *s, unsigned i)
{
	if (!s->n_queues)
		return random_hash(s->world);
	return world_hash_for(s->world,
			      (s->first_queue + i % s->n_queues) % s->world->params.queues);
}

static void draw_hosts(struct sender *s)
{
	enum steer steer = s->world->params.steer;

	s->src = must_calloc(s->p.hosts, sizeof(*s->src));
	s->dst = must_calloc(s->p.dst_hosts, sizeof(*s->dst));
	for (unsigned i = 0; i < s->p.hosts; i++)
		s->src[i] = steer == STEER_SRC_HOST ? pinned_hash(s, i) : random_hash(s->world);
	for (unsigned i = 0; i < s->p.dst_hosts; i++)
		s->dst[i] = steer == STEER_DST_HOST ? pinned_hash(s, i) : random_hash(s->world);
}

/** Flows of the hosts up to @h, from 0, where host h has 1 and h + 1 of n * (n + 1) / 2 parts of
 * what is left. */
static unsigned flows_up_to(const struct sender_params *p, unsigned h)
{
	double parts = p->hosts * (p->hosts + 1.0) / 2;

	return h + 1 + (unsigned)((p->flows - p->hosts) * ((h + 1) * (h + 2) / 2 / parts));
}

static void deal_hosts(struct sender *s)
{
	unsigned h = 0;

	s->host = must_calloc(s->p.flows, sizeof(*s->host));
	for (unsigned i = 0; i < s->p.flows; i++) {
		while (s->p.uneven && h + 1 < s->p.hosts && i >= flows_up_to(&s->p, h))
			h++;
		s->host[i] = s->p.uneven ? h : i % s->p.hosts;
	}
}

static void identify(struct sender *s, unsigned i)
{
	struct flow *flow = s->flows[i];

	flow->flow_hash =
		s->world->params.steer == STEER_FLOW ? pinned_hash(s, i) : random_hash(s->world);
	flow->src_hash = s->src[s->host[i]];
	flow->dst_hash = s->dst[i % s->p.dst_hosts];
	flow->rx = s->n_rx ? s->first_rx + i % s->n_rx : world_rss(s->world, flow->flow_hash);
}

static void create_flows(struct sender *s)
{
	s->flows = must_calloc(s->p.flows, sizeof(*s->flows));
	deal_hosts(s);
	for (unsigned i = 0; i < s->p.flows; i++) {
		struct flow *flow = world_add_flow(s->world);

		flow->port = s->p.port;
		flow->dscp = s->p.dscp;
		flow->ecn = s->p.ecn;
		flow->unordered = s->p.spray || s->p.hop_ns;
		s->flows[i] = flow;
		flow->host = s->host[i];
		identify(s, i);
	}
}

/** Each flow becomes another: the next one, where they are for certain queues. */
static void hop(void *arg, uint64_t now)
{
	struct sender *s = arg;

	s->first_queue = s->n_queues ? (s->first_queue + 1) % s->world->params.queues : 0;
	for (unsigned i = 0; i < s->p.flows; i++) {
		unsigned rx = s->flows[i]->rx;

		identify(s, i);
		s->flows[i]->rx = rx; /* its source is of that queue */
	}
	events_set(s->world->events, &s->hop, now + s->p.hop_ns);
}

/** Time between two sendings of a flow that sends @part of the group's, ns. */
static double interval(const struct sender *s, double part)
{
	double bytes = 0, load, bps = (double)s->p.bps;

	if (s->p.interval_ns)
		return (double)s->p.interval_ns;
	for (unsigned i = 0; i < s->p.n_sizes; i++)
		bytes += (double)s->p.sizes[i] / s->p.n_sizes;
	if (sender_load(s->p.load, &load))
		bps = load * (double)s->world->params.cake.bandwidth_bps;
	return s->p.burst * bytes * 8e9 / (bps * part);
}

static void add_source(struct sender *s, unsigned rx, struct flow **flows, unsigned n,
		       double interval_ns)
{
	struct world *w = s->world;
	struct source_params p = {
		.flows = flows,
		.n = n,
		.interval_ns = interval_ns,
		.from = WORLD_START + s->p.from,
		.until = s->p.until ? WORLD_START + s->p.until : UINT64_MAX,
		.burst = s->p.burst,
		.jitter = s->p.jitter,
		.on_ns = s->p.on_ns,
		.off_ns = s->p.off_ns,
		.random = s->p.random,
		.together = s->p.together,
		.n_sizes = s->p.n_sizes,
		.seed = prng_u32(&w->rng),
	};

	memcpy(p.sizes, s->p.sizes, sizeof(p.sizes));
	rxq_add_source(&w->ports[s->p.port].rxqs[rx], source_create(&p));
}

/** What each flow sends, in parts of anything: of unevenly dealt ones as much as its host's others,
 * and hosts alike. */
static double *parts_of(const struct sender *s)
{
	double *parts = must_calloc(s->p.flows, sizeof(*parts));
	unsigned *flows = must_calloc(s->p.hosts, sizeof(*flows));

	for (unsigned i = 0; i < s->p.flows; i++)
		flows[s->host[i]]++;
	for (unsigned i = 0; i < s->p.flows; i++) {
		parts[i] = pow(i + 1, -(int)s->p.zipf / 100.0);
		if (s->p.uneven)
			parts[i] /= flows[s->host[i]];
	}
	free(flows);
	return parts;
}

/** A source for each flow, where each has a time or load of its own. */
static void add_single_sources(struct sender *s)
{
	double *parts = parts_of(s), sum = 0;

	for (unsigned i = 0; i < s->p.flows; i++)
		sum += parts[i];
	for (unsigned i = 0; i < s->p.flows; i++)
		add_source(s, s->flows[i]->rx, &s->flows[i], 1, interval(s, parts[i] / sum));
	free(parts);
}

/** A source for each RX queue. */
static void add_common_sources(struct sender *s)
{
	const unsigned n_rx = s->world->params.rx_lcores;
	const double each = interval(s, 1.0 / s->p.flows);
	struct flow **next = must_calloc(s->p.flows, sizeof(*next));

	s->by_source = next;
	for (unsigned rx = 0; rx < n_rx; rx++) {
		struct flow **first = next;

		if (s->p.spray) {
			add_source(s, rx, s->flows, s->p.flows, each * n_rx);
			continue;
		}
		for (unsigned i = 0; i < s->p.flows; i++)
			if (s->flows[i]->rx == rx)
				*next++ = s->flows[i];
		if (next > first)
			add_source(s, rx, first, (unsigned)(next - first), each);
	}
}

/** Which queues it is for; false if they are not there. */
static bool span(const char *text, unsigned n, unsigned *first, unsigned *count)
{
	*count = 0;
	return !*text || sender_span(text, n, first, count);
}

struct sender *sender_create(struct world *w, const struct sender_params *p)
{
	struct sender *s = must_calloc(1, sizeof(*s));

	s->world = w;
	s->p = *p;
	if (!span(p->queues, w->params.queues, &s->first_queue, &s->n_queues) ||
	    !span(p->rx, w->params.rx_lcores, &s->first_rx, &s->n_rx) ||
	    (*p->load && !w->params.cake.bandwidth_bps)) {
		free(s);
		return NULL;
	}
	world_add_group(w, p->name);
	draw_hosts(s);
	create_flows(s);
	if (p->window)
		s->greedy = greedy_create(w, p, s->flows);
	else if (p->zipf || p->uneven || p->jitter || (p->on_ns && !p->together))
		add_single_sources(s);
	else
		add_common_sources(s);
	s->hop = (struct event){.fn = hop, .arg = s};
	if (p->hop_ns)
		events_set(w->events, &s->hop, world_now(w) + p->hop_ns);
	return s;
}

void sender_destroy(struct sender *s)
{
	events_clear(s->world->events, &s->hop);
	greedy_destroy(s->greedy);
	free(s->flows);
	free(s->by_source);
	free(s->src);
	free(s->dst);
	free(s->host);
	free(s);
}

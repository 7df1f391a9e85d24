/* SPDX-License-Identifier: BSD-3-Clause */
/* See shed_hosts.h. */
#include "txq/shed_hosts.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LINE      64 /* bytes of a cache line */
#define WAYS      8
#define SETS      (SHED_HOSTS_MAX / WAYS)
#define SET_SHIFT (64 - 7)
static_assert(SETS == 1 << 7, "what SET_SHIFT leaves");

/* What a host gets is counted over at least so many packets. */
#define COUNTED 16

enum role { SOURCE, DESTINATION, ROLES };

/* Writer: the holder. Tag of the host in the upper half, 0 = nobody; its weight in the lower. */
struct set {
	_Alignas(LINE) _Atomic uint64_t weights[WAYS];
};
static_assert(sizeof(struct set) == LINE, "a set is a cache line");

/* What the holder knows of it. */
struct host {
	uint32_t tag; /* 0 = nobody */
	uint8_t tin, role;
	uint32_t begun, weighed; /* flows; of these the weight knows of */
	double weight;
	double bytes, v; /* what came in while V went on by as much; v < 0: not counted yet */
};

struct shed_hosts {
	_Atomic bool isolates[ROLES]; /* holder: wo, others: ro */
	struct set sets[SETS];
	struct host hosts[SETS][WAYS];
	unsigned count[CAKE_MAX_TINS][ROLES];
};

int shed_hosts_create(struct shed_hosts **out)
{
	struct shed_hosts *h = aligned_alloc(LINE, sizeof(*h));

	if (!h)
		return -ENOMEM;
	memset(h, 0, sizeof(*h));
	*out = h;
	return 0;
}

void shed_hosts_isolate(struct shed_hosts *h, enum cake_flowmode mode)
{
	atomic_store_explicit(&h->isolates[SOURCE], cake_isolates_sources(mode),
			      memory_order_relaxed);
	atomic_store_explicit(&h->isolates[DESTINATION], cake_isolates_destinations(mode),
			      memory_order_relaxed);
}

static bool isolates(const struct shed_hosts *h, enum role role)
{
	return atomic_load_explicit(&h->isolates[role], memory_order_relaxed);
}

void shed_hosts_destroy(struct shed_hosts *h)
{
	free(h);
}

static uint64_t host_hash(const struct cake_packet *p, unsigned tin, enum role role)
{
	uint64_t id = role == SOURCE ? p->src_hash : p->dst_hash;

	return (id << 8 | tin << 1 | role) * 0x9e3779b97f4a7c15u;
}

static uint32_t host_tag(uint64_t hash)
{
	return (uint32_t)(hash >> 16) | 1;
}

static uint32_t weight_of(const struct shed_hosts *h, uint64_t hash)
{
	const struct set *set = &h->sets[hash >> SET_SHIFT];
	uint32_t tag = host_tag(hash);

	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t w = atomic_load_explicit(&set->weights[i], memory_order_relaxed);

		if (w >> 32 == tag)
			return (uint32_t)w;
	}
	return SHED_WEIGHT_ONE;
}

uint32_t shed_hosts_weight(const struct shed_hosts *h, const struct cake_packet *p, unsigned tin)
{
	uint32_t weight = SHED_WEIGHT_ONE;

	for (enum role role = 0; role < ROLES; role++) {
		uint32_t w = isolates(h, role) ? weight_of(h, host_hash(p, tin, role)) : 0;

		if (w > weight)
			weight = w;
	}
	return weight;
}

static void publish(struct shed_hosts *h, unsigned set, unsigned way)
{
	const struct host *host = &h->hosts[set][way];
	uint64_t w = (uint64_t)host->tag << 32 | (uint32_t)(host->weight * SHED_WEIGHT_ONE);

	atomic_store_explicit(&h->sets[set].weights[way], w, memory_order_relaxed);
}

static void forget(struct shed_hosts *h, unsigned set, unsigned way)
{
	struct host *host = &h->hosts[set][way];

	if (host->begun)
		h->count[host->tin][host->role]--;
	*host = (struct host){0};
	publish(h, set, way);
}

/* The entry of a host; a new one in place of nobody's, or of one that weighs least and has but one
 * flow. NULL: there is no room. */
static struct host *find(struct shed_hosts *h, uint64_t hash, unsigned tin, enum role role)
{
	unsigned set = hash >> SET_SHIFT, free = WAYS;
	uint32_t tag = host_tag(hash);

	for (unsigned i = 0; i < WAYS; i++) {
		const struct host *host = &h->hosts[set][i];

		if (host->tag == tag)
			return &h->hosts[set][i];
		if (!host->tag || (free == WAYS && host->weight <= 1 && host->begun <= 1))
			free = i;
	}
	if (free == WAYS)
		return NULL;
	forget(h, set, free);
	h->hosts[set][free] =
		(struct host){.tag = tag, .tin = (uint8_t)tin, .role = (uint8_t)role, .weight = 1};
	publish(h, set, free);
	return &h->hosts[set][free];
}

void shed_hosts_arrived(struct shed_hosts *h, const struct cake_packet *p, unsigned tin, bool first)
{
	for (enum role role = 0; role < ROLES; role++) {
		struct host *host;

		if (!isolates(h, role))
			continue;
		host = find(h, host_hash(p, tin, role), tin, role);
		if (!host)
			continue;
		if (host->v >= 0)
			host->bytes += p->len;
		if (first && !host->begun++)
			h->count[tin][role]++;
	}
}

/* A new weight has its effect after each flow has sent a packet, for which V has to go on by a
 * weight's worth of one. What it is then is counted for as long. */
static void settle(struct host *host, double len)
{
	host->bytes = 0;
	host->v = -len * host->weight;
}

/* Flows have begun: of many at once nothing else is known yet. */
static bool weigh_new_flows(struct host *host, double len)
{
	if (host->begun == host->weighed)
		return false;
	host->weight *= (double)host->begun / (host->weighed ? host->weighed : 1);
	host->weighed = host->begun;
	settle(host, len);
	return true;
}

/* It got more than V went on, or less. By a factor of two at a time: a step of V's speed that the
 * control can follow. */
static bool correct(struct host *host, double len)
{
	double ratio;

	if (host->v < len * host->weight)
		return false;
	if (host->v < COUNTED * len && (host->bytes < COUNTED * len || host->v < 2 * len))
		return false;
	ratio = host->bytes / host->v;
	host->weight *= ratio < 0.5 ? 0.5 : ratio > 2 ? 2 : ratio;
	if (host->weight < 1)
		host->weight = 1;
	settle(host, len);
	return true;
}

void shed_hosts_update(struct shed_hosts *h, unsigned tin, double v, double len)
{
	for (unsigned set = 0; set < SETS; set++) {
		for (unsigned way = 0; way < WAYS; way++) {
			struct host *host = &h->hosts[set][way];
			bool weighed, corrected;

			if (!host->tag || host->tin != tin)
				continue;
			host->v += v;
			weighed = weigh_new_flows(host, len);
			corrected = correct(host, len);
			if (weighed || corrected)
				publish(h, set, way);
		}
	}
}

unsigned shed_hosts_count(const struct shed_hosts *h, unsigned tin)
{
	const unsigned *n = h->count[tin];

	/* The larger weight counts: of one source with flows to many, the sources are to be
	 * counted. */
	if (!isolates(h, SOURCE) || (isolates(h, DESTINATION) && n[DESTINATION] < n[SOURCE]))
		return n[DESTINATION];
	return n[SOURCE];
}

void shed_hosts_reset(struct shed_hosts *h, unsigned tin)
{
	for (unsigned set = 0; set < SETS; set++)
		for (unsigned way = 0; way < WAYS; way++)
			if (h->hosts[set][way].tin == tin)
				forget(h, set, way);
}

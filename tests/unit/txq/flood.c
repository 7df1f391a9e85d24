/* SPDX-License-Identifier: BSD-3-Clause */
/* See flood.h. */
#include "flood.h"

#include <stdlib.h>
#include <string.h>

#include <gateau/cake.h>

#include "base/prng.h"
#include "txq/shed_control.h"
#include "txq/shed_table.h"

#define START_NS  1000000000ull
#define SLOT_NS   250
#define SLOTS     (1u << 22) /* 1 s: the longest time between two packets of a flow */
#define PACKETS   (1u << 16)
#define NONE      UINT32_MAX
#define MEMORY    2432 /* bytes that a packet is charged with */
#define WINDOW_NS 10000000

struct flow {
	uint64_t due;  /* ns: next packet */
	uint32_t next; /* in its slot */
	uint32_t hash, src;
	uint32_t sent; /* packets, after `from` */
	uint16_t lcore;
	uint8_t group;
};

struct packet {
	uint64_t arrived;
	uint32_t flow;
	enum shed_first first;
};

static struct {
	const struct flood_params *p;
	struct flood_result *r;
	struct prng rng;
	struct flow *flows;
	uint32_t n_flows;
	uint32_t head[SLOTS], tail[SLOTS];
	struct packet packets[PACKETS];
	uint32_t free[PACKETS], n_free;
	uint32_t ring[FLOOD_RING];
	unsigned ring_head, ring_n;
	struct shed *shed;
	struct shed_control *control;
	struct shed_table *tables[SHED_LCORES_MAX];
	uint64_t begun[SHED_LCORES_MAX];
	bool judging[SHED_LCORES_MAX], sampling[SHED_LCORES_MAX];
	struct cake *cake;
	uint64_t free_at; /* ns: the holder's next run */
} f;

static double uniform(void)
{
	return prng_u32(&f.rng) * 0x1p-32;
}

static void file_flow(uint32_t i)
{
	uint32_t slot = f.flows[i].due / SLOT_NS % SLOTS;

	f.flows[i].next = NONE;
	if (f.head[slot] == NONE)
		f.head[slot] = i;
	else
		f.flows[f.tail[slot]].next = i;
	f.tail[slot] = i;
}

static void add_group(unsigned g, uint32_t first, uint32_t host)
{
	const struct flood_group *group = &f.p->group[g];

	for (unsigned i = 0; i < group->flows; i++) {
		struct flow *fl = &f.flows[first + i];

		*fl = (struct flow){
			.hash = prng_u32(&f.rng) | 1,
			.src = (host + (group->per_host ? i / group->per_host : i) + 1) *
			       2654435761u,
			.lcore = (uint16_t)(prng_u32(&f.rng) % f.p->lcores),
			.group = (uint8_t)g,
		};
		fl->due = START_NS + group->start +
			  (uint64_t)(uniform() * 1e9 / group->pps *
				     (group->burst ? group->burst : 1));
		if (fl->due / SLOT_NS - START_NS / SLOT_NS < SLOTS)
			file_flow(first + i);
		else
			abort();
	}
}

static struct cake_packet described(uint32_t flow, uint32_t handle)
{
	const struct flow *fl = &f.flows[flow];
	const struct flood_group *g = &f.p->group[fl->group];

	return (struct cake_packet){.handle = handle,
				    .len = g->len,
				    .charge = MEMORY,
				    .flow_hash = fl->hash,
				    .src_hash = fl->src,
				    .dst_hash = 1,
				    .dscp = g->dscp};
}

static void lose(uint32_t flow, uint64_t arrived)
{
	if (arrived - START_NS >= f.p->from)
		f.r->group[f.flows[flow].group].lost_late++;
}

static void begin_lcore(unsigned lcore, uint64_t now)
{
	if (f.begun[lcore] == now)
		return;
	f.begun[lcore] = now;
	f.judging[lcore] = shed_begin(f.tables[lcore], f.ring_n >= FLOOD_RING / 2, now);
	f.sampling[lcore] = !f.judging[lcore] && shed_samples(f.tables[lcore]);
}

/* Into the ring, if it is let in. */
static void arrive(uint32_t flow, unsigned lcore, uint64_t now)
{
	struct cake_packet p = described(flow, 0);
	struct flood_count *c = &f.r->group[f.flows[flow].group];
	unsigned tin = cake_classify(&f.p->cake, &p);
	enum shed_first first = SHED_FIRST_NOT;
	bool full = false;
	uint32_t at;

	c->offered++;
	begin_lcore(lcore, now);
	if (f.p->unshed) {
	} else if (f.judging[lcore]) {
		enum shed_verdict v = shed_judge(f.tables[lcore], &p, tin, p.len, &first);

		if (v == SHED_DROP) {
			c->shed++;
			shed_refused(f.tables[lcore], tin, p.len);
			lose(flow, now);
			return;
		}
		full = v == SHED_FULL;
	} else if (f.sampling[lcore]) {
		shed_note(f.tables[lcore], &p, tin);
	}
	if (full || f.ring_n == FLOOD_RING || !f.n_free) {
		c->refused++;
		shed_refused(f.tables[lcore], tin, p.len);
		lose(flow, now);
		return;
	}
	at = f.free[--f.n_free];
	f.packets[at] = (struct packet){.arrived = now, .flow = flow, .first = first};
	f.ring[(f.ring_head + f.ring_n++) % FLOOD_RING] = at;
}

static void receive(uint64_t now)
{
	uint32_t slot = now / SLOT_NS % SLOTS, i = f.head[slot];

	f.head[slot] = NONE;
	while (i != NONE) {
		struct flow *fl = &f.flows[i];
		const struct flood_group *g = &f.p->group[fl->group];
		unsigned burst = g->burst ? g->burst : 1;
		uint32_t next = fl->next;
		double gap = 1e9 / g->pps * burst;

		for (unsigned k = 0; k < burst; k++) {
			if (g->sprayed)
				fl->lcore = (uint16_t)((fl->lcore + 1) % f.p->lcores);
			arrive(i, fl->lcore, now);
		}
		fl->due += (uint64_t)(gap * (1 + g->jitter * (2 * uniform() - 1)));
		if (fl->due / SLOT_NS == now / SLOT_NS) {
			/* several in a slot: the list is being walked */
			if (fl->due - START_NS < g->end) {
				continue;
			}
		}
		if (fl->due - START_NS < g->end)
			file_flow(i);
		i = next;
	}
}

static void take_drops(uint64_t *cost)
{
	struct cake_verdict v[64];
	unsigned n;

	while ((n = cake_take_drops(f.cake, v, 64))) {
		for (unsigned i = 0; i < n; i++) {
			struct packet *pk = &f.packets[v[i].handle];

			shed_traffic(f.control)[v[i].tin].dropped += v[i].len;
			f.r->group[f.flows[pk->flow].group].dropped++;
			lose(pk->flow, pk->arrived);
			f.free[f.n_free++] = v[i].handle;
		}
		*cost += n * FLOOD_DROP_NS;
	}
}

static unsigned enqueue_ring(uint64_t now, uint64_t *cost)
{
	unsigned n = f.ring_n;

	shed_saw_ring(f.control, n, FLOOD_RING);
	for (unsigned i = 0; i < n; i++) {
		uint32_t at = f.ring[f.ring_head];
		struct cake_packet p = described(f.packets[at].flow, at);

		f.ring_head = (f.ring_head + 1) % FLOOD_RING;
		f.ring_n--;
		cake_enqueue(f.cake, &p, 1, now);
		shed_traffic(f.control)[p.tin].arrived += p.len;
		shed_traffic(f.control)[p.tin].packets++;
		shed_arrived(f.control, &p, f.packets[at].first);
		take_drops(cost);
	}
	*cost += n * (FLOOD_ENQUEUE_NS + 1);
	return n;
}

static void sent(const struct cake_verdict *v, uint64_t now)
{
	struct packet *pk = &f.packets[v->handle];
	struct flood_count *c = &f.r->group[f.flows[pk->flow].group];
	uint64_t window = (now - START_NS) / WINDOW_NS;

	shed_traffic(f.control)[v->tin].sent += v->len;
	c->sent++;
	c->sent_bytes += v->len;
	if (window < FLOOD_WINDOWS) {
		f.r->bytes[window] += v->len;
		f.r->packets[window]++;
	}
	if (pk->arrived - START_NS >= f.p->from) {
		f.flows[pk->flow].sent++;
		c->sent_late++;
		if (now - pk->arrived > c->wait_max)
			c->wait_max = now - pk->arrived;
	}
	f.free[f.n_free++] = v->handle;
}

/* As txq_run(). */
static void run(uint64_t now)
{
	struct cake_verdict v[32];
	uint64_t cost = 100;
	unsigned quota = enqueue_ring(now, &cost) + 256, n;

	for (unsigned total = 0; total < quota; total += n) {
		n = cake_dequeue(f.cake, v, 32, now);
		for (unsigned i = 0; i < n; i++)
			sent(&v[i], now);
		cost += n * FLOOD_DEQUEUE_NS;
		take_drops(&cost);
		if (n < 32)
			break;
	}
	if (!f.p->unshed)
		if (shed_control_is_due(f.control, now))
			shed_control_run(f.control, now);
	if (shed_on(f.shed)) {
		if (!f.r->on_at)
			f.r->on_at = now - START_NS;
		f.r->off_at = now - START_NS;
	}
	f.free_at = now + cost;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void spread(unsigned g, uint32_t first)
{
	unsigned n = f.p->group[g].flows;
	uint32_t *sorted = malloc(n * sizeof(*sorted) + 1);
	double mean = 0;

	for (unsigned i = 0; i < n; i++) {
		sorted[i] = f.flows[first + i].sent;
		mean += (double)sorted[i] / n;
	}
	qsort(sorted, n, sizeof(*sorted), ascending);
	if (n && mean > 0) {
		f.r->group[g].spread_low = sorted[n / 100] / mean - 1;
		f.r->group[g].spread_high = sorted[n - 1 - n / 100] / mean - 1;
	}
	free(sorted);
}

void flood_run(const struct flood_params *p, struct flood_result *r)
{
	struct cake_params cake = p->cake;
	uint32_t first = 0, host = 0;

	memset(&f, 0, sizeof(f));
	memset(r, 0, sizeof(*r));
	f.p = p;
	f.r = r;
	f.rng = prng_xorshift32(42);
	for (unsigned i = 0; i < SLOTS; i++)
		f.head[i] = NONE;
	for (unsigned i = 0; i < PACKETS; i++)
		f.free[f.n_free++] = i;
	for (unsigned g = 0; g < p->groups; g++)
		f.n_flows += p->group[g].flows;
	f.flows = calloc(f.n_flows, sizeof(*f.flows));
	cake.min_charge = MEMORY;
	cake.burst = 2 * FLOOD_RING;
	if (cake_create(&f.cake, &cake, &f.rng) || shed_create(&f.shed, &cake) ||
	    shed_control_create(&f.control, f.shed))
		abort();
	for (unsigned i = 0; i < p->lcores; i++)
		if (shed_table_create(&f.tables[i], f.shed, i))
			abort();
	for (unsigned g = 0; g < p->groups; g++) {
		add_group(g, first, host);
		first += p->group[g].flows;
		host += p->group[g].flows;
	}
	for (uint64_t now = START_NS; now < START_NS + p->ns; now += SLOT_NS) {
		if (p->change_at && now == START_NS + p->change_at) {
			cake.bandwidth_bps = p->change_bps;
			if (cake_change(f.cake, &cake, now))
				abort();
		}
		receive(now);
		while (f.free_at < now + SLOT_NS)
			run(f.free_at > now ? f.free_at : now);
	}
	r->left = f.ring_n + cake_backlog(f.cake);
	for (unsigned g = 0, at = 0; g < p->groups; at += p->group[g++].flows)
		spread(g, at);
	for (unsigned i = 0; i < p->lcores; i++) {
		r->collisions += counter_get(shed_collisions(f.tables[i]));
		shed_table_destroy(f.tables[i]);
	}
	shed_control_destroy(f.control);
	shed_destroy(f.shed);
	cake_destroy(f.cake);
	free(f.flows);
}

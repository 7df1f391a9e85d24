/* SPDX-License-Identifier: BSD-3-Clause */
/* See nic.h. */
#include "nic.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Of a frame on the wire: preamble and start 8, FCS 4, gap 12. */
#define WIRE_OVERHEAD 24

void rxq_init(struct rxq *q, struct frames *frames, unsigned size)
{
	*q = (struct rxq){
		.frames = frames, .ring = must_calloc(size, sizeof(*q->ring)), .size = size};
}

void rxq_fini(struct rxq *q)
{
	for (unsigned i = 0; i < q->n_sources; i++)
		source_destroy(q->sources[i]);
	free(q->sources);
	free(q->ring);
}

/** The source at @at may be due later than those below it. */
static void sink(struct rxq *q, unsigned at)
{
	struct source *s = q->sources[at];

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child >= q->n_sources)
			break;
		if (child + 1 < q->n_sources &&
		    source_next(q->sources[child + 1]) < source_next(q->sources[child]))
			child++;
		if (source_next(s) <= source_next(q->sources[child]))
			break;
		q->sources[at] = q->sources[child];
		at = child;
	}
	q->sources[at] = s;
}

void rxq_add_source(struct rxq *q, struct source *s)
{
	q->sources = must_realloc(q->sources, (q->n_sources + 1) * sizeof(struct source *));
	q->sources[q->n_sources++] = s;
	for (unsigned at = q->n_sources / 2; at-- > 0;)
		sink(q, at);
}

static void describe(struct rte_mbuf *m, const struct frames *frames, const struct flow *flow)
{
	const struct mbuf_map map = frames_map(frames);
	struct cake_packet p = {
		.handle = mbuf_to_handle(&map, m),
		.len = m->pkt_len,
		.charge = map.element_bytes,
		.flow_hash = flow->flow_hash,
		.src_hash = flow->src_hash,
		.dst_hash = flow->dst_hash,
		.network_offset = 14, /* behind the Ethernet header */
		.dscp = flow->dscp,
		.ecn_capable = flow->ecn,
	};

	frame_write(m, &p);
}

static void put(struct rxq *q, struct flow *flow, uint32_t len, uint64_t cookie, uint64_t now)
{
	struct rte_mbuf *m;

	flow->tally.offered_packets++;
	flow->tally.offered_bytes += len;
	if (q->count == q->size) {
		flow->tally.lost++;
		q->lost++;
		flow_packet_gone(flow, now);
		return;
	}
	m = frame_get(q->frames, len);
	describe(m, q->frames, flow);
	*frame_note(m) = (struct frame_note){
		.flow = flow, .arrived_ns = now, .cookie = cookie, .number = flow->number++};
	q->ring[(q->head + q->count++) % q->size] = m;
}

/** What the sources have sent by @now. */
static void fill(struct rxq *q, uint64_t now)
{
	while (q->n_sources && source_next(q->sources[0]) <= now) {
		uint64_t at = source_next(q->sources[0]);
		struct arrival a = source_take(q->sources[0]);

		sink(q, 0);
		put(q, a.flow, a.len, 0, at);
	}
}

void rxq_arrive(struct rxq *q, struct flow *flow, uint32_t len, uint64_t cookie, uint64_t now)
{
	fill(q, now);
	put(q, flow, len, cookie, now);
}

unsigned rxq_poll(struct rxq *q, struct rte_mbuf **pkts, unsigned max, uint64_t now)
{
	unsigned n = 0;

	fill(q, now);
	for (; n < max && q->count; n++) {
		pkts[n] = q->ring[q->head];
		q->head = (q->head + 1) % q->size;
		q->count--;
	}
	return n;
}

uint64_t rxq_next(const struct rxq *q)
{
	if (q->count)
		return 0;
	return q->n_sources ? source_next(q->sources[0]) : UINT64_MAX;
}

static void arrive(void *arg, uint64_t now)
{
	struct wire *w = arg;

	while (w->count && w->under_way[w->head].at <= now) {
		struct delivery d = w->under_way[w->head];

		w->head = (w->head + 1) % w->room;
		w->count--;
		d.flow->deliver(d.flow->arg, d.flow, d.cookie, d.len, d.ce, now);
	}
	if (w->count)
		events_set(w->events, &w->arrival, w->under_way[w->head].at);
}

void wire_init(struct wire *w, struct events *events, uint64_t bps, uint64_t delay_ns,
	       unsigned n_rings, unsigned ring_size)
{
	*w = (struct wire){
		.events = events,
		.ns_per_byte = bps ? 8e9 / (double)bps : 0,
		.delay_ns = delay_ns,
		.rings = must_calloc(n_rings, sizeof(*w->rings)),
		.n_rings = n_rings,
		.arrival = {.fn = arrive, .arg = w},
	};
	for (unsigned i = 0; i < n_rings; i++)
		w->rings[i] = (struct tx_ring){.done_ns = must_calloc(ring_size, sizeof(uint64_t)),
					       .size = ring_size};
}

void wire_fini(struct wire *w)
{
	events_clear(w->events, &w->arrival);
	for (unsigned i = 0; i < w->n_rings; i++)
		free(w->rings[i].done_ns);
	free(w->rings);
	free(w->under_way);
}

unsigned wire_room(struct wire *w, unsigned queue, unsigned n, uint64_t now)
{
	struct tx_ring *r = &w->rings[queue];

	if (w->ns_per_byte == 0)
		return n;
	while (r->count && r->done_ns[r->head] <= now) {
		r->head = (r->head + 1) % r->size;
		r->count--;
	}
	return RTE_MIN(n, r->size - r->count);
}

uint64_t wire_room_at(const struct wire *w, unsigned queue)
{
	const struct tx_ring *r = &w->rings[queue];

	return r->count == r->size ? r->done_ns[r->head] : 0;
}

/** The rings of deliveries grow as needed. */
static void grow(struct wire *w)
{
	unsigned room = w->room ? 2 * w->room : 256;
	struct delivery *larger = must_calloc(room, sizeof(*larger));

	for (unsigned i = 0; i < w->count; i++)
		larger[i] = w->under_way[(w->head + i) % w->room];
	free(w->under_way);
	w->under_way = larger;
	w->room = room;
	w->head = 0;
}

static void deliver_later(struct wire *w, struct rte_mbuf *m, uint64_t at)
{
	const struct frame_note *note = frame_note(m);

	if (w->count == w->room)
		grow(w);
	w->under_way[(w->head + w->count++) % w->room] =
		(struct delivery){at, note->flow, note->cookie, m->pkt_len, frame_has_ce(m)};
	if (w->count == 1)
		events_set(w->events, &w->arrival, at);
}

void wire_send(struct wire *w, unsigned queue, struct rte_mbuf *m, uint64_t now)
{
	struct tx_ring *r = &w->rings[queue];
	uint64_t done = now;

	if (w->ns_per_byte > 0) {
		if (w->free_ns < (double)now)
			w->free_ns = (double)now;
		w->free_ns += w->ns_per_byte * (m->pkt_len + WIRE_OVERHEAD);
		done = (uint64_t)w->free_ns;
		r->done_ns[(r->head + r->count++) % r->size] = done;
	}
	if (frame_note(m)->flow->deliver)
		deliver_later(w, m, done + w->delay_ns);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet descriptors: what the scheduler remembers of a queued packet, and FIFOs of them.
 *
 * A descriptor lives in one array per instance and is named by its index; the packet itself stays
 * untouched until it leaves. Free descriptors, each flow's queue and the drop list are all chains
 * through `next`.
 */
#ifndef GATEAU_CAKE_SLAB_H
#define GATEAU_CAKE_SLAB_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#define SLAB_NONE UINT32_MAX

/* Two to a cache line: 64-bit time because a frame may wait for 23.7 s at 512 bit/s, 32-bit lengths
 * because a 64 KB super-packet is 72 kB in ATM cells. */
struct desc {
	uint64_t enqueued_ns;
	uint32_t handle; /* in the order of a verdict */
	uint32_t len;
	uint32_t adj_len;
	uint32_t flow : 20; /* of any tin: first_flow + slot */
	uint32_t ecn_capable : 1;
	uint32_t ce : 1;       /* the AQM marked it */
	uint32_t decision : 3; /* once it is decided */
	uint32_t flow_set : 3; /* likewise: the flow's state then */
	uint32_t tcp : 1;      /* slab.tcps has its record */
	uint32_t pure_ack : 1; /* which says that it is nothing but an ACK */
	uint32_t charge;
	uint32_t next;
};
static_assert(sizeof(struct desc) == 32, "two descriptors to a cache line");
static_assert(CAKE_MAX_TINS * CAKE_FLOWS_MAX <= 1u << 20 && CAKE_DECISIONS <= 1u << 3,
	      "what a descriptor names fits its bits");

/* Oldest first. */
struct fifo {
	uint32_t head; /* SLAB_NONE = empty */
	uint32_t tail;
};

struct slab {
	struct desc *descs;
	struct cake_tcp *tcps; /* as many; NULL unless there is an ACK filter */
	uint32_t free;         /* chain */
	uint32_t n_free;
	uint32_t n;
};

/** @tcp: with room for a record of TCP headers per packet. 0 or -ENOMEM. */
int slab_init(struct slab *s, uint32_t n, bool tcp);
void slab_fini(struct slab *s);

/** Bytes slab_init() allocates. */
uint64_t slab_footprint(uint64_t n, bool tcp);

/* The caller has checked n_free. */
static inline uint32_t slab_get(struct slab *s)
{
	uint32_t i = s->free;

	s->free = s->descs[i].next;
	s->n_free--;
	return i;
}

static inline void slab_put(struct slab *s, uint32_t i)
{
	s->descs[i].next = s->free;
	s->free = i;
	s->n_free++;
}

static inline void fifo_init(struct fifo *q)
{
	q->head = SLAB_NONE;
	q->tail = SLAB_NONE;
}

/* Put @i, whose `next` is SLAB_NONE, at the end. */
static inline void fifo_link(struct fifo *q, struct slab *s, uint32_t i)
{
	if (q->head == SLAB_NONE)
		q->head = i;
	else
		s->descs[q->tail].next = i;
	q->tail = i;
}

static inline void fifo_push(struct fifo *q, struct slab *s, uint32_t i)
{
	s->descs[i].next = SLAB_NONE;
	fifo_link(q, s, i);
}

/* The first of @q, which is not empty. */
static inline uint32_t fifo_take(struct fifo *q, const struct slab *s)
{
	uint32_t i = q->head;

	q->head = s->descs[i].next;
	return i;
}

/* SLAB_NONE if empty. */
static inline uint32_t fifo_pop(struct fifo *q, const struct slab *s)
{
	return q->head == SLAB_NONE ? SLAB_NONE : fifo_take(q, s);
}

/* Take out @i, which stands behind @prev (SLAB_NONE: first) and is not the last. */
static inline void fifo_remove(struct fifo *q, struct slab *s, uint32_t prev, uint32_t i)
{
	if (prev == SLAB_NONE)
		q->head = s->descs[i].next;
	else
		s->descs[prev].next = s->descs[i].next;
}

#endif

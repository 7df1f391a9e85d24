/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queues: one slot of a tin's flow table each, its packets, its deficit and its AQM state.
 *
 * Slots are found by tag in an 8-way set-associative table. A slot belongs to a flow until its
 * state is CAKE_SET_NONE again. Active slots hang in one of the tin's three lists.
 */
#ifndef GATEAU_CAKE_FLOW_H
#define GATEAU_CAKE_FLOW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "cake/cobalt.h"
#include "cake/slab.h"

/* Slots a hash may fall in; their tags are half a cache line. */
#define FLOW_WAYS 8

/* All that serving a packet needs, one cache line. */
struct flow {
	struct cobalt cobalt;
	struct fifo queue;
	uint64_t backlog;            /* bytes */
	int32_t deficit;             /* bytes it may still send in this round */
	uint16_t prev, next;         /* list links */
	uint16_t src_host, dst_host; /* entries in the tin's host tables */
	uint8_t set;                 /* enum cake_flow_set */
} __attribute__((aligned(64)));
static_assert(sizeof(struct flow) == 64, "a flow's hot part is one cache line");

/* List heads are slots behind the table that never hold packets. */
enum flow_list { FLOWS_NEW, FLOWS_OLD, FLOWS_DECAYING, FLOW_LISTS };

struct flow_table {
	struct flow *flows; /* n + FLOW_LISTS */
	uint32_t *tags;     /* n */
	uint64_t *drops;    /* n; packets, only counted: kept out of the hot line */
	uint32_t n;         /* power of two, at least FLOW_WAYS */
};

/* How a lookup ended. */
enum flow_hit {
	FLOW_HIT_DIRECT,   /* own way, in use */
	FLOW_HIT_OWN_WAY,  /* own way, tag right but idle */
	FLOW_HIT_INDIRECT, /* another way */
	FLOW_MISS,         /* took an idle slot */
	FLOW_COLLISION,    /* shares its own way with another flow */
};

int flow_table_init(struct flow_table *t, uint32_t n);
void flow_table_fini(struct flow_table *t);

/** Bytes flow_table_init() allocates. */
uint64_t flow_table_footprint(uint32_t n);

/** Forget all flows but their counts of drops; their queues must be empty. */
void flow_table_reset(struct flow_table *t);

/** Slot of the flow with hash @hash. Its tag is set. */
enum flow_hit flow_lookup(struct flow_table *t, uint32_t hash, uint16_t *slot);

static inline uint16_t flow_list_head(const struct flow_table *t, enum flow_list list)
{
	return t->n + list;
}

static inline bool flow_list_empty(const struct flow_table *t, enum flow_list list)
{
	uint16_t head = flow_list_head(t, list);

	return t->flows[head].next == head;
}

/* The list must not be empty. */
static inline uint16_t flow_list_first(const struct flow_table *t, enum flow_list list)
{
	return t->flows[flow_list_head(t, list)].next;
}

/* A slot in no list is linked to itself, so that unlinking it is harmless. */
static inline void flow_unlink(struct flow_table *t, uint16_t slot)
{
	struct flow *f = &t->flows[slot];

	t->flows[f->prev].next = f->next;
	t->flows[f->next].prev = f->prev;
	f->prev = slot;
	f->next = slot;
}

static inline void flow_move_to_tail(struct flow_table *t, uint16_t slot, enum flow_list list)
{
	uint16_t head = flow_list_head(t, list);
	struct flow *f = &t->flows[slot];

	flow_unlink(t, slot);
	f->prev = t->flows[head].prev;
	f->next = head;
	t->flows[f->prev].next = slot;
	t->flows[head].prev = slot;
}

#endif

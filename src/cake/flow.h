/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow queues: one slot of a tin's flow table each, its packets, its deficit and its AQM state.
 *
 * Slots are found by tag in an 8-way set-associative table. A slot belongs to a flow until its
 * state is CAKE_SET_NONE again. The others hang in one of the tin's three lists.
 */
#ifndef GATEAU_CAKE_FLOW_H
#define GATEAU_CAKE_FLOW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <gateau/cake.h>

#include "base/hot.h"
#include "cake/cobalt.h"
#include "cake/slab.h"

/* Slots a hash may fall in; their tags are half a cache line. */
#define FLOW_WAYS 8

/* All that serving a packet needs, one cache line. */
struct flow {
	struct cobalt cobalt;
	uint8_t set;                 /* enum cake_flow_set */
	uint16_t src_host, dst_host; /* entries in the tin's host tables */
	int32_t deficit;             /* bytes it may still send in this round */
	struct fifo queue;
	uint32_t prev, next; /* in its list */
	uint64_t drops;      /* packets, only counted */
} __attribute__((aligned(64)));
static_assert(sizeof(struct flow) == 64, "a flow is one cache line");

/*
 * The lists of a tin. What is before its first flow and behind its last is left unsaid, so that
 * taking the first to the end of a list touches the one that was last, and none that is next.
 */
enum flow_list { FLOWS_NEW, FLOWS_OLD, FLOWS_DECAYING, FLOW_LISTS };

#define FLOW_NONE UINT32_MAX

struct flow_table {
	struct flow *flows;
	uint32_t *tags;
	uint32_t n; /* power of two, at least FLOW_WAYS */
	struct {
		uint32_t first; /* slot; FLOW_NONE = empty */
		uint32_t last;
	} lists[FLOW_LISTS];
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
enum flow_hit flow_lookup(struct flow_table *t, uint32_t hash, uint32_t *slot);

/* Bit per way of the set at @tags that has tag @hash. */
static inline unsigned flow_ways_tagged_portable(const uint32_t *tags, uint32_t hash)
{
	unsigned ways = 0;

	for (unsigned i = 0; i < FLOW_WAYS; i++)
		ways |= (unsigned)(tags[i] == hash) << i;
	return ways;
}

/* The same, all at once. */
static inline unsigned flow_ways_tagged(const uint32_t *tags, uint32_t hash)
{
#ifdef __SSE2__
	const __m128i h = _mm_set1_epi32((int)hash);
	__m128i low = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)tags), h);
	__m128i high = _mm_cmpeq_epi32(_mm_load_si128((const __m128i *)(tags + 4)), h);

	return (unsigned)_mm_movemask_epi8(
		_mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128()));
#else
	return flow_ways_tagged_portable(tags, hash);
#endif
}

/* The first of @ways, of which there is one, from way @own on, going round. */
static inline unsigned flow_first_way(unsigned ways, unsigned own)
{
	unsigned from_own = (ways | ways << FLOW_WAYS) >> own;

	return (own + (unsigned)__builtin_ctz(from_own)) % FLOW_WAYS;
}

/** Slot with tag @hash beside its own way @own, whose tag is another; FLOW_NONE if none has it. */
static inline uint32_t flow_find_aside(const struct flow_table *t, uint32_t own, uint32_t hash)
{
	uint32_t set = own & ~(FLOW_WAYS - 1u);
	unsigned ways = flow_ways_tagged(&t->tags[set], hash);

	return ways ? set + flow_first_way(ways, own & (FLOW_WAYS - 1u)) : FLOW_NONE;
}

/** FLOW_NONE if the list is empty. */
static inline uint32_t flow_first(const struct flow_table *t, enum flow_list list)
{
	return t->lists[list].first;
}

/** Put @slot, which is in no list, at the end of @list. */
static inline void flow_append(struct flow_table *t, enum flow_list list, uint32_t slot)
{
	uint32_t last = t->lists[list].last;

	t->lists[list].last = slot;
	if (t->lists[list].first == FLOW_NONE) {
		t->lists[list].first = slot;
		return;
	}
	t->flows[last].next = slot;
	t->flows[slot].prev = last;
}

/** Take the first of @list out. */
static inline void flow_remove_first(struct flow_table *t, enum flow_list list)
{
	uint32_t slot = t->lists[list].first;

	t->lists[list].first = slot == t->lists[list].last ? FLOW_NONE : t->flows[slot].next;
}

/** Take @slot out of @list, which it is in. */
static inline void flow_remove(struct flow_table *t, enum flow_list list, uint32_t slot)
{
	const struct flow *f = &t->flows[slot];

	if (slot == t->lists[list].first) {
		flow_remove_first(t, list);
		return;
	}
	if (slot == t->lists[list].last)
		t->lists[list].last = f->prev;
	else
		t->flows[f->next].prev = f->prev;
	t->flows[f->prev].next = f->next;
}

/** The first of @list goes to its end. */
static inline void flow_rotate(struct flow_table *t, enum flow_list list)
{
	uint32_t slot = t->lists[list].first, last = t->lists[list].last;

	if (slot == last)
		return;
	t->lists[list].first = t->flows[slot].next;
	t->lists[list].last = slot;
	t->flows[last].next = slot;
	t->flows[slot].prev = last;
}

/** The first of @from goes to the end of @to, another list. */
static inline void flow_move_first(struct flow_table *t, enum flow_list from, enum flow_list to)
{
	uint32_t slot = t->lists[from].first;

	flow_remove_first(t, from);
	flow_append(t, to, slot);
}

#endif

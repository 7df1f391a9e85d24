/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving side of shedding: how far each flow that one lcore receives for one queue has come,
 * and which of its packets are ahead of what the queue has granted. No DPDK.
 *
 * A flow has a tag F, the value of V at which its last packet will have been paid for:
 *
 *	F <= V + tolerance	the packet passes; F moves on by its length
 *	F beyond that		it is shed
 *
 * A flow that sends less than V grows by is never ahead: it loses nothing, whatever others send.
 *
 * Entries are 8 bytes in sets of one cache line. While the queue is not overloaded one burst in
 * eight is noted, so that the flows that were there before a flood are known when it begins: they
 * may use all of the ring, and are not mistaken for the flood's first packets.
 *
 * What a flood's packet meets on its way out is inline, and so the table is no secret: whatever is
 * done about it has to fit into the 27 ns that a frame of 64 bytes takes at 25 gbit.
 */
#ifndef GATEAU_TXQ_SHED_TABLE_H
#define GATEAU_TXQ_SHED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/counter.h"
#include "base/hot.h"
#include "base/prng.h"
#include "txq/shed.h"

/** Entries per configured flow queue. Up to half of that are used if two tins are full of flows
 * that all come by one lcore; a set of 8 is full for 1 flow in 10,000 then. */
#define SHED_TABLE_PER_FLOW 16

enum shed_verdict {
	SHED_PASS,
	SHED_FULL, /* half of the ring is used: the rest is for flows that were there before */
	SHED_DROP, /* ahead of its share */
};

#define SHED_WAYS 8 /* entries of a set: one cache line */

/*
 * An entry: F in 40 bits, known 1, tin 3, tag 20. With the set's number, of 10 bits or more where
 * 1,024 flows are configured, that is 30 bits of the flow's 32-bit identity: 8 entries look like
 * another flow with probability 8e-6. 0 is an entry that nobody has.
 */
#define SHED_KNOWN           (1ull << 40)
#define SHED_TIN_SHIFT       41
#define SHED_ENTRY_TAG_SHIFT 44
#define SHED_KEY_MASK        (~0ull << SHED_TIN_SHIFT)

typedef uint64_t shed_entry_pair __attribute__((vector_size(16)));

struct shed_set {
	_Alignas(SHED_LINE) union {
		uint64_t entries[SHED_WAYS];
		shed_entry_pair pairs[SHED_WAYS / 2]; /* the same, two at a time */
	};
};
static_assert(sizeof(struct shed_set) == SHED_LINE, "a set is a cache line");

/** Of one lcore, for one queue: nobody else looks at it, but at `collisions`. */
struct shed_table {
	struct shed *shed;
	struct shed_report *report;
	uint64_t mode; /* the queue's, when it was looked at last, and what follows from it */
	struct classifier classifier;
	enum cake_flowmode flowmode;
	unsigned tins;
	bool by_hosts;
	unsigned shift; /* of a 64-bit hash, to the set's number */
	unsigned until_sample;
	bool knows;     /* a flow that was there before: only then half of the ring is kept */
	bool half_full; /* the ring, at the beginning of this burst */
	struct prng rng;
	counter_t collisions;
	struct shed_view views[CAKE_MAX_TINS];
	struct shed_set sets[];
};

/** Of lcore @lcore, for the queue of @s. 0 or -ENOMEM. */
int shed_table_create(struct shed_table **out, struct shed *s, unsigned lcore);
void shed_table_destroy(struct shed_table *t);

/** Bytes that shed_table_create() allocates where a tin has @flows. */
uint64_t shed_table_footprint(uint32_t flows);

/**
 * Begin with a burst: @half_full says whether half of the queue's ring is used.
 *
 * @return whether packets must be judged; otherwise all pass
 */
bool shed_begin(struct shed_table *t, bool half_full, uint64_t now);

/** Tin of a packet. After shed_begin(). */
static inline unsigned shed_tin_of(const struct shed_table *t, const struct cake_packet *p)
{
	return classify(&t->classifier, p);
}

/** Whether this burst is one to be noted: one in eight. Only if shed_begin() says false. */
bool shed_samples(struct shed_table *t);

/* The set's number in the upper bits, the tag below. The identities of a queue's flows lie close to
 * each other (steer_queue()): multiplied by 2^64 / golden ratio they do not. */
static inline uint64_t shed_key_hash(const struct shed_table *t, const struct cake_packet *p,
				     unsigned tin)
{
	uint64_t id = (uint64_t)tin << 32 | cake_flow_key(t->flowmode, p);

	return (id + 1) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t shed_entry_key(const struct shed_table *t, uint64_t hash, unsigned tin)
{
	uint64_t tag = hash << (64 - t->shift) >> (64 - 20);

	return (tag ? tag : 1) << SHED_ENTRY_TAG_SHIFT | (uint64_t)tin << SHED_TIN_SHIFT;
}

/** Fetch what a packet's judgement looks at. Returns its flow's hash, for shed_judge_hashed(). */
static inline uint64_t shed_prefetch(const struct shed_table *t, const struct cake_packet *p,
				     unsigned tin)
{
	uint64_t hash = shed_key_hash(t, p, tin);

	__builtin_prefetch(&t->sets[hash >> t->shift], 1);
	return hash;
}

/** The packet's flow was seen while its tin is not overloaded. After shed_begin(). */
void shed_note(struct shed_table *t, const struct cake_packet *p, unsigned tin);

/* All entries are looked at: which one it is differs from packet to packet, so that the end of a
 * loop that stops there would be guessed wrong nearly each time. That costs as much as all of this.
 */
static inline uint64_t *shed_find(struct shed_set *set, uint64_t key)
{
	const shed_entry_pair keys = {key, key}, mask = {SHED_KEY_MASK, SHED_KEY_MASK};
	shed_entry_pair hit = {0, 0};
	uint64_t hits;

#pragma GCC unroll 4
	for (unsigned i = 0; i < SHED_WAYS / 2; i++) {
		const shed_entry_pair bits = {1ull << 2 * i, 2ull << 2 * i};

		hit |= (shed_entry_pair)((set->pairs[i] & mask) == keys) & bits;
	}
	hits = hit[0] | hit[1];
	return hits ? &set->entries[__builtin_ctzll(hits)] : NULL;
}

/** shed_judge() for a flow that is not ahead: @e is its entry, or NULL. */
enum shed_verdict shed_judge_behind(struct shed_table *t, const struct cake_packet *p, unsigned tin,
				    uint32_t bytes, enum shed_first *first, uint64_t *e);

/** shed_judge() of a packet whose hash is known. */
HOT enum shed_verdict shed_judge_hashed(struct shed_table *t, const struct cake_packet *p,
					unsigned tin, uint64_t hash, uint32_t bytes,
					enum shed_first *first)
{
	const struct shed_view *view = &t->views[tin];
	uint64_t *e;

	*first = SHED_FIRST_NOT;
	if (!view->on && shed_on(t->shed))
		return SHED_PASS; /* another tin is overloaded, not this one */
	e = shed_find(&t->sets[hash >> t->shift], shed_entry_key(t, hash, tin));
	/* Most packets of a flood end here, before their hosts' weights are looked up. Who is ahead
	 * of V is no new flow: V is not behind where it began. */
	if (e && shed_ahead(*e & SHED_TAG_MASK, shed_tag(view->v)) >
			 (int64_t)(*e & SHED_KNOWN ? view->credit : view->tol)) {
		if (!view->on)
			return SHED_FULL;
		if (*e & SHED_KNOWN) /* a store for nothing would hold up the next loads */
			*e &= ~SHED_KNOWN;
		return SHED_DROP;
	}
	return shed_judge_behind(t, p, tin, bytes, first, e);
}

/**
 * Judge an arrival of @bytes, and charge its flow if it passes.
 *
 * @param first  set if it passes
 */
static inline enum shed_verdict shed_judge(struct shed_table *t, const struct cake_packet *p,
					   unsigned tin, uint32_t bytes, enum shed_first *first)
{
	return shed_judge_hashed(t, p, tin, shed_key_hash(t, p, tin), bytes, first);
}

/** @bytes for @tin were not let into the queue: shed, or its ring was full. */
static inline void shed_refused(struct shed_table *t, unsigned tin, uint32_t bytes)
{
	counter_add(&t->report->bytes[tin], bytes);
}

/** Writer: the lcore. Packets of flows that found no room in the table. */
const counter_t *shed_collisions(const struct shed_table *t);

#endif

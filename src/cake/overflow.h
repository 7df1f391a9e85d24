/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes queued by flow, and which flow is the fattest: a tree of maxima over all flow slots of an
 * instance, numbered from tin to tin.
 *
 * A node is the largest of eight, one cache line; the leaves are the flows themselves. Each is a
 * number that says how many bytes and whose, so that comparing two compares both:
 *
 *	bit   63..20                 19..0
 *	      bytes queued by it     the more, the lower its number: that wins ties
 *
 * Of 1,024 flows there are 128 + 16 + 2 nodes, and a flow whose bytes change is compared with eight
 * on each of three levels at most; most changes end at the first one that is another's. The nodes
 * are kept in order only while the instance has overflowed lately (`countdown` packets sent since
 * the last drop); without overflow a change is one addition, and the first drop builds them anew.
 */
#ifndef GATEAU_CAKE_OVERFLOW_H
#define GATEAU_CAKE_OVERFLOW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

/* Packets sent without a drop after which the tree is left to itself, as in Linux. */
#define OVERFLOW_COUNTDOWN 65535

#define OVERFLOW_INDEX_BITS 20
#define OVERFLOW_INDEX_MASK ((1u << OVERFLOW_INDEX_BITS) - 1)
static_assert(CAKE_MAX_TINS * CAKE_FLOWS_MAX <= OVERFLOW_INDEX_MASK + 1u,
	      "every flow has a number");

/* What a node has below it: a cache line of numbers. */
#define OVERFLOW_WAYS 8

/* Levels of nodes: the 8 * 131,072 leaves are 8^6 * 4. */
#define OVERFLOW_LEVELS_MAX 6

struct overflow {
	uint64_t *keys;                          /* leaves by number, then the levels above */
	uint32_t start[OVERFLOW_LEVELS_MAX + 1]; /* of a level in `keys`; 0 = leaves */
	uint32_t n;                              /* leaves */
	unsigned levels;                         /* of nodes */
	uint32_t countdown;                      /* 0 = the nodes are not in order */
};

/** @flows of all tins, a multiple of 8. 0 or -ENOMEM. */
int overflow_init(struct overflow *o, uint32_t flows);
void overflow_fini(struct overflow *o);

/** Bytes overflow_init() allocates. */
uint64_t overflow_footprint(uint32_t flows);

/** The number of the fattest flow; the tree is put in order first if need be, and kept so from now
 * on. */
uint32_t overflow_fattest(struct overflow *o);

/* Leaf @i was @old and is more, resp. less. */
void overflow_raise(struct overflow *o, uint32_t i);
void overflow_lower(struct overflow *o, uint32_t i, uint64_t old);

/** Bytes that flow @i queues. */
static inline uint64_t overflow_bytes(const struct overflow *o, uint32_t i)
{
	return o->keys[i] >> OVERFLOW_INDEX_BITS;
}

/** @bytes more are queued by flow @i, resp. less. */
static inline void overflow_grown(struct overflow *o, uint32_t i, uint64_t bytes)
{
	o->keys[i] += bytes << OVERFLOW_INDEX_BITS;
	if (o->countdown)
		overflow_raise(o, i);
}

static inline void overflow_shrunk(struct overflow *o, uint32_t i, uint64_t bytes)
{
	uint64_t old = o->keys[i];

	o->keys[i] = old - (bytes << OVERFLOW_INDEX_BITS);
	if (o->countdown)
		overflow_lower(o, i, old);
}

/** A packet was sent. */
static inline void overflow_sent(struct overflow *o)
{
	if (o->countdown)
		o->countdown--;
}

#endif

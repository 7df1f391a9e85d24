/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which flow is the fattest: a heap of all flow slots of an instance by bytes queued.
 *
 * Ties go to the lowest tin, then the lowest slot. The heap is kept in order only while the
 * instance has overflowed lately (`countdown` packets sent since the last drop); without overflow
 * it costs nothing, and the first drop builds it anew in one pass.
 */
#ifndef GATEAU_CAKE_OVERFLOW_H
#define GATEAU_CAKE_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

struct tin;

/* Packets sent without a drop after which the heap is left to itself, as in Linux. */
#define OVERFLOW_COUNTDOWN 65535

struct overflow {
	struct overflow_entry {
		uint16_t tin;
		uint16_t slot;
	} * heap;
	uint32_t *position; /* in the heap, of slot + tin * flows */
	uint32_t n;
	uint32_t flows;     /* per tin */
	uint32_t countdown; /* 0 = not in order */
};

int overflow_init(struct overflow *o, unsigned tins, uint32_t flows);
void overflow_fini(struct overflow *o);

/** Bytes overflow_init() allocates. */
uint64_t overflow_footprint(unsigned tins, uint32_t flows);

/** The fattest flow; the heap is put in order first if need be, and kept so from now on. */
struct overflow_entry overflow_fattest(struct overflow *o, const struct tin *tins);

/** A flow's backlog has grown or shrunk. */
void overflow_grown(struct overflow *o, const struct tin *tins, unsigned tin, uint16_t slot);
void overflow_shrunk(struct overflow *o, const struct tin *tins, unsigned tin, uint16_t slot);

/** A packet was sent. */
static inline void overflow_sent(struct overflow *o)
{
	if (o->countdown)
		o->countdown--;
}

#endif

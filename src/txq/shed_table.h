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
 */
#ifndef GATEAU_TXQ_SHED_TABLE_H
#define GATEAU_TXQ_SHED_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "base/counter.h"
#include "txq/shed.h"

/** Entries per configured flow queue. Up to half of that are used if two tins are full of flows
 * that all come by one lcore; a set of 8 is full for 1 flow in 10,000 then. */
#define SHED_TABLE_PER_FLOW 16

enum shed_verdict {
	SHED_PASS,
	SHED_FULL, /* half of the ring is used: the rest is for flows that were there before */
	SHED_DROP, /* ahead of its share */
};

struct shed_table;

/** Of lcore @lcore, for the queue of @s. 0 or -ENOMEM. */
int shed_table_create(struct shed_table **out, struct shed *s, unsigned lcore);
void shed_table_destroy(struct shed_table *t);

/** Bytes that shed_table_create() allocates. */
uint64_t shed_table_footprint(const struct cake_params *p);

/**
 * Begin with a burst: @half_full says whether half of the queue's ring is used.
 *
 * @return whether packets must be judged; otherwise all pass
 */
bool shed_begin(struct shed_table *t, bool half_full, uint64_t now);

/** Whether this burst is one to be noted: one in eight. Only if shed_begin() says false. */
bool shed_samples(struct shed_table *t);

/** Fetch what a packet's judgement looks at. */
void shed_prefetch(const struct shed_table *t, const struct cake_packet *p, unsigned tin);

/** The packet's flow was seen while its tin is not overloaded. After shed_begin(). */
void shed_note(struct shed_table *t, const struct cake_packet *p, unsigned tin);

/**
 * Judge an arrival of @bytes, and charge its flow if it passes.
 *
 * @param first  set if it passes
 */
enum shed_verdict shed_judge(struct shed_table *t, const struct cake_packet *p, unsigned tin,
			     uint32_t bytes, enum shed_first *first);

/** @bytes for @tin were not let into the queue: shed, or its ring was full. */
void shed_refused(struct shed_table *t, unsigned tin, uint32_t bytes);

/** Writer: the lcore. Packets of flows that found no room in the table. */
const counter_t *shed_collisions(const struct shed_table *t);

#endif

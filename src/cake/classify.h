/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tin a packet belongs to: DSCP tables, marks and the operator's choice. */
#ifndef GATEAU_CAKE_CLASSIFY_H
#define GATEAU_CAKE_CLASSIFY_H

#include <stdint.h>

#include <gateau/cake.h>

struct classifier {
	const uint8_t *dscp_to_tin; /* 64 entries */
	const uint8_t *order;       /* internal tin at each place of tc's order */
	unsigned tins;
	uint32_t mark_mask;
	unsigned mark_shift;
};

void classifier_init(struct classifier *c, enum cake_diffserv mode, uint32_t fwmark);

/** Internal index of @p's tin: mark first, then the operator's choice, then DSCP. */
static inline unsigned classify(const struct classifier *c, const struct cake_packet *p)
{
	uint32_t mark;

	if (c->tins == 1)
		return 0;
	mark = (p->mark & c->mark_mask) >> c->mark_shift;
	if (mark >= 1 && mark <= c->tins)
		return c->order[mark - 1];
	if (p->priority_tin >= 1 && p->priority_tin <= c->tins)
		return c->order[p->priority_tin - 1];
	return c->dscp_to_tin[p->dscp & 63];
}

#endif

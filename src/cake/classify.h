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
unsigned classify(const struct classifier *c, const struct cake_packet *p);

#endif

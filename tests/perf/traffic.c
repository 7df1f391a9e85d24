/* SPDX-License-Identifier: BSD-3-Clause */
/* See traffic.h. */
#include "traffic.h"

#include <errno.h>
#include <stdlib.h>

int traffic_begin(struct traffic *t, uint32_t flows)
{
	*t = (struct traffic){.order = malloc(flows * sizeof(*t->order)),
			      .flows = flows,
			      .rng = prng_xorshift32(1)};
	if (!t->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < flows; i++)
		t->order[i] = i;
	return 0;
}

void traffic_end(struct traffic *t)
{
	free(t->order);
}

/* A step of Fisher and Yates's shuffle. */
uint32_t traffic_next(struct traffic *t)
{
	const uint32_t other = t->at + prng_u32(&t->rng) % (t->flows - t->at);
	const uint32_t flow = t->order[other];

	t->order[other] = t->order[t->at];
	t->order[t->at] = flow;
	t->at = t->at + 1 == t->flows ? 0 : t->at + 1;
	return flow;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The array of packet descriptors; see slab.h. */
#include "cake/slab.h"

#include <errno.h>
#include <stdlib.h>

int slab_init(struct slab *s, uint32_t n, bool tcp)
{
	s->descs = aligned_alloc(64, ((size_t)n * sizeof(*s->descs) + 63) & ~(size_t)63);
	s->tcps = tcp ? malloc(n * sizeof(*s->tcps)) : NULL;
	if (!s->descs || (tcp && !s->tcps)) {
		slab_fini(s);
		return -ENOMEM;
	}
	s->n = n;
	s->n_free = 0;
	s->free = SLAB_NONE;
	/* Lowest index on top: a short queue stays in few cache lines. */
	for (uint32_t i = n; i-- > 0;)
		slab_put(s, i);
	return 0;
}

void slab_fini(struct slab *s)
{
	free(s->descs);
	free(s->tcps);
	s->descs = NULL;
	s->tcps = NULL;
}

uint64_t slab_footprint(uint64_t n, bool tcp)
{
	return n * (sizeof(struct desc) + (tcp ? sizeof(struct cake_tcp) : 0));
}

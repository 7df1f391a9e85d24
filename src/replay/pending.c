/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing array with a list of what is free in it; see pending.h. */
#include "replay/pending.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SIZE 1024

void pending_init(struct pending_table *t)
{
	*t = (struct pending_table){.first_free = PENDING_NONE};
}

void pending_free(struct pending_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->packets[i].held);
	free(t->packets);
}

static int grow(struct pending_table *t)
{
	uint32_t n = t->n ? 2 * t->n : FIRST_SIZE;
	struct pending *packets = reallocarray(t->packets, n, sizeof(*packets));

	if (!packets)
		return -ENOMEM;
	for (uint32_t i = n; i-- > t->n;) {
		packets[i] = (struct pending){.next_free = t->first_free};
		t->first_free = i;
	}
	t->packets = packets;
	t->n = n;
	return 0;
}

int pending_add(struct pending_table *t, const struct pending *info, uint32_t *handle)
{
	if (t->first_free == PENDING_NONE && grow(t))
		return -ENOMEM;
	*handle = t->first_free;
	t->first_free = t->packets[*handle].next_free;
	t->packets[*handle] = *info;
	return 0;
}

void pending_remove(struct pending_table *t, uint32_t handle)
{
	struct pending *p = &t->packets[handle];

	free(p->held);
	p->held = NULL;
	p->next_free = t->first_free;
	t->first_free = handle;
}

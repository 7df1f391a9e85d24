/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets between arrival and decision: what the log and the output capture say of them, by the
 * handle that the scheduler knows them by.
 */
#ifndef GATEAU_REPLAY_PENDING_H
#define GATEAU_REPLAY_PENDING_H

#include <stdint.h>

#include "packet/hash.h"
#include "replay/held.h"

struct pending {
	uint64_t idx; /* packet number in the capture */
	uint64_t arrival_ns;
	struct packet_hashes hashes;
	uint32_t seg;
	int ecn, dscp;           /* -1 = no IP */
	struct held_frame *held; /* owned; NULL if nobody wants the bytes */
	uint32_t next_free;
};

#define PENDING_NONE UINT32_MAX

/** Handles are indices; grows to the most packets that ever were pending. */
struct pending_table {
	struct pending *packets;
	uint32_t n, first_free;
};

void pending_init(struct pending_table *t);

/** Free all, also what is pending. */
void pending_free(struct pending_table *t);

/** Keep a copy of @info, whose `held` it takes over. Returns 0 and its @handle, or -ENOMEM. */
int pending_add(struct pending_table *t, const struct pending *info, uint32_t *handle);

/** Forget a packet and free what is held of it; pointers to it are stale. */
void pending_remove(struct pending_table *t, uint32_t handle);

#endif

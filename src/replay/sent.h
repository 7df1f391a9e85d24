/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sent in a replay: how long it waited, and at which rate it left. */
#ifndef GATEAU_REPLAY_SENT_H
#define GATEAU_REPLAY_SENT_H

#include <stdint.h>

#include <gateau/cake.h>

#include "base/histogram.h"

/**
 * Bytes of frames whose successor has left. A frame lasts until the next one leaves, so that these
 * bytes and the time from the first departure to the last belong together: frames that leave
 * back-to-back give the rate exactly.
 */
struct replay_bytes {
	uint64_t frames;   /* the frames' own lengths */
	uint64_t adjusted; /* as charged to the shaper */
};

/** All zero at first. */
struct replay_sent {
	uint64_t first_ns, last_ns; /* departures */
	struct {
		struct histogram delay_ns; /* of all frames of the tin, by internal index */
		struct replay_bytes bytes;
	} tins[CAKE_MAX_TINS];
	struct cake_verdict last; /* the frame that has no successor yet; len 0 = none */
};

/** Packet @v leaves at @now, ns. */
void replay_sent_add(struct replay_sent *s, const struct cake_verdict *v, uint64_t now);

/** Sum of all tins. */
struct replay_bytes replay_sent_bytes(const struct replay_sent *s);

/** @bytes in bit/s from the first departure to the last; 0 if that is no time. */
uint64_t replay_sent_rate(const struct replay_sent *s, uint64_t bytes);

#endif

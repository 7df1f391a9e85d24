/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Length adjustment: from the bytes of a frame to the bytes it takes on the shaped link.
 *
 * tc-cake(8), "OVERHEAD COMPENSATION PARAMETERS": per-packet overhead, minimum packet unit, and the
 * framing of ATM and PTM.
 */
#ifndef GATEAU_CAKE_ADJUST_H
#define GATEAU_CAKE_ADJUST_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake.h>

#include "cake/ewma.h"

struct adjust {
	/* configured */
	bool from_network; /* count from the network header; false = "raw" */
	int32_t overhead;
	uint32_t mpu;
	enum cake_atm atm;

	/* seen, for statistics */
	uint64_t avg_offset; /* EWMA of the network offset, bytes << 16 */
	uint32_t min_network, max_network;
	uint32_t min_adjusted, max_adjusted;
};

void adjust_init(struct adjust *a, const struct cake_params *p);

/**
 * The largest adjusted length, bytes: what is more counts as that. No packet is near it (65,535
 * segments of one byte in ATM cells are 24 MB), and durations and deficits stay in their range.
 */
#define ADJUST_MAX (1u << 29)

/** Take a frame of @network bytes behind the offset, @adjusted on the link, into the ranges. */
void adjust_note(struct adjust *a, uint32_t network, uint64_t adjusted);

/** Bytes in cells, resp. blocks, of the link's framing. */
uint64_t adjust_framing(enum cake_atm atm, uint64_t bytes);

/** adjust_length() of a super-packet. */
uint32_t adjust_super_packet(struct adjust *a, const struct cake_packet *p);

/** Adjusted length of one frame, bytes; not capped. */
static inline uint64_t adjust_frame(struct adjust *a, uint32_t len, uint32_t offset)
{
	uint32_t network = a->from_network ? len - (offset < len ? offset : len) : len;
	int64_t bytes = (int64_t)network + a->overhead;

	if (bytes < (int64_t)a->mpu)
		bytes = a->mpu; /* also: never below 0 */
	if (a->atm != CAKE_NOATM)
		bytes = (int64_t)adjust_framing(a->atm, (uint64_t)bytes);
	/* The longer the frame, the longer it gets: only a new extreme of one is one of the other.
	 */
	if (network < a->min_network || network > a->max_network)
		adjust_note(a, network, (uint64_t)bytes);
	return (uint64_t)bytes;
}

/** Adjusted length of a packet, bytes; of an unsplit super-packet, that of all its segments. */
static inline uint32_t adjust_length(struct adjust *a, const struct cake_packet *p)
{
	uint64_t bytes;

	a->avg_offset = ewma(a->avg_offset, (uint64_t)p->network_offset << 16, 8);
	if (p->gso_segs > 1)
		return adjust_super_packet(a, p);
	bytes = adjust_frame(a, p->len, p->network_offset);
	return bytes < ADJUST_MAX ? (uint32_t)bytes : ADJUST_MAX;
}

#endif

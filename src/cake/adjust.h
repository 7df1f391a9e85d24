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

/** Adjusted length of a packet, bytes; of an unsplit super-packet, that of all its segments. */
uint32_t adjust_length(struct adjust *a, const struct cake_packet *p);

#endif

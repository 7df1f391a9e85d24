/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of overhead, mpu, ATM and PTM; see adjust.h. */
#include "cake/adjust.h"

void adjust_init(struct adjust *a, const struct cake_params *p)
{
	*a = (struct adjust){
		.from_network = p->overhead_set,
		.overhead = p->overhead,
		/* Frames that count for nothing would never use up a deficit. */
		.mpu = p->mpu || p->profile == CAKE_PROFILE_LINUX ? p->mpu : 1,
		.atm = p->atm,
		.min_network = UINT32_MAX,
		.min_adjusted = UINT32_MAX,
	};
}

static uint32_t at_most(uint64_t value, uint32_t most)
{
	return value < most ? value : most;
}

static void note_range(uint32_t *min, uint32_t *max, uint32_t value)
{
	if (value < *min)
		*min = value;
	if (value > *max)
		*max = value;
}

void adjust_note(struct adjust *a, uint32_t network, uint64_t adjusted)
{
	note_range(&a->min_network, &a->max_network, network);
	note_range(&a->min_adjusted, &a->max_adjusted, at_most(adjusted, ADJUST_MAX));
}

uint64_t adjust_framing(enum cake_atm atm, uint64_t bytes)
{
	if (atm == CAKE_ATM)
		return (bytes + 47) / 48 * 53;
	return bytes + (bytes + 63) / 64;
}

uint32_t adjust_super_packet(struct adjust *a, const struct cake_packet *p)
{
	uint64_t rest = (uint64_t)p->gso_size * (p->gso_segs - 1u);
	uint64_t full = adjust_frame(a, p->gso_size + p->gso_header, p->network_offset);
	uint64_t last = adjust_frame(a, p->len - rest, p->network_offset);

	return at_most(full * (p->gso_segs - 1u) + last, ADJUST_MAX);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of overhead, mpu, ATM and PTM; see adjust.h. */
#include "cake/adjust.h"

#include "cake/ewma.h"

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

static uint64_t adjust_frame(struct adjust *a, uint32_t len, uint32_t offset)
{
	int64_t bytes = len;

	if (a->from_network)
		bytes -= offset < len ? offset : len;
	note_range(&a->min_network, &a->max_network, bytes);
	bytes += a->overhead;
	if (bytes < (int64_t)a->mpu)
		bytes = a->mpu; /* also: never below 0 */
	if (a->atm == CAKE_ATM)
		bytes = (bytes + 47) / 48 * 53;
	else if (a->atm == CAKE_PTM)
		bytes += (bytes + 63) / 64;
	note_range(&a->min_adjusted, &a->max_adjusted, at_most(bytes, ADJUST_MAX));
	return bytes;
}

uint32_t adjust_length(struct adjust *a, const struct cake_packet *p)
{
	uint64_t rest, full, last, sum;

	a->avg_offset = ewma(a->avg_offset, (uint64_t)p->network_offset << 16, 8);
	if (p->gso_segs <= 1)
		return at_most(adjust_frame(a, p->len, p->network_offset), ADJUST_MAX);

	rest = (uint64_t)p->gso_size * (p->gso_segs - 1u);
	full = adjust_frame(a, p->gso_size + p->gso_header, p->network_offset);
	last = adjust_frame(a, p->len - rest, p->network_offset);
	sum = full * (p->gso_segs - 1u) + last;
	return at_most(sum, ADJUST_MAX);
}

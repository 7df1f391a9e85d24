/* SPDX-License-Identifier: BSD-3-Clause */
/* Defaults, ranges and derived values of the parameters; see params.h and cake_config.h. */
#include "cake/params.h"

#include <errno.h>

#include <gateau/cake.h>

#include "cake/flow.h"
#include "cake/shaper.h"

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

#define MEMORY_FLOOR   (4ull << 20)
#define MEMORY_FRAMES  10240ull /* Linux's packet limit: only a cap on the memory limit */
#define LOWEST_CHARGE  64u      /* bytes: keeps the slab within 2^32 descriptors */
#define CATCH_UP_FLOOR (1 * NS_PER_MS)

void cake_params_default(struct cake_params *p)
{
	*p = (struct cake_params){
		.rtt_ns = 100 * NS_PER_MS,
		.profile = CAKE_PROFILE_GATEAU,
		.diffserv = CAKE_DIFFSERV3,
		.flowmode = CAKE_TRIPLE_ISOLATE,
		.atm = CAKE_NOATM,
		.flows = CAKE_FLOWS_DEFAULT,
		.max_frame = CAKE_MAX_FRAME_DEFAULT,
		.min_charge = 768,
		.split_gso = true,
	};
}

int params_resolve(struct cake_params *p)
{
	if (p->profile > CAKE_PROFILE_LINUX || p->diffserv > CAKE_DIFFSERV8 ||
	    p->flowmode > CAKE_TRIPLE_ISOLATE || p->atm > CAKE_PTM ||
	    p->ack_filter > CAKE_ACK_FILTER_AGGRESSIVE)
		return -EINVAL;
	if (p->flows < CAKE_FLOWS_MIN || p->flows > CAKE_FLOWS_MAX || p->flows & (p->flows - 1))
		return -EINVAL;
	if (p->overhead < CAKE_OVERHEAD_MIN || p->overhead > CAKE_OVERHEAD_MAX ||
	    p->mpu > CAKE_MPU_MAX)
		return -EINVAL;
	if (p->max_frame < 64 || p->max_frame > 65535 || p->min_charge < LOWEST_CHARGE)
		return -EINVAL;
	if (p->bandwidth_bps && p->bandwidth_bps < 8)
		return -EINVAL;
	if (p->slots && p->autorate_ingress)
		return -EINVAL; /* the rate is not this instance's alone */
	if (p->burst > UINT16_MAX)
		return -EINVAL;
	p->burst = params_burst(p);
	if (params_max_packets(p) > UINT32_MAX - p->burst)
		return -EINVAL; /* more than the slab's indices can name */

	if (p->rtt_ns < NS_PER_US)
		p->rtt_ns = NS_PER_US;
	if (p->profile == CAKE_PROFILE_LINUX)
		p->rtt_ns -= p->rtt_ns % NS_PER_US;
	if (!p->target_ns)
		p->target_ns = p->rtt_ns / 20;
	if (p->profile == CAKE_PROFILE_LINUX)
		p->target_ns -= p->target_ns % NS_PER_US; /* tc sends whole microseconds */
	if (p->target_ns < NS_PER_US)
		p->target_ns = NS_PER_US;
	p->room = params_room(p);
	return 0;
}

uint64_t params_catch_up(const struct cake_params *p, uint64_t bytes_per_s)
{
	struct rate rate = rate_from_bytes(bytes_per_s, false);
	uint64_t two_frames = rate_duration(&rate, 2ull * p->max_frame);

	if (p->catch_up_ns)
		return p->catch_up_ns;
	return two_frames > CATCH_UP_FLOOR ? two_frames : CATCH_UP_FLOOR;
}

/*
 * What the link carries in @n intervals, bytes. A rate has 61 bits, an interval 64: 128 do for 4.
 */
static uint64_t bytes_in_intervals(const struct cake_params *p, uint64_t bytes_per_s, unsigned n)
{
	unsigned __int128 bytes = (unsigned __int128)bytes_per_s * p->rtt_ns * n / NS_PER_S;

	return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

/* Four intervals' worth of bytes between a floor and a cap, in 32 bits. */
static uint64_t linux_memory_limit(const struct cake_params *p, uint64_t bytes_per_s, uint64_t cap)
{
	unsigned __int128 bytes =
		(unsigned __int128)bytes_per_s * (p->rtt_ns / NS_PER_US) / (1000000 / 4);
	uint64_t limit = (uint32_t)bytes;

	limit = limit > MEMORY_FLOOR ? limit : MEMORY_FLOOR;
	return limit < cap ? limit : cap;
}

/* The same in full; beyond the cap one interval's worth, or a long fat pipe could not be filled. */
static uint64_t gateau_memory_limit(const struct cake_params *p, uint64_t bytes_per_s, uint64_t cap)
{
	uint64_t interval = bytes_in_intervals(p, bytes_per_s, 1);
	uint64_t limit = bytes_in_intervals(p, bytes_per_s, 4);

	limit = limit > MEMORY_FLOOR ? limit : MEMORY_FLOOR;
	limit = limit < cap ? limit : cap;
	return limit > interval ? limit : interval;
}

/* At a rate, whatever the slab was made for. */
static uint64_t memory_limit_at(const struct cake_params *p, uint64_t bytes_per_s)
{
	uint64_t cap = MEMORY_FRAMES * p->max_frame;

	if (p->memlimit)
		return p->memlimit;
	if (!bytes_per_s)
		return cap;
	return p->profile == CAKE_PROFILE_LINUX ? linux_memory_limit(p, bytes_per_s, cap)
						: gateau_memory_limit(p, bytes_per_s, cap);
}

uint64_t cake_memory_limit(const struct cake_params *p)
{
	uint64_t limit = memory_limit_at(p, p->bandwidth_bps / 8);
	uint64_t unlimited = memory_limit_at(p, 0);

	return p->autorate_ingress && limit < unlimited ? unlimited : limit;
}

uint64_t params_memory_limit(const struct cake_params *p, uint64_t bytes_per_s)
{
	uint64_t limit = memory_limit_at(p, bytes_per_s), most = cake_memory_limit(p);

	return limit < most ? limit : most;
}

uint64_t params_room(const struct cake_params *p)
{
	uint64_t limit = cake_memory_limit(p);

	return p->room > limit ? p->room : limit;
}

uint64_t params_max_packets(const struct cake_params *p)
{
	return params_room(p) / p->min_charge + 1;
}

uint32_t params_burst(const struct cake_params *p)
{
	return p->burst ? p->burst : CAKE_BURST_MAX;
}

/* x * (7/8)^n, rounded down at each step. */
static uint64_t seven_eighths(uint64_t x, unsigned n)
{
	while (n--)
		x = x * 7 >> 3;
	return x;
}

uint64_t params_tin_rate(enum cake_diffserv mode, unsigned tin, uint64_t bytes_per_s)
{
	static const unsigned diffserv3_shift[] = {0, 4, 2};
	static const unsigned diffserv4_shift[] = {0, 4, 1, 2};

	switch (mode) {
	case CAKE_DIFFSERV3:
		return bytes_per_s >> diffserv3_shift[tin];
	case CAKE_DIFFSERV4:
		return bytes_per_s >> diffserv4_shift[tin];
	case CAKE_PRECEDENCE:
	case CAKE_DIFFSERV8:
		return seven_eighths(bytes_per_s, tin);
	case CAKE_BESTEFFORT:
		break;
	}
	return bytes_per_s;
}

uint32_t params_tin_quantum(enum cake_diffserv mode, unsigned tin)
{
	static const uint32_t diffserv3_quantum[] = {1024, 64, 256};
	static const uint32_t diffserv4_quantum[] = {1024, 64, 512, 256};

	switch (mode) {
	case CAKE_DIFFSERV3:
		return diffserv3_quantum[tin];
	case CAKE_DIFFSERV4:
		return diffserv4_quantum[tin];
	case CAKE_PRECEDENCE:
	case CAKE_DIFFSERV8:
		return seven_eighths(256, tin);
	case CAKE_BESTEFFORT:
		break;
	}
	return 65535;
}

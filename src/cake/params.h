/* SPDX-License-Identifier: BSD-3-Clause */
/* From a person's parameters to the machine's: checks, defaults and what follows from them. */
#ifndef GATEAU_CAKE_PARAMS_H
#define GATEAU_CAKE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include <gateau/cake_config.h>

/** 0 or -EINVAL; fills in what stands for "default" (target, burst, room). */
int params_resolve(struct cake_params *p);

/** Bytes of buffer that the slab is made for: the memory limit, or more. */
uint64_t params_room(const struct cake_params *p);

/** Packets the slab must hold: all that fit in the room, and a burst to be dropped. */
uint64_t params_max_packets(const struct cake_params *p);

/**
 * Bytes of buffer that may be held at a rate of @bytes_per_s, 0 = unlimited; never more than
 * cake_memory_limit().
 */
uint64_t params_memory_limit(const struct cake_params *p, uint64_t bytes_per_s);

/** Most time a stalled queue makes up for, ns, at a rate of @bytes_per_s. */
uint64_t params_catch_up(const struct cake_params *p, uint64_t bytes_per_s);

/** Whether durations keep what rounding leaves (shaper.h): not in Linux, but slots must add up. */
static inline bool params_keep_carry(const struct cake_params *p)
{
	return p->profile != CAKE_PROFILE_LINUX || p->slots;
}

/** Packets that may go in before the drop list is emptied; they need descriptors, too. */
uint32_t params_burst(const struct cake_params *p);

/** Threshold rate of a tin, bytes/s, when the instance runs at @bytes_per_s. */
uint64_t params_tin_rate(enum cake_diffserv mode, unsigned tin, uint64_t bytes_per_s);

/** Bytes a tin may send per round over an unlimited link. */
uint32_t params_tin_quantum(enum cake_diffserv mode, unsigned tin);

#endif

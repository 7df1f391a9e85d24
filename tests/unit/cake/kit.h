/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the scheduler's parts share: parameters and packets with everything filled in,
 * so that a test sets only what it is about. No checks of behaviour here.
 */
#ifndef GATEAU_TESTS_CAKE_KIT_H
#define GATEAU_TESTS_CAKE_KIT_H

#include <stdint.h>

#include <gateau/cake.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

/** Where the tests' clock starts: far from zero, as cake.h asks. */
#define T0 (1000 * NS_PER_S)

/** tc's defaults in @profile at @bandwidth_bps (bit/s, 0 = unlimited), resolved. */
struct cake_params kit_params(enum cake_profile profile, uint64_t bandwidth_bps);

/** An untagged IP frame of @len bytes; both hosts' hashes are 0, the charge is kit_charge(). */
struct cake_packet kit_packet(uint32_t handle, uint32_t len, uint32_t flow_hash);

/**
 * Bytes of buffer a frame of @len bytes pins in the golden cases, which is Linux's truesize:
 * 256 + pow2ceil(max(512, align64(len + 64) + 320)); 60 -> 768, 1514 -> 2304.
 */
uint32_t kit_charge(uint32_t len);

/** An instance with these parameters; the test fails if there is none. */
struct cake *kit_create(const struct cake_params *p, struct prng *rng);

/** cake_change() of the rate alone, or of the memory limit. */
int kit_set_bandwidth(struct cake *c, uint64_t bandwidth_bps, uint64_t now);
int kit_set_memlimit(struct cake *c, uint64_t memlimit, uint64_t now);

/** Put one packet in at @now; the test fails if it is not taken. */
void kit_enqueue(struct cake *c, struct cake_packet p, uint64_t now);

#endif

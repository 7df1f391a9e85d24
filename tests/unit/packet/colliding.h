/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flows that someone chose: sets of them that one unkeyed function, as NICs and kernels have them,
 * gives one hash.
 */
#ifndef TESTS_UNIT_PACKET_COLLIDING_H
#define TESTS_UNIT_PACKET_COLLIDING_H

#include <stdint.h>

#include "packet/packet.h"

/* Flows of one attack. */
#define COLLIDING_SET 65536

/** What weak functions tell IPv4 flows apart by, source port in the upper half of the ports. */
struct tuple {
	uint32_t src, dst, ports;
};

struct packet_headers tuple_headers(struct tuple t);
struct tuple tuple_xor(struct tuple a, struct tuple b);

/*
 * Bits that an attack may choose: 24 of the source address, 15 of each port. The others keep the
 * order of addresses and of ports, so that sorting makes no two tuples of a set one flow.
 */
#define TUPLE_BITS 54
extern const struct tuple tuple_base;

/** Those bits of a tuple, the others 0. */
struct tuple tuple_difference(uint64_t bits);

/** RSS with Microsoft's key, the default of most drivers; @seed is not used. */
uint32_t toeplitz(struct tuple t, uint32_t seed);

/** Both CRCs start with @seed and are not inverted at the end. */
uint32_t crc32_ieee(struct tuple t, uint32_t seed);
uint32_t crc32c(struct tuple t, uint32_t seed);

/**
 * Differences under which a linear function does not change; all their sums are others. Returns
 * how many there are, at least 54 - 32 = 22.
 */
unsigned find_kernel(uint32_t (*weak)(struct tuple, uint32_t), uint64_t kernel[TUPLE_BITS]);

/** COLLIDING_SET flows each, to be freed; that they collide has been checked. */
struct tuple *colliding_under_linear(uint32_t (*weak)(struct tuple, uint32_t));
struct tuple *colliding_under_jhash(void);

#endif

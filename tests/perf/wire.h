/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames that benchmarks receive: the shortest there are, with headers and checksums as sent.
 */
#ifndef TESTS_PERF_WIRE_H
#define TESTS_PERF_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes of a frame without FCS: IPv4 and UDP, padded to Ethernet's minimum; IPv6 and TCP. */
#define WIRE_IPV4_BYTES 60
#define WIRE_IPV6_BYTES (14 + 40 + 20)

/** Write a frame of @flow, from a host of its own to one of 16, to zeroed memory. */
void wire_write(uint8_t *frame, uint16_t flow, bool ipv6);

#endif

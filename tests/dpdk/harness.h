/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the dpdk tests share: DPDK started without root and hugepages, a pool, frames whose origin
 * can be told from their bytes, and the check that every buffer has come back.
 */
#ifndef TESTS_DPDK_HARNESS_H
#define TESTS_DPDK_HARNESS_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "port/pool.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/** Virtual time starts where the daemon's does. */
#define START_NS (1000 * S)

/** Bytes before a frame's number: Ethernet, IPv4, UDP. */
#define FRAME_HEADERS (14 + 20 + 8)

/** The pool all tests use; made by harness_start(). */
extern struct pool harness_pool;

/** Looks at frames as the default scheduler does; made by harness_start(). */
extern struct packet_describer harness_describer;

/** Keyed, with a key that every run has. */
extern const struct packet_hash_params harness_hash;

/** cmocka group fixtures. The pool holds 16 MB of queue, as one port with the default limit. */
int harness_start(void **state);
int harness_stop(void **state);

/** cmocka test teardown: fails if a buffer is missing. */
int harness_no_buffer_is_lost(void **state);

/** A test with that teardown. */
#define TEST(f) cmocka_unit_test_teardown(f, harness_no_buffer_is_lost)

/** A buffer holding @len zero bytes in as many segments as it takes; fails without memory. */
struct rte_mbuf *buffer(uint32_t len);

/**
 * An IPv4 UDP frame of @len bytes (at least 60) with a valid checksum, from host 10.0.0.1, source
 * port @flow, carrying @number behind its headers; @tos is DSCP << 2 | ECN.
 */
struct rte_mbuf *frame(uint16_t flow, uint32_t number, uint32_t len, uint8_t tos);

/** The same, described: as an RX lcore hands it to a TX queue. */
struct rte_mbuf *described(uint16_t flow, uint32_t number, uint32_t len, uint8_t tos);

uint16_t frame_flow(const struct rte_mbuf *m);
uint32_t frame_number(const struct rte_mbuf *m);
uint8_t frame_tos(const struct rte_mbuf *m);

/** Fails unless the IPv4 header's checksum is right. */
void assert_checksum(const struct rte_mbuf *m);

#endif

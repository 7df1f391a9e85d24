/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An RX queue for benchmarks: DPDK's port 0, which receives frames of given flows for ever.
 *
 * Like a NIC's driver it holds a ring of empty buffers, which are written to long before they are
 * handed out, and takes one out of the pool for each that it hands out. So a frame was last touched
 * NIC_RING frames ago: it is in the second cache, where a NIC that writes to memory would leave it
 * in the third.
 */
#ifndef TESTS_PERF_NIC_H
#define TESTS_PERF_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "port/pool.h"

/** Descriptors. */
#define NIC_RING 1024

/** Flows of wire.h, all of them best effort. */
#define NIC_FLOWS 1024

struct nic;

/** Start DPDK, and make a pool of at least @n buffers. Fails as bench_fail() does. */
void nic_start(struct pool *pool, uint32_t n);

/** @ipv6: what its frames are. NULL without memory. */
struct nic *nic_create(struct pool *pool, bool ipv6);
void nic_destroy(struct nic *n);

/** What port 0, queue 0 receives from is @n from here on. */
void nic_plug(struct nic *n);

/** TSC when it returned from rte_eth_rx_burst() last. */
uint64_t nic_returned(const struct nic *n);

#endif

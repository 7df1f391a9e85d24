/* SPDX-License-Identifier: BSD-3-Clause */
/* See nic.h. */
#include "nic.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "base/prng.h"
#include "bench.h"
#include "bench_eal.h"
#include "wire.h"

#define SIZE 128 /* of a frame's template */

struct nic {
	struct rte_mempool *mempool;
	uint16_t len;
	unsigned at; /* in posted */
	uint64_t returned;
	struct prng rng;
	struct rte_mbuf *posted[NIC_RING];
	uint8_t frames[NIC_FLOWS][SIZE];
};

/* What a NIC does before the driver looks: the next @k frames of the ring are written. */
static void post(struct nic *n, unsigned k)
{
	struct rte_mbuf **pkts = &n->posted[n->at];

	if (rte_pktmbuf_alloc_bulk(n->mempool, pkts, k))
		bench_fail("no buffer is left");
	for (unsigned i = 0; i < k; i++)
		memcpy(rte_pktmbuf_mtod(pkts[i], void *), n->frames[prng_u32(&n->rng) % NIC_FLOWS],
		       n->len);
	n->at = (n->at + k) % NIC_RING;
}

/* What a driver does: it fills in the mbufs. A burst never goes beyond the end of the ring. */
static uint16_t receive_burst(void *queue, struct rte_mbuf **pkts, uint16_t max)
{
	struct nic *n = queue;
	const unsigned k = RTE_MIN(max, NIC_RING - n->at);

	for (unsigned i = 0; i < k; i++) {
		pkts[i] = n->posted[n->at + i];
		pkts[i]->data_len = n->len;
		pkts[i]->pkt_len = n->len;
		pkts[i]->ol_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	}
	post(n, k);
	n->returned = rte_rdtsc();
	return (uint16_t)k;
}

void nic_start(struct pool *pool, uint32_t n)
{
	const struct pool_demand demand = {.rx_descriptors = n};
	struct pool_plan plan;

	bench_eal();
	if (pool_plan(&plan, &demand, 1, 1) || pool_create(pool, "bench", &plan, -1))
		bench_fail("no pool of %u buffers", n);
}

struct nic *nic_create(struct pool *pool, bool ipv6)
{
	struct nic *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->mempool = pool->mempool;
	n->len = ipv6 ? WIRE_IPV6_BYTES : WIRE_IPV4_BYTES;
	n->rng = prng_xorshift32(1);
	for (unsigned i = 0; i < NIC_FLOWS; i++)
		wire_write(n->frames[i], (uint16_t)i, ipv6);
	post(n, NIC_RING);
	return n;
}

void nic_destroy(struct nic *n)
{
	rte_pktmbuf_free_bulk(n->posted, NIC_RING);
	free(n);
}

void nic_plug(struct nic *n)
{
	static void *queue, *no_callbacks;

	queue = n;
	rte_eth_fp_ops[0].rx_pkt_burst = receive_burst;
	rte_eth_fp_ops[0].rxq.data = &queue;
	rte_eth_fp_ops[0].rxq.clbk = &no_callbacks;
}

uint64_t nic_returned(const struct nic *n)
{
	return n->returned;
}

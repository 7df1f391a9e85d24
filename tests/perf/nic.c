/* SPDX-License-Identifier: BSD-3-Clause */
/* See nic.h. */
#include "nic.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "base/prng.h"
#include "bench.h"
#include "bench_eal.h"

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

static void write_ipv4(uint8_t *p, uint16_t flow)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)p;
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	*ip = (struct rte_ipv4_hdr){
		.version_ihl = 0x45,
		.total_length = rte_cpu_to_be_16(NIC_IPV4_BYTES - RTE_ETHER_HDR_LEN),
		.time_to_live = 64,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, flow >> 8, flow)),
		.dst_addr = rte_cpu_to_be_32(RTE_IPV4(192, 0, 2, flow % 16)),
	};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	*udp = (struct rte_udp_hdr){
		.src_port = rte_cpu_to_be_16(1024 + flow),
		.dst_port = rte_cpu_to_be_16(5001),
		.dgram_len = rte_cpu_to_be_16(NIC_IPV4_BYTES - RTE_ETHER_HDR_LEN - sizeof(*ip)),
	};
	udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
}

static void write_ipv6(uint8_t *p, uint16_t flow)
{
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)p;
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(ip + 1);

	memset(ip, 0, sizeof(*ip));
	ip->vtc_flow = rte_cpu_to_be_32(6u << 28);
	ip->payload_len = rte_cpu_to_be_16(sizeof(*tcp));
	ip->proto = IPPROTO_TCP;
	ip->hop_limits = 64;
	/* 2001:db8::flow to 2001:db8:1::host; addresses are an array or a struct of one. */
	memcpy(p + 8, (uint8_t[16]){0x20, 1, 0xd, 0xb8, [14] = flow >> 8, [15] = flow}, 16);
	memcpy(p + 24, (uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, 1, [15] = flow % 16}, 16);
	*tcp = (struct rte_tcp_hdr){
		.src_port = rte_cpu_to_be_16(1024 + flow),
		.dst_port = rte_cpu_to_be_16(5001),
		.data_off = 5 << 4,
		.tcp_flags = RTE_TCP_ACK_FLAG,
	};
	tcp->cksum = rte_ipv6_udptcp_cksum(ip, tcp);
}

static void write_frame(uint8_t *frame, uint16_t flow, bool ipv6)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)frame;

	eth->dst_addr.addr_bytes[0] = 2; /* locally administered */
	eth->src_addr.addr_bytes[0] = 2;
	if (ipv6) {
		eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV6);
		write_ipv6(frame + sizeof(*eth), flow);
	} else {
		eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
		write_ipv4(frame + sizeof(*eth), flow);
	}
}

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
	if (pool_plan(&plan, &demand, 1, 1) || pool_create(pool, "bench", &plan))
		bench_fail("no pool of %u buffers", n);
}

struct nic *nic_create(struct pool *pool, bool ipv6)
{
	struct nic *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->mempool = pool->mempool;
	n->len = ipv6 ? NIC_IPV6_BYTES : NIC_IPV4_BYTES;
	n->rng = prng_xorshift32(1);
	for (unsigned i = 0; i < NIC_FLOWS; i++)
		write_frame(n->frames[i], (uint16_t)i, ipv6);
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

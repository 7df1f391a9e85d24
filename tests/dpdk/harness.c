/* SPDX-License-Identifier: BSD-3-Clause */
/* See harness.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "dataplane/eal.h"
#include "harness.h"

struct pool harness_pool;
struct packet_describer harness_describer;
const struct packet_hash_params harness_hash = {.method = PACKET_HASH_KEYED};

int harness_start(void **state)
{
	struct gateau_config cfg = {0};
	/* 16 MB queued; twice 1,024 descriptors; a defer ring and bursts. */
	const struct pool_demand demand = {.memory_limit = 16 << 20,
					   .rx_descriptors = 1024,
					   .tx_descriptors = 1024,
					   .deferred = 1024,
					   .in_hand = 1024,
					   .max_frame = 1522,
					   .tcp = true};
	struct cake_params params;
	struct pool_plan plan;
	struct eal_cpus cpus;

	(void)state;
	/* Tests run at the same time, and each has DPDK's folder to itself. */
	snprintf(cfg.eal.prefix, sizeof(cfg.eal.prefix), "gateau-test-%d", (int)getpid());
	if (eal_choose_cpus(&cfg.eal, &cpus) || eal_start(&cfg, &cpus, 256))
		return -1;
	cake_params_default(&params);
	packet_describer_init(&harness_describer, &params, &harness_hash);
	return pool_plan(&plan, &demand, 1, cpus.n_workers + 1) ||
	       pool_create(&harness_pool, "test", &plan, -1);
}

int harness_stop(void **state)
{
	(void)state;
	pool_destroy(&harness_pool);
	eal_stop();
	return 0;
}

int harness_no_buffer_is_lost(void **state)
{
	(void)state;
	assert_int_equal(pool_missing(&harness_pool), 0);
	return 0;
}

struct rte_mbuf *buffer(uint32_t len)
{
	struct rte_mbuf *head = rte_pktmbuf_alloc(harness_pool.mempool), *last = head;

	assert_non_null(head);
	for (uint32_t done = 0;;) {
		uint16_t n = (uint16_t)RTE_MIN(len - done, (uint32_t)MBUF_DATA_ROOM);

		memset(rte_pktmbuf_mtod(last, void *), 0, n);
		last->data_len = n;
		done += n;
		if (done == len)
			break;
		last->next = rte_pktmbuf_alloc(harness_pool.mempool);
		last = last->next;
		assert_non_null(last);
		head->nb_segs++;
	}
	head->pkt_len = len;
	return head;
}

struct rte_mbuf *frame(uint16_t flow, uint32_t number, uint32_t len, uint8_t tos)
{
	struct rte_mbuf *m = buffer(len);
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	assert_true(len >= 60);
	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	*ip = (struct rte_ipv4_hdr){
		.version_ihl = 0x45,
		.type_of_service = tos,
		.total_length = rte_cpu_to_be_16((uint16_t)(len - sizeof(*eth))),
		.time_to_live = 64,
		.next_proto_id = 17,
		.src_addr = rte_cpu_to_be_32(0x0a000001),
		.dst_addr = rte_cpu_to_be_32(0x0a000002),
	};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	udp->src_port = rte_cpu_to_be_16(flow);
	udp->dst_port = rte_cpu_to_be_16(5001);
	udp->dgram_len = rte_cpu_to_be_16((uint16_t)(len - sizeof(*eth) - sizeof(*ip)));
	memcpy(udp + 1, &number, sizeof(number));
	return m;
}

struct rte_mbuf *described(uint16_t flow, uint32_t number, uint32_t len, uint8_t tos)
{
	struct rte_mbuf *m = frame(flow, number, len, tos);

	mbuf_describe(m, &harness_describer, &harness_pool.map);
	return m;
}

uint16_t frame_flow(const struct rte_mbuf *m)
{
	return rte_be_to_cpu_16(*rte_pktmbuf_mtod_offset(m, uint16_t *, 14 + 20));
}

uint32_t frame_number(const struct rte_mbuf *m)
{
	uint32_t number;

	memcpy(&number, rte_pktmbuf_mtod_offset(m, void *, FRAME_HEADERS), sizeof(number));
	return number;
}

uint8_t frame_tos(const struct rte_mbuf *m)
{
	return *rte_pktmbuf_mtod_offset(m, uint8_t *, 15);
}

void assert_checksum(const struct rte_mbuf *m)
{
	struct rte_ipv4_hdr ip;
	uint16_t given;

	memcpy(&ip, rte_pktmbuf_mtod_offset(m, void *, 14), sizeof(ip));
	given = ip.hdr_checksum;
	ip.hdr_checksum = 0;
	assert_int_equal(given, rte_ipv4_cksum(&ip));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See appliance.h. */
#include "appliance.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mempool.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "bench.h"
#include "daemon/eal.h"
#include "daemon/summary.h"

/* For all appliances of a benchmark: each takes 35 MB with a limit of 8 MB a port. */
#define MEMORY_MB 1024

/* The benchmark's thread makes the worker's passes; DPDK's own for it sleeps. */
static struct eal_cpus cpus;

void appliance_start(void)
{
	static const struct gateau_config none = {.eal = {.prefix = "gateau-bench"}};

	cpus.n_workers = 1;
	cpus.workers[0] = (uint16_t)bench_core();
	CPU_ZERO(&cpus.main);
	CPU_SET(bench_core(), &cpus.main);
	if (eal_start(&none, &cpus, MEMORY_MB))
		bench_fail("DPDK does not start");
}

void appliance_stop(void)
{
	eal_stop();
}

static void write_ipv4(uint8_t *p, unsigned flow)
{
	const uint16_t len = APPLIANCE_IPV4_BYTES - RTE_ETHER_HDR_LEN;
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)p;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	memset(p, 0, APPLIANCE_IPV4_BYTES);
	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	*ip = (struct rte_ipv4_hdr){
		.version_ihl = 0x45,
		.total_length = rte_cpu_to_be_16(len),
		.time_to_live = 64,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, 0, 0) + flow),
		.dst_addr = rte_cpu_to_be_32(RTE_IPV4(10, 1, 0, 0) + flow),
	};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	udp->src_port = rte_cpu_to_be_16((uint16_t)(1024 + flow));
	udp->dst_port = rte_cpu_to_be_16(443);
	udp->dgram_len = rte_cpu_to_be_16(len - sizeof(*ip));
	udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
}

static void write_ipv6(uint8_t *p, unsigned flow)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)p;
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(eth + 1);
	struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(ip + 1);
	uint8_t *const addrs[] = {(uint8_t *)&ip->src_addr, (uint8_t *)&ip->dst_addr};

	memset(p, 0, APPLIANCE_IPV6_BYTES);
	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV6);
	ip->vtc_flow = rte_cpu_to_be_32(6u << 28);
	ip->payload_len = rte_cpu_to_be_16(sizeof(*tcp));
	ip->proto = IPPROTO_TCP;
	ip->hop_limits = 64;
	for (unsigned i = 0; i < 2; i++) {
		/* 2001:db8::, for documentation: RFC 3849. */
		memcpy(addrs[i], "\x20\x01\x0d\xb8", 4);
		addrs[i][7] = (uint8_t)i;
		addrs[i][14] = (uint8_t)(flow >> 8);
		addrs[i][15] = (uint8_t)flow;
	}
	tcp->src_port = rte_cpu_to_be_16((uint16_t)(1024 + flow));
	tcp->dst_port = rte_cpu_to_be_16(443);
	tcp->data_off = sizeof(*tcp) / 4 << 4;
	tcp->tcp_flags = RTE_TCP_ACK_FLAG;
	tcp->cksum = rte_ipv6_udptcp_cksum(ip, tcp);
}

struct rte_mbuf *appliance_frame(struct appliance *a, unsigned flow, bool ipv6)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(a->dp.pool.mempool);

	if (!m)
		bench_fail("%s: no buffer", a->name);
	(ipv6 ? write_ipv6 : write_ipv4)(rte_pktmbuf_mtod(m, uint8_t *), flow);
	m->data_len = ipv6 ? APPLIANCE_IPV6_BYTES : APPLIANCE_IPV4_BYTES;
	m->pkt_len = m->data_len;
	return m;
}

static void write_element(struct rte_mempool *mp, void *arg, void *element, unsigned index)
{
	const struct appliance *a = arg;
	struct rte_mbuf *m = element;
	uint8_t *data = (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM;

	(void)mp;
	(a->ipv6 ? write_ipv6 : write_ipv4)(data, index % APPLIANCE_FLOWS);
}

/** Half of the frames into either ring. */
static void put_in(struct appliance *a)
{
	for (unsigned i = 0; i < a->frames; i++) {
		struct rte_mbuf *m = appliance_frame(a, i % APPLIANCE_FLOWS, i / 2 % 2);

		if (rte_eth_tx_burst(a->dp.ports[i % 2].id, 0, &m, 1) != 1)
			bench_fail("%s: no room for %u frames", a->name, a->frames);
	}
}

static void configure(struct appliance *a)
{
	const unsigned size = a->ipv6 ? APPLIANCE_IPV6_BYTES : APPLIANCE_IPV4_BYTES;
	const char *args = strcmp(a->driver, "net_null") ? "" : bench_text(",size=%u", size);
	const char *text = bench_text(
		"{\"eal\": {\"lcores\": [%u], \"hugepages\": false, \"prefix\": \"%s-%s\"}, "
		"\"ports\": ["
		"{\"name\": \"a\", \"device\": \"%s_%s_a%s\", \"scheduler\": %s},"
		"{\"name\": \"b\", \"device\": \"%s_%s_b%s\", \"scheduler\": %s}],"
		"\"links\": [{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"b\", \"to\": \"a\"}]}",
		cpus.workers[0], a->driver, a->name, a->driver, a->name, args, a->scheduler,
		a->driver, a->name, args, a->scheduler);
	struct config_error err;

	if (config_parse(a->name, text, strlen(text), &a->config, &err))
		bench_fail("%s", err.text);
}

void appliance_begin(struct appliance *a)
{
	configure(a);
	if (dataplane_open(&a->dp, a->config, &cpus, 0))
		bench_fail("%s: no data plane", a->name);
	if (a->frames)
		put_in(a);
	else
		rte_mempool_obj_iter(a->dp.pool.mempool, write_element, a);
}

/** Received = sent + dropped + inside. */
static void check_balance(const struct appliance *a)
{
	static struct summary s;

	if (summary_collect(&s, &a->dp, 0))
		bench_fail("no memory");
	if (summary_difference(&s))
		bench_fail("%s: %lld frames are not accounted for", a->name,
			   (long long)summary_difference(&s));
	summary_free(&s);
}

void appliance_end(struct appliance *a)
{
	uint32_t lost;

	check_balance(a);
	for (unsigned i = 0; i < a->config->n_ports; i++)
		txq_purge(a->dp.txqs[i][0]);
	check_balance(a);
	lost = dataplane_close(&a->dp);
	if (lost)
		bench_fail("%s: %u buffers are lost", a->name, lost);
	config_free(a->config);
}

uint64_t appliance_now(struct appliance *a)
{
	return tsc_clock_read(&a->dp.clock, &a->dp.workers[0].time, rte_rdtsc());
}

unsigned appliance_pass(struct appliance *a)
{
	return worker_pass(&a->dp.workers[0], appliance_now(a), true);
}

uint64_t appliance_sent(const struct appliance *a)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < a->config->n_ports; i++)
		sum += counter_get(&txq_counters(a->dp.txqs[i][0])->sent_packets);
	return sum;
}

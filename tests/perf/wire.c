/* SPDX-License-Identifier: BSD-3-Clause */
/* See wire.h. */
#include "wire.h"

#include <netinet/in.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

static void write_ipv4(uint8_t *p, uint16_t flow)
{
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)p;
	struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

	*ip = (struct rte_ipv4_hdr){
		.version_ihl = 0x45,
		.total_length = rte_cpu_to_be_16(WIRE_IPV4_BYTES - RTE_ETHER_HDR_LEN),
		.time_to_live = 64,
		.next_proto_id = IPPROTO_UDP,
		.src_addr = rte_cpu_to_be_32(RTE_IPV4(10, 0, flow >> 8, flow)),
		.dst_addr = rte_cpu_to_be_32(RTE_IPV4(192, 0, 2, flow % 16)),
	};
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	*udp = (struct rte_udp_hdr){
		.src_port = rte_cpu_to_be_16(1024 + flow),
		.dst_port = rte_cpu_to_be_16(5001),
		.dgram_len = rte_cpu_to_be_16(WIRE_IPV4_BYTES - RTE_ETHER_HDR_LEN - sizeof(*ip)),
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

void wire_write(uint8_t *frame, uint16_t flow, bool ipv6)
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame and what was read from it. No DPDK, no allocation, no state.
 *
 * parse.h reads a frame once into struct packet_headers; hash.h makes flow and host identities of
 * that; describe.h fills the scheduler's struct cake_packet; mark.h writes CE and washes DSCP;
 * segment.h computes how a super-packet is cut. Nothing reads or writes past the bytes present.
 */
#ifndef GATEAU_PACKET_PACKET_H
#define GATEAU_PACKET_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/** A run of contiguous bytes; the owner of the frame keeps it alive. */
struct packet_segment {
	uint8_t *data;
	uint32_t len;
};

/**
 * A frame as its owner holds it: segments in order, first byte = first byte of the Ethernet header.
 * `len` is the length on the wire; a capture may hold fewer bytes than that.
 */
struct packet_frame {
	const struct packet_segment *segs;
	uint32_t n_segs;
	uint32_t len;
};

enum packet_l3 {
	PACKET_L3_OTHER,
	PACKET_L3_IPV4,
	PACKET_L3_IPV6,
	PACKET_L3_ARP,
};

/**
 * What parsing found. DSCP, ECN and `network_offset` are the outer IP header's; addresses,
 * protocol, ports and label are those of the flow (the inner header's in 6in4). Multi-byte numbers
 * are in host order, addresses in wire order.
 */
struct packet_headers {
	enum packet_l3 l3;         /* of the outer network header */
	enum packet_l3 flow_l3;    /* of the header the addresses come from */
	uint16_t network_offset;   /* bytes to the outer network header, VLAN tags included */
	uint16_t flow_offset;      /* bytes to the header the addresses come from, 0 = none */
	uint16_t transport_offset; /* bytes to the flow's TCP or UDP header, 0 = not found */
	uint16_t payload_offset;   /* bytes to the payload behind it, 0 = not found */
	uint16_t ethertype;        /* of the flow: 0x0800, 0x86dd or what is behind the tags */
	uint16_t vlan_tci;         /* outermost tag's, 0 = untagged */
	uint8_t dscp;              /* 0..63; 0 where there is no IP; 56 for ARP */
	uint8_t ecn;               /* 0..3; 0 also where the fixed IP header is cut short */
	uint8_t proto;             /* IP protocol of the flow, behind IPv6 extension headers;
				      0 where there is no IP */
	bool fragment;             /* any fragment, also the first: no ports */
	uint16_t sport, dport;     /* TCP and UDP, else 0 */
	uint32_t flow_label;       /* IPv6, 0 = none */
	uint8_t addr_len;          /* 0, 4 or 16 */
	uint8_t src[16], dst[16];
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A frame and what was read from it. No DPDK, no allocation, no state.
 *
 * parse.h reads a frame once into struct packet_headers; hash.h makes flow and host identities of
 * that; rules.h looks for an operator's rule; describe.h fills the scheduler's struct cake_packet;
 * mark.h writes CE and washes DSCP; segment.h computes how a super-packet is cut; tcp.h reads what
 * the ACK filter compares. Nothing reads or writes past the bytes present.
 */
#ifndef GATEAU_PACKET_PACKET_H
#define GATEAU_PACKET_PACKET_H

#include <assert.h>
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
	uint32_t mark; /* what the NIC says of the frame, 0 = nothing */
};

enum packet_l3 {
	PACKET_L3_OTHER,
	PACKET_L3_IPV4,
	PACKET_L3_IPV6,
	PACKET_L3_ARP,
};

/** How far into a frame parsing looks. */
enum packet_depth {
	PACKET_DEPTH_LINUX, /* as far as Linux CAKE does */
	PACKET_DEPTH_FULL,
};

/**
 * Why a frame could not be read as far as it should be. Without an IP header its DSCP is 0, and all
 * such frames are one flow; else the fault lies behind that header, and what was read before it
 * tells tin and flow.
 */
enum packet_unclassified {
	PACKET_CLASSIFIED,
	PACKET_UNKNOWN_ETHERTYPE,    /* neither IP nor a control protocol of the link */
	PACKET_UNKNOWN_LLC,          /* the same of a frame with a length for an ethertype */
	PACKET_UNKNOWN_PPP_PROTOCOL, /* in a PPPoE session */
	PACKET_UNKNOWN_MPLS_PAYLOAD, /* no IP packet behind the labels */
	PACKET_TOO_MANY_TAGS,        /* VLAN tags */
	PACKET_TOO_MANY_LABELS,      /* MPLS */
	PACKET_TOO_MANY_HEADERS,     /* IPv6 extension headers, or IP in IP */
	PACKET_BAD_PPPOE_HEADER,     /* no version 1, type 1, code 0 */
	PACKET_BAD_IP_VERSION,       /* contradicts what the header in front says */
	PACKET_BAD_IP_HEADER_LENGTH, /* below 20 bytes */
	PACKET_BAD_IP_LENGTH,        /* the packet is shorter than its own header */
	PACKET_BAD_TUNNEL,           /* no IP header where the tunnel should have one */
	PACKET_TRUNCATED_LINK,       /* tags, PPPoE or MPLS */
	PACKET_TRUNCATED_IP,         /* its header, or what it says its length is */
	PACKET_TRUNCATED_EXTENSION,  /* IPv6 extension header */
	PACKET_TRUNCATED_TRANSPORT,  /* no ports */
	PACKET_TRUNCATED_TUNNEL,     /* GRE, VXLAN, or the IP header in a tunnel */
	PACKET_UNCLASSIFIED_REASONS
};

/** A short lower-case name for statistics, e.g. "unknown-ethertype". */
const char *packet_unclassified_name(enum packet_unclassified reason);

/** The code point by which ARP and, read to the full, neighbour discovery choose their tin: CS7. */
#define PACKET_DSCP_CONTROL 56

/**
 * What parsing found. DSCP, ECN and `network_offset` are the outer IP header's; addresses,
 * protocol, ports and label are those of the flow, which in a tunnel is the inner header's.
 * Multi-byte numbers are in host order, addresses in wire order.
 */
struct packet_headers {
	enum packet_l3 l3 : 8;      /* of the outer network header */
	enum packet_l3 flow_l3 : 8; /* of the header the addresses come from */
	enum packet_unclassified unclassified : 8;
	uint8_t addr_len;          /* 0, 4 or 16 */
	uint16_t link_len;         /* bytes of Ethernet header and VLAN tags: where Linux has the
				      network header, and what `overhead` counts from */
	uint16_t network_offset;   /* bytes to the outer IP header: behind link_len also PPPoE's
				      header and MPLS labels */
	uint16_t flow_offset;      /* bytes to the header the addresses come from, 0 = none */
	uint16_t transport_offset; /* bytes to the flow's TCP or UDP header, 0 = not found */
	uint16_t payload_offset;   /* bytes to the payload behind it, 0 = not found */
	uint16_t ethertype;        /* of the flow: 0x0800, 0x86dd or what is behind the tags */
	uint16_t vlan_tci;         /* outermost tag's, 0 = untagged */
	uint16_t vlan_id;          /* outermost tag's, without PCP and DEI; 0 = none */
	uint16_t inner_vlan_id;    /* that of the tag behind it, 0 = none */
	uint8_t n_tags;            /* VLAN tags */
	uint8_t pcp;               /* outermost tag's priority, 0..7 */
	uint8_t dscp;              /* 0..63; 0 where there is no IP; 56 for ARP */
	uint8_t ecn;               /* 0..3; 0 also where the fixed IP header is cut short */
	uint8_t proto;             /* IP protocol of the flow, behind IPv6 extension headers;
				      0 where there is no IP */
	bool fragment;             /* any fragment, also the first: no ports */
	bool nd;                   /* IPv6 neighbour discovery (ICMPv6 133..137), not in a tunnel;
				      only PACKET_DEPTH_FULL tells */
	uint16_t sport, dport;     /* TCP and UDP, else 0 */
	uint32_t flow_label;       /* IPv6, 0 = none */
	uint8_t src[16], dst[16];
};
/* It is cleared for every frame. Up to 80 bytes are five vector stores; for more of them gcc takes
 * `rep stos`, whose start alone is 10 ns. */
static_assert(sizeof(struct packet_headers) <= 80, "cleared by a few stores");

#endif

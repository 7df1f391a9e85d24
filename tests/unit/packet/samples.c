/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sample frames. Those marked "golden" are frames of the captures in tests/golden/, cut behind
 * their headers, with the hashes that the tables give them. The others have the same ethertype,
 * protocol, addresses and ports as a golden one, hence its hashes.
 */
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
#define MACS          0x02, 0, 0, 0, 0, 0x02,  0x02, 0, 0, 0, 0, 0x01
#define IPV4_ADDRS    10, 0, 0, 1,  10, 1, 0, 1
#define IPV6_PREFIX   0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define PORTS_1000_2000 0x03, 0xe8, 0x07, 0xd0
#define PORTS_1002_2000 0x03, 0xea, 0x07, 0xd0
#define PORTS_1000_80   0x03, 0xe8, 0x00, 0x50

/* Golden: an IPv4 header is version and length, TOS, total length; id, fragment; TTL, protocol,
 * checksum; addresses. UDP is ports, length, checksum. */
static const uint8_t udp4[] = {
	MACS, 0x08, 0x00,
	0x45, 0x00, 0x02, 0xae,  0, 0, 0, 0,  64, 17, 0x64, 0x3d,  IPV4_ADDRS,
	PORTS_1000_2000, 0x02, 0x9a, 0, 0,
	0, 0,
};

/* Golden: data offset 8 words, ACK + PSH, timestamp option. */
static const uint8_t tcp4[] = {
	MACS, 0x08, 0x00,
	0x45, 0x00, 0x05, 0xdc,  0, 0, 0, 0,  64, 6, 0x61, 0x1a,  IPV4_ADDRS,
	PORTS_1000_80,  0, 0, 0, 0,  0, 0, 0, 0,  0x80, 0x18, 0xff, 0xff,  0, 0, 0, 0,
	1, 1, 8, 10,  0, 0, 0, 0,  0, 0, 0, 0,
	0x64, 0x64,
};

/* DSCP 46, ECT(0); 24 bytes of IPv4 header with a router alert, 20 of TCP. */
static const uint8_t tcp4_options[] = {
	MACS, 0x08, 0x00,
	0x46, 0xba, 0x00, 0x2e,  0, 0, 0x40, 0,  64, 6, 0x91, 0x09,  IPV4_ADDRS,
	0x94, 0x04, 0, 0,
	PORTS_1000_80,  0, 0, 0, 0,  0, 0, 0, 0,  0x50, 0x10, 0xff, 0xff,  0, 0, 0, 0,
	1, 2,
};

/* Golden: echo request, DSCP 48. */
static const uint8_t icmp4[] = {
	MACS, 0x08, 0x00,
	0x45, 0xc0, 0x00, 0x54,  0, 0, 0, 0,  64, 1, 0x65, 0xe7,  IPV4_ADDRS,
	8, 0, 0, 0,  0, 1, 0, 0x0b,
};

/* Golden: more fragments, offset 0; what follows are the ports. */
static const uint8_t fragment4_first[] = {
	MACS, 0x08, 0x00,
	0x45, 0x00, 0x03, 0x3c,  0, 0, 0x20, 0,  64, 17, 0x43, 0xaf,  IPV4_ADDRS,
	PORTS_1000_2000, 0x03, 0x28, 0, 0,
};

/* Golden: the last fragment, offset 100 words of 8 bytes; what follows only looks like ports. */
static const uint8_t fragment4_later[] = {
	MACS, 0x08, 0x00,
	0x45, 0x00, 0x03, 0x3c,  0, 0, 0x00, 0x64,  64, 17, 0x63, 0x4b,  IPV4_ADDRS,
	PORTS_1000_2000, 0x03, 0x28, 0, 0,
};

/* Golden: VLAN 100. */
static const uint8_t udp4_tagged[] = {
	MACS, 0x81, 0x00, 0x00, 0x64, 0x08, 0x00,
	0x45, 0x00, 0x02, 0xaa,  0, 0, 0, 0,  64, 17, 0x64, 0x41,  IPV4_ADDRS,
	PORTS_1000_2000, 0x02, 0x96, 0, 0,
};

/* Golden: service VLAN 5, customer VLAN 100; DSCP 8. */
static const uint8_t udp4_tagged_twice[] = {
	MACS, 0x88, 0xa8, 0x00, 0x05, 0x81, 0x00, 0x00, 0x64, 0x08, 0x00,
	0x45, 0x20, 0x02, 0xa6,  0, 0, 0, 0,  64, 17, 0x64, 0x25,  IPV4_ADDRS,
	PORTS_1000_2000, 0x02, 0x92, 0, 0,
};

/* Golden: an IPv6 header is version, traffic class, flow label; payload length, next header, hop
 * limit; addresses. DSCP 46, ECT(0): traffic class 0xba. */
static const uint8_t udp6[] = {
	MACS, 0x86, 0xdd,
	0x6b, 0xa0, 0, 0,  0x01, 0x98, 17, 64,  IPV6_PREFIX, 3,  IPV6_PREFIX, 2,
	0x03, 0xe9, 0x07, 0xd0,  0x01, 0x98, 0, 0,
};

/* Golden: flow label 0x12345. */
static const uint8_t tcp6_label[] = {
	MACS, 0x86, 0xdd,
	0x60, 0x01, 0x23, 0x45,  0x03, 0xfc, 6, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 4,
	0x0b, 0xb8, 0x00, 0x50,  0, 0, 0x07, 0xd0,  0, 0, 0, 1,  0x50, 0x10, 0xff, 0xff,  0, 0, 0, 0,
};

/* Golden: one hop-by-hop header of 8 bytes, padded by PadN. */
static const uint8_t hopopts6[] = {
	MACS, 0x86, 0xdd,
	0x60, 0, 0, 0,  0x01, 0x3c, 0, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 2,
	17, 0, 1, 4, 0, 0, 0, 0,
	PORTS_1002_2000, 0x01, 0x34, 0, 0,
};

/* The same flow behind hop-by-hop (8 bytes), routing (24) and destination options (16). */
static const uint8_t chain6[] = {
	MACS, 0x86, 0xdd,
	0x60, 0, 0, 0,  0x00, 0x38, 0, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 2,
	43, 0, 1, 4, 0, 0, 0, 0,
	60, 2, 4, 1, 0, 0, 0, 0,  IPV6_PREFIX, 9,
	17, 1, 1, 12, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
	PORTS_1002_2000, 0x00, 0x08, 0, 0,
};

/* Golden: fragment header: offset 0, more to come. */
static const uint8_t fragment6[] = {
	MACS, 0x86, 0xdd,
	0x60, 0, 0, 0,  0x03, 0x30, 44, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 2,
	17, 0, 0, 1,  0, 0, 0, 3,
	PORTS_1000_2000, 0x03, 0x28, 0, 0,
};

/* A later fragment behind a hop-by-hop header: offset 8. */
static const uint8_t chain_fragment6[] = {
	MACS, 0x86, 0xdd,
	0x60, 0, 0, 0,  0x00, 0x18, 0, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 2,
	44, 0, 1, 4, 0, 0, 0, 0,
	17, 0, 0, 8,  0, 0, 0, 3,
	PORTS_1000_2000, 0x03, 0x28, 0, 0,
};

/* Golden: an IPv6 TCP acknowledgement in IPv4. */
static const uint8_t sixin4[] = {
	MACS, 0x08, 0x00,
	0x45, 0x00, 0x00, 0x50,  0, 0, 0, 0,  64, 41, 0x66, 0x83,  IPV4_ADDRS,
	0x60, 0, 0, 0,  0x00, 0x14, 6, 64,  IPV6_PREFIX, 1,  IPV6_PREFIX, 2,
	0x03, 0xf5, 0x00, 0x50,  0, 0, 0, 1,  0, 0, 0x03, 0xe8,  0x50, 0x10, 0xff, 0xff,  0, 0, 0, 0,
};

/* Golden. */
static const uint8_t arp[] = {
	MACS, 0x08, 0x06,
	0, 1, 8, 0, 6, 4, 0, 1,
};

/* Golden. */
static const uint8_t lldp[] = {
	MACS, 0x88, 0xcc,
	0, 0,
};

#define FRAME(array, wire)  .name = #array, .bytes = array, .size = sizeof(array), .len = wire
#define ADDRS4              .addr_len = 4, .src = {10, 0, 0, 1}, .dst = {10, 1, 0, 1}
#define ADDRS6(s, d)        .addr_len = 16, .src = {IPV6_PREFIX, s}, .dst = {IPV6_PREFIX, d}
#define IPV4_HEADERS        .l3 = PACKET_L3_IPV4, .flow_l3 = PACKET_L3_IPV4, .ethertype = 0x0800
#define IPV6_HEADERS        .l3 = PACKET_L3_IPV6, .flow_l3 = PACKET_L3_IPV6, .ethertype = 0x86dd

/* Offsets: 14 of Ethernet, 4 per tag, 20 or 24 of IPv4, 40 of IPv6, extensions as above; UDP 8. */
const struct sample samples[SAMPLES] = {
	[SAMPLE_UDP4] = {
		FRAME(udp4, 700),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 34,
		 .payload_offset = 42, .proto = 17, .sport = 1000, .dport = 2000},
		{3591452356, 1295607471, 318330329},
	},
	[SAMPLE_TCP4] = {
		FRAME(tcp4, 1514),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 34,
		 .payload_offset = 66, .proto = 6, .sport = 1000, .dport = 80},
		{2985175745, 1295607471, 318330329},
	},
	[SAMPLE_TCP4_OPTIONS] = {
		FRAME(tcp4_options, 60),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 38,
		 .payload_offset = 58, .proto = 6, .sport = 1000, .dport = 80, .dscp = 46, .ecn = 2},
		{2985175745, 1295607471, 318330329},
	},
	[SAMPLE_ICMP4] = {
		FRAME(icmp4, 98),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .proto = 1, .dscp = 48},
		{4258373603, 1295607471, 318330329},
	},
	[SAMPLE_FRAGMENT4_FIRST] = {
		FRAME(fragment4_first, 842),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .proto = 17, .fragment = true},
		{2662785737, 1295607471, 318330329},
	},
	[SAMPLE_FRAGMENT4_LATER] = {
		FRAME(fragment4_later, 842),
		{IPV4_HEADERS, ADDRS4, .link_len = 14, .flow_offset = 14, .network_offset = 14, .proto = 17, .fragment = true},
		{2662785737, 1295607471, 318330329},
	},
	[SAMPLE_UDP4_TAGGED] = {
		FRAME(udp4_tagged, 700),
		{IPV4_HEADERS, ADDRS4, .link_len = 18, .flow_offset = 18, .network_offset = 18, .transport_offset = 38,
		 .payload_offset = 46, .n_tags = 1, .vlan_tci = 100, .vlan_id = 100, .proto = 17, .sport = 1000, .dport = 2000},
		{3360130638, 2333915960, 1979133265},
	},
	[SAMPLE_UDP4_TAGGED_TWICE] = {
		FRAME(udp4_tagged_twice, 700),
		{IPV4_HEADERS, ADDRS4, .link_len = 22, .flow_offset = 22, .network_offset = 22, .transport_offset = 42,
		 .payload_offset = 50, .n_tags = 2, .vlan_tci = 5, .vlan_id = 5, .inner_vlan_id = 100, .proto = 17, .sport = 1000, .dport = 2000,
		 .dscp = 8},
		{3209783757, 2278275786, 832126178},
	},
	[SAMPLE_UDP6] = {
		FRAME(udp6, 462),
		{IPV6_HEADERS, ADDRS6(3, 2), .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 54,
		 .payload_offset = 62, .proto = 17, .sport = 1001, .dport = 2000, .dscp = 46, .ecn = 2},
		{1393894484, 2752055950, 187518181},
	},
	[SAMPLE_TCP6_LABEL] = {
		FRAME(tcp6_label, 1074),
		{IPV6_HEADERS, ADDRS6(1, 4), .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 54,
		 .payload_offset = 74, .proto = 6, .sport = 3000, .dport = 80, .flow_label = 0x12345},
		{964912115, 3210717941, 2033230329},
	},
	[SAMPLE_HOPOPTS6] = {
		FRAME(hopopts6, 370),
		{IPV6_HEADERS, ADDRS6(1, 2), .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 62,
		 .payload_offset = 70, .proto = 17, .sport = 1002, .dport = 2000},
		{526608414, 3210717941, 187518181},
	},
	[SAMPLE_CHAIN6] = {
		FRAME(chain6, 110),
		{IPV6_HEADERS, ADDRS6(1, 2), .link_len = 14, .flow_offset = 14, .network_offset = 14, .transport_offset = 102,
		 .payload_offset = 110, .proto = 17, .sport = 1002, .dport = 2000},
		{526608414, 3210717941, 187518181},
	},
	[SAMPLE_FRAGMENT6] = {
		FRAME(fragment6, 870),
		{IPV6_HEADERS, ADDRS6(1, 2), .link_len = 14, .flow_offset = 14, .network_offset = 14, .proto = 17, .fragment = true},
		{1699847255, 3210717941, 187518181},
	},
	[SAMPLE_CHAIN_FRAGMENT6] = {
		FRAME(chain_fragment6, 78),
		{IPV6_HEADERS, ADDRS6(1, 2), .link_len = 14, .flow_offset = 14, .network_offset = 14, .proto = 17, .fragment = true},
		{1699847255, 3210717941, 187518181},
	},
	[SAMPLE_6IN4] = {
		FRAME(sixin4, 94),
		{.l3 = PACKET_L3_IPV4, .flow_l3 = PACKET_L3_IPV6, .ethertype = 0x86dd,
		 ADDRS6(1, 2), .link_len = 14, .flow_offset = 34, .network_offset = 14, .transport_offset = 74, .payload_offset = 94,
		 .proto = 6, .sport = 1013, .dport = 80},
		{3127112248, 3210717941, 187518181},
	},
	[SAMPLE_ARP] = {
		FRAME(arp, 60),
		{.l3 = PACKET_L3_ARP, .ethertype = 0x0806, .link_len = 14, .network_offset = 14, .dscp = 56},
		{2407547007, 0, 0},
	},
	[SAMPLE_LLDP] = {
		FRAME(lldp, 74),
		{.l3 = PACKET_L3_OTHER, .ethertype = 0x88cc, .link_len = 14, .network_offset = 14},
		{1604839006, 0, 0},
	},
};
/* clang-format on */

struct frame_copy frame_copy(const uint8_t *bytes, uint32_t size, uint32_t first, uint32_t rest)
{
	uint32_t max = 1 + (size - first + rest - 1) / rest, n = 0, off = 0;
	struct frame_copy copy = {.segs = calloc(max, sizeof(*copy.segs))};

	assert_non_null(copy.segs);
	do {
		struct packet_segment *seg = &copy.segs[n];

		seg->len = n++ ? rest : first;
		if (seg->len > size - off)
			seg->len = size - off;
		seg->data = malloc(seg->len);
		assert_true(seg->data || !seg->len);
		if (seg->len)
			memcpy(seg->data, bytes + off, seg->len);
		off += seg->len;
	} while (off < size);
	copy.frame = (struct packet_frame){.segs = copy.segs, .n_segs = n, .len = size};
	return copy;
}

void frame_copy_free(struct frame_copy *copy)
{
	for (uint32_t i = 0; i < copy->frame.n_segs; i++)
		free(copy->segs[i].data);
	free(copy->segs);
}

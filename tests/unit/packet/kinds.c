/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See kinds.h. Offsets: 14 of Ethernet, 4 per tag, 8 of PPPoE with PPP, 4 per label, 20 of IPv4, 40
 * of IPv6, 8 of UDP, 20 of TCP, 4 of GRE and 4 for each of its flags, 8 of VXLAN.
 */
#include "kinds.h"

/* Numbers: IEEE 802 and IANA. */
enum { IP4 = 0x0800, IP6 = 0x86dd, TEB = 0x6558, CTAG = 0x8100, STAG = 0x88a8, OLD_TAG = 0x9100 };
enum { HOPOPTS = 0, IPIP = 4, TCP = 6, UDP = 17, IPV6 = 41, ROUTING = 43, FRAGMENT = 44, GRE = 47 };
enum { ESP = 50, AH = 51, ICMP6 = 58, DSTOPTS = 60, OSPF = 89, MOBILITY = 135 };

static void udp(struct built_frame *b)
{
	put_udp(b, 1000, 2000);
	put_zeros(b, 20);
}

static void plain4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void plain6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, TCP);
	put_tcp(b, 1000, 80);
}

static void tagged4(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	put_tag(b, 0xb064, IP4); /* priority 5, DEI, id 100 */
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void tagged_thrice6(struct built_frame *b)
{
	put_ethernet(b, OLD_TAG);
	put_tag(b, 7, STAG);
	put_tag(b, 0xe00 << 4 | 8, CTAG);
	put_tag(b, 9, IP6);
	put_ipv6(b, 1, UDP);
	udp(b);
}

static void tagged_eight_times(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	for (unsigned i = 1; i < 8; i++)
		put_tag(b, i, CTAG);
	put_tag(b, 8, IP4);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void tagged_nine_times(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	for (unsigned i = 1; i < 9; i++)
		put_tag(b, i, CTAG);
	put_tag(b, 9, IP4);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void pppoe4(struct built_frame *b)
{
	put_ethernet(b, 0x8864);
	put_pppoe(b, 0x0021);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void pppoe6_tagged_twice(struct built_frame *b)
{
	put_ethernet(b, STAG);
	put_tag(b, 5, CTAG);
	put_tag(b, 7, 0x8864);
	put_pppoe(b, 0x0057);
	put_ipv6(b, 1, TCP);
	put_tcp(b, 1000, 80);
}

static void pppoe4_compressed(struct built_frame *b)
{
	put_ethernet(b, 0x8864);
	put_pppoe(b, 0x0021);
	b->bytes[b->size - 2] = 0x21;
	b->size--;
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void pppoe_lcp(struct built_frame *b)
{
	put_ethernet(b, 0x8864);
	put_pppoe(b, 0xc021);
	put_zeros(b, 40);
}

static void pppoe_multilink(struct built_frame *b)
{
	put_ethernet(b, 0x8864);
	put_pppoe(b, 0x003d);
	put_zeros(b, 40);
}

static void pppoe_version_2(struct built_frame *b)
{
	pppoe4(b);
	b->bytes[14] = 0x21;
}

static void pppoe_discovery(struct built_frame *b)
{
	put_ethernet(b, 0x8863);
	put_bytes(b, (uint8_t[]){0x11, 0x09}, 2);
	put_zeros(b, 44);
}

static void mpls4(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	put_label(b, 100, true);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void mpls6_three_labels_tagged(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	put_tag(b, 5, 0x8847);
	put_label(b, 100, false);
	put_label(b, 101, false);
	put_label(b, 2, true); /* IPv6 explicit null */
	put_ipv6(b, 1, UDP);
	udp(b);
}

static void mpls_multicast_sixteen_labels(struct built_frame *b)
{
	put_ethernet(b, 0x8848);
	for (unsigned i = 0; i < 16; i++)
		put_label(b, 100 + i, i == 15);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void mpls_seventeen_labels(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	for (unsigned i = 0; i < 17; i++)
		put_label(b, 100 + i, i == 16);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void mpls_control_word(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	put_label(b, 100, true);
	put_zeros(b, 4);
	plain4(b);
}

/* To 45:00:00:20:..., which looks like IPv4 of 32 bytes: too few for the frame. */
static void mpls_ethernet_like_short_ipv4(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	put_label(b, 100, true);
	put_bytes(b, (uint8_t[]){0x45, 0, 0x00, 0x20, 0x56, 0x78, 2, 0, 0, 0, 0, 1}, 12);
	put_be16(b, IP4);
	put_zeros(b, 65);
}

/* To 45:00:12:34:..., which looks like IPv4 of 4,660 bytes. */
static void mpls_ethernet_like_ipv4(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	put_label(b, 100, true);
	put_bytes(b, (uint8_t[]){0x45, 0, 0x12, 0x34, 0x56, 0x78, 2, 0, 0, 0, 0, 1}, 12);
	put_be16(b, IP4);
	put_zeros(b, 60);
}

static void mpls4_padded(struct built_frame *b)
{
	put_ethernet(b, 0x8847);
	put_label(b, 100, true);
	put_ipv4(b, 1, OSPF);
	frame_finish(b);
	b->n_ips = 0; /* finished */
	put_zeros(b, 46);
}

static void options4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	b->bytes[14] = 0x4f;
	put_zeros(b, 40);
	udp(b);
}

static void ospf4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, OSPF);
	put_zeros(b, 44);
}

static void esp6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, ESP);
	put_zeros(b, 44);
}

static void ah4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, AH);
	put_ah(b, UDP, 12);
	udp(b);
}

static void ah4_fragment(struct built_frame *b)
{
	ah4(b);
	b->bytes[20] = 0x20;
}

/* RFC 8200 recommends an order, and wants any accepted. */
static void extensions6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, HOPOPTS);
	put_extension(b, DSTOPTS, 1);
	put_extension(b, ROUTING, 256);
	put_extension(b, AH, 5);
	put_ah(b, DSTOPTS, 12);
	put_extension(b, UDP, 1);
	udp(b);
}

static void extensions6_reversed(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, DSTOPTS);
	put_extension(b, ROUTING, 1);
	put_extension(b, HOPOPTS, 5);
	put_extension(b, UDP, 1);
	udp(b);
}

static void extensions6_fifteen(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, DSTOPTS);
	for (unsigned i = 1; i <= 15; i++)
		put_extension(b, i < 15 ? DSTOPTS : UDP, 1);
	udp(b);
}

static void extensions6_sixteen(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, DSTOPTS);
	for (unsigned i = 1; i <= 16; i++)
		put_extension(b, i < 16 ? DSTOPTS : UDP, 1);
	udp(b);
}

static void extension6_longer_than_packet(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, HOPOPTS);
	put_extension(b, ICMP6, 1);
	b->bytes[b->size - 7] = 255;
	put_zeros(b, 24);
}

static void mobility6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, MOBILITY);
	put_extension(b, 59, 2);
}

static void fragment4(struct built_frame *b)
{
	plain4(b);
	b->bytes[20] = 0x20;
}

static void fragment4_later(struct built_frame *b)
{
	plain4(b);
	b->bytes[21] = 100;
}

static void fragment6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, HOPOPTS);
	put_extension(b, FRAGMENT, 1);
	put_fragment6(b, UDP, 0, true);
	udp(b);
}

static void fragment6_later(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, HOPOPTS);
	put_extension(b, FRAGMENT, 1);
	put_fragment6(b, UDP, 100, false);
	udp(b);
}

static void solicitation(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, ICMP6);
	put_be32(b, 135u << 24);
	put_zeros(b, 28);
}

static void redirect_hopopts_pppoe(struct built_frame *b)
{
	put_ethernet(b, 0x8864);
	put_pppoe(b, 0x0057);
	put_ipv6(b, 1, HOPOPTS);
	put_extension(b, ICMP6, 1);
	put_be32(b, 137u << 24);
	put_zeros(b, 28);
}

static void echo6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, ICMP6);
	put_be32(b, 128u << 24);
	put_zeros(b, 28);
}

static void solicitation_in_4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, IPV6);
	put_ipv6(b, 2, ICMP6);
	put_be32(b, 135u << 24);
	put_zeros(b, 28);
}

static void six_in_4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, IPV6);
	put_ipv6(b, 2, TCP);
	put_tcp(b, 1000, 80);
}

static void four_in_6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, DSTOPTS); /* RFC 2473: a tunnel's encapsulation limit */
	put_extension(b, IPIP, 1);
	put_ipv4(b, 2, UDP);
	udp(b);
}

static void four_in_4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, IPIP);
	put_ipv4(b, 2, UDP);
	udp(b);
}

static void six_in_6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, IPV6);
	put_ipv6(b, 2, UDP);
	udp(b);
}

static void gre4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, GRE);
	put_gre(b, 0, IP4);
	put_ipv4(b, 2, UDP);
	udp(b);
}

static void gre6_all_fields(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv6(b, 1, GRE);
	put_gre(b, 0xb000, IP6);
	put_zeros(b, 12);
	put_ipv6(b, 2, UDP);
	udp(b);
}

static void gre_ethernet(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, GRE);
	put_gre(b, 0x2000, TEB);
	put_zeros(b, 4);
	put_ethernet(b, CTAG);
	put_tag(b, 9, IP6);
	put_ipv6(b, 2, TCP);
	put_tcp(b, 1000, 80);
}

static void gre_pptp(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, GRE);
	put_gre(b, 0x3001, 0x880b);
	put_zeros(b, 30);
}

/* Of another version, what looks like a protocol and IPv4 is not looked at. */
static void gre_version_1(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, GRE);
	put_gre(b, 0x0001, IP4);
	put_ipv4(b, 2, UDP);
	udp(b);
}

static void gre_erspan(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, GRE);
	put_gre(b, 0x1000, 0x88be);
	put_zeros(b, 4 + 8);
	plain4(b);
}

static void vxlan4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	put_udp(b, 50000, 4789);
	put_vxlan(b);
	put_ethernet(b, IP4);
	put_ipv4(b, 2, TCP);
	put_tcp(b, 1000, 80);
}

static void vxlan6_tagged_inside(struct built_frame *b)
{
	put_ethernet(b, STAG);
	put_tag(b, 5, IP6);
	put_ipv6(b, 1, UDP);
	put_udp(b, 50000, 4789);
	put_vxlan(b);
	put_ethernet(b, CTAG);
	put_tag(b, 9, IP6);
	put_ipv6(b, 2, UDP);
	udp(b);
}

static void vxlan_fragment_inside(struct built_frame *b)
{
	vxlan4(b);
	b->bytes[b->ips[1] + 6] = 0x20;
}

static void vxlan_arp(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	put_udp(b, 50000, 4789);
	put_vxlan(b);
	put_ethernet(b, 0x0806);
	put_zeros(b, 28);
}

static void vxlan_tagged_nine_times_inside(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	put_udp(b, 50000, 4789);
	put_vxlan(b);
	tagged_nine_times(b);
}

static void vxlan_port_without_flag(struct built_frame *b)
{
	vxlan4(b);
	b->bytes[14 + 20 + 8] = 0;
}

static void vxlan_outer_fragment(struct built_frame *b)
{
	vxlan4(b);
	b->bytes[20] = 0x20;
}

static void inner_of_version_5(struct built_frame *b)
{
	four_in_4(b);
	frame_finish(b);
	b->n_ips = 0; /* finished */
	b->bytes[34] = 0x55;
}

static void four_headers(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, IPIP);
	put_ipv4(b, 2, IPV6);
	put_ipv6(b, 3, IPIP);
	put_ipv4(b, 4, UDP);
	udp(b);
}

static void five_headers(struct built_frame *b)
{
	put_ethernet(b, IP4);
	for (unsigned i = 1; i <= 4; i++)
		put_ipv4(b, i, IPIP);
	put_ipv4(b, 5, UDP);
	udp(b);
}

static void version_6_in_ethertype_4(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv6(b, 1, UDP);
	udp(b);
}

static void version_4_in_ethertype_6(struct built_frame *b)
{
	put_ethernet(b, IP6);
	put_ipv4(b, 1, UDP);
	udp(b);
}

static void ihl_4(struct built_frame *b)
{
	plain4(b);
	frame_finish(b);
	b->n_ips = 0;
	b->bytes[14] = 0x44;
}

static void length_below_header(struct built_frame *b)
{
	plain4(b);
	frame_finish(b);
	b->n_ips = 0;
	b->bytes[17] = 19;
}

/* Linux leaves the length of a super-packet at 0 where 16 bits do not hold it. */
static void length_not_told(struct built_frame *b)
{
	plain4(b);
	frame_finish(b);
	b->n_ips = 0;
	b->bytes[16] = b->bytes[17] = 0;
}

static void length_not_told6(struct built_frame *b)
{
	plain6(b);
	frame_finish(b);
	b->n_ips = 0;
	b->bytes[18] = b->bytes[19] = 0;
}

static void length_beyond_frame(struct built_frame *b)
{
	plain4(b);
	frame_finish(b);
	b->n_ips = 0;
	b->bytes[17]++;
}

/* 20 bytes of IP and then padding, which must not be taken for ports. */
static void nothing_but_padding(struct built_frame *b)
{
	put_ethernet(b, IP4);
	put_ipv4(b, 1, UDP);
	frame_finish(b);
	b->n_ips = 0;
	put_zeros(b, 26);
}

static void arp(struct built_frame *b)
{
	put_ethernet(b, 0x0806);
	put_zeros(b, 46);
}

static void lldp(struct built_frame *b)
{
	put_ethernet(b, 0x88cc);
	put_zeros(b, 46);
}

static void lacp(struct built_frame *b)
{
	put_ethernet(b, 0x8809);
	put_zeros(b, 46);
}

static void eapol_tagged(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	put_tag(b, 5, 0x888e);
	put_zeros(b, 46);
}

static void ptp(struct built_frame *b)
{
	put_ethernet(b, 0x88f7);
	put_zeros(b, 46);
}

static void bpdu(struct built_frame *b)
{
	put_ethernet(b, 38);
	put_bytes(b, (uint8_t[]){0x42, 0x42, 0x03}, 3);
	put_zeros(b, 43);
}

static void isis(struct built_frame *b)
{
	put_ethernet(b, 1500);
	put_bytes(b, (uint8_t[]){0xfe, 0xfe, 0x03}, 3);
	put_zeros(b, 1497);
}

static void cdp(struct built_frame *b)
{
	put_ethernet(b, 100);
	put_bytes(b, (uint8_t[]){0xaa, 0xaa, 0x03, 0x00, 0x00, 0x0c, 0x20, 0x00}, 8);
	put_zeros(b, 92);
}

static void ipx(struct built_frame *b)
{
	put_ethernet(b, 46);
	put_bytes(b, (uint8_t[]){0xe0, 0xe0, 0x03}, 3);
	put_zeros(b, 43);
}

static void unknown(struct built_frame *b)
{
	put_ethernet(b, 0x88b5); /* for local experiments */
	put_zeros(b, 46);
}

static void unknown_tagged(struct built_frame *b)
{
	put_ethernet(b, CTAG);
	put_tag(b, 5, 0x88b6);
	put_zeros(b, 46);
}

#define KIND(f) .name = #f, .build = f

/* Fields that go together. Offsets are of the outer IP header, the flow's and its transport's. */
#define LINK(l, n) .link_len = l, .network_offset = n
#define OUTER4     .l3 = PACKET_L3_IPV4
#define OUTER6     .l3 = PACKET_L3_IPV6
#define FLOW4(off) .flow_l3 = PACKET_L3_IPV4, .ethertype = 0x0800, .addr_len = 4, .flow_offset = off
#define FLOW6(off) \
	.flow_l3 = PACKET_L3_IPV6, .ethertype = 0x86dd, .addr_len = 16, .flow_offset = off
#define IS_UDP(off)                                                         \
	.proto = 17, .sport = 1000, .dport = 2000, .transport_offset = off, \
	.payload_offset = off + 8
#define IS_TCP(off) \
	.proto = 6, .sport = 1000, .dport = 80, .transport_offset = off, .payload_offset = off + 20
#define IS_VXLAN(off)                                                        \
	.proto = 17, .sport = 50000, .dport = 4789, .transport_offset = off, \
	.payload_offset = off + 8
#define TAGGED(n, outer, inner) \
	.n_tags = n, .vlan_tci = outer, .vlan_id = outer, .inner_vlan_id = inner
#define NO_IP(n, type)       LINK(n, n), .ethertype = type
#define UNCLASSIFIED(reason) .unclassified = PACKET_##reason

/* clang-format off */
const struct frame_kind frame_kinds[] = {
	{KIND(plain4), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_UDP(34)}},
	{KIND(plain6), 1, {LINK(14, 14), OUTER6, FLOW6(14), IS_TCP(54)}},

	{KIND(tagged4), 1, {LINK(18, 18), OUTER4, FLOW4(18), IS_UDP(38),
	 .n_tags = 1, .vlan_tci = 0xb064, .vlan_id = 100, .pcp = 5}},
	{KIND(tagged_thrice6), 1, {LINK(26, 26), OUTER6, FLOW6(26), IS_UDP(66), TAGGED(3, 7, 8)}},
	{KIND(tagged_eight_times), 1, {LINK(46, 46), OUTER4, FLOW4(46), IS_UDP(66), TAGGED(8, 1, 2)}},
	{KIND(tagged_nine_times), 0, {NO_IP(46, 0x8100), TAGGED(8, 1, 2), UNCLASSIFIED(TOO_MANY_TAGS)}},

	{KIND(pppoe4), 1, {LINK(14, 22), OUTER4, FLOW4(22), IS_UDP(42)}},
	{KIND(pppoe6_tagged_twice), 1, {LINK(22, 30), OUTER6, FLOW6(30), IS_TCP(70), TAGGED(2, 5, 7)}},
	{KIND(pppoe4_compressed), 1, {LINK(14, 21), OUTER4, FLOW4(21), IS_UDP(41)}},
	{KIND(pppoe_lcp), 0, {LINK(14, 22), .ethertype = 0x8864}},
	{KIND(pppoe_multilink), 0, {NO_IP(14, 0x8864), UNCLASSIFIED(UNKNOWN_PPP_PROTOCOL)}},
	{KIND(pppoe_version_2), 0, {NO_IP(14, 0x8864), UNCLASSIFIED(BAD_PPPOE_HEADER)}},
	{KIND(pppoe_discovery), 0, {NO_IP(14, 0x8863)}},

	{KIND(mpls4), 1, {LINK(14, 18), OUTER4, FLOW4(18), IS_UDP(38)}},
	{KIND(mpls6_three_labels_tagged), 1, {LINK(18, 30), OUTER6, FLOW6(30), IS_UDP(70), TAGGED(1, 5, 0)}},
	{KIND(mpls_multicast_sixteen_labels), 1, {LINK(14, 78), OUTER4, FLOW4(78), IS_UDP(98)}},
	{KIND(mpls_seventeen_labels), 0, {NO_IP(14, 0x8847), UNCLASSIFIED(TOO_MANY_LABELS)}},
	{KIND(mpls_control_word), 0, {NO_IP(14, 0x8847), UNCLASSIFIED(UNKNOWN_MPLS_PAYLOAD)}},
	{KIND(mpls_ethernet_like_ipv4), 0, {NO_IP(14, 0x8847), UNCLASSIFIED(UNKNOWN_MPLS_PAYLOAD)}},
	{KIND(mpls_ethernet_like_short_ipv4), 0, {NO_IP(14, 0x8847), UNCLASSIFIED(UNKNOWN_MPLS_PAYLOAD)}},
	{KIND(mpls4_padded), 1, {LINK(14, 18), OUTER4, FLOW4(18), .proto = 89}},

	{KIND(options4), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_UDP(74)}},
	{KIND(ospf4), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 89}},
	{KIND(esp6), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 50}},
	{KIND(ah4), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_UDP(58)}},
	{KIND(ah4_fragment), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 51, .fragment = true}},
	/* 54 + 8 + 2048 + 40 + 24 + 8 */
	{KIND(extensions6), 1, {LINK(14, 14), OUTER6, FLOW6(14), IS_UDP(2182)}},
	{KIND(extensions6_reversed), 1, {LINK(14, 14), OUTER6, FLOW6(14), IS_UDP(110)}},
	{KIND(extensions6_fifteen), 1, {LINK(14, 14), OUTER6, FLOW6(14), IS_UDP(174)}},
	{KIND(extensions6_sixteen), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 60, UNCLASSIFIED(TOO_MANY_HEADERS)}},
	{KIND(extension6_longer_than_packet), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 58, UNCLASSIFIED(TRUNCATED_EXTENSION)}},
	{KIND(mobility6), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 135}},

	{KIND(fragment4), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 17, .fragment = true}},
	{KIND(fragment4_later), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 17, .fragment = true}},
	{KIND(fragment6), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 17, .fragment = true}},
	{KIND(fragment6_later), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 17, .fragment = true}},

	{KIND(solicitation), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 58, .nd = true}},
	{KIND(redirect_hopopts_pppoe), 1, {LINK(14, 22), OUTER6, FLOW6(22), .proto = 58, .nd = true}},
	{KIND(echo6), 1, {LINK(14, 14), OUTER6, FLOW6(14), .proto = 58}},
	{KIND(solicitation_in_4), 2, {LINK(14, 14), OUTER4, FLOW6(34), .proto = 58}},

	{KIND(six_in_4), 2, {LINK(14, 14), OUTER4, FLOW6(34), IS_TCP(74)}},
	{KIND(four_in_6), 2, {LINK(14, 14), OUTER6, FLOW4(62), IS_UDP(82)}},
	{KIND(four_in_4), 2, {LINK(14, 14), OUTER4, FLOW4(34), IS_UDP(54)}},
	{KIND(six_in_6), 2, {LINK(14, 14), OUTER6, FLOW6(54), IS_UDP(94)}},
	{KIND(gre4), 2, {LINK(14, 14), OUTER4, FLOW4(38), IS_UDP(58)}},
	{KIND(gre6_all_fields), 2, {LINK(14, 14), OUTER6, FLOW6(70), IS_UDP(110)}},
	{KIND(gre_ethernet), 2, {LINK(14, 14), OUTER4, FLOW6(60), IS_TCP(100)}},
	{KIND(gre_pptp), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 47}},
	{KIND(gre_version_1), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 47}},
	{KIND(gre_erspan), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 47}},
	{KIND(vxlan4), 2, {LINK(14, 14), OUTER4, FLOW4(64), IS_TCP(84)}},
	{KIND(vxlan6_tagged_inside), 2, {LINK(18, 18), OUTER6, FLOW6(92), IS_UDP(132), TAGGED(1, 5, 0)}},
	{KIND(vxlan_fragment_inside), 2, {LINK(14, 14), OUTER4, FLOW4(64), .proto = 6, .fragment = true}},
	{KIND(vxlan_arp), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_VXLAN(34)}},
	{KIND(vxlan_tagged_nine_times_inside), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_VXLAN(34), UNCLASSIFIED(TOO_MANY_TAGS)}},
	{KIND(vxlan_port_without_flag), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_VXLAN(34)}},
	{KIND(vxlan_outer_fragment), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 17, .fragment = true}},
	{KIND(inner_of_version_5), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 4, UNCLASSIFIED(BAD_TUNNEL)}},
	{KIND(four_headers), 4, {LINK(14, 14), OUTER4, FLOW4(94), IS_UDP(114)}},
	{KIND(five_headers), 4, {LINK(14, 14), OUTER4, FLOW4(74), .proto = 4, UNCLASSIFIED(TOO_MANY_HEADERS)}},

	{KIND(version_6_in_ethertype_4), 0, {NO_IP(14, 0x0800), UNCLASSIFIED(BAD_IP_VERSION)}},
	{KIND(version_4_in_ethertype_6), 0, {NO_IP(14, 0x86dd), UNCLASSIFIED(BAD_IP_VERSION)}},
	{KIND(ihl_4), 0, {NO_IP(14, 0x0800), UNCLASSIFIED(BAD_IP_HEADER_LENGTH)}},
	{KIND(length_below_header), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 17, UNCLASSIFIED(BAD_IP_LENGTH)}},
	{KIND(length_not_told), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_UDP(34)}},
	{KIND(length_not_told6), 1, {LINK(14, 14), OUTER6, FLOW6(14), IS_TCP(54)}},
	{KIND(length_beyond_frame), 1, {LINK(14, 14), OUTER4, FLOW4(14), IS_UDP(34), UNCLASSIFIED(TRUNCATED_IP)}},
	{KIND(nothing_but_padding), 1, {LINK(14, 14), OUTER4, FLOW4(14), .proto = 17, UNCLASSIFIED(TRUNCATED_TRANSPORT)}},

	{KIND(arp), 0, {NO_IP(14, 0x0806), .l3 = PACKET_L3_ARP, .dscp = 56}},
	{KIND(lldp), 0, {NO_IP(14, 0x88cc)}},
	{KIND(lacp), 0, {NO_IP(14, 0x8809)}},
	{KIND(eapol_tagged), 0, {NO_IP(18, 0x888e), TAGGED(1, 5, 0)}},
	{KIND(ptp), 0, {NO_IP(14, 0x88f7)}},
	{KIND(bpdu), 0, {NO_IP(14, 0x0004)}},
	{KIND(isis), 0, {NO_IP(14, 0x0004)}},
	{KIND(cdp), 0, {NO_IP(14, 0x0004)}},
	{KIND(ipx), 0, {NO_IP(14, 0x0004), UNCLASSIFIED(UNKNOWN_LLC)}},
	{KIND(unknown), 0, {NO_IP(14, 0x88b5), UNCLASSIFIED(UNKNOWN_ETHERTYPE)}},
	{KIND(unknown_tagged), 0, {NO_IP(18, 0x88b6), TAGGED(1, 5, 0), UNCLASSIFIED(UNKNOWN_ETHERTYPE)}},
};
/* clang-format on */

const unsigned n_frame_kinds = sizeof(frame_kinds) / sizeof(frame_kinds[0]);

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a frame's headers.
 *
 *	                      PACKET_DEPTH_LINUX     PACKET_DEPTH_FULL: in addition
 *	VLAN tags             0x8100, 0x88a8         0x9100
 *	behind them                                  PPPoE sessions, MPLS labels, IP in either
 *	IPv6 extensions       0, 43, 44, 60          51 (AH), in IPv4 as well
 *	inner IP header of    6in4                   6in4, 4in6, IPIP, GRE, VXLAN, in each other
 *	IP's version, length  ignored                must make sense; bytes behind are not read
 *
 * How many there may be of each is bounded, and with it what a frame can cost.
 */
#ifndef GATEAU_PACKET_PARSE_H
#define GATEAU_PACKET_PARSE_H

#include "packet/packet.h"

/** Headers stepped over in one frame: IPv6 extension headers, AH. As many as Linux dissects. */
#define PACKET_EXTENSIONS_MAX 15

/** IP headers looked at, the outer one included. */
#define PACKET_IP_HEADERS_MAX 4

/**
 * Read @f's headers into @h, all of which is written. Never fails: what could not be read stays 0,
 * and `unclassified` says why. Reads no byte that is not present.
 *
 * A fragment (IPv4, or IPv6 header 44) has no ports, the first one neither, and no inner header.
 * Where the inner header of a tunnel is cut short or none, the flow is the outer header's. In the
 * Linux depth `l3` is what the ethertype says, also where no IP byte follows; in the full depth a
 * header that makes no sense is none.
 */
void packet_parse(const struct packet_frame *f, enum packet_depth depth, struct packet_headers *h);

/** packet_parse() of a frame in one piece: its @n bytes present at @data, of @len on the wire. */
void packet_parse_piece(uint8_t *data, uint32_t n, uint32_t len, enum packet_depth depth,
			struct packet_headers *h);

#endif

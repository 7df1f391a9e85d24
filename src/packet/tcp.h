/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ACK filter compares, read from a frame's TCP header. */
#ifndef GATEAU_PACKET_TCP_H
#define GATEAU_PACKET_TCP_H

#include <gateau/cake.h>

#include "packet/packet.h"

/**
 * Read the TCP header of a parsed frame into @out.
 *
 * TCP is looked for directly behind the outer IP header, IPv4 or IPv6, and behind the inner one in
 * 6in4; not behind IPv6 extension headers nor in other tunnels. A fragment is no TCP, except that
 * Linux goes by the protocol of an IPv4 header alone.
 *
 * @return false if it is not TCP, or its header is not there as a whole; @out is undefined then
 */
bool packet_read_tcp(const struct packet_frame *f, const struct packet_headers *h,
		     enum packet_depth depth, struct cake_tcp *out);

#endif

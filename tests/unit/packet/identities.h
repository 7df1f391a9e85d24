/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A flow of each IP version, for tests that put its message together by hand, each in the form its
 * construction takes.
 */
#ifndef TESTS_UNIT_PACKET_IDENTITIES_H
#define TESTS_UNIT_PACKET_IDENTITIES_H

#include "packet/packet.h"

/* Ports in hexadecimal: 0x7d0 and 0x3e8. */
static const struct packet_headers identity4 = {
	.vlan_id = 0x123,
	.inner_vlan_id = 0x456,
	.proto = 17,
	.sport = 2000,
	.dport = 1000,
	.addr_len = 4,
	.src = {10, 0, 0, 1},
	.dst = {10, 1, 0, 1},
};

static const struct packet_headers identity6 = {
	.proto = 6,
	.sport = 1000,
	.dport = 2000,
	.addr_len = 16,
	.src = {0x20, 1, [15] = 1},
	.dst = {0x20, 1, [15] = 2},
};

#endif

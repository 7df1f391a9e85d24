/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of what cannot be classified; what each means stands in packet.h. */
#include "packet/packet.h"

const char *packet_unclassified_name(enum packet_unclassified reason)
{
	static const char *const names[PACKET_UNCLASSIFIED_REASONS] = {
		[PACKET_CLASSIFIED] = "classified",
		[PACKET_UNKNOWN_ETHERTYPE] = "unknown-ethertype",
		[PACKET_UNKNOWN_LLC] = "unknown-llc",
		[PACKET_UNKNOWN_PPP_PROTOCOL] = "unknown-ppp-protocol",
		[PACKET_UNKNOWN_MPLS_PAYLOAD] = "unknown-mpls-payload",
		[PACKET_TOO_MANY_TAGS] = "too-many-tags",
		[PACKET_TOO_MANY_LABELS] = "too-many-labels",
		[PACKET_TOO_MANY_HEADERS] = "too-many-headers",
		[PACKET_BAD_PPPOE_HEADER] = "bad-pppoe-header",
		[PACKET_BAD_IP_VERSION] = "bad-ip-version",
		[PACKET_BAD_IP_HEADER_LENGTH] = "bad-ip-header-length",
		[PACKET_BAD_IP_LENGTH] = "bad-ip-length",
		[PACKET_BAD_TUNNEL] = "bad-tunnel",
		[PACKET_TRUNCATED_LINK] = "truncated-link",
		[PACKET_TRUNCATED_IP] = "truncated-ip",
		[PACKET_TRUNCATED_EXTENSION] = "truncated-extension",
		[PACKET_TRUNCATED_TRANSPORT] = "truncated-transport",
		[PACKET_TRUNCATED_TUNNEL] = "truncated-tunnel",
	};

	return names[reason];
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See link.h. Linux CAKE looks through VLAN tags only; what else is here is for the full depth. */
#include "packet/link.h"

#include <net/ethernet.h>
#include <string.h>

#include "packet/bytes.h"

#define ETHER_ADDRS 12 /* two MAC addresses before the ethertype */

#define TAG_LEN 4

#define ETHERTYPE_MIN 1536 /* below: the length of an 802.3 frame */

/* PPPoE (RFC 2516): version and type 1 byte, code 1, session 2, length 2; then PPP's protocol. */
#define PPPOE_LEN          6
#define PPPOE_DATA         0x1100 /* version 1, type 1, code 0 */
#define PPP_IPV4           0x0021
#define PPP_IPV6           0x0057
#define PPP_CONTROL        0x8000 /* from here on: RFC 1661, section 2 */
#define PPP_COMPRESSED_BIT 1      /* RFC 1661, section 6.5: the last byte of a number is odd */

#define LABEL_LEN    4
#define LABEL_BOTTOM 1 /* in the third byte: the last label of the stack */

#define IPV6_LEN 40

/* Shorter payloads are padded to this. */
#define ETHERNET_PAYLOAD_MIN 46

#define SAP_STP  0x42 /* bridges: BPDUs */
#define SAP_OSI  0xfe /* IS-IS, ES-IS */
#define SAP_SNAP 0xaa
#define LLC_LEN  3

static bool is_tag(uint16_t ethertype, enum packet_depth depth)
{
	return ethertype == ETHERTYPE_VLAN || ethertype == ETH_P_8021AD ||
	       (ethertype == ETH_P_QINQ1 && depth == PACKET_DEPTH_FULL);
}

/* What stations and bridges tell each other: no IP, and nothing to wonder about. */
static bool is_control(uint16_t ethertype)
{
	switch (ethertype) {
	case ETHERTYPE_ARP:
	case ETHERTYPE_REVARP:
	case ETH_P_SLOW: /* LACP, OAM */
	case ETH_P_PPP_DISC:
	case ETH_P_PAE: /* EAPOL */
	case ETH_P_LLDP:
	case ETH_P_MVRP:
	case ETH_P_1588: /* PTP */
	case ETH_P_CFM:
	case ETHERTYPE_LOOPBACK:
		return true;
	default:
		return false;
	}
}

static enum packet_unclassified read_tags(const struct packet_frame *f, uint32_t end,
					  enum packet_depth depth, struct packet_link *l)
{
	uint8_t scratch[FRAME_READ_MAX];

	while (is_tag(l->ethertype, depth)) {
		const uint8_t *p = frame_read_before(f, end, l->tags_end, TAG_LEN, scratch);

		if (!p)
			return PACKET_TRUNCATED_LINK;
		if (l->n_tags == LINK_TAGS_MAX)
			return PACKET_TOO_MANY_TAGS;
		if (l->n_tags < 2)
			l->tci[l->n_tags] = load_be16(p);
		l->n_tags++;
		l->ethertype = load_be16(p + 2);
		l->tags_end += TAG_LEN;
	}
	return PACKET_CLASSIFIED;
}

/* Logical link control: bridges' and routers' protocols are known; data has not been sent this way
 * since IPX. */
static enum packet_unclassified read_llc(const struct packet_frame *f, uint32_t end,
					 enum packet_depth depth, struct packet_link *l)
{
	static const uint8_t cisco[3] = {0x00, 0x00, 0x0c}; /* CDP, VTP, PVST+ */
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, l->tags_end, LLC_LEN, scratch);

	if (depth == PACKET_DEPTH_FULL)
		l->ethertype = LINK_ETHERTYPE_LLC; /* not a flow for every length */
	if (!p)
		return PACKET_TRUNCATED_LINK;
	if (p[0] != p[1] || (p[0] != SAP_STP && p[0] != SAP_OSI && p[0] != SAP_SNAP))
		return PACKET_UNKNOWN_LLC;
	if (p[0] != SAP_SNAP)
		return PACKET_CLASSIFIED;
	p = frame_read_before(f, end, l->tags_end + LLC_LEN, sizeof(cisco), scratch);
	if (!p)
		return PACKET_TRUNCATED_LINK;
	return memcmp(p, cisco, sizeof(cisco)) ? PACKET_UNKNOWN_LLC : PACKET_CLASSIFIED;
}

static enum packet_unclassified read_pppoe(const struct packet_frame *f, uint32_t end,
					   struct packet_link *l)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, l->tags_end, PPPOE_LEN + 1, scratch);
	uint16_t protocol;

	if (!p)
		return PACKET_TRUNCATED_LINK;
	if (load_be16(p) != PPPOE_DATA)
		return PACKET_BAD_PPPOE_HEADER;
	protocol = p[PPPOE_LEN];
	l->network = l->tags_end + PPPOE_LEN + 1;
	if (!(protocol & PPP_COMPRESSED_BIT)) {
		p = frame_read_before(f, end, l->network++, 1, scratch);
		if (!p)
			return PACKET_TRUNCATED_LINK;
		protocol = (uint16_t)(protocol << 8 | p[0]);
	}
	if (protocol == PPP_IPV4)
		l->ethertype = ETHERTYPE_IP;
	else if (protocol == PPP_IPV6)
		l->ethertype = ETHERTYPE_IPV6;
	else if (protocol < PPP_CONTROL)
		return PACKET_UNKNOWN_PPP_PROTOCOL;
	return PACKET_CLASSIFIED;
}

/*
 * Nothing says what is behind the labels but its first nibble, and an Ethernet frame without a
 * control word (RFC 4448) has a MAC address there. So it must have IP's length as well: the rest of
 * the frame, but for padding.
 */
static enum packet_unclassified read_mpls_payload(const struct packet_frame *f, uint32_t end,
						  struct packet_link *l)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, l->network, 6, scratch);
	uint32_t len, rest = end - l->network;
	unsigned version;

	if (!p)
		return PACKET_TRUNCATED_LINK;
	version = p[0] >> 4;
	if (version != 4 && version != 6)
		return PACKET_UNKNOWN_MPLS_PAYLOAD;
	len = version == 4 ? load_be16(p + 2) : IPV6_LEN + load_be16(p + 4);
	if (len > rest || rest - len > ETHERNET_PAYLOAD_MIN)
		return PACKET_UNKNOWN_MPLS_PAYLOAD;
	l->ethertype = version == 4 ? ETHERTYPE_IP : ETHERTYPE_IPV6;
	return PACKET_CLASSIFIED;
}

static enum packet_unclassified read_mpls(const struct packet_frame *f, uint32_t end,
					  struct packet_link *l)
{
	uint8_t scratch[FRAME_READ_MAX];

	for (unsigned labels = 0; labels < LINK_LABELS_MAX; labels++) {
		const uint8_t *p = frame_read_before(f, end, l->network, LABEL_LEN, scratch);

		if (!p)
			return PACKET_TRUNCATED_LINK;
		l->network += LABEL_LEN;
		if (p[2] & LABEL_BOTTOM)
			return read_mpls_payload(f, end, l);
	}
	return PACKET_TOO_MANY_LABELS;
}

/* Behind the tags: neither IP nor one of them. */
static enum packet_unclassified read_other(const struct packet_frame *f, uint32_t end,
					   enum packet_depth depth, struct packet_link *l)
{
	if (l->ethertype < ETHERTYPE_MIN)
		return read_llc(f, end, depth, l);
	if (depth == PACKET_DEPTH_FULL && l->ethertype == ETH_P_PPP_SES)
		return read_pppoe(f, end, l);
	if (depth == PACKET_DEPTH_FULL &&
	    (l->ethertype == ETH_P_MPLS_UC || l->ethertype == ETH_P_MPLS_MC))
		return read_mpls(f, end, l);
	return is_control(l->ethertype) ? PACKET_CLASSIFIED : PACKET_UNKNOWN_ETHERTYPE;
}

static bool is_ip(uint16_t ethertype)
{
	return ethertype == ETHERTYPE_IP || ethertype == ETHERTYPE_IPV6;
}

void packet_link_read(const struct packet_frame *f, uint32_t off, uint32_t end,
		      enum packet_depth depth, struct packet_link *l)
{
	uint8_t scratch[FRAME_READ_MAX];
	const uint8_t *p = frame_read_before(f, end, off + ETHER_ADDRS, 2, scratch);

	*l = (struct packet_link){.tags_end = off + LINK_HEADER_LEN};
	if (!p) {
		l->fault = PACKET_TRUNCATED_LINK;
		l->tags_end = end < l->tags_end ? end : l->tags_end;
		l->network = l->tags_end;
		return;
	}
	l->ethertype = load_be16(p);
	if (!is_ip(l->ethertype))
		l->fault = read_tags(f, end, depth, l);
	l->network = l->tags_end;
	if (!is_ip(l->ethertype) && !l->fault)
		l->fault = read_other(f, end, depth, l);
	if (l->fault)
		l->network = l->tags_end;
}

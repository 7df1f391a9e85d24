/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changing the DS field of an IP header: the byte that holds DSCP (6 bits) and ECN (2 bits).
 *
 * IPv4 has it as byte 1 and a checksum in bytes 10 and 11; IPv6 has it across bytes 0 and 1,
 * between version and flow label, and no checksum. Bytes are reached one at a time, since each may
 * lie in another segment.
 */
#include "packet/mark.h"

#include "packet/bytes.h"

#define IPV4_LEN 20 /* without options */
#define IPV6_LEN 40

#define ECN_MASK 3
#define ECN_CE   3

/* The bytes that a change of the DS field touches. */
struct ds_field {
	enum packet_l3 l3;
	uint8_t *bytes[2];
	uint8_t *check[2]; /* IPv4 only */
	uint8_t value;
};

/* Whether the first byte of a header says that it is one: version, and for IPv4 five words or more.
 * The Linux depth of parsing takes the ethertype's word for it; writing needs more. */
static bool is_header(enum packet_l3 l3, uint8_t first)
{
	return l3 == PACKET_L3_IPV4 ? first >> 4 == 4 && (first & 15) >= 5 : first >> 4 == 6;
}

/* Returns whether they are there, in a header that is: what is cut short before its addresses was
 * not read as one. */
static bool ds_find(const struct packet_frame *f, enum packet_l3 l3, uint32_t off,
		    struct ds_field *ds)
{
	if (l3 != PACKET_L3_IPV4 && l3 != PACKET_L3_IPV6)
		return false;
	if (!frame_byte(f, off + (l3 == PACKET_L3_IPV4 ? IPV4_LEN : IPV6_LEN) - 1))
		return false;
	ds->l3 = l3;
	ds->bytes[0] = frame_byte(f, off);
	ds->bytes[1] = frame_byte(f, off + 1);
	if (!is_header(l3, *ds->bytes[0]))
		return false;
	if (l3 == PACKET_L3_IPV6) {
		ds->value = (uint8_t)(*ds->bytes[0] << 4 | *ds->bytes[1] >> 4);
		return true;
	}
	ds->check[0] = frame_byte(f, off + 10);
	ds->check[1] = frame_byte(f, off + 11);
	ds->value = *ds->bytes[1];
	return true;
}

/*
 * RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), one's complement, over the 16-bit word that holds
 * the DS field. The other half of the word is the same in m and m', so that ~m + m' comes to
 * ~old + new with it left out.
 */
static void ds_update_checksum(struct ds_field *ds, uint8_t value)
{
	uint32_t sum = (uint16_t) ~(*ds->check[0] << 8 | *ds->check[1]);

	sum += (uint16_t)~ds->value;
	sum += value;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	*ds->check[0] = (uint8_t)(~sum >> 8);
	*ds->check[1] = (uint8_t)~sum;
}

static void ds_write(struct ds_field *ds, uint8_t value)
{
	if (ds->l3 == PACKET_L3_IPV6) {
		*ds->bytes[0] = (*ds->bytes[0] & 0xf0) | value >> 4;
		*ds->bytes[1] = (*ds->bytes[1] & 0x0f) | (uint8_t)(value << 4);
		return;
	}
	ds_update_checksum(ds, value);
	*ds->bytes[1] = value;
}

bool packet_set_ce(const struct packet_frame *f, enum packet_l3 l3, uint16_t network_offset)
{
	struct ds_field ds;

	if (!ds_find(f, l3, network_offset, &ds))
		return false;
	/* A sender that does not speak ECN would never see the mark (RFC 3168, section 5). */
	if ((ds.value & ECN_MASK) == 0 || (ds.value & ECN_MASK) == ECN_CE)
		return false;
	ds_write(&ds, ds.value | ECN_CE);
	return true;
}

bool packet_wash(const struct packet_frame *f, enum packet_l3 l3, uint16_t network_offset)
{
	struct ds_field ds;

	if (!ds_find(f, l3, network_offset, &ds) || !(ds.value & ~ECN_MASK))
		return false;
	ds_write(&ds, ds.value & ECN_MASK);
	return true;
}

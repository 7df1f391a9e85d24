/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames put together header by header, for tests that need many kinds of them. Each put_*()
 * appends a header and is told what comes next; frame_finish() fills in lengths and checksums.
 *
 * Frames written out by hand, with their hashes, are in samples.h.
 */
#ifndef TESTS_UNIT_PACKET_FRAMES_H
#define TESTS_UNIT_PACKET_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_BYTES_MAX 8192

struct built_frame {
	uint8_t bytes[FRAME_BYTES_MAX];
	uint32_t size;
	uint32_t ips[8]; /* offsets of IP headers, outermost first */
	unsigned n_ips;
};

void put_bytes(struct built_frame *b, const void *bytes, uint32_t n);
void put_zeros(struct built_frame *b, uint32_t n);
void put_be16(struct built_frame *b, uint16_t v);
void put_be32(struct built_frame *b, uint32_t v);

void put_ethernet(struct built_frame *b, uint16_t ethertype);
void put_tag(struct built_frame *b, uint16_t tci, uint16_t ethertype);
void put_pppoe(struct built_frame *b, uint16_t protocol);
void put_label(struct built_frame *b, uint32_t label, bool bottom);

/** From 10.0.0.@host to 10.1.0.@host, 2001:db8::@host to 2001:db8:1::@host. */
void put_ipv4(struct built_frame *b, uint8_t host, uint8_t proto);
void put_ipv6(struct built_frame *b, uint8_t host, uint8_t next);

/** An IPv6 extension header of @words times 8 bytes. */
void put_extension(struct built_frame *b, uint8_t next, unsigned words);
/** An authentication header with @icv bytes of check value. */
void put_ah(struct built_frame *b, uint8_t next, unsigned icv);
/** @offset in units of 8 bytes. */
void put_fragment6(struct built_frame *b, uint8_t next, uint16_t offset, bool more);

void put_udp(struct built_frame *b, uint16_t sport, uint16_t dport);
void put_tcp(struct built_frame *b, uint16_t sport, uint16_t dport);
void put_gre(struct built_frame *b, uint16_t flags, uint16_t protocol);
void put_vxlan(struct built_frame *b);

/** DS field of the outermost IP header; before frame_finish(). */
void set_ds(struct built_frame *b, uint8_t ds);

/** DS field of the IP header at @ip, whose checksum is left as it is. */
void write_ds(uint8_t *ip, uint8_t ds);

/** RFC 791: one's complement of the one's complement sum of the IPv4 header's words, in full. */
void write_checksum(uint8_t *ip);

void frame_finish(struct built_frame *b);

#endif

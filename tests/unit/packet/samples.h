/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames written out by hand with what has to be read from them, and copies of them in memory that
 * a sanitizer guards byte by byte. For every test of src/packet/.
 */
#ifndef TESTS_UNIT_PACKET_SAMPLES_H
#define TESTS_UNIT_PACKET_SAMPLES_H

#include <stdint.h>

#include "packet/hash.h"
#include "packet/packet.h"

enum sample_id {
	SAMPLE_UDP4,
	SAMPLE_TCP4,
	SAMPLE_TCP4_OPTIONS,
	SAMPLE_ICMP4,
	SAMPLE_FRAGMENT4_FIRST,
	SAMPLE_FRAGMENT4_LATER,
	SAMPLE_UDP4_TAGGED,
	SAMPLE_UDP4_TAGGED_TWICE,
	SAMPLE_UDP6,
	SAMPLE_TCP6_LABEL,
	SAMPLE_HOPOPTS6,
	SAMPLE_CHAIN6,
	SAMPLE_FRAGMENT6,
	SAMPLE_CHAIN_FRAGMENT6,
	SAMPLE_6IN4,
	SAMPLE_ARP,
	SAMPLE_LLDP,
	SAMPLES
};

struct sample {
	const char *name;
	const uint8_t *bytes;
	uint32_t size; /* of bytes */
	uint32_t len;  /* on the wire */
	struct packet_headers headers;
	struct packet_hashes hashes; /* as the golden tables have them */
};

extern const struct sample samples[SAMPLES];

/** A frame in memory of its own, each segment allocated to its exact size. */
struct frame_copy {
	struct packet_frame frame;
	struct packet_segment *segs;
};

/**
 * Copy @size bytes: @first of them in a segment (0 makes an empty one), then segments of at most
 * @rest (> 0). The frame's length on the wire is @size. Free with frame_copy_free().
 */
struct frame_copy frame_copy(const uint8_t *bytes, uint32_t size, uint32_t first, uint32_t rest);

void frame_copy_free(struct frame_copy *copy);

#endif

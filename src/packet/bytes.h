/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reaching the bytes of a frame that may lie in several segments. Private to src/packet/: what the
 * bytes mean is parse.c's and mark.c's business.
 *
 * Almost every frame has its headers in its first segment; these functions then cost one compare.
 */
#ifndef GATEAU_PACKET_BYTES_H
#define GATEAU_PACKET_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

/**
 * Headers are looked for in this many bytes from the frame's start: offsets of 16 bits, also those
 * of what lies behind the longest TCP header. What a frame can cost is bounded by the number of
 * headers, not by this.
 */
#define FRAME_REACH (UINT16_MAX - 60)

/** The longest piece frame_read() is asked for: the fixed IPv6 header. */
#define FRAME_READ_MAX 40

/** frame_read() and frame_byte() where the first segment does not hold all of it. */
const uint8_t *frame_read_far(const struct packet_frame *f, uint32_t off, uint32_t n,
			      uint8_t scratch[FRAME_READ_MAX]);
uint8_t *frame_byte_far(const struct packet_frame *f, uint32_t off);

/**
 * The @n bytes at @off, @n <= FRAME_READ_MAX: in place where they lie in one segment, else
 * collected in @scratch. NULL if they are not all present, or end beyond FRAME_REACH.
 */
static inline const uint8_t *frame_read(const struct packet_frame *f, uint32_t off, uint32_t n,
					uint8_t scratch[FRAME_READ_MAX])
{
	if (off + n > FRAME_REACH)
		return NULL;
	if (f->n_segs && off + n <= f->segs[0].len)
		return f->segs[0].data + off;
	return frame_read_far(f, off, n, scratch);
}

/** The same; NULL also if they do not all lie before @end. */
static inline const uint8_t *frame_read_before(const struct packet_frame *f, uint32_t end,
					       uint32_t off, uint32_t n,
					       uint8_t scratch[FRAME_READ_MAX])
{
	return off + n <= end ? frame_read(f, off, n, scratch) : NULL;
}

/** Where the byte at @off lies, to read or write it; NULL if it is not present. */
static inline uint8_t *frame_byte(const struct packet_frame *f, uint32_t off)
{
	if (f->n_segs && off < f->segs[0].len)
		return f->segs[0].data + off;
	return frame_byte_far(f, off);
}

static inline uint16_t load_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)load_be16(p) << 16 | load_be16(p + 2);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The slow paths of bytes.h: bytes behind the first segment, or split over segments. */
#include "packet/bytes.h"

#include <string.h>

/* Segment that holds the byte at *@off, which becomes the offset in it; n_segs if there is none. */
static uint32_t find_segment(const struct packet_frame *f, uint32_t *off)
{
	uint32_t i;

	for (i = 0; i < f->n_segs && *off >= f->segs[i].len; i++)
		*off -= f->segs[i].len;
	return i;
}

const uint8_t *frame_read_far(const struct packet_frame *f, uint32_t off, uint32_t n,
			      uint8_t scratch[FRAME_READ_MAX])
{
	uint32_t i = find_segment(f, &off), have = 0;

	if (i < f->n_segs && f->segs[i].len - off >= n)
		return f->segs[i].data + off;

	for (; i < f->n_segs && have < n; i++, off = 0) {
		uint32_t here = f->segs[i].len - off;

		if (here > n - have)
			here = n - have;
		if (here)
			memcpy(scratch + have, f->segs[i].data + off, here);
		have += here;
	}
	return have == n ? scratch : NULL;
}

uint8_t *frame_byte_far(const struct packet_frame *f, uint32_t off)
{
	uint32_t i = find_segment(f, &off);

	return i < f->n_segs ? f->segs[i].data + off : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See checksum.h. */
#include "packet/checksum.h"

#include <string.h>

/*
 * Words of 32 bits are summed: the carries go to the upper half of the sum and come back when it is
 * folded. The order of bytes in a word does not matter as long as it is the same for all of them
 * and the result is written as it was read (RFC 1071, section 2).
 */
static uint64_t sum_bytes(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum += word;
	}
	word = 0;
	memcpy(&word, p, n);
	return sum + word;
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

uint64_t packet_sum(const struct packet_frame *f, uint32_t off, uint32_t n)
{
	uint64_t sum = 0;
	bool odd = false;

	for (uint32_t s = 0; s < f->n_segs && n; s++) {
		const struct packet_segment *seg = &f->segs[s];
		uint32_t here;
		uint64_t part;

		if (off >= seg->len) {
			off -= seg->len;
			continue;
		}
		here = seg->len - off < n ? seg->len - off : n;
		part = sum_bytes(seg->data + off, here);
		/* Behind an odd number of bytes first and second halves have changed places. */
		sum += odd ? __builtin_bswap16(fold(part)) : part;
		odd ^= here & 1;
		n -= here;
		off = 0;
	}
	return sum;
}

uint16_t packet_sum_finish(uint64_t sum)
{
	return (uint16_t)~fold(sum);
}

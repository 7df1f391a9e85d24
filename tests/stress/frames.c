/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of the stress tests: see crowd.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crowd.h"

static_assert(offsetof(struct crowd_frame, priv) == sizeof(struct rte_mbuf),
	      "where rte_mbuf_to_priv() looks for it");

struct crowd_frame *crowd_frames_create(unsigned n, struct mbuf_map *map)
{
	struct crowd_frame *frames = aligned_alloc(RTE_CACHE_LINE_SIZE, n * sizeof(*frames));

	assert_non_null(frames);
	memset(frames, 0, n * sizeof(*frames));
	*map = (struct mbuf_map){.base = (uintptr_t)frames, .element_bytes = CROWD_ELEMENT_BYTES};
	return frames;
}

void crowd_frame_fill(struct crowd_frame *f, const struct mbuf_map *map, uint32_t flow,
		      uint32_t number)
{
	/* Hashes are spread over 32 bits: steering takes the upper ones. */
	const uint32_t hash = (flow + 1) * 0x9e3779b1u;

	f->flow = flow;
	f->number = number;
	f->mbuf.pkt_len = CROWD_FRAME_BYTES;
	f->mbuf.data_len = CROWD_FRAME_BYTES;
	f->mbuf.nb_segs = 1;
	f->priv.packet = (struct cake_packet){
		.handle = mbuf_to_handle(map, &f->mbuf),
		.len = CROWD_FRAME_BYTES,
		.charge = CROWD_ELEMENT_BYTES,
		.flow_hash = hash,
		.src_hash = hash ^ 1,
		.dst_hash = hash ^ 2,
		.network_offset = 14,
		.dscp = (uint8_t)(flow % 64),
	};
}

void crowd_free(struct rte_mbuf **pkts, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		((struct crowd_frame *)pkts[i])->fates++;
}

void crowd_frames_destroy(struct crowd_frame *frames, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(frames[i].fates, 1);
	free(frames);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See held.h. */
#include "replay/held.h"

#include <stdlib.h>
#include <string.h>

#include "packet/mark.h"

static struct held_frame *held_frame_new(const struct packet_headers *h, uint32_t room)
{
	struct held_frame *held = malloc(sizeof(*held) + room);

	if (held)
		*held = (struct held_frame){.l3 = h->l3, .network_offset = h->network_offset};
	return held;
}

struct held_frame *held_frame_copy(const struct packet_frame *f, const struct packet_headers *h)
{
	uint32_t captured = 0;
	struct held_frame *held;

	for (uint32_t i = 0; i < f->n_segs; i++)
		captured += f->segs[i].len;
	held = held_frame_new(h, captured);
	if (!held)
		return NULL;
	held->len = f->len;
	for (uint32_t i = 0; i < f->n_segs; i++) {
		memcpy(held->bytes + held->captured, f->segs[i].data, f->segs[i].len);
		held->captured += f->segs[i].len;
	}
	return held;
}

struct held_frame *held_frame_cut(const struct packet_frame *f, const struct packet_headers *h,
				  const struct packet_cut *cut, uint32_t i)
{
	uint32_t len = packet_cut_len(cut, i);
	struct held_frame *held = held_frame_new(h, len), *smaller;
	struct packet_segment room;

	if (!held)
		return NULL;
	room = (struct packet_segment){.data = held->bytes, .len = len};
	held->len = len;
	held->captured = packet_cut_write(
		f, h, cut, i, &(struct packet_frame){.segs = &room, .n_segs = 1, .len = len});
	/* A capture's frames are often cut after their headers: give back the rest. */
	smaller = realloc(held, sizeof(*held) + held->captured);
	return smaller ? smaller : held;
}

void held_frame_set_ce(struct held_frame *held)
{
	struct packet_segment bytes = {.data = held->bytes, .len = held->captured};
	struct packet_frame frame = {.segs = &bytes, .n_segs = 1, .len = held->len};

	packet_set_ce(&frame, held->l3, held->network_offset);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See fifo_work.h. */
#include "fifo_work.h"

#include <errno.h>
#include <stdlib.h>

static void put(struct fifo_work *w, const struct cake_packet *p)
{
	w->ring[w->tail++ & w->mask] = (struct desc){
		.handle = p->handle, .len = p->len, .adj_len = p->len, .charge = p->charge};
}

static void take(struct fifo_work *w, struct cake_verdict *out)
{
	const struct desc *d = &w->ring[w->head++ & w->mask];

	*out = (struct cake_verdict){.enqueued_ns = d->enqueued_ns,
				     .handle = d->handle,
				     .len = d->len,
				     .adj_len = d->adj_len};
}

static struct cake_packet next_packet(struct fifo_work *w)
{
	return (struct cake_packet){.handle = w->handle++, .len = WORK_FRAME_BYTES, .charge = 2304};
}

static void make(void *work)
{
	struct fifo_work *w = work;

	for (unsigned i = 0; i < WORK_BURSTS; i++)
		for (unsigned j = 0; j < WORK_BURST; j++)
			w->packets[i][j] = next_packet(w);
}

static void act(void *work)
{
	struct fifo_work *w = work;
	struct cake_verdict out[WORK_BURST];

	for (unsigned i = 0; i < WORK_BURSTS; i++) {
		for (unsigned j = 0; j < WORK_BURST; j++)
			put(w, &w->packets[i][j]);
		for (unsigned j = 0; j < WORK_BURST; j++)
			take(w, &out[j]);
		for (unsigned j = 0; j < WORK_BURST; j++)
			w->out_sum += out[j].handle;
	}
}

static int begin(void *work)
{
	struct fifo_work *w = work;
	uint32_t size = WORK_BURST;

	while (size < w->backlog + WORK_BURST)
		size *= 2;
	w->mask = size - 1;
	w->ring = calloc(size, sizeof(*w->ring));
	if (!w->ring)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->backlog; i++) {
		const struct cake_packet p = next_packet(w);

		put(w, &p);
	}
	return 0;
}

static const char *end(void *work)
{
	struct fifo_work *w = work;
	struct cake_verdict out;

	while (w->head != w->tail) {
		take(w, &out);
		w->out_sum += out.handle;
	}
	free(w->ring);
	return w->out_sum == (uint64_t)w->handle * (w->handle - 1) / 2
		       ? NULL
		       : "what went in did not come out";
}

const struct work_ops fifo_work_ops = {begin, make, act, end};

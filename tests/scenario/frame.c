/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of address space, touched as it is needed: handles count from its start. */
#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_ether.h>

#include "memory.h"

/* 4 million frames of 384 bytes are 1.6 GB, of which a run touches what it has out at once. */
#define FRAMES_MAX (1u << 22)

#define TOS_AT  (RTE_ETHER_HDR_LEN + 1)
#define ECN_ECT 2 /* ECT(0) */
#define ECN_CE  3

/* Behind each mbuf's buffer a mempool keeps a header and its cookies. */
#define MEMPOOL_OVERHEAD 64

static_assert(sizeof(struct frame) % RTE_CACHE_LINE_SIZE == 0, "handles count cache lines");

struct frames {
	struct frame *all;
	unsigned used;      /* of all: never more than that were out */
	unsigned n_free;    /* of those */
	unsigned *free_ids; /* last in, first out: what was used last is warm */
};

struct frames *frames_create(void)
{
	struct frames *f = must_calloc(1, sizeof(*f));

	f->all = mmap(NULL, (size_t)FRAMES_MAX * sizeof(*f->all), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	must_have(f->all == MAP_FAILED ? NULL : f->all);
	f->free_ids = must_calloc(FRAMES_MAX, sizeof(*f->free_ids));
	return f;
}

void frames_destroy(struct frames *f)
{
	munmap(f->all, (size_t)FRAMES_MAX * sizeof(*f->all));
	free(f->free_ids);
	free(f);
}

/** What the daemon's pools charge for a frame. */
struct mbuf_map frames_map(const struct frames *f)
{
	return (struct mbuf_map){
		.base = (uintptr_t)f->all,
		.element_bytes = mbuf_object_size(false) + MEMPOOL_OVERHEAD,
	};
}

static struct frame *unused(struct frames *f)
{
	if (f->n_free)
		return &f->all[f->free_ids[--f->n_free]];
	if (f->used == FRAMES_MAX) {
		fprintf(stderr, "scenario: %u frames are queued: too many\n", FRAMES_MAX);
		abort();
	}
	return &f->all[f->used++];
}

struct rte_mbuf *frame_get(struct frames *f, uint32_t len)
{
	struct frame *frame = unused(f);
	struct rte_mbuf *m = &frame->m;

	m->buf_addr = frame->bytes;
	m->buf_len = FRAME_BYTES;
	m->data_off = 0;
	m->nb_segs = 1;
	m->priv_size = MBUF_PRIVATE_SIZE;
	m->pkt_len = len;
	m->data_len = (uint16_t)RTE_MIN(len, (uint32_t)FRAME_BYTES);
	m->ol_flags = 0;
	m->next = NULL;
	return m;
}

void frame_put(struct frames *f, struct rte_mbuf *m)
{
	f->free_ids[f->n_free++] = (unsigned)((struct frame *)m - f->all);
}

uint64_t frames_out(const struct frames *f)
{
	return f->used - f->n_free;
}

void frame_write(struct rte_mbuf *m, const struct cake_packet *p)
{
	uint8_t *bytes = rte_pktmbuf_mtod(m, uint8_t *);
	struct mbuf_private *priv = mbuf_private(m);

	priv->packet = *p;
	priv->network_offset = RTE_ETHER_HDR_LEN;
	priv->l3 = PACKET_L3_IPV4;
	priv->unclassified = PACKET_CLASSIFIED;
	bytes[RTE_ETHER_HDR_LEN] = 0x45; /* IPv4, 5 words */
	bytes[TOS_AT] = (uint8_t)(p->dscp << 2 | (p->ecn_capable ? ECN_ECT : 0));
}

bool frame_has_ce(const struct rte_mbuf *m)
{
	return (rte_pktmbuf_mtod(m, const uint8_t *)[TOS_AT] & ECN_CE) == ECN_CE;
}

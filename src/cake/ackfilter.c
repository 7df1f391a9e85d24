/* SPDX-License-Identifier: BSD-3-Clause */
/* The comparisons, in Linux's order; see ackfilter.h. */
#include "cake/ackfilter.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Sequence numbers and timestamps go round: later is less than half the circle ahead. */
static bool after(uint32_t a, uint32_t b)
{
	return (int32_t)(b - a) < 0;
}

static bool same_connection(const struct cake_tcp *a, const struct cake_tcp *b)
{
	return a->sport == b->sport && a->dport == b->dport && a->version == b->version &&
	       !memcmp(a->src, b->src, sizeof(a->src)) && !memcmp(a->dst, b->dst, sizeof(a->dst));
}

static bool covers(const struct cake_tcp *tcp, const struct cake_sack *block)
{
	for (unsigned i = 0; i < tcp->sacks; i++)
		if (!after(tcp->sack[i].start, block->start) &&
		    !after(block->end, tcp->sack[i].end))
			return true;
	return false;
}

static uint32_t sacked_bytes(const struct cake_tcp *tcp)
{
	uint32_t bytes = 0;

	for (unsigned i = 0; i < tcp->sacks; i++)
		bytes += tcp->sack[i].end - tcp->sack[i].start;
	return bytes;
}

/*
 * Whether @later tells more by its SACK blocks than @earlier: 1; the same: 0; -1 if something is
 * only in @earlier. A block below the acknowledgement number reports a duplicate (RFC 2883), which
 * is said once.
 */
static int compare_sacks(const struct cake_tcp *earlier, const struct cake_tcp *later)
{
	if (!earlier->sacks)
		return later->sacks ? 1 : 0;
	for (unsigned i = 0; i < earlier->sacks; i++)
		if (after(earlier->ack, earlier->sack[i].start) ||
		    !covers(later, &earlier->sack[i]))
			return -1;
	return sacked_bytes(later) > sacked_bytes(earlier);
}

/* Whether @tcp says nothing that @later, of the same connection, does not say. */
static bool superfluous(const struct cake_tcp *tcp, const struct cake_tcp *later)
{
	int more;

	if (!tcp->pure || after(tcp->ack, later->ack))
		return false;
	if (tcp->timestamp && (after(tcp->tsval, later->tsval) || after(tcp->tsecr, later->tsecr)))
		return false;
	more = compare_sacks(tcp, later);
	/* Of equal numbers each is a duplicate ACK, and a sender counts them (RFC 5681). */
	return more > 0 || (more == 0 && tcp->ack != later->ack);
}

static const struct cake_tcp *tcp_of(const struct slab *s, uint32_t i)
{
	return s->descs[i].tcp ? &s->tcps[i] : NULL;
}

uint32_t ackfilter_take(struct fifo *q, struct slab *s, enum cake_ack_filter mode, uint32_t most)
{
	const struct cake_tcp *later = tcp_of(s, q->tail);
	uint32_t found = SLAB_NONE, before_found = SLAB_NONE, prev = SLAB_NONE;

	if (!later || !later->supersedes)
		return SLAB_NONE;
	for (uint32_t i = q->head; i != q->tail && most--; prev = i, i = s->descs[i].next) {
		const struct cake_tcp *tcp = tcp_of(s, i);

		if (!tcp || !same_connection(tcp, later))
			continue;
		/* Without the one found, nobody would say that ECE or CWR changed. */
		if (found != SLAB_NONE && tcp->ecn_flags != s->tcps[found].ecn_flags)
			found = SLAB_NONE;
		if (!superfluous(tcp, later))
			continue;
		if (found != SLAB_NONE) {
			fifo_remove(q, s, before_found, found);
			return found;
		}
		found = i;
		before_found = prev;
	}
	if (found == SLAB_NONE || mode != CAKE_ACK_FILTER_AGGRESSIVE ||
	    s->descs[found].next != q->tail || s->tcps[found].ecn_flags != later->ecn_flags)
		return SLAB_NONE;
	fifo_remove(q, s, before_found, found);
	return found;
}

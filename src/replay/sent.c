/* SPDX-License-Identifier: BSD-3-Clause */
/* See sent.h. */
#include "replay/sent.h"

#define NS_PER_S 1000000000ull

void replay_sent_add(struct replay_sent *s, const struct cake_verdict *v, uint64_t now)
{
	struct replay_bytes *before = &s->tins[s->last.tin].bytes;

	if (!s->last.len)
		s->first_ns = now;
	before->frames += s->last.len;
	before->adjusted += s->last.adj_len;
	s->last = *v;
	s->last_ns = now;
	histogram_add(&s->tins[v->tin].delay_ns, now - v->enqueued_ns);
}

struct replay_bytes replay_sent_bytes(const struct replay_sent *s)
{
	struct replay_bytes sum = {0};

	for (unsigned i = 0; i < CAKE_MAX_TINS; i++) {
		sum.frames += s->tins[i].bytes.frames;
		sum.adjusted += s->tins[i].bytes.adjusted;
	}
	return sum;
}

uint64_t replay_sent_rate(const struct replay_sent *s, uint64_t bytes)
{
	uint64_t time_ns = s->last_ns - s->first_ns;

	return time_ns ? (uint64_t)((unsigned __int128)bytes * 8 * NS_PER_S / time_ns) : 0;
}

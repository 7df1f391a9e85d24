/* SPDX-License-Identifier: BSD-3-Clause */
/* See balance.h. */
#include "balance.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "world.h"

static const char *__attribute__((format(printf, 1, 2))) fault(const char *fmt, ...)
{
	static char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

static struct tally sum_of_flows(const struct world *w, unsigned port)
{
	struct tally sum = {0};

	for (unsigned i = 0; i < w->n_flows; i++) {
		const struct tally *t = &w->flows[i]->tally;

		if (w->flows[i]->port != port)
			continue;
		sum.offered_packets += t->offered_packets;
		sum.sent_packets += t->sent_packets;
		sum.lost += t->lost;
		sum.late += t->late;
	}
	return sum;
}

/** Frames between the NIC and the wire. */
static uint64_t frames_inside(const struct port *p)
{
	uint64_t n = 0;

	for (unsigned q = 0; q < p->n; q++)
		n += txq_queued(p->txqs[q]) + txq_deferred(p->txqs[q]) + txq_held(p->txqs[q]);
	for (unsigned i = 0; i < p->n_rx; i++)
		n += p->rxqs[i].count;
	return n;
}

static const char *port_fault(struct world *w, unsigned index)
{
	const struct tally flows = sum_of_flows(w, index);
	const uint64_t inside = frames_inside(&w->ports[index]);
	struct phase_port counted;
	uint64_t dropped;

	world_mark_port(w, index, &counted);
	dropped = counted.nic_lost + counted.defer + counted.shed;
	for (unsigned d = CAKE_DROP_OVERFLOW; d < CAKE_DECISIONS; d++)
		dropped += counted.dropped[d];
	if (flows.offered_packets != counted.sent + dropped + inside)
		return fault("port %u: %" PRIu64 " packets offered, but %" PRIu64 " sent, %" PRIu64
			     " dropped and %" PRIu64 " inside",
			     index, flows.offered_packets, counted.sent, dropped, inside);
	if (flows.sent_packets != counted.sent || flows.lost != dropped)
		return fault("port %u counts %" PRIu64 " packets sent and %" PRIu64
			     " dropped; %" PRIu64 " and %" PRIu64 " were",
			     index, counted.sent, dropped, flows.sent_packets, flows.lost);
	if (flows.late)
		return fault("port %u: %" PRIu64 " packets left after a later one of their flow",
			     index, flows.late);
	return NULL;
}

const char *balance_fault(struct world *w)
{
	const char *text = NULL;

	for (unsigned i = 0; !text && i < w->params.ports; i++)
		text = port_fault(w, i);
	return text;
}

static void empty_port(struct world *w, struct port *p)
{
	struct rte_mbuf *m;

	for (unsigned q = 0; q < p->n; q++)
		txq_purge(p->txqs[q]);
	for (unsigned i = 0; i < p->n_rx; i++)
		for (; p->rxqs[i].count; p->rxqs[i].count--) {
			m = p->rxqs[i].ring[p->rxqs[i].head];
			p->rxqs[i].head = (p->rxqs[i].head + 1) % p->rxqs[i].size;
			frame_put(w->frames, m);
		}
}

const char *balance_empty(struct world *w)
{
	for (unsigned i = 0; i < w->params.ports; i++)
		empty_port(w, &w->ports[i]);
	if (frames_out(w->frames))
		return fault("%" PRIu64 " frames did not come back", frames_out(w->frames));
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a look at a frame, and which field becomes which; what they do is theirs. */
#include "packet/describe.h"

#include <stddef.h>

#include "packet/parse.h"
#include "packet/tcp.h"

/* All frames without IP that cannot be classified: what differs in them is at their sender's choice
 * and tells no flows apart. Linux makes a flow of each ethertype. */
#define UNCLASSIFIED_FLOW 1

void packet_describer_init(struct packet_describer *d, const struct cake_params *p,
			   const struct packet_hash_params *hash)
{
	bool linux_profile = p->profile == CAKE_PROFILE_LINUX;

	*d = (struct packet_describer){
		.depth = linux_profile ? PACKET_DEPTH_LINUX : PACKET_DEPTH_FULL,
		.tcp = p->ack_filter != CAKE_ACK_FILTER_OFF,
	};
	packet_hasher_init(&d->hasher, hash, p->flowmode);
}

void packet_describer_need(struct packet_describer *d, enum cake_flowmode mode)
{
	d->hasher.needed |= mode;
}

void packet_describer_set_rules(struct packet_describer *d, const struct packet_rule *rules,
				unsigned n)
{
	packet_rules_init(&d->rules, rules, n);
}

void packet_identify(const struct packet_describer *d, struct packet_view *views, unsigned n)
{
	packet_hash_burst(&d->hasher, views, n);
	for (unsigned i = 0; i < n; i++) {
		const struct packet_headers *h = &views[i].headers;

		if (h->unclassified && !h->addr_len && d->depth == PACKET_DEPTH_FULL)
			views[i].hashes = (struct packet_hashes){
				.flow = d->hasher.needed & CAKE_FLOWS ? UNCLASSIFIED_FLOW : 0,
			};
	}
}

void packet_describe(const struct packet_describer *d, const struct packet_frame *f,
		     struct packet_view *view, struct cake_packet *out)
{
	packet_parse(f, d->depth, &view->headers);
	packet_identify(d, view, 1);
	packet_summarize(d, view, f->len, f->mark, out);
}

const struct cake_tcp *packet_describe_tcp(const struct packet_describer *d,
					   const struct packet_frame *f,
					   const struct packet_view *view, struct cake_tcp *room)
{
	return packet_read_tcp(f, &view->headers, d->depth, room) ? room : NULL;
}

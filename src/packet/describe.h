/* SPDX-License-Identifier: BSD-3-Clause */
/* One look at a frame: from its bytes to the scheduler's input. */
#ifndef GATEAU_PACKET_DESCRIBE_H
#define GATEAU_PACKET_DESCRIBE_H

#include <gateau/cake.h>
#include <gateau/cake_config.h>

#include "packet/hash.h"
#include "packet/packet.h"
#include "packet/rules.h"

/**
 * How the packets of one scheduler are looked at: what its options make of a frame before it is
 * queued. Does not change while packets flow; any thread may read it.
 */
struct packet_describer {
	enum packet_depth depth;   /* by profile */
	bool tcp;                  /* there is an ACK filter: it wants packet_describe_tcp() */
	struct packet_rules rules; /* none unless packet_describer_set_rules() */
	struct packet_hasher hasher;
};

/** Set up for a scheduler with these parameters; it computes the hashes that its mode needs. */
void packet_describer_init(struct packet_describer *d, const struct cake_params *p,
			   const struct packet_hash_params *hash);

/** Compute the hashes of @mode, too: whoever spreads packets over schedulers may need others. */
void packet_describer_need(struct packet_describer *d, enum cake_flowmode mode);

/** Have @n rules, at most PACKET_RULES_MAX, say marks and tins of frames. They are copied. */
void packet_describer_set_rules(struct packet_describer *d, const struct packet_rule *rules,
				unsigned n);

/**
 * Read @f, and fill @view and @out: length, hashes, DSCP, ECN capability, network offset, and mark
 * and tin by the first rule that matches; without one the mark is the frame's. The caller sets
 * handle and charge, and what it knows of super-packets; those fields are zero here.
 */
void packet_describe(const struct packet_describer *d, const struct packet_frame *f,
		     struct packet_view *view, struct cake_packet *out);

/*
 * The steps of packet_describe(), for who has a burst: first packet_parse() of all its frames, then
 * the others, each for all frames before the next. A hash is a chain of 10 to 18 rounds of AES, 40
 * to 70 cycles in which the processor has little else to do, unless other frames' hashes are among
 * the some 300 instructions that it looks ahead.
 */

/** Hash what packet_parse() has put into @view->headers of @n views. */
void packet_identify(const struct packet_describer *d, struct packet_view *views, unsigned n);

/** Fill @out, of a frame of @len bytes that the NIC has put @mark on. */
static inline void packet_summarize(const struct packet_describer *d,
				    const struct packet_view *view, uint32_t len, uint32_t mark,
				    struct cake_packet *out)
{
	const struct packet_headers *h = &view->headers;
	const struct packet_choice *choice = packet_rules_find(&d->rules, h);

	*out = (struct cake_packet){
		.len = len,
		.flow_hash = view->hashes.flow,
		.src_hash = view->hashes.src_host,
		.dst_hash = view->hashes.dst_host,
		.mark = choice ? choice->mark : mark,
		.priority_tin = choice ? choice->tin : 0,
		.network_offset = h->link_len,
		.dscp = h->nd ? PACKET_DSCP_CONTROL : h->dscp,
		.ecn_capable = h->ecn != 0,
	};
}

/**
 * Read the TCP header of a frame that packet_describe() has looked at, for an ACK filter. @room is
 * where the record is put and stays until the packet is queued.
 *
 * @return @room, or NULL if the frame is no TCP: what cake_packet.tcp is to be
 */
const struct cake_tcp *packet_describe_tcp(const struct packet_describer *d,
					   const struct packet_frame *f,
					   const struct packet_view *view, struct cake_tcp *room);

#endif

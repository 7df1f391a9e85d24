/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a frame, cut into segments anywhere: what is read of it does not depend on the cuts,
 * and marking and washing change the DS field and its checksum alone.
 * Input: bytes the frame has on the wire beyond those present, size of segments, profile, flow
 * mode, cuts, hash, rules, then the frame.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fuzz.h"
#include "packet/describe.h"
#include "packet/mark.h"
#include "packet/parse.h"
#include "packet/segment.h"

#define CUTS       6
#define RULES      3
#define RULE_BYTES (1 + 3 * RULES)

/* A frame in segments of their exact size, so that a sanitizer guards each byte by byte. */
struct pieces {
	struct packet_segment segs[CUTS + 1];
	struct packet_frame frame;
};

static void add_segment(struct pieces *p, const uint8_t *bytes, uint32_t len)
{
	struct packet_segment *seg = &p->segs[p->frame.n_segs++];

	*seg = (struct packet_segment){.data = malloc(len), .len = len};
	assert_true(seg->data || !len);
	if (len)
		memcpy(seg->data, bytes, len);
}

/* @cuts: lengths of the first segments, as far as there are bytes; the rest is the last one. */
static void pieces_make(struct pieces *p, const uint8_t *bytes, uint32_t size, uint32_t extra,
			const uint8_t *cuts, unsigned n_cuts)
{
	*p = (struct pieces){.frame = {.segs = p->segs, .len = size + extra}};
	for (unsigned i = 0; i < n_cuts; i++) {
		uint32_t len = cuts[i] < size ? cuts[i] : size;

		add_segment(p, bytes, len);
		bytes += len;
		size -= len;
	}
	add_segment(p, bytes, size);
}

static void pieces_free(struct pieces *p)
{
	for (unsigned i = 0; i < p->frame.n_segs; i++)
		free(p->segs[i].data);
}

static void pieces_copy_out(const struct pieces *p, uint8_t *out)
{
	for (unsigned i = 0; i < p->frame.n_segs; i++) {
		if (p->segs[i].len)
			memcpy(out, p->segs[i].data, p->segs[i].len);
		out += p->segs[i].len;
	}
}

/* What is known of the frame, without the padding's accidents. */
struct look {
	struct packet_view view;
	struct cake_packet packet;
};

static void look_at(struct look *look, const struct packet_describer *d,
		    const struct packet_frame *f)
{
	memset(look, 0, sizeof(*look));
	packet_describe(d, f, &look->view, &look->packet);
}

/* The short way, of plain frames, reads what the general one does; a frame whose first segment ends
 * within its Ethernet header takes that one. */
static void check_ways(const struct packet_describer *d, const struct pieces *whole)
{
	const struct packet_segment *seg = &whole->segs[0];
	struct packet_headers piece, general;
	struct pieces split;

	memset(&piece, 0, sizeof(piece));
	memset(&general, 0, sizeof(general));
	packet_parse_piece(seg->data, seg->len, whole->frame.len, d->depth, &piece);
	pieces_make(&split, seg->data, seg->len, whole->frame.len - seg->len, (uint8_t[]){13}, 1);
	packet_parse(&split.frame, d->depth, &general);
	assert_memory_equal(&piece, &general, sizeof(piece));
	pieces_free(&split);
}

static void check_look(const struct look *look, const struct packet_frame *f,
		       enum cake_flowmode mode)
{
	const struct packet_headers *h = &look->view.headers;

	assert_int_equal(look->packet.len, f->len);
	assert_in_range(h->dscp, 0, 63);
	assert_in_range(h->ecn, 0, 3);
	assert_true(h->network_offset <= f->len);
	assert_true(!h->transport_offset || h->transport_offset > h->network_offset);
	assert_true(!h->payload_offset || h->payload_offset > h->transport_offset);
	assert_true(!h->addr_len || h->flow_offset);
	assert_true(!look->packet.flow_hash == !(mode & CAKE_FLOWS));
	assert_true(!look->packet.src_hash == !(mode & CAKE_SRCHOST && h->addr_len));
	assert_true(!look->packet.dst_hash == !(mode & CAKE_DSTHOST && h->addr_len));
	assert_true(h->addr_len == 0 || h->addr_len == 4 || h->addr_len == 16);
}

/* One's complement sum of 16-bit words; an odd byte at the end is the upper half of one. */
static uint32_t add_words(uint32_t sum, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The sum over an IPv4 header is 0xffff if its checksum is right. */
static bool checksum_right(const uint8_t *ip, uint32_t len)
{
	uint32_t header = (ip[0] & 15) * 4;

	return header >= 20 && header <= len && add_words(0, ip, header) == 0xffff;
}

/* Likewise over TCP's pseudo-header, header and payload. */
static bool tcp_checksum_right(const uint8_t *frame, uint32_t len, const struct packet_headers *h)
{
	uint32_t tcp_len = len - h->transport_offset;
	uint32_t sum = add_words(IPPROTO_TCP + (tcp_len & 0xffff), h->src, h->addr_len);

	sum = add_words(sum, h->dst, h->addr_len);
	return add_words(sum, frame + h->transport_offset, tcp_len) == 0xffff;
}

/* Bits that a change of the DS field may change, at this byte of the IP header. */
static uint8_t may_change(enum packet_l3 l3, uint32_t at)
{
	if (l3 == PACKET_L3_IPV6)
		return at == 0 ? 0x0f : at == 1 ? 0xf0 : 0;
	return at == 1 || at == 10 || at == 11 ? 0xff : 0;
}

static void check_change(const uint8_t *before, const uint8_t *after, uint32_t size,
			 const struct packet_headers *h, bool changed)
{
	uint32_t off = h->network_offset;

	if (!changed) {
		assert_memory_equal(before, after, size);
		return;
	}
	assert_true(h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6);
	for (uint32_t i = 0; i < size; i++) {
		uint8_t bits = i < off ? 0 : may_change(h->l3, i - off);

		assert_int_equal((before[i] ^ after[i]) & ~bits, 0);
	}
	if (h->l3 == PACKET_L3_IPV4 && checksum_right(before + off, size - off))
		assert_true(checksum_right(after + off, size - off));
}

/*
 * Change the frame both ways; every change must be seen by who reads the frame next, and be done.
 */
static void mark_and_wash(struct pieces *p, const uint8_t *bytes, uint32_t size,
			  const struct packet_describer *d, const struct look *first)
{
	const struct packet_headers *h = &first->view.headers;
	uint8_t *marked = malloc(size), *washed = malloc(size);
	struct look look;
	bool changed;

	assert_true((marked && washed) || !size);
	changed = packet_set_ce(&p->frame, h->l3, h->network_offset);
	pieces_copy_out(p, marked);
	check_change(bytes, marked, size, h, changed);
	look_at(&look, d, &p->frame);
	assert_int_equal(look.view.headers.ecn, changed ? 3 : h->ecn);
	assert_int_equal(look.view.headers.dscp, h->dscp);
	assert_int_equal(look.packet.flow_hash, first->packet.flow_hash);
	assert_false(packet_set_ce(&p->frame, h->l3, h->network_offset));

	changed = packet_wash(&p->frame, h->l3, h->network_offset);
	pieces_copy_out(p, washed);
	check_change(marked, washed, size, h, changed);
	look_at(&look, d, &p->frame);
	if (changed)
		assert_int_equal(look.view.headers.dscp, 0);
	assert_int_equal(look.packet.flow_hash, first->packet.flow_hash);
	assert_false(packet_wash(&p->frame, h->l3, h->network_offset));
	free(marked);
	free(washed);
}

/*
 * One segment of a super-packet, written to memory of its size: the same flow, checksums that are
 * right, its share of the payload. @bytes: the super-packet's, @size of them present.
 */
static void check_segment(const struct pieces *p, const uint8_t *bytes, uint32_t size,
			  const struct packet_describer *d, const struct look *super,
			  const struct packet_cut *cut, uint32_t i)
{
	const struct packet_headers *h = &super->view.headers;
	uint32_t len = packet_cut_len(cut, i), from = cut->header + i * cut->gso_size, written;
	uint8_t *out = malloc(len);
	struct packet_segment seg = {.data = out, .len = len};
	struct packet_frame frame = {.segs = &seg, .n_segs = 1, .len = len};
	struct look look;

	assert_non_null(out);
	written = packet_cut_write(&p->frame, h, cut, i, &frame);
	assert_true(written <= len);
	if (written > cut->header)
		assert_memory_equal(out + cut->header, bytes + from, written - cut->header);
	if (written < len) {
		assert_true(size < from + len - cut->header);
	} else {
		look_at(&look, d, &frame);
		assert_int_equal(look.packet.flow_hash, super->packet.flow_hash);
		assert_int_equal(look.view.headers.payload_offset, cut->header);
		assert_true(tcp_checksum_right(out, len, &look.view.headers));
		if (h->flow_l3 == PACKET_L3_IPV4)
			assert_true(checksum_right(out + h->flow_offset, len - h->flow_offset));
	}
	free(out);
}

/* Every byte of payload goes into one segment. */
static void check_cut(const struct pieces *p, const uint8_t *bytes, uint32_t size,
		      const struct packet_describer *d, const struct look *look, uint32_t gso_size)
{
	struct packet_cut cut = packet_cut_plan(&look->view.headers, look->packet.len, gso_size);
	uint64_t sum = 0;

	assert_true(cut.segs >= 1);
	for (uint32_t i = 0; i < cut.segs; i++) {
		uint32_t len = packet_cut_len(&cut, i);

		assert_true(len > cut.header || cut.segs == 1);
		assert_true(cut.segs == 1 || len - cut.header <= gso_size);
		sum += len;
	}
	assert_int_equal(sum, look->packet.len + (cut.segs - 1ull) * cut.header);
	if (cut.segs == 1)
		return;
	check_segment(p, bytes, size, d, look, &cut, 0);
	check_segment(p, bytes, size, d, look, &cut, cut.segs / 2);
	check_segment(p, bytes, size, d, look, &cut, cut.segs - 1);
}

/* Rules about a frame with these headers: most fields they ask for are its own. */
static unsigned draw_rules(struct fuzz_input *in, const struct packet_headers *h,
			   struct packet_rule rules[RULES])
{
	unsigned n = fuzz_below(in, RULES + 1);

	for (unsigned i = 0; i < n; i++) {
		uint8_t asks = fuzz_u8(in), differs = fuzz_u8(in), bits;
		struct packet_rule *r = &rules[i];

		*r = (struct packet_rule){
			.vlan_set = asks & 1,
			.pcp_set = asks & 2,
			.protocol_set = asks & 4,
			.dscp_set = asks & 8,
			.vlan = (h->vlan_id + (differs & 1)) & 0xfff,
			.pcp = (h->pcp + (differs >> 1 & 1)) & 7,
			.protocol = h->proto + (differs >> 2 & 1),
			.dscp = (h->dscp + (differs >> 3 & 1)) & 63,
			.mark_set = true,
			.mark = 1 + i,
			.tin = i,
		};
		if (asks & 16 && h->addr_len) {
			bits = fuzz_below(in, 8 * h->addr_len + 1);
			r->src.family = h->addr_len == 4 ? 4 : 6;
			r->src.len = bits;
			memcpy(r->src.addr, h->src, bits / 8);
			if (bits % 8)
				r->src.addr[bits / 8] =
					(h->src[bits / 8] ^ (differs & 0x80)) & 0xff00 >> bits % 8;
		}
		if (asks & 32)
			r->sport = (struct packet_span){h->sport - (differs & 2),
							h->sport + (differs & 5), true};
		if (r->sport.first > r->sport.last)
			r->sport.first = 0;
	}
	return n;
}

static bool prefix_holds(const struct packet_prefix *p, const uint8_t *addr, uint8_t addr_len)
{
	if (p->family && p->family != (addr_len == 4 ? 4 : addr_len == 16 ? 6 : 0))
		return false;
	for (unsigned bit = 0; bit < p->len; bit++)
		if ((p->addr[bit / 8] ^ addr[bit / 8]) & 0x80 >> bit % 8)
			return false;
	return true;
}

/* Field by field, what rules.c does in a few words. */
static bool rule_holds(const struct packet_rule *r, const struct packet_headers *h)
{
	bool ip = h->l3 == PACKET_L3_IPV4 || h->l3 == PACKET_L3_IPV6;

	if (r->vlan_set && r->vlan != h->vlan_id)
		return false;
	if (r->pcp_set && (!h->n_tags || r->pcp != h->pcp))
		return false;
	if (r->dscp_set && (!ip || r->dscp != h->dscp))
		return false;
	if (r->protocol_set && (!h->addr_len || r->protocol != h->proto))
		return false;
	if (r->protocol_set && (r->protocol == IPPROTO_ICMP || r->protocol == IPPROTO_IGMP) &&
	    h->addr_len != 4)
		return false;
	if (r->protocol_set && r->protocol == IPPROTO_ICMPV6 && h->addr_len != 16)
		return false;
	if (r->sport.set &&
	    (!h->transport_offset || h->sport < r->sport.first || h->sport > r->sport.last))
		return false;
	return prefix_holds(&r->src, h->src, h->addr_len);
}

static void check_rules(struct fuzz_input *in, struct packet_describer *d,
			const struct packet_frame *f)
{
	struct packet_rule rules[RULES];
	struct look look;
	unsigned n, i = 0;

	look_at(&look, d, f);
	n = draw_rules(in, &look.view.headers, rules);
	packet_describer_set_rules(d, rules, n);
	look_at(&look, d, f);
	while (i < n && !rule_holds(&rules[i], &look.view.headers))
		i++;
	assert_int_equal(look.packet.mark, i < n ? rules[i].mark : 0);
	assert_int_equal(look.packet.priority_tin, i < n ? rules[i].tin : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	uint32_t extra = fuzz_below(&in, 65536), gso_size = fuzz_below(&in, 65536);
	struct packet_hash_params hash = {.method = PACKET_HASH_KEYED};
	struct packet_describer d;
	struct cake_params params;
	struct pieces whole, cut;
	struct look look, look_cut;
	uint8_t cuts[CUTS], rule_bytes[RULE_BYTES];

	cake_params_default(&params);
	params.profile = fuzz_below(&in, CAKE_PROFILE_LINUX + 1);
	params.flowmode = fuzz_below(&in, CAKE_TRIPLE_ISOLATE + 1);
	for (unsigned i = 0; i < CUTS; i++)
		cuts[i] = fuzz_u8(&in);
	/* The reference is the linux profile's. */
	hash.method = fuzz_below(&in, PACKET_HASH_PORTABLE + 1 + params.profile);
	packet_describer_init(&d, &params, &hash);
	for (unsigned i = 0; i < RULE_BYTES; i++)
		rule_bytes[i] = fuzz_u8(&in);

	pieces_make(&whole, in.data, in.left, extra, NULL, 0);
	check_ways(&d, &whole);
	check_rules(&(struct fuzz_input){rule_bytes, RULE_BYTES}, &d, &whole.frame);
	pieces_make(&cut, in.data, in.left, extra, cuts, CUTS);
	look_at(&look, &d, &whole.frame);
	look_at(&look_cut, &d, &cut.frame);
	/* It computes all three. */
	check_look(&look, &whole.frame,
		   hash.method == PACKET_HASH_REFERENCE ? CAKE_TRIPLE_ISOLATE : params.flowmode);
	assert_memory_equal(&look, &look_cut, sizeof(look));
	check_cut(&cut, in.data, in.left, &d, &look, gso_size);
	mark_and_wash(&cut, in.data, in.left, &d, &look);
	pieces_free(&whole);
	pieces_free(&cut);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which fields of the scheduler's input come from the frame, and that the others are zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cake/classify.h"
#include "kinds.h"
#include "packet/describe.h"
#include "packet/mark.h"
#include "samples.h"

static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE};

static struct cake_packet describe_as(enum cake_profile profile, struct packet_frame f,
				      struct packet_view *view)
{
	struct cake_params params;
	struct packet_describer d;
	struct cake_packet p;

	cake_params_default(&params);
	params.profile = profile;
	packet_describer_init(&d, &params, &hash);
	memset(&p, 0xff, sizeof(p));
	packet_describe(&d, &f, view, &p);
	assert_int_equal(p.flow_hash, view->hashes.flow);
	assert_int_equal(p.src_hash, view->hashes.src_host);
	assert_int_equal(p.dst_hash, view->hashes.dst_host);
	return p;
}

static struct cake_packet describe(struct packet_frame f)
{
	struct packet_view view;

	return describe_as(CAKE_PROFILE_GATEAU, f, &view);
}

static void what_the_frame_says_is_taken_over(void **state)
{
	const struct sample *s = &samples[SAMPLE_UDP4_TAGGED_TWICE];
	struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);
	struct cake_packet p;

	(void)state;
	copy.frame.len = 1518;
	p = describe(copy.frame);
	assert_int_equal(p.len, 1518);
	assert_int_equal(p.network_offset, 22);
	assert_int_equal(p.dscp, 8);
	frame_copy_free(&copy);
}

static void what_the_frame_does_not_say_is_zero(void **state)
{
	const struct sample *s = &samples[SAMPLE_UDP4];
	struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);
	struct cake_packet p = describe(copy.frame);

	(void)state;
	assert_int_equal(p.handle, 0);
	assert_int_equal(p.charge, 0);
	assert_int_equal(p.mark, 0);
	assert_int_equal(p.gso_segs, 0);
	assert_int_equal(p.gso_size, 0);
	assert_int_equal(p.gso_header, 0);
	assert_int_equal(p.priority_tin, 0);
	assert_false(p.more);
	frame_copy_free(&copy);
}

/** Sample @id, of which the NIC says @mark, under one rule. */
static struct cake_packet describe_ruled(enum sample_id id, uint32_t mark, struct packet_rule rule)
{
	const struct sample *s = &samples[id];
	struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);
	struct cake_params params;
	struct packet_describer d;
	struct packet_view view;
	struct cake_packet p;

	cake_params_default(&params);
	packet_describer_init(&d, &params, &hash);
	packet_describer_set_rules(&d, &rule, 1);
	copy.frame.mark = mark;
	packet_describe(&d, &copy.frame, &view, &p);
	frame_copy_free(&copy);
	return p;
}

static void a_rule_that_matches_says_mark_and_tin(void **state)
{
	const struct packet_rule to_mark = {
		.protocol_set = true, .protocol = 17, .mark = 0xabcdef01};
	const struct packet_rule to_tin = {.protocol_set = true, .protocol = 17, .tin = 3};

	(void)state;
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 0, to_mark).mark, 0xabcdef01);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 0, to_mark).priority_tin, 0);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 0, to_tin).mark, 0);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 0, to_tin).priority_tin, 3);
	assert_int_equal(describe_ruled(SAMPLE_TCP4, 0, to_mark).mark, 0);
	assert_int_equal(describe_ruled(SAMPLE_TCP4, 0, to_tin).priority_tin, 0);
}

/*
 * A mark comes before a tin in the scheduler, so a rule's tin has to do away with the NIC's mark.
 */
static void the_nics_mark_counts_where_no_rule_matches(void **state)
{
	const struct packet_rule to_mark = {.protocol_set = true, .protocol = 17, .mark = 7};
	const struct packet_rule by_dscp = {.protocol_set = true, .protocol = 17};
	const struct packet_rule to_tin = {.protocol_set = true, .protocol = 17, .tin = 3};

	(void)state;
	assert_int_equal(describe_ruled(SAMPLE_TCP4, 5, to_mark).mark, 5);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 5, to_mark).mark, 7);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 5, by_dscp).mark, 0);
	assert_int_equal(describe_ruled(SAMPLE_UDP4, 5, to_tin).mark, 0);
}

/* RFC 3168, section 5: 00 is Not-ECT, 01 and 10 are ECT, 11 is CE. */
static void all_but_not_ect_can_be_marked(void **state)
{
	const struct sample *s = &samples[SAMPLE_UDP6];

	(void)state;
	for (uint8_t ecn = 0; ecn < 4; ecn++) {
		struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);
		uint8_t *byte =
			&copy.segs[0].data[15]; /* behind the Ethernet header and the version */

		*byte = (*byte & ~0x30) | ecn << 4;
		assert_int_equal(describe(copy.frame).ecn_capable, ecn > 0);
		frame_copy_free(&copy);
	}
}

/* Ethernet, what may come between, and IPv4 or IPv6: link_len bytes count as link layer. */
static const struct encapsulation {
	uint16_t link_len;
	unsigned tags, labels;
	bool pppoe;
} encapsulations[] = {
	{14, 0, 0, false}, {18, 1, 0, false}, {22, 2, 0, false}, {14, 0, 0, true},
	{22, 2, 0, true},  {14, 0, 1, false}, {18, 1, 3, false},
};

static void encapsulate(struct built_frame *b, const struct encapsulation *e, bool ipv6, uint8_t ds)
{
	const uint16_t ip = ipv6 ? 0x86dd : 0x0800;
	const uint16_t type = e->pppoe ? 0x8864 : e->labels ? 0x8847 : ip;

	*b = (struct built_frame){.size = 0};
	put_ethernet(b, e->tags ? 0x8100 : type);
	for (unsigned i = 1; i <= e->tags; i++)
		put_tag(b, i, i < e->tags ? 0x8100 : type);
	if (e->pppoe)
		put_pppoe(b, ipv6 ? 0x57 : 0x21);
	for (unsigned i = 1; i <= e->labels; i++)
		put_label(b, i, i == e->labels);
	if (ipv6)
		put_ipv6(b, 1, 17);
	else
		put_ipv4(b, 1, 17);
	put_udp(b, 1000, 2000);
	set_ds(b, ds);
	frame_finish(b);
}

/* The tables themselves are those of test_classify.c: plain frames go by them, and all others as
 * plain ones do. */
static void every_mode_and_code_point_holds_in_every_encapsulation(void **state)
{
	(void)state;
	for (unsigned e = 0; e < 2 * sizeof(encapsulations) / sizeof(encapsulations[0]); e++)
		for (unsigned dscp = 0; dscp < 64; dscp++) {
			const struct encapsulation *how = &encapsulations[e / 2];
			struct cake_packet bare = {.dscp = dscp}, p;
			struct packet_segment seg;
			struct built_frame b;

			encapsulate(&b, how, e & 1, dscp << 2 | 1);
			seg = (struct packet_segment){b.bytes, b.size};
			p = describe(
				(struct packet_frame){.segs = &seg, .n_segs = 1, .len = b.size});
			assert_int_equal(p.network_offset, how->link_len);
			assert_true(p.ecn_capable);
			for (unsigned mode = 0; mode <= CAKE_DIFFSERV8; mode++) {
				struct classifier c;

				classifier_init(&c, mode, 0);
				assert_int_equal(classify(&c, &p), classify(&c, &bare));
			}
		}
}

/* Both changes reach the IP header, and give what the frame built with the new value is. */
static void marks_and_washing_reach_ip_in_every_encapsulation(void **state)
{
	(void)state;
	for (unsigned e = 0; e < 2 * sizeof(encapsulations) / sizeof(encapsulations[0]); e++) {
		const struct encapsulation *how = &encapsulations[e / 2];
		struct built_frame b, want;
		struct packet_segment seg = {b.bytes, 0};
		struct packet_frame f = {.segs = &seg, .n_segs = 1};
		struct packet_view view;

		encapsulate(&b, how, e & 1, 46 << 2 | 1);
		f.len = seg.len = b.size;
		describe_as(CAKE_PROFILE_GATEAU, f, &view);
		assert_true(packet_set_ce(&f, view.headers.l3, view.headers.network_offset));
		encapsulate(&want, how, e & 1, 46 << 2 | 3);
		assert_memory_equal(b.bytes, want.bytes, b.size);
		assert_true(packet_wash(&f, view.headers.l3, view.headers.network_offset));
		encapsulate(&want, how, e & 1, 3);
		assert_memory_equal(b.bytes, want.bytes, b.size);
	}
}

/*
 * Unknown ethertypes, too many tags, damaged IP: one flow. What is known without IP is told apart.
 */
static void what_cannot_be_classified_is_one_flow_in_the_default_tin(void **state)
{
	uint32_t flow = 0, in_linux = 0;
	unsigned kinds = 0, linux_flows = 0;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		const struct frame_kind *kind = &frame_kinds[i];
		struct built_frame b = {.size = 0};
		struct packet_segment seg = {b.bytes, 0};
		struct packet_frame f = {.segs = &seg, .n_segs = 1};
		struct packet_view view;
		struct cake_packet p;

		kind->build(&b);
		frame_finish(&b);
		f.len = seg.len = b.size;
		p = describe_as(CAKE_PROFILE_GATEAU, f, &view);
		assert_int_not_equal(p.flow_hash, 0);
		assert_int_equal(p.src_hash != 0, kind->expected.addr_len != 0);
		if (kind->expected.addr_len || !kind->expected.unclassified) {
			assert_true(!flow || p.flow_hash != flow);
			continue;
		}
		assert_true(!flow || p.flow_hash == flow);
		flow = p.flow_hash;
		assert_int_equal(p.dscp, 0);
		assert_false(p.ecn_capable);
		kinds++;
		p = describe_as(CAKE_PROFILE_LINUX, f, &view);
		linux_flows += p.flow_hash != in_linux;
		in_linux = p.flow_hash;
	}
	assert_true(kinds >= 10);
	assert_true(linux_flows > 5);
}

static void put_solicitation(struct built_frame *b, uint8_t type)
{
	*b = (struct built_frame){.size = 0};
	put_ethernet(b, 0x86dd);
	put_ipv6(b, 1, 58);
	put_be32(b, (uint32_t)type << 24);
	put_zeros(b, 20);
	set_ds(b, 8 << 2);
	frame_finish(b);
}

/* Router solicitation 133 to redirect 137, whatever their DS field says; Linux goes by that. */
static void neighbour_discovery_is_classified_as_arp_is(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		bool nd = type >= 133 && type <= 137;
		struct built_frame b;
		struct packet_segment seg = {b.bytes, 0};
		struct packet_frame f = {.segs = &seg, .n_segs = 1};
		struct packet_view view;

		put_solicitation(&b, type);
		f.len = seg.len = b.size;
		assert_int_equal(describe_as(CAKE_PROFILE_GATEAU, f, &view).dscp, nd ? 56 : 8);
		assert_int_equal(view.headers.dscp, 8);
		assert_int_equal(describe_as(CAKE_PROFILE_LINUX, f, &view).dscp, 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_frame_says_is_taken_over),
		cmocka_unit_test(what_the_frame_does_not_say_is_zero),
		cmocka_unit_test(a_rule_that_matches_says_mark_and_tin),
		cmocka_unit_test(the_nics_mark_counts_where_no_rule_matches),
		cmocka_unit_test(all_but_not_ect_can_be_marked),
		cmocka_unit_test(every_mode_and_code_point_holds_in_every_encapsulation),
		cmocka_unit_test(marks_and_washing_reach_ip_in_every_encapsulation),
		cmocka_unit_test(what_cannot_be_classified_is_one_flow_in_the_default_tin),
		cmocka_unit_test(neighbour_discovery_is_classified_as_arp_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

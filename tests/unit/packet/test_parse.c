/* SPDX-License-Identifier: BSD-3-Clause */
/* What packet_parse() reads, from whole frames, from frames cut short, and across segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kinds.h"
#include "packet/parse.h"
#include "samples.h"

static void expect_headers(const struct packet_headers *got, const struct packet_headers *want)
{
	assert_int_equal(got->l3, want->l3);
	assert_int_equal(got->flow_l3, want->flow_l3);
	assert_int_equal(got->link_len, want->link_len);
	assert_int_equal(got->network_offset, want->network_offset);
	assert_int_equal(got->flow_offset, want->flow_offset);
	assert_int_equal(got->transport_offset, want->transport_offset);
	assert_int_equal(got->payload_offset, want->payload_offset);
	assert_int_equal(got->ethertype, want->ethertype);
	assert_int_equal(got->vlan_tci, want->vlan_tci);
	assert_int_equal(got->vlan_id, want->vlan_id);
	assert_int_equal(got->inner_vlan_id, want->inner_vlan_id);
	assert_int_equal(got->n_tags, want->n_tags);
	assert_int_equal(got->pcp, want->pcp);
	assert_int_equal(got->dscp, want->dscp);
	assert_int_equal(got->ecn, want->ecn);
	assert_int_equal(got->proto, want->proto);
	assert_int_equal(got->fragment, want->fragment);
	assert_int_equal(got->nd, want->nd);
	assert_int_equal(got->unclassified, want->unclassified);
	assert_int_equal(got->sport, want->sport);
	assert_int_equal(got->dport, want->dport);
	assert_int_equal(got->flow_label, want->flow_label);
	assert_int_equal(got->addr_len, want->addr_len);
	assert_memory_equal(got->src, want->src, sizeof(got->src));
	assert_memory_equal(got->dst, want->dst, sizeof(got->dst));
}

/* Parse a copy of @size bytes, laid out as frame_copy() says, of a frame of @len. */
static struct packet_headers parse_copy(enum packet_depth depth, const uint8_t *bytes,
					uint32_t size, uint32_t len, uint32_t first, uint32_t rest)
{
	struct frame_copy copy = frame_copy(bytes, size, first, rest);
	struct packet_headers h;

	copy.frame.len = len;
	memset(&h, 0xff, sizeof(h)); /* all of it must be written */
	packet_parse(&copy.frame, depth, &h);
	frame_copy_free(&copy);
	return h;
}

static struct packet_headers parse_whole(const uint8_t *bytes, uint32_t size)
{
	return parse_copy(PACKET_DEPTH_LINUX, bytes, size, size, size, 1);
}

/* The samples are cut behind their headers: to the full depth, the frame's length counts. */
static void expect_sample(enum sample_id id)
{
	const struct sample *s = &samples[id];
	struct packet_headers h;

	print_message("%s\n", s->name);
	for (unsigned depth = PACKET_DEPTH_LINUX; depth <= PACKET_DEPTH_FULL; depth++) {
		h = parse_copy(depth, s->bytes, s->size, s->len, s->size, 1);
		expect_headers(&h, &s->headers);
	}
}

static void ipv4_options_and_tcp_options_are_stepped_over(void **state)
{
	(void)state;
	expect_sample(SAMPLE_UDP4);
	expect_sample(SAMPLE_TCP4);
	expect_sample(SAMPLE_TCP4_OPTIONS);
	expect_sample(SAMPLE_UDP6);
}

static void only_tcp_and_udp_have_ports(void **state)
{
	(void)state;
	expect_sample(SAMPLE_ICMP4);
}

static void tags_are_read_through_and_the_outermost_is_kept(void **state)
{
	(void)state;
	expect_sample(SAMPLE_UDP4_TAGGED);
	expect_sample(SAMPLE_UDP4_TAGGED_TWICE);
}

static void fragments_have_no_ports_the_first_one_neither(void **state)
{
	(void)state;
	expect_sample(SAMPLE_FRAGMENT4_FIRST);
	expect_sample(SAMPLE_FRAGMENT4_LATER);
	expect_sample(SAMPLE_FRAGMENT6);
	expect_sample(SAMPLE_CHAIN_FRAGMENT6);
}

static void ipv6_extension_headers_are_stepped_over(void **state)
{
	(void)state;
	expect_sample(SAMPLE_HOPOPTS6);
	expect_sample(SAMPLE_CHAIN6);
}

static void flow_label_is_read_beside_the_ports(void **state)
{
	(void)state;
	expect_sample(SAMPLE_TCP6_LABEL);
}

static void flow_of_6in4_is_the_inner_packets(void **state)
{
	(void)state;
	expect_sample(SAMPLE_6IN4);
}

/* Later fragments do not have the inner header, so that the first must not be told by it. */
static void fragment_of_6in4_is_the_outer_packets(void **state)
{
	uint8_t bytes[94];
	struct packet_headers h;

	(void)state;
	memcpy(bytes, samples[SAMPLE_6IN4].bytes, sizeof(bytes));
	bytes[20] = 0x20; /* more fragments */
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.flow_l3, PACKET_L3_IPV4);
	assert_int_equal(h.ethertype, 0x0800);
	assert_int_equal(h.proto, 41);
	assert_int_equal(h.addr_len, 4);
	assert_true(h.fragment);
}

static void ds_field_of_6in4_is_the_outer_headers(void **state)
{
	uint8_t bytes[94];
	struct packet_headers h;

	(void)state;
	memcpy(bytes, samples[SAMPLE_6IN4].bytes, sizeof(bytes));
	bytes[15] = 46 << 2 | 1;              /* outer: DSCP 46, ECT(1) */
	bytes[34] = 0x60 | (8 << 2 | 2) >> 4; /* inner: DSCP 8, ECT(0) */
	bytes[35] = (8 << 2 | 2) << 4 & 0xf0;
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.dscp, 46);
	assert_int_equal(h.ecn, 1);
}

static void arp_is_network_control_and_other_frames_are_default(void **state)
{
	(void)state;
	expect_sample(SAMPLE_ARP);
	expect_sample(SAMPLE_LLDP);
}

static void every_ds_value_is_read_from_both_versions(void **state)
{
	uint8_t v4[42], v6[62];

	(void)state;
	memcpy(v4, samples[SAMPLE_UDP4].bytes, sizeof(v4));
	memcpy(v6, samples[SAMPLE_UDP6].bytes, sizeof(v6));
	for (unsigned ds = 0; ds < 256; ds++) {
		struct packet_headers h;

		v4[15] = ds;
		h = parse_whole(v4, sizeof(v4));
		assert_int_equal(h.dscp << 2 | h.ecn, ds);

		v6[14] = 0x60 | ds >> 4;
		v6[15] = (ds & 15) << 4 | 0x0f; /* the low half is flow label */
		h = parse_whole(v6, sizeof(v6));
		assert_int_equal(h.dscp << 2 | h.ecn, ds);
		assert_int_equal(h.flow_label, 0xf0000);
	}
}

/* Two bytes of IP are enough for DSCP; ECN of a header that could not be marked is not offered. */
static void dscp_needs_two_bytes_and_ecn_the_fixed_header(void **state)
{
	const struct sample *v4 = &samples[SAMPLE_TCP4_OPTIONS], *v6 = &samples[SAMPLE_UDP6];

	(void)state;
	assert_int_equal(parse_whole(v4->bytes, 14 + 1).dscp, 0);
	assert_int_equal(parse_whole(v4->bytes, 14 + 2).dscp, 46);
	assert_int_equal(parse_whole(v4->bytes, 14 + 19).ecn, 0);
	assert_int_equal(parse_whole(v4->bytes, 14 + 20).ecn, 2);
	assert_int_equal(parse_whole(v6->bytes, 14 + 1).dscp, 0);
	assert_int_equal(parse_whole(v6->bytes, 14 + 2).dscp, 46);
	assert_int_equal(parse_whole(v6->bytes, 14 + 39).ecn, 0);
	assert_int_equal(parse_whole(v6->bytes, 14 + 40).ecn, 2);
}

static void ipv4_header_below_five_words_has_no_addresses(void **state)
{
	uint8_t bytes[42];

	(void)state;
	memcpy(bytes, samples[SAMPLE_UDP4].bytes, sizeof(bytes));
	for (unsigned words = 0; words < 5; words++) {
		struct packet_headers h;

		bytes[14] = 0x40 | words;
		h = parse_whole(bytes, sizeof(bytes));
		assert_int_equal(h.l3, PACKET_L3_IPV4);
		assert_int_equal(h.addr_len, 0);
		assert_int_equal(h.sport, 0);
	}
}

static void tcp_data_offset_below_five_words_has_no_payload(void **state)
{
	uint8_t bytes[68];

	(void)state;
	memcpy(bytes, samples[SAMPLE_TCP4].bytes, sizeof(bytes));
	bytes[46] = 0x40;
	assert_int_equal(parse_whole(bytes, sizeof(bytes)).payload_offset, 0);
	bytes[46] = 0x50;
	assert_int_equal(parse_whole(bytes, sizeof(bytes)).payload_offset, 54);
}

/*
 * The first @size bytes only: a sanitizer sees that no other is read, and what is reported is what
 * the whole frame has, or nothing.
 */
static void expect_prefix(const struct sample *s, uint32_t size)
{
	const struct packet_headers *all = &s->headers;
	struct packet_headers h = parse_whole(s->bytes, size);

	assert_true(h.network_offset <= size);
	assert_true(h.l3 == all->l3 || h.l3 == PACKET_L3_OTHER);
	assert_true(h.dscp == all->dscp || h.dscp == 0);
	assert_true(h.ecn == all->ecn || h.ecn == 0);
	assert_true(h.transport_offset == all->transport_offset || h.transport_offset == 0);
	assert_true(h.payload_offset == all->payload_offset || h.payload_offset == 0);
	assert_true(h.sport == all->sport || h.sport == 0);
	assert_int_equal(h.sport != 0, h.transport_offset != 0);
	if (h.flow_l3 == all->flow_l3) {
		assert_memory_equal(h.src, all->src, sizeof(h.src));
		assert_memory_equal(h.dst, all->dst, sizeof(h.dst));
	} else {
		/* nothing yet, or the outer header of 6in4 */
		assert_int_equal(h.addr_len, h.flow_l3 == PACKET_L3_IPV4 ? 4 : 0);
	}
}

static void frames_cut_at_any_byte_are_not_read_past(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++)
		for (uint32_t size = 0; size <= samples[id].size; size++)
			expect_prefix(&samples[id], size);
}

static void frames_split_at_any_byte_read_as_whole_ones(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++) {
		const struct sample *s = &samples[id];

		for (uint32_t cut = 0; cut <= s->size; cut++) {
			struct packet_headers h = parse_copy(PACKET_DEPTH_LINUX, s->bytes, s->size,
							     s->len, cut, s->size);

			expect_headers(&h, &s->headers);
		}
	}
}

static void frames_in_one_byte_segments_read_as_whole_ones(void **state)
{
	(void)state;
	for (unsigned id = 0; id < SAMPLES; id++)
		for (uint32_t size = 0; size <= samples[id].size; size++) {
			const uint8_t *bytes = samples[id].bytes;
			struct packet_headers whole = parse_whole(bytes, size);
			struct packet_headers h =
				parse_copy(PACKET_DEPTH_LINUX, bytes, size, size, 0, 1);

			expect_headers(&h, &whole);
		}
}

static void a_frame_without_segments_is_nothing(void **state)
{
	const struct packet_frame frame = {.len = 0};
	const struct packet_headers nothing = {.unclassified = PACKET_TRUNCATED_LINK};
	struct packet_headers h;

	(void)state;
	memset(&h, 0xff, sizeof(h));
	packet_parse(&frame, PACKET_DEPTH_LINUX, &h);
	expect_headers(&h, &nothing);
}

/* Eight tags of 4 bytes from byte 14 on are read, as kinds.c has it for the full depth. */
static void tags_without_end_are_given_up(void **state)
{
	uint8_t bytes[2000];
	struct packet_headers h;

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i += 2) {
		bytes[i] = 0x81;
		bytes[i + 1] = 0x00;
	}
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.l3, PACKET_L3_OTHER);
	assert_int_equal(h.network_offset, 14 + 8 * 4);
	assert_int_equal(h.unclassified, PACKET_TOO_MANY_TAGS);
}

static void extension_headers_without_end_are_given_up(void **state)
{
	uint8_t bytes[2000] = {0};
	struct packet_headers h;

	(void)state;
	memcpy(bytes, samples[SAMPLE_HOPOPTS6].bytes, 54);
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.addr_len, 16);
	assert_int_equal(h.proto, 0);
	assert_int_equal(h.transport_offset, 0);
	assert_int_equal(h.unclassified, PACKET_TOO_MANY_HEADERS);

	/* the longest header, (255 + 1) * 8 bytes, leads out of the frame */
	bytes[54] = 17;
	bytes[55] = 255;
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.proto, 17);
	assert_int_equal(h.transport_offset, 0);
	assert_int_equal(h.unclassified, PACKET_TRUNCATED_EXTENSION);
}

/* Offsets have 16 bits: a header further in is not there. 14 + 40 + 15 * 2048 is still in reach. */
static void headers_far_into_a_frame_are_found(void **state)
{
	static uint8_t bytes[70000];
	struct packet_headers h;

	(void)state;
	memcpy(bytes, samples[SAMPLE_HOPOPTS6].bytes, 54);
	for (unsigned i = 0; i < 15; i++) {
		bytes[54 + i * 2048] = i < 14 ? 0 : 17;
		bytes[54 + i * 2048 + 1] = 255;
	}
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.transport_offset, 54 + 15 * 2048);
}

static void build(const struct frame_kind *kind, struct built_frame *b)
{
	*b = (struct built_frame){.size = 0};
	kind->build(b);
	frame_finish(b);
}

static struct packet_headers parse_built(const struct built_frame *b, uint32_t size)
{
	return parse_copy(PACKET_DEPTH_FULL, b->bytes, size, b->size, size, 1);
}

static void expect_addresses(struct packet_headers *want, uint8_t host)
{
	const uint8_t src4[4] = {10, 0, 0, host}, dst4[4] = {10, 1, 0, host};
	const uint8_t src6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = host};
	const uint8_t dst6[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = host};

	if (want->addr_len) {
		memcpy(want->src, want->addr_len == 4 ? src4 : src6, want->addr_len);
		memcpy(want->dst, want->addr_len == 4 ? dst4 : dst6, want->addr_len);
	}
}

static void every_kind_is_read_to_its_flow(void **state)
{
	struct built_frame b;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		struct packet_headers want = frame_kinds[i].expected, h;

		print_message("%s\n", frame_kinds[i].name);
		build(&frame_kinds[i], &b);
		expect_addresses(&want, frame_kinds[i].host);
		h = parse_built(&b, b.size);
		expect_headers(&h, &want);
	}
}

/*
 * A capture's snap length keeps the frame's own length. As soon as everything is there that whole
 * frames are told by, they are told so, and nothing is counted that the whole frame is not.
 */
static void bytes_that_were_not_captured_are_no_fault(void **state)
{
	struct built_frame b;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		const struct packet_headers *want = &frame_kinds[i].expected;
		struct packet_headers h;

		build(&frame_kinds[i], &b);
		if (!want->transport_offset || want->payload_offset - want->transport_offset < 14)
			continue; /* of TCP, the data offset is read too: all its header is kept */
		h = parse_built(&b, want->payload_offset);
		assert_int_equal(h.unclassified, want->unclassified);
		assert_int_equal(h.payload_offset, want->payload_offset);
	}
}

/*
 * The first @size bytes of a frame of that length: whatever could be read is what the whole frame
 * has, or an outer header's, or a reason says why not.
 */
static void expect_cut(const struct frame_kind *kind, const struct built_frame *b, uint32_t size)
{
	struct packet_headers h = parse_copy(PACKET_DEPTH_FULL, b->bytes, size, size, size, 1);
	const struct packet_headers *want = &kind->expected;

	assert_true(h.network_offset <= size);
	assert_true(h.flow_offset + h.addr_len <= size);
	assert_true(h.transport_offset + (h.transport_offset ? 4u : 0u) <= size);
	if (want->unclassified == PACKET_UNKNOWN_MPLS_PAYLOAD)
		return; /* told by the frame's length: a shorter frame may look like IP */
	assert_true(h.l3 == want->l3 || h.l3 == PACKET_L3_OTHER);
	assert_true(h.l3 == PACKET_L3_OTHER || h.network_offset == want->network_offset);
	/* all IP frames say their length, so that any cut of one is noticed */
	if (size < b->size && b->n_ips)
		assert_int_not_equal(h.unclassified, PACKET_CLASSIFIED);
}

static void every_kind_cut_at_any_byte_is_not_read_past(void **state)
{
	struct built_frame b;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		build(&frame_kinds[i], &b);
		for (uint32_t size = 0; size <= b.size; size++)
			expect_cut(&frame_kinds[i], &b, size);
	}
}

static void every_kind_in_segments_reads_as_whole(void **state)
{
	struct built_frame b;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		struct packet_headers whole, h;

		build(&frame_kinds[i], &b);
		whole = parse_built(&b, b.size);
		for (uint32_t first = 0; first < b.size && first < 200; first++) {
			h = parse_copy(PACKET_DEPTH_FULL, b.bytes, b.size, b.size, first, b.size);
			expect_headers(&h, &whole);
		}
		h = parse_copy(PACKET_DEPTH_FULL, b.bytes, b.size, b.size, 1, 1);
		expect_headers(&h, &whole);
	}
}

/* The same five protocols, and what the golden tables have of them: Linux CAKE does not look. */
static void linux_depth_looks_through_tags_and_6in4_alone(void **state)
{
	static const char *const plain[] = {"plain4", "tagged4", "six_in_4"};
	static const char *const opaque[] = {"tagged_thrice6", "pppoe4", "mpls4"};
	static const char *const outer[] = {"four_in_4", "gre4", "vxlan4", "six_in_6", "ah4"};
	struct built_frame b;

	(void)state;
	for (unsigned i = 0; i < n_frame_kinds; i++) {
		const struct frame_kind *kind = &frame_kinds[i];
		struct packet_headers h;

		build(kind, &b);
		h = parse_whole(b.bytes, b.size);
		assert_false(h.nd);
		for (unsigned k = 0; k < sizeof(plain) / sizeof(plain[0]); k++)
			if (!strcmp(kind->name, plain[k]))
				assert_int_equal(h.flow_offset, kind->expected.flow_offset);
		for (unsigned k = 0; k < sizeof(opaque) / sizeof(opaque[0]); k++)
			if (!strcmp(kind->name, opaque[k])) {
				assert_int_equal(h.addr_len, 0);
				assert_int_equal(h.unclassified, PACKET_UNKNOWN_ETHERTYPE);
			}
		for (unsigned k = 0; k < sizeof(outer) / sizeof(outer[0]); k++)
			if (!strcmp(kind->name, outer[k]))
				assert_int_equal(h.flow_offset, h.network_offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_options_and_tcp_options_are_stepped_over),
		cmocka_unit_test(only_tcp_and_udp_have_ports),
		cmocka_unit_test(tags_are_read_through_and_the_outermost_is_kept),
		cmocka_unit_test(fragments_have_no_ports_the_first_one_neither),
		cmocka_unit_test(ipv6_extension_headers_are_stepped_over),
		cmocka_unit_test(flow_label_is_read_beside_the_ports),
		cmocka_unit_test(flow_of_6in4_is_the_inner_packets),
		cmocka_unit_test(fragment_of_6in4_is_the_outer_packets),
		cmocka_unit_test(ds_field_of_6in4_is_the_outer_headers),
		cmocka_unit_test(arp_is_network_control_and_other_frames_are_default),
		cmocka_unit_test(every_ds_value_is_read_from_both_versions),
		cmocka_unit_test(dscp_needs_two_bytes_and_ecn_the_fixed_header),
		cmocka_unit_test(ipv4_header_below_five_words_has_no_addresses),
		cmocka_unit_test(tcp_data_offset_below_five_words_has_no_payload),
		cmocka_unit_test(frames_cut_at_any_byte_are_not_read_past),
		cmocka_unit_test(frames_split_at_any_byte_read_as_whole_ones),
		cmocka_unit_test(frames_in_one_byte_segments_read_as_whole_ones),
		cmocka_unit_test(a_frame_without_segments_is_nothing),
		cmocka_unit_test(tags_without_end_are_given_up),
		cmocka_unit_test(extension_headers_without_end_are_given_up),
		cmocka_unit_test(headers_far_into_a_frame_are_found),
		cmocka_unit_test(every_kind_is_read_to_its_flow),
		cmocka_unit_test(bytes_that_were_not_captured_are_no_fault),
		cmocka_unit_test(every_kind_cut_at_any_byte_is_not_read_past),
		cmocka_unit_test(every_kind_in_segments_reads_as_whole),
		cmocka_unit_test(linux_depth_looks_through_tags_and_6in4_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

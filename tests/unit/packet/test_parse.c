/* SPDX-License-Identifier: BSD-3-Clause */
/* What packet_parse() reads, from whole frames, from frames cut short, and across segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/parse.h"
#include "samples.h"

static void expect_headers(const struct packet_headers *got, const struct packet_headers *want)
{
	assert_int_equal(got->l3, want->l3);
	assert_int_equal(got->flow_l3, want->flow_l3);
	assert_int_equal(got->link_len, want->link_len);
	assert_int_equal(got->network_offset, want->network_offset);
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
	assert_int_equal(got->sport, want->sport);
	assert_int_equal(got->dport, want->dport);
	assert_int_equal(got->flow_label, want->flow_label);
	assert_int_equal(got->addr_len, want->addr_len);
	assert_memory_equal(got->src, want->src, sizeof(got->src));
	assert_memory_equal(got->dst, want->dst, sizeof(got->dst));
}

/* Parse a copy of @size bytes, laid out as frame_copy() says. */
static struct packet_headers parse_copy(const uint8_t *bytes, uint32_t size, uint32_t first,
					uint32_t rest)
{
	struct frame_copy copy = frame_copy(bytes, size, first, rest);
	struct packet_headers h;

	memset(&h, 0xff, sizeof(h)); /* all of it must be written */
	packet_parse(&copy.frame, PACKET_DEPTH_LINUX, &h);
	frame_copy_free(&copy);
	return h;
}

static struct packet_headers parse_whole(const uint8_t *bytes, uint32_t size)
{
	return parse_copy(bytes, size, size, 1);
}

static void expect_sample(enum sample_id id)
{
	const struct sample *s = &samples[id];
	struct packet_headers h = parse_whole(s->bytes, s->size);

	print_message("%s\n", s->name);
	expect_headers(&h, &s->headers);
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
			struct packet_headers h = parse_copy(s->bytes, s->size, cut, s->size);

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
			struct packet_headers h = parse_copy(bytes, size, 0, 1);

			expect_headers(&h, &whole);
		}
}

static void a_frame_without_segments_is_nothing(void **state)
{
	const struct packet_frame frame = {.len = 0};
	const struct packet_headers nothing = {.l3 = PACKET_L3_OTHER};
	struct packet_headers h;

	(void)state;
	memset(&h, 0xff, sizeof(h));
	packet_parse(&frame, PACKET_DEPTH_LINUX, &h);
	expect_headers(&h, &nothing);
}

/* Tags from byte 14 on, 4 bytes each: the last that ends within 512 is that at 506, up to 510. */
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
	assert_int_equal(h.network_offset, 510);
}

/* 512 bytes are looked at: 54 up to the chain, 57 headers of 8 bytes up to 510, and no port. */
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

	/* the longest header, (255 + 1) * 8 bytes, leads out of the frame */
	bytes[54] = 17;
	bytes[55] = 255;
	h = parse_whole(bytes, sizeof(bytes));
	assert_int_equal(h.proto, 17);
	assert_int_equal(h.transport_offset, 0);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

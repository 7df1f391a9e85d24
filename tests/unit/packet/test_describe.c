/* SPDX-License-Identifier: BSD-3-Clause */
/* Which fields of the scheduler's input come from the frame, and that the others are zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/describe.h"
#include "samples.h"

static struct cake_packet describe(struct packet_frame f)
{
	struct cake_params params;
	struct packet_describer d;
	struct packet_view view;
	struct cake_packet p;

	cake_params_default(&params);
	packet_describer_init(&d, &params);
	memset(&p, 0xff, sizeof(p));
	packet_describe(&d, &f, &view, &p);
	assert_int_equal(p.flow_hash, view.hashes.flow);
	assert_int_equal(p.src_hash, view.hashes.src_host);
	assert_int_equal(p.dst_hash, view.hashes.dst_host);
	return p;
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
	packet_describer_init(&d, &params);
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

/* A mark comes before a tin in the scheduler, so a rule's tin has to do away with the NIC's mark.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_frame_says_is_taken_over),
		cmocka_unit_test(what_the_frame_does_not_say_is_zero),
		cmocka_unit_test(a_rule_that_matches_says_mark_and_tin),
		cmocka_unit_test(the_nics_mark_counts_where_no_rule_matches),
		cmocka_unit_test(all_but_not_ect_can_be_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

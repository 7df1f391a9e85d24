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
		cmocka_unit_test(all_but_not_ect_can_be_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

static struct cake_packet describe(const struct packet_headers *h)
{
	const struct packet_hashes hashes = {.flow = 11, .src_host = 22, .dst_host = 33};
	struct cake_packet p;

	memset(&p, 0xff, sizeof(p));
	packet_describe(h, &hashes, 1518, &p);
	return p;
}

static void what_the_frame_says_is_taken_over(void **state)
{
	struct cake_packet p = describe(&samples[SAMPLE_UDP4_TAGGED_TWICE].headers);

	(void)state;
	assert_int_equal(p.len, 1518);
	assert_int_equal(p.flow_hash, 11);
	assert_int_equal(p.src_hash, 22);
	assert_int_equal(p.dst_hash, 33);
	assert_int_equal(p.network_offset, 22);
	assert_int_equal(p.dscp, 8);
}

static void what_the_frame_does_not_say_is_zero(void **state)
{
	struct cake_packet p = describe(&samples[SAMPLE_UDP4].headers);

	(void)state;
	assert_int_equal(p.handle, 0);
	assert_int_equal(p.charge, 0);
	assert_int_equal(p.mark, 0);
	assert_int_equal(p.gso_segs, 0);
	assert_int_equal(p.gso_size, 0);
	assert_int_equal(p.gso_header, 0);
	assert_int_equal(p.priority_tin, 0);
	assert_false(p.more);
}

/* RFC 3168, section 5: 00 is Not-ECT, 01 and 10 are ECT, 11 is CE. */
static void all_but_not_ect_can_be_marked(void **state)
{
	struct packet_headers h = samples[SAMPLE_UDP6].headers;

	(void)state;
	for (h.ecn = 0; h.ecn < 4; h.ecn++)
		assert_int_equal(describe(&h).ecn_capable, h.ecn > 0);
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

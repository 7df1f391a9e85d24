/* SPDX-License-Identifier: BSD-3-Clause */
/* The Internet checksum, wherever the bytes lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "packet/checksum.h"
#include "samples.h"

/* As it lies in memory. */
static uint16_t stored(uint16_t value)
{
	uint8_t bytes[2];

	memcpy(bytes, &value, 2);
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

/* RFC 1071, section 3: 0001 f203 f4f5 f6f7 add up to 2ddf0, folded ddf2. */
static void the_example_of_rfc_1071(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	struct frame_copy copy = frame_copy(bytes, sizeof(bytes), 8, 1);

	(void)state;
	assert_int_equal(stored(packet_sum_finish(packet_sum(&copy.frame, 0, 8))),
			 (uint16_t)~0xddf2);
	/* a last odd byte is a word's first half: 0001 f203 f4f5 f600 -> dcfb */
	assert_int_equal(stored(packet_sum_finish(packet_sum(&copy.frame, 0, 7))),
			 (uint16_t)~0xdcfb);
	frame_copy_free(&copy);
}

/* What was sent with a checksum adds up to ffff (RFC 1071, section 1). */
static void a_header_with_its_checksum_sums_to_zero(void **state)
{
	const struct sample *s = &samples[SAMPLE_TCP4];
	struct frame_copy copy = frame_copy(s->bytes, s->size, s->size, 1);

	(void)state;
	assert_int_equal(packet_sum_finish(packet_sum(&copy.frame, 14, 20)), 0);
	frame_copy_free(&copy);
}

static void where_segments_end_does_not_matter(void **state)
{
	const struct sample *s = &samples[SAMPLE_TCP6_LABEL];
	struct frame_copy whole = frame_copy(s->bytes, s->size, s->size, 1);

	(void)state;
	for (uint32_t first = 0; first <= s->size; first++) {
		for (uint32_t rest = 1; rest <= 5; rest++) {
			struct frame_copy copy = frame_copy(s->bytes, s->size, first, rest);

			for (uint32_t off = 0; off < s->size; off++)
				assert_int_equal(packet_sum_finish(packet_sum(&copy.frame, off,
									      s->size - off)),
						 packet_sum_finish(packet_sum(&whole.frame, off,
									      s->size - off)));
			frame_copy_free(&copy);
		}
	}
	frame_copy_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_rfc_1071),
		cmocka_unit_test(a_header_with_its_checksum_sums_to_zero),
		cmocka_unit_test(where_segments_end_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config/prefix: every length of both families, bits that should not be there, what is no prefix.
 */
#include "config/prefix.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void every_length_is_read_and_written(void **state)
{
	struct packet_prefix all_ones = {.family = 6}, p;
	char text[PREFIX_TEXT_MAX];

	(void)state;
	for (unsigned len = 0; len <= 128; len++) {
		all_ones.len = (uint8_t)len;
		if (len)
			all_ones.addr[(len - 1) / 8] |= 0x80 >> (len - 1) % 8;
		for (all_ones.family = 4; all_ones.family <= 6; all_ones.family += 2) {
			if (all_ones.family == 4 && len > 32)
				continue;
			prefix_format(&all_ones, text, sizeof(text));
			assert_int_equal(prefix_parse(text, &p), 0);
			assert_memory_equal(&p, &all_ones, sizeof(p));
		}
	}
	assert_string_equal(text, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128");
}

static void bits_behind_the_prefix_are_told_and_cleared(void **state)
{
	static const char *const samples[][2] = {
		{"10.0.0.1/8", "10.0.0.0/8"},          {"10.0.0.1/31", "10.0.0.0/31"},
		{"128.0.0.0/0", "0.0.0.0/0"},          {"10.255.0.0/9", "10.128.0.0/9"},
		{"2001:db8::1/127", "2001:db8::/127"}, {"2001:db8:8000::/32", "2001:db8::/32"},
	};
	struct packet_prefix p;
	char text[PREFIX_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		assert_int_equal(prefix_parse(samples[i][0], &p), -ERANGE);
		assert_string_equal(prefix_format(&p, text, sizeof(text)), samples[i][1]);
	}
}

static void an_address_alone_is_told_with_its_full_length(void **state)
{
	struct packet_prefix p;
	char text[PREFIX_TEXT_MAX];

	(void)state;
	assert_int_equal(prefix_parse("192.0.2.1", &p), -ENODATA);
	assert_string_equal(prefix_format(&p, text, sizeof(text)), "192.0.2.1/32");
	assert_int_equal(prefix_parse("::1", &p), -ENODATA);
	assert_string_equal(prefix_format(&p, text, sizeof(text)), "::1/128");
}

static void anything_else_is_no_prefix(void **state)
{
	static const char *const samples[] = {
		"",
		"/",
		"/8",
		"10/8",
		"10.0.0.0/",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/08x",
		"10.0.0.0/8/8",
		"10.0.0.0/ 8",
		"::/129",
		"::/0128",
		"g::/8",
		"localhost/8",
		" 10.0.0.0/8",
		"10.0.0.0/255.0.0.0",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/1",
	};
	struct packet_prefix p;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		assert_int_equal(prefix_parse(samples[i], &p), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_is_read_and_written),
		cmocka_unit_test(bits_behind_the_prefix_are_told_and_cleared),
		cmocka_unit_test(an_address_alone_is_told_with_its_full_length),
		cmocka_unit_test(anything_else_is_no_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

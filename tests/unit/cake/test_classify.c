/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cake/classify: the five modes' code points, marks and the operator's choice.
 *
 * Code points by tin from Linux's sch_cake; tc-cake(8), "PRIORITY QUEUE PARAMETERS" names the
 * classes. Expected tins are given by their place in tc's listing, which has Bulk first in
 * diffserv3 and diffserv4.
 */
#include "cake/classify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kit.h"

#define END (-1)

/* Place in tc's listing, tin's name, code points that are not the mode's default. */
struct listed_tin {
	const char *name;
	int code_points[16];
};

struct listed_mode {
	enum cake_diffserv mode;
	unsigned tins;
	unsigned default_place;
	struct listed_tin listing[CAKE_MAX_TINS];
};

static const struct listed_mode listed[] = {
	{CAKE_BESTEFFORT, 1, 0, {{"Tin 0", {END}}}},
	{CAKE_DIFFSERV3,
	 3,
	 1,
	 {{"Bulk", {1, 8, END}}, {"Best Effort", {END}}, {"Voice", {4, 44, 46, 48, 56, END}}}},
	{CAKE_DIFFSERV4,
	 4,
	 1,
	 {{"Bulk", {1, 8, END}},
	  {"Best Effort", {END}},
	  {"Video", {4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38, END}},
	  {"Voice", {32, 40, 44, 46, 48, 56, END}}}},
	{CAKE_DIFFSERV8,
	 8,
	 2,
	 {{"Tin 0", {1, END}},
	  {"Tin 1", {2, 8, 10, 12, 14, END}},
	  {"Tin 2", {END}},
	  {"Tin 3", {24, 26, 28, 30, 34, 36, 38, END}},
	  {"Tin 4", {4, 18, 20, 22, END}},
	  {"Tin 5", {16, END}},
	  {"Tin 6", {32, 40, 44, 46, END}},
	  {"Tin 7", {48, 56, END}}}},
};

static unsigned expected_place(const struct listed_mode *m, int dscp)
{
	for (unsigned place = 0; place < m->tins; place++)
		for (const int *cp = m->listing[place].code_points; *cp != END; cp++)
			if (*cp == dscp)
				return place;
	return m->default_place;
}

static unsigned tin_of(enum cake_diffserv mode, uint32_t fwmark, struct cake_packet p)
{
	struct classifier c;

	classifier_init(&c, mode, fwmark);
	return classify(&c, &p);
}

static unsigned tin_of_dscp(enum cake_diffserv mode, uint8_t dscp)
{
	return tin_of(mode, 0, (struct cake_packet){.dscp = dscp});
}

static void all_code_points_go_to_their_tin(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(listed); i++) {
		const struct listed_mode *m = &listed[i];

		assert_int_equal(cake_tin_count(m->mode), m->tins);
		for (unsigned dscp = 0; dscp < 64; dscp++)
			assert_int_equal(tin_of_dscp(m->mode, dscp),
					 cake_tin_order(m->mode, expected_place(m, dscp)));
	}
}

static void precedence_is_the_upper_three_bits(void **state)
{
	(void)state;
	assert_int_equal(cake_tin_count(CAKE_PRECEDENCE), 8);
	for (unsigned dscp = 0; dscp < 64; dscp++)
		assert_int_equal(tin_of_dscp(CAKE_PRECEDENCE, dscp), dscp >> 3);
}

static void tins_are_listed_in_tcs_order_under_tcs_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(listed); i++) {
		const struct listed_mode *m = &listed[i];

		for (unsigned place = 0; place < m->tins; place++)
			assert_string_equal(cake_tin_name(m->mode, cake_tin_order(m->mode, place)),
					    m->listing[place].name);
	}
	/* Best effort is tin 0, whose threshold is the full rate. */
	assert_int_equal(cake_tin_order(CAKE_DIFFSERV3, 1), 0);
	assert_int_equal(cake_tin_order(CAKE_DIFFSERV4, 1), 0);
	for (unsigned place = 0; place < 8; place++)
		assert_int_equal(cake_tin_order(CAKE_PRECEDENCE, place), place);
}

static void marks_choose_by_tcs_order_before_all_else(void **state)
{
	struct cake_packet p = {.dscp = 46, .priority_tin = 2};

	(void)state;
	p.mark = 1;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 1); /* Bulk */
	p.mark = 2;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 0); /* Best Effort */
	p.mark = 3;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 2);
	p.mark = 4;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 3);
}

static void marks_out_of_range_or_masked_out_choose_nothing(void **state)
{
	struct cake_packet p = {.dscp = 46};

	(void)state;
	p.mark = 5; /* of 4 tins */
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 3);
	p.mark = UINT32_MAX;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, UINT32_MAX, p), 3);
	p.mark = 0x100;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0xff, p), 3);
	p.mark = 1;
	assert_int_equal(tin_of(CAKE_DIFFSERV4, 0, p), 3);
}

static void a_mark_is_read_from_the_masks_lowest_bit_on(void **state)
{
	(void)state;
	assert_int_equal(tin_of(CAKE_DIFFSERV8, 0xff00, (struct cake_packet){.mark = 0x5aa}), 4);
	assert_int_equal(tin_of(CAKE_DIFFSERV8, 0x80000000, (struct cake_packet){.mark = ~0u}), 0);
	/* Bits between the mask's count as they stand: 0x50 & 0xf0 >> 4 = 5. */
	assert_int_equal(tin_of(CAKE_DIFFSERV8, 0xf0, (struct cake_packet){.mark = 0x50}), 4);
	/* A mask with a hole: 0b101 << 4; mark 0b111 reads 0b101. */
	assert_int_equal(tin_of(CAKE_DIFFSERV8, 0x50, (struct cake_packet){.mark = 0x70}), 4);
}

static void the_operators_choice_comes_before_dscp(void **state)
{
	struct cake_packet p = {.dscp = 46};

	(void)state;
	p.priority_tin = 1;
	assert_int_equal(tin_of(CAKE_DIFFSERV3, 0, p), 1); /* Bulk */
	p.priority_tin = 2;
	assert_int_equal(tin_of(CAKE_DIFFSERV3, 0, p), 0);
	p.priority_tin = 4; /* of 3 tins */
	assert_int_equal(tin_of(CAKE_DIFFSERV3, 0, p), 2);
}

static void best_effort_looks_at_nothing(void **state)
{
	struct cake_packet p = {.dscp = 46, .priority_tin = 8, .mark = 8};

	(void)state;
	assert_int_equal(tin_of(CAKE_BESTEFFORT, 0xff, p), 0);
}

static void bits_above_the_code_point_are_ignored(void **state)
{
	(void)state;
	assert_int_equal(tin_of_dscp(CAKE_DIFFSERV3, 0xc0 | 46), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_code_points_go_to_their_tin),
		cmocka_unit_test(precedence_is_the_upper_three_bits),
		cmocka_unit_test(tins_are_listed_in_tcs_order_under_tcs_names),
		cmocka_unit_test(marks_choose_by_tcs_order_before_all_else),
		cmocka_unit_test(marks_out_of_range_or_masked_out_choose_nothing),
		cmocka_unit_test(a_mark_is_read_from_the_masks_lowest_bit_on),
		cmocka_unit_test(the_operators_choice_comes_before_dscp),
		cmocka_unit_test(best_effort_looks_at_nothing),
		cmocka_unit_test(bits_above_the_code_point_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

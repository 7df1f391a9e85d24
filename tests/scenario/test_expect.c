/* SPDX-License-Identifier: BSD-3-Clause */
/* What counts as expected: limits of a row, and the way of a column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>

/* Before cmocka, which has a macro expect_value(). */
#include "expect.h"

#include <cmocka.h>

static void limits_are_included(void **state)
{
	const struct expect e = {.has_min = true, .min = 1, .has_max = true, .max = 2};

	(void)state;
	assert_false(expect_met(&e, 0.999));
	assert_true(expect_met(&e, 1));
	assert_true(expect_met(&e, 2));
	assert_false(expect_met(&e, 2.001));
}

/* A number that does not exist is fine only where it is only shown. */
static void no_number_meets_no_limit(void **state)
{
	const struct expect shown = {0}, limited = {.has_max = true, .max = 2},
			    rising = {.has_rise = true, .rise = 1};
	struct expect_column c = {0}, d = {0};

	(void)state;
	assert_true(expect_met(&shown, NAN));
	assert_false(expect_met(&limited, NAN));
	assert_true(expect_goes_on(&shown, &c, NAN));
	assert_false(expect_goes_on(&rising, &d, NAN));
}

static void a_column_rises_from_row_to_row(void **state)
{
	const struct expect e = {.has_rise = true, .rise = 1.5};
	struct expect_column c = {0};

	(void)state;
	assert_true(expect_goes_on(&e, &c, 100));
	assert_false(expect_trend_met(&e, &c));
	assert_true(expect_goes_on(&e, &c, 160));
	assert_true(expect_goes_on(&e, &c, 159)); /* less than 1 % back is chance */
	assert_true(expect_trend_met(&e, &c));
	assert_false(expect_goes_on(&e, &c, 155));
	assert_false(expect_goes_on(&e, &c, 149));
	assert_false(expect_trend_met(&e, &c));
}

static void a_column_falls_from_row_to_row(void **state)
{
	const struct expect e = {.has_fall = true, .fall = 10};
	struct expect_column c = {0};

	(void)state;
	assert_true(expect_goes_on(&e, &c, 100));
	assert_true(expect_goes_on(&e, &c, 11));
	assert_false(expect_trend_met(&e, &c));
	assert_true(expect_goes_on(&e, &c, 10));
	assert_true(expect_trend_met(&e, &c));
	assert_false(expect_goes_on(&e, &c, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_included),
		cmocka_unit_test(no_number_meets_no_limit),
		cmocka_unit_test(a_column_rises_from_row_to_row),
		cmocka_unit_test(a_column_falls_from_row_to_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

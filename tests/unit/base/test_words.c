/* SPDX-License-Identifier: BSD-3-Clause */
/* base/words: how far a misspelt word is from the one that was meant. */
#include "base/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void each_typing_mistake_is_one_edit(void **state)
{
	(void)state;
	assert_int_equal(words_distance("rtt", "rtt"), 0);
	assert_int_equal(words_distance("rtt", "rttt"), 1);              /* a letter too many */
	assert_int_equal(words_distance("bandwith", "bandwidth"), 1);    /* one missing */
	assert_int_equal(words_distance("ack_filter", "ack-filter"), 1); /* one wrong */
	assert_int_equal(words_distance("prots", "ports"), 1);           /* two swapped */
	assert_int_equal(words_distance("MTU", "mtu"), 0);
	assert_int_equal(words_distance("", "mtu"), 3);
	assert_int_equal(words_distance("mtu", ""), 3);
	assert_int_equal(words_distance("kitten", "sitting"), 3); /* the textbook's example */
}

static void a_swap_counts_once_only_where_letters_are_neighbours(void **state)
{
	(void)state;
	assert_int_equal(words_distance("ab", "ba"), 1);
	assert_int_equal(words_distance("ca", "abc"),
			 3); /* optimal string alignment, not Damerau's 2 */
}

static void words_longer_than_any_key_match_nothing(void **state)
{
	char word[WORDS_LEN_MAX + 2];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	assert_true(words_distance(word, "a") == SIZE_MAX);
	assert_true(words_distance("a", word) == SIZE_MAX);
	word[WORDS_LEN_MAX] = 0;
	assert_int_equal(words_distance(word, "a"), WORDS_LEN_MAX - 1);
}

static void tolerance_is_one_edit_in_three_letters(void **state)
{
	(void)state;
	assert_int_equal(words_tolerance(""), 1);
	assert_int_equal(words_tolerance("rtt"), 1);
	assert_int_equal(words_tolerance("linkss"), 2);
	assert_int_equal(words_tolerance("bandwidth"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_typing_mistake_is_one_edit),
		cmocka_unit_test(a_swap_counts_once_only_where_letters_are_neighbours),
		cmocka_unit_test(words_longer_than_any_key_match_nothing),
		cmocka_unit_test(tolerance_is_one_edit_in_three_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base/units: tc's grammar for rates, times and sizes, exact to the last digit.
 *
 * Expected numbers follow from tc(8): k, m, g, t of rates are powers of 1000, ki, mi, gi, ti and
 * those of sizes powers of 1024.
 */
#include "base/units.h"

#include <errno.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UNTOUCHED 0xdeadbeefdeadbeefu

typedef int (*parser)(const char *s, uint64_t *out);
typedef char *(*formatter)(char *buf, size_t size, uint64_t n);

struct sample {
	const char *text;
	int rc;
	uint64_t value;
};

static void check(parser parse, const struct sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UNTOUCHED;
		int rc = parse(samples[i].text, &value);
		bool written = rc == 0 || rc == -EOPNOTSUPP;
		uint64_t expected = written ? samples[i].value : UNTOUCHED;

		if (rc != samples[i].rc || value != expected)
			print_error("\"%s\": rc %d, value %ju\n", samples[i].text, rc,
				    (uintmax_t)value);
		assert_int_equal(rc, samples[i].rc);
		assert_true(value == expected);
	}
}

#define CHECK(parse, samples) check(parse, samples, sizeof(samples) / sizeof((samples)[0]))

static void rates_are_exact_in_decimal_and_binary_units(void **state)
{
	static const struct sample samples[] = {
		{"1bit", 0, 1},
		{"0bit", 0, 0},
		{"10000000bit", 0, 10000000},
		{"1kbit", 0, 1000},
		{"950mbit", 0, 950000000},
		{"1.5gbit", 0, 1500000000},
		{"0.1mbit", 0, 100000},
		{"0.3gbit", 0, 300000000}, /* 0.3 has no exact double */
		{"2.000000001gbit", 0, 2000000001},
		{"400gbit", 0, 400000000000},
		{"1tbit", 0, 1000000000000},
		{"1kibit", 0, 1024},
		{"1mibit", 0, 1048576},
		{"10gibit", 0, 10737418240}, /* 10 x 2^30 */
		{"1tibit", 0, 1099511627776},
		{"0.5kibit", 0, 512},
		{"100Mbit", 0, 100000000},
		{"100MBIT", 0, 100000000},
		{"007bit", 0, 7},
		{"18446744073709551615bit", 0, UINT64_MAX},
	};

	(void)state;
	CHECK(units_parse_rate, samples);
}

static void fractions_are_cut_not_rounded_however_long_they_are(void **state)
{
	static const struct sample samples[] = {
		{"0.5bit", 0, 0},
		{"1.9999bit", 0, 1},
		{"1.3mibit", 0, 1363148}, /* 1.3 x 1,048,576 = 1,363,148.8 */
		{"0.9999999999999999999999999999999999999999kbit", 0, 999},
		/* 1,000 x 0.001 exactly, then with an ulp less behind 40 digits */
		{"0.0010000000000000000000000000000000000000kbit", 0, 1},
		{"0.0009999999999999999999999999999999999999kbit", 0, 0},
		/* 2^-10 has ten decimals, all of which count */
		{"0.0009765625kibit", 0, 1},
		{"0.0009765624kibit", 0, 0},
	};

	(void)state;
	CHECK(units_parse_rate, samples);
}

static void rates_in_bytes_are_refused_with_what_tc_makes_of_them(void **state)
{
	static const struct sample samples[] = {
		{"1bps", -EOPNOTSUPP, 8},
		{"10mbps", -EOPNOTSUPP, 80000000},
		{"1.5Gbps", -EOPNOTSUPP, 12000000000},
		{"2kbps", -EOPNOTSUPP, 16000},
		{"1tbps", -EOPNOTSUPP, 8000000000000},
		{"1kibps", -EOPNOTSUPP, 8192},
		{"1mibps", -EOPNOTSUPP, 8388608},
		{"1gibps", -EOPNOTSUPP, 8589934592},
		{"1tibps", -EOPNOTSUPP, 8796093022208},
	};

	(void)state;
	CHECK(units_parse_rate, samples);
}

static void a_string_that_is_no_rate_is_invalid(void **state)
{
	static const struct sample samples[] = {
		{"", -EINVAL, 0},          {"mbit", -EINVAL, 0},     {"100", -EINVAL, 0},
		{"0", -EINVAL, 0},         {"100 mbit", -EINVAL, 0}, {" 100mbit", -EINVAL, 0},
		{"100mbit ", -EINVAL, 0},  {"0x10mbit", -EINVAL, 0}, {"1e6bit", -EINVAL, 0},
		{".5mbit", -EINVAL, 0},    {"5.mbit", -EINVAL, 0},   {"1.2.3mbit", -EINVAL, 0},
		{"infmbit", -EINVAL, 0},   {"nanmbit", -EINVAL, 0},  {"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},       {"+5mbit", -EINVAL, 0},   {"100mb", -EINVAL, 0},
		{"100mbits", -EINVAL, 0},  {"1,5mbit", -EINVAL, 0},  {"10%", -EINVAL, 0},
		{"unlimited", -EINVAL, 0}, {"--5mbit", -EINVAL, 0},  {"-", -EINVAL, 0},
		{"-mbit", -EINVAL, 0},     {"100ms", -EINVAL, 0},    {"1\nmbit", -EINVAL, 0},
	};

	(void)state;
	CHECK(units_parse_rate, samples);
}

static void negative_and_overflowing_numbers_are_out_of_range(void **state)
{
	static const struct sample rates[] = {
		{"-5mbit", -ERANGE, 0},
		{"-5mbps", -ERANGE, 0},
		{"18446744073709551616bit", -ERANGE, 0},      /* 2^64 */
		{"18446744073709551615.5bit", 0, UINT64_MAX}, /* cut */
		{"18446744073709552kbit", -ERANGE, 0},
		{"18446744.1tbit", -ERANGE, 0}, /* 2^64 / 10^12 = 18,446,744.07 */
		{"18446744.0tbit", 0, 18446744000000000000u},
		{"99999999999999999999999999gbit", -ERANGE, 0},
		{"2305843009213693952bps", -ERANGE, 0}, /* 2^61 x 8 */
	};
	static const struct sample times[] = {
		{"-1ms", -ERANGE, 0},
		{"18446744073s", 0, 18446744073000000000u},
		{"18446744074s", -ERANGE, 0},
	};
	static const struct sample sizes[] = {
		{"-1", -ERANGE, 0},
		{"17179869183gb", 0, 17179869183u * (UINT64_C(1) << 30)},
		{"17179869184gb", -ERANGE, 0}, /* 2^34 x 2^30 */
	};

	(void)state;
	CHECK(units_parse_rate, rates);
	CHECK(units_parse_time, times);
	CHECK(units_parse_size, sizes);
}

static void times_take_all_of_tc_s_spellings(void **state)
{
	static const struct sample samples[] = {
		{"1s", 0, 1000000000},    {"2sec", 0, 2000000000},
		{"3secs", 0, 3000000000}, {"100ms", 0, 100000000},
		{"5msec", 0, 5000000},    {"5msecs", 0, 5000000},
		{"10000us", 0, 10000000}, {"5usec", 0, 5000},
		{"5usecs", 0, 5000},      {"7ns", 0, 7},
		{"7nsec", 0, 7},          {"7nsecs", 0, 7},
		{"0.1ms", 0, 100000},     {"1.5S", 0, 1500000000},
		{"0.0005us", 0, 0},       {"0s", 0, 0},
		{"0", -EINVAL, 0},        {"100", -EINVAL, 0},
		{"100mss", -EINVAL, 0},   {"1m", -EINVAL, 0},
		{"1 s", -EINVAL, 0},      {"1min", -EINVAL, 0},
		{"ms", -EINVAL, 0},       {"", -EINVAL, 0},
	};

	(void)state;
	CHECK(units_parse_time, samples);
}

static void sizes_are_powers_of_1024_and_may_be_bare(void **state)
{
	static const struct sample samples[] = {
		{"65536", 0, 65536},  {"0", 0, 0},           {"1b", 0, 1},
		{"64k", 0, 65536},    {"64kb", 0, 65536},    {"4m", 0, 4194304},
		{"4MB", 0, 4194304},  {"1g", 0, 1073741824}, {"1gb", 0, 1073741824},
		{"1.5m", 0, 1572864}, {"0.3k", 0, 307},      {"1t", -EINVAL, 0},
		{"1kib", -EINVAL, 0}, {"1mbit", -EINVAL, 0}, {"", -EINVAL, 0},
		{"k", -EINVAL, 0},    {"1 k", -EINVAL, 0},
	};

	(void)state;
	CHECK(units_parse_size, samples);
}

static void check_format(formatter format, parser parse, uint64_t n, const char *expected)
{
	char buf[UNITS_FORMAT_MAX];
	uint64_t back = ~n;

	assert_ptr_equal(format(buf, sizeof(buf), n), buf);
	assert_string_equal(buf, expected);
	assert_int_equal(parse(buf, &back), 0);
	assert_true(back == n);
}

static void formats_are_short_exact_and_parse_back(void **state)
{
	(void)state;
	check_format(units_format_rate, units_parse_rate, 0, "0bit");
	check_format(units_format_rate, units_parse_rate, 1, "1bit");
	check_format(units_format_rate, units_parse_rate, 100000000, "100mbit");
	check_format(units_format_rate, units_parse_rate, 1500000000, "1500mbit");
	check_format(units_format_rate, units_parse_rate, 10737418240, "10gibit");
	check_format(units_format_rate, units_parse_rate, 400000000000, "400gbit");
	check_format(units_format_rate, units_parse_rate, 1234567, "1234567bit");
	check_format(units_format_rate, units_parse_rate, UINT64_MAX, "18446744073709551615bit");
	check_format(units_format_time, units_parse_time, 0, "0ns");
	check_format(units_format_time, units_parse_time, 100000000, "100ms");
	check_format(units_format_time, units_parse_time, 1500000000, "1500ms");
	check_format(units_format_time, units_parse_time, 60000000000, "60s");
	check_format(units_format_time, units_parse_time, 1001, "1001ns");
	check_format(units_format_size, units_parse_size, 0, "0b");
	check_format(units_format_size, units_parse_size, 2097152, "2mb");
	check_format(units_format_size, units_parse_size, 15503360, "15140kb"); /* 10,240 x 1,514 */
	check_format(units_format_size, units_parse_size, 1000, "1000b");
}

static void assert_short(uint64_t ns, const char *expected)
{
	char buf[UNITS_FORMAT_MAX];

	assert_ptr_equal(units_format_time_short(buf, sizeof(buf), ns), buf);
	assert_string_equal(buf, expected);
}

static void a_time_for_people_has_three_digits_and_no_exponent(void **state)
{
	(void)state;
	assert_short(0, "0us");
	assert_short(1999, "1us");
	assert_short(999999, "999us");
	assert_short(1000000, "1ms");
	assert_short(12149000, "12.1ms");
	assert_short(999499999, "999ms");
	assert_short(999500000, "1s");
	assert_short(8887183000, "8.89s");
	assert_short(999499999999, "999s");
	assert_short(999500000000, "1000s");
	assert_short(UINT64_C(86400) * 1000000000, "86400s");
}

static bool matches(const char *pattern, const char *s)
{
	regex_t re;
	bool yes;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	yes = !regexec(&re, s, 0, NULL, 0);
	regfree(&re);
	return yes;
}

/* The two may differ for what is out of range only, and there is nothing of that here. */
static void a_pattern_takes_what_its_parser_takes(void **state)
{
	static const char *const samples[] = {
		"1bit",   "100mbit", "1.5GBit", "0.000001tbit", "10KiBit", "1tibit", "1s",
		"5ms",    "2Secs",   "7nsec",   "1.25us",       "64",      "64k",    "64KB",
		"1.5g",   "12b",     "",        "bit",          "1",       "1.",     ".5mbit",
		"1 mbit", "10mbps",  "1min",    "1mbits",       "x1s",     "1ss",    "1,5s",
		"64kib",  "64B ",    "1e3",     "1m s",
	};
	char rate[UNITS_PATTERN_MAX], time[UNITS_PATTERN_MAX], size[UNITS_PATTERN_MAX];
	uint64_t n;

	(void)state;
	units_rate_pattern(rate, sizeof(rate));
	units_time_pattern(time, sizeof(time));
	units_size_pattern(size, sizeof(size));
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const char *s = samples[i];

		assert_int_equal(matches(rate, s), !units_parse_rate(s, &n));
		assert_int_equal(matches(time, s), !units_parse_time(s, &n));
		assert_int_equal(matches(size, s), !units_parse_size(s, &n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_in_decimal_and_binary_units),
		cmocka_unit_test(fractions_are_cut_not_rounded_however_long_they_are),
		cmocka_unit_test(rates_in_bytes_are_refused_with_what_tc_makes_of_them),
		cmocka_unit_test(a_string_that_is_no_rate_is_invalid),
		cmocka_unit_test(negative_and_overflowing_numbers_are_out_of_range),
		cmocka_unit_test(times_take_all_of_tc_s_spellings),
		cmocka_unit_test(sizes_are_powers_of_1024_and_may_be_bare),
		cmocka_unit_test(formats_are_short_exact_and_parse_back),
		cmocka_unit_test(a_pattern_takes_what_its_parser_takes),
		cmocka_unit_test(a_time_for_people_has_three_digits_and_no_exponent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

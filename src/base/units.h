/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates, times and sizes in tc's grammar (tc(8), "PARAMETERS"), in 64 bits and exact: decimal
 * arithmetic throughout, what is left below one bit/s, nanosecond or byte is cut off.
 *
 * Narrower than tc on purpose: a bare number is no rate and no time (tc reads them as bit/s and as
 * microseconds, people as anything), not even 0; so one rule has no exception.
 */
#ifndef GATEAU_BASE_UNITS_H
#define GATEAU_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/** Room for what any units_format_*() writes: 20 digits, a unit of 5 letters, the final 0. */
#define UNITS_FORMAT_MAX 32

/**
 * Each parser takes the whole string: a decimal number (digits, optionally a point and more digits)
 * and a unit without space between, case-insensitive. Return 0, -EINVAL (not of this form) or
 * -ERANGE (negative or too large); -EOPNOTSUPP for tc's `bps` family, which means bytes per second.
 * The result is written only on success, but see units_parse_rate().
 */

/**
 * bit, kbit, mbit, gbit, tbit (powers of 1000), kibit, mibit, gibit, tibit (1024); to bit/s.
 * With -EOPNOTSUPP @bps is what tc takes the string for, so that a message can say what to write.
 */
int units_parse_rate(const char *s, uint64_t *bps);

/** s, sec, secs, ms, msec, msecs, us, usec, usecs, ns, nsec, nsecs; to ns. */
int units_parse_time(const char *s, uint64_t *ns);

/** b or no unit, k/kb, m/mb, g/gb (powers of 1024, as in tc); to bytes. */
int units_parse_size(const char *s, uint64_t *bytes);

/** Room for any units_*_pattern(). */
#define UNITS_PATTERN_MAX 512

/**
 * A regular expression of ECMA-262 (which JSON Schema uses) for what each parser takes, without
 * minus signs and without what returns -EOPNOTSUPP. Return @buf.
 */
char *units_rate_pattern(char *buf, size_t size);
char *units_time_pattern(char *buf, size_t size);
char *units_size_pattern(char *buf, size_t size);

/**
 * Shortest exact form without a fraction in tc's units, e.g. "100mbit", "1500ms", "2mb"; parsing it
 * gives the number back. Return @buf, of at least UNITS_FORMAT_MAX bytes.
 */
char *units_format_rate(char *buf, size_t size, uint64_t bps);
char *units_format_time(char *buf, size_t size, uint64_t ns);
char *units_format_size(char *buf, size_t size, uint64_t bytes);

/**
 * A time for people, as tc prints them: three digits in s or ms, e.g. "12.1ms", whole numbers above
 * 999s and below 1ms. @buf as above.
 */
char *units_format_time_short(char *buf, size_t size, uint64_t ns);

#endif

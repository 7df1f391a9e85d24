/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates, times and sizes in tc's grammar (tc(8), "PARAMETERS"), in 64 bits and without rounding
 * that a person would notice.
 */
#ifndef GATEAU_BASE_UNITS_H
#define GATEAU_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/**
 * Each parser takes the whole string: a decimal number (digits, optionally a fraction) and a unit
 * without space between, case-insensitive. Return 0, -EINVAL (not of this form) or -ERANGE
 * (negative or too large); -EOPNOTSUPP for tc's `bps` family, which means bytes per second.
 */

/** bit, kbit, mbit, gbit, tbit (powers of 1000), kibit, mibit, gibit, tibit (1024); to bit/s. */
int units_parse_rate(const char *s, uint64_t *bps);

/** s, sec, secs, ms, msec, msecs, us, usec, usecs, ns, nsec, nsecs; to ns. */
int units_parse_time(const char *s, uint64_t *ns);

/** b or no unit, k/kb, m/mb, g/gb (powers of 1024, as in tc); to bytes. */
int units_parse_size(const char *s, uint64_t *bytes);

/** Shortest exact form with tc's units, e.g. "100mbit", "1500ms", "2mb". Returns @buf. */
char *units_format_rate(char *buf, size_t size, uint64_t bps);
char *units_format_time(char *buf, size_t size, uint64_t ns);

#endif

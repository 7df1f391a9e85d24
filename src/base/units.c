/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One table of units per quantity drives parsing and formatting.
 *
 * What is accepted where (0 refused, "unlimited", ranges) is the configuration's business.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum unit_use {
	WRITE,  /* read, and written by units_format_*() */
	READ,   /* another spelling */
	REFUSE, /* tc's bytes per second */
};

/** A unit's name and how many of the smallest unit it is. */
struct unit {
	const char *name;
	uint64_t factor;
	enum unit_use use;
};

#define KIBI (UINT64_C(1) << 10)
#define MEBI (UINT64_C(1) << 20)
#define GIBI (UINT64_C(1) << 30)
#define TEBI (UINT64_C(1) << 40)

#define KILO UINT64_C(1000)
#define MEGA UINT64_C(1000000)
#define GIGA UINT64_C(1000000000)
#define TERA UINT64_C(1000000000000)

/* Largest first, so that of two forms equally short the one with the larger unit is written. */
static const struct unit rate_units[] = {
	{"tbit", TERA, WRITE},
	{"gbit", GIGA, WRITE},
	{"mbit", MEGA, WRITE},
	{"kbit", KILO, WRITE},
	{"bit", 1, WRITE},
	{"tibit", TEBI, WRITE},
	{"gibit", GIBI, WRITE},
	{"mibit", MEBI, WRITE},
	{"kibit", KIBI, WRITE},
	{"tbps", 8 * TERA, REFUSE},
	{"gbps", 8 * GIGA, REFUSE},
	{"mbps", 8 * MEGA, REFUSE},
	{"kbps", 8 * KILO, REFUSE},
	{"bps", 8, REFUSE},
	{"tibps", 8 * TEBI, REFUSE},
	{"gibps", 8 * GIBI, REFUSE},
	{"mibps", 8 * MEBI, REFUSE},
	{"kibps", 8 * KIBI, REFUSE},
	{NULL, 0, READ},
};

static const struct unit time_units[] = {
	{"s", GIGA, WRITE},    {"sec", GIGA, READ},   {"secs", GIGA, READ}, {"ms", MEGA, WRITE},
	{"msec", MEGA, READ},  {"msecs", MEGA, READ}, {"us", KILO, WRITE},  {"usec", KILO, READ},
	{"usecs", KILO, READ}, {"ns", 1, WRITE},      {"nsec", 1, READ},    {"nsecs", 1, READ},
	{NULL, 0, READ},
};

static const struct unit size_units[] = {
	{"gb", GIBI, WRITE}, {"g", GIBI, READ},   {"mb", MEBI, WRITE},
	{"m", MEBI, READ},   {"kb", KIBI, WRITE}, {"k", KIBI, READ},
	{"b", 1, WRITE},     {"", 1, READ},       {NULL, 0, READ},
};

static const struct unit *unit_find(const struct unit *units, const char *name)
{
	for (const struct unit *u = units; u->name; u++) {
		if (!strcasecmp(u->name, name))
			return u;
	}
	return NULL;
}

static const char *skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/** Digits from @s to @end times @factor. */
static int scale_integer(const char *s, const char *end, uint64_t factor, uint64_t *out)
{
	uint64_t n = 0;

	for (; s < end; s++) {
		if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return -ERANGE;
	}
	return __builtin_mul_overflow(n, factor, out) ? -ERANGE : 0;
}

/**
 * floor(0.d1d2...dk * factor), exactly and for any k: from the last digit on, carry = floor((d *
 * factor + carry) / 10). Cutting off early costs nothing because d * factor is whole: floor((n +
 * floor(x)) / 10) = floor((n + x) / 10). With factor < 2^44 no step comes near 64 bits.
 */
static uint64_t scale_fraction(const char *s, const char *end, uint64_t factor)
{
	uint64_t carry = 0;

	while (end > s)
		carry = ((uint64_t)(*--end - '0') * factor + carry) / 10;
	return carry;
}

static int parse_unsigned(const char *s, const struct unit *units, uint64_t *out)
{
	const char *point = skip_digits(s);
	const char *fraction = point, *end = point;
	const struct unit *u;
	uint64_t n;
	int rc;

	if (point == s)
		return -EINVAL;
	if (*point == '.') {
		fraction = point + 1;
		end = skip_digits(fraction);
		if (end == fraction)
			return -EINVAL;
	}
	u = unit_find(units, end);
	if (!u)
		return -EINVAL;
	rc = scale_integer(s, point, u->factor, &n);
	if (rc)
		return rc;
	if (__builtin_add_overflow(n, scale_fraction(fraction, end, u->factor), &n))
		return -ERANGE;
	*out = n;
	return u->use == REFUSE ? -EOPNOTSUPP : 0;
}

static int parse(const char *s, const struct unit *units, uint64_t *out)
{
	uint64_t ignored;

	if (*s != '-')
		return parse_unsigned(s, units, out);
	return parse_unsigned(s + 1, units, &ignored) == -EINVAL ? -EINVAL : -ERANGE;
}

int units_parse_rate(const char *s, uint64_t *bps)
{
	return parse(s, rate_units, bps);
}

int units_parse_time(const char *s, uint64_t *ns)
{
	return parse(s, time_units, ns);
}

int units_parse_size(const char *s, uint64_t *bytes)
{
	return parse(s, size_units, bytes);
}

/** Write at @at: "[mM][sS]" for "ms", since a pattern has no switch for either case. Returns its
 * end.
 */
static char *put_either_case(char *at, const char *end, const char *name)
{
	for (; *name && at < end; name++)
		at += snprintf(at, (size_t)(end - at), "[%c%c]", *name,
			       toupper((unsigned char)*name));
	return at;
}

static char *pattern(char *buf, size_t size, const struct unit *units)
{
	char *at = buf, *end = buf + size;
	bool bare = false;

	at += snprintf(at, size, "^[0-9]+([.][0-9]+)?");
	for (const struct unit *u = units; u->name; u++) {
		bare |= !*u->name;
		if (u->use == REFUSE || !*u->name)
			continue;
		*at++ = u == units ? '(' : '|';
		at = put_either_case(at, end, u->name);
	}
	snprintf(at, (size_t)(end - at), bare ? ")?$" : ")$");
	return buf;
}

char *units_rate_pattern(char *buf, size_t size)
{
	return pattern(buf, size, rate_units);
}

char *units_time_pattern(char *buf, size_t size)
{
	return pattern(buf, size, time_units);
}

char *units_size_pattern(char *buf, size_t size)
{
	return pattern(buf, size, size_units);
}

/** The smallest unit's own form always divides, so there is always one. */
static char *format(char *buf, size_t size, const struct unit *units, uint64_t n)
{
	char form[UNITS_FORMAT_MAX];
	size_t best = SIZE_MAX;

	for (const struct unit *u = units; u->name; u++) {
		if (u->use != WRITE || n % u->factor || (n == 0 && u->factor != 1))
			continue;
		size_t len = (size_t)snprintf(form, sizeof(form), "%ju%s",
					      (uintmax_t)(n / u->factor), u->name);
		if (len < best) {
			best = len;
			snprintf(buf, size, "%s", form);
		}
	}
	return buf;
}

char *units_format_rate(char *buf, size_t size, uint64_t bps)
{
	return format(buf, size, rate_units, bps);
}

char *units_format_time(char *buf, size_t size, uint64_t ns)
{
	return format(buf, size, time_units, ns);
}

char *units_format_size(char *buf, size_t size, uint64_t bytes)
{
	return format(buf, size, size_units, bytes);
}

char *units_format_time_short(char *buf, size_t size, uint64_t ns)
{
	uint64_t us = ns / 1000;

	/* From where three digits round up to the next unit: 999,500 us would be "1e+03ms". */
	if (us >= 999500000)
		snprintf(buf, size, "%.0fs", us / 1e6);
	else if (us >= 999500)
		snprintf(buf, size, "%.3gs", us / 1e6);
	else if (us >= 1000)
		snprintf(buf, size, "%.3gms", us / 1e3);
	else
		snprintf(buf, size, "%juus", (uintmax_t)us);
	return buf;
}

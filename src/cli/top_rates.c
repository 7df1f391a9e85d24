/* SPDX-License-Identifier: BSD-3-Clause */
/* See top_rates.h. */
#include "cli/top_rates.h"

#include <stdio.h>

#include "base/units.h"
#include "report/report.h"

double top_rate(const json_t *now, const json_t *before, const char *key, uint64_t ns)
{
	const uint64_t n = report_get_number(now, key), was = report_get_number(before, key);

	if (!before || !ns || n <= was)
		return 0;
	return (double)(n - was) * 1e9 / (double)ns;
}

const char *top_format(char *buf, double value, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "m", "g", "t"};
	unsigned p = 0;

	/* From where three digits would round up to the next prefix. */
	while (value >= 999.5 && p + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
		value /= 1000;
		p++;
	}
	snprintf(buf, TOP_CELL_MAX, p ? "%.3g%s%s" : "%.0f%s%s", value, prefixes[p], unit);
	return buf;
}

/** Packets in bucket @i since @before; all of them if that counts otherwise. */
static uint64_t count_of(const json_t *now, const json_t *before, size_t i)
{
	const uint64_t n = (uint64_t)json_integer_value(json_array_get(now, i));
	const uint64_t was = (uint64_t)json_integer_value(json_array_get(before, i));

	return n >= was ? n - was : n;
}

const char *top_format_wait(char *buf, const json_t *now, const json_t *before,
			    const json_t *bounds, unsigned permille)
{
	const json_t *counts = json_object_get(now, "sojourn_counts");
	const json_t *were = json_object_get(before, "sojourn_counts");
	const size_t last = json_array_size(bounds);
	uint64_t total = 0, below = 0;
	size_t i;

	for (i = 0; i < json_array_size(counts); i++)
		total += count_of(counts, were, i);
	if (!total || !last)
		return "-";
	for (i = 0; i < last; i++) {
		below += count_of(counts, were, i);
		if (below * 1000 >= total * permille)
			break;
	}
	buf[0] = i < last ? '<' : '>';
	units_format_time_short(
		buf + 1, TOP_CELL_MAX - 1,
		(uint64_t)json_integer_value(json_array_get(bounds, i < last ? i : last - 1)));
	return buf;
}

json_t *top_find(const json_t *array, const char *key, const json_t *value)
{
	json_t *o;
	size_t i;

	json_array_foreach (array, i, o)
		if (json_equal(json_object_get(o, key), value))
			return o;
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* See meter.h. */
#include "meter.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void meter_init(struct meter *m, uint64_t start, uint64_t duration)
{
	size_t n = duration / METER_BIN_NS + 1;

	*m = (struct meter){
		.start = start,
		.n = n,
		.bytes = must_calloc(n, sizeof(*m->bytes)),
		.idle = must_calloc(n, sizeof(*m->idle)),
		.empty_since = start,
	};
}

void meter_fini(struct meter *m)
{
	free(m->bytes);
	free(m->idle);
}

/** The bin of @at; the last one for what is later. */
static size_t bin(const struct meter *m, uint64_t at)
{
	size_t i = (at - m->start) / METER_BIN_NS;

	return i < m->n ? i : m->n - 1;
}

static void mark_idle(struct meter *m, uint64_t from, uint64_t until)
{
	size_t first = bin(m, from), last = bin(m, until);

	memset(m->idle + first, 1, last - first + 1);
}

void meter_inside(struct meter *m, int64_t frames, uint64_t now)
{
	if (!m->inside && frames > 0)
		mark_idle(m, m->empty_since, now);
	m->inside += (uint64_t)frames;
	if (!m->inside)
		m->empty_since = now;
}

void meter_sent(struct meter *m, uint32_t bytes, uint64_t now)
{
	m->bytes[bin(m, now)] += bytes;
}

struct meter_error meter_error(const struct meter *m, uint64_t from, uint64_t until,
			       uint64_t window, double bytes_per_s)
{
	const double due = bytes_per_s * (double)window / 1e9;
	const size_t bins = window / METER_BIN_NS, first = bin(m, from), end = bin(m, until);
	struct meter_error e = {0};
	uint64_t bytes = 0, idle = 0;

	for (size_t i = first; i < end; i++) {
		double off;

		bytes += m->bytes[i];
		idle += m->idle[i];
		if (i >= first + bins) {
			bytes -= m->bytes[i - bins];
			idle -= m->idle[i - bins];
		}
		off = (double)bytes - due;
		if (off > e.over)
			e.over = off;
		if (i + 1 < first + bins || idle)
			continue;
		e.windows++;
		if (off < e.under)
			e.under = off;
	}
	return e;
}

uint64_t meter_bytes(const struct meter *m, uint64_t from, uint64_t until)
{
	uint64_t bytes = 0;

	for (size_t i = bin(m, from); i < bin(m, until); i++)
		bytes += m->bytes[i];
	return bytes;
}

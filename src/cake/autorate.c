/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimate; see autorate.h. */
#include "cake/autorate.h"

#include "cake/ewma.h"

#define NS_PER_S   1000000000ull
#define GAP_MAX    NS_PER_S       /* a pause of any length counts for so much */
#define CHANGE_MIN (NS_PER_S / 4) /* between two changes of the rate */
#define RATE_MIN   64             /* bytes/s: the slowest link that can be configured */
#define PEAK_MAX                                                                  \
	(1ull << 60) /* bytes/s: 16 times as much has 64 bits; a frame that comes \
			1 ns after thousands of others seems to be this fast */

/* Quickly where @sample is above the average, slowly where it is below. */
static uint64_t follow_peak(uint64_t avg, uint64_t sample)
{
	return ewma(avg, sample, sample > avg ? 2 : 8);
}

void autorate_init(struct autorate *a, uint64_t bytes_per_s, bool as_linux)
{
	*a = (struct autorate){.peak = bytes_per_s, .as_linux = as_linux};
}

/* What the window that ends at @now came to, bytes/s; it has lasted for some time. */
static uint64_t close_window(struct autorate *a, uint64_t now)
{
	unsigned __int128 bytes = (unsigned __int128)a->window_bytes * NS_PER_S;
	uint64_t time = now - a->window_begin;

	a->window_bytes = 0;
	a->window_begin = now;
	if (a->as_linux)
		return (uint64_t)bytes / time;
	return bytes / time < PEAK_MAX ? (uint64_t)(bytes / time) : PEAK_MAX;
}

bool autorate_arrival(struct autorate *a, uint64_t bytes, uint64_t now, uint64_t *rate)
{
	uint64_t gap = now - a->last_arrival, estimate;

	if (!a->last_arrival && !a->as_linux) {
		/* There is nothing yet that it could be the end of. */
		a->last_arrival = now;
		a->window_begin = now;
		return false;
	}
	a->last_arrival = now;
	a->window_bytes += bytes;
	if (gap > GAP_MAX)
		gap = GAP_MAX;
	a->avg_gap = follow_peak(a->avg_gap, gap);
	if (gap <= a->avg_gap)
		return false;

	estimate = close_window(a, now);
	a->peak = a->peak || a->as_linux ? follow_peak(a->peak, estimate) : estimate;
	if (now <= a->last_change + CHANGE_MIN)
		return false;
	*rate = a->peak * 15 >> 4;
	if (!a->as_linux) {
		a->last_change = now;
		*rate = *rate > RATE_MIN ? *rate : RATE_MIN;
	}
	return true;
}

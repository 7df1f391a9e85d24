/* SPDX-License-Identifier: BSD-3-Clause */
/* See machine.h. */
#include "report/machine.h"

#include <inttypes.h>

#include "base/units.h"
#include "report/report.h"

#define NS_S UINT64_C(1000000000)

uint64_t report_cycles_ns(uint64_t n, uint64_t hz)
{
	/* In two parts: 10^9 times the cycles of a minute do not fit 64 bits. */
	return n / hz * NS_S + n % hz * NS_S / hz;
}

void report_lcore_text(FILE *out, const json_t *lcore, uint64_t hz)
{
	char sum[UNITS_FORMAT_MAX], max[UNITS_FORMAT_MAX];
	char busy[UNITS_FORMAT_MAX], slept[UNITS_FORMAT_MAX];

#define NUMBER(key)   report_get_number(lcore, key)
#define TIME(buf, ns) units_format_time_short(buf, sizeof(buf), ns)
	fprintf(out,
		"worker on CPU %" PRIu64 ": %" PRIu64 " passes, %" PRIu64 " busy, %" PRIu64
		" stalls, %s in all, longest %s; took up %" PRIu64 " queues; busy %s; %" PRIu64
		" sleeps, %s in all, %" PRIu64 " woken late\n",
		NUMBER("cpu"), NUMBER("passes"), NUMBER("busy_passes"), NUMBER("stalls"),
		TIME(sum, NUMBER("stall_ns")), TIME(max, NUMBER("max_stall_ns")),
		NUMBER("taken_up"), TIME(busy, report_cycles_ns(NUMBER("busy_cycles"), hz)),
		NUMBER("sleeps"), TIME(slept, NUMBER("slept_ns")), NUMBER("late_wakeups"));
#undef TIME
#undef NUMBER
}

void report_device_text(FILE *out, const json_t *nic, uint64_t full)
{
	fprintf(out,
		" device: missed %" PRIu64 ", rx errors %" PRIu64 ", no buffer %" PRIu64
		", tx errors %" PRIu64 ", full %" PRIu64 " times\n",
		report_get_number(nic, "missed"), report_get_number(nic, "rx_errors"),
		report_get_number(nic, "no_buffer"), report_get_number(nic, "tx_errors"), full);
}

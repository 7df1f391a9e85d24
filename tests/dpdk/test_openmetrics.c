/* SPDX-License-Identifier: BSD-3-Clause */
/* stats/openmetrics: the two formats, line by line, of a snapshot made up here. */
#include "stats/openmetrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stats/openmetrics_family.h"

#define QUEUES 3
#define TINS   3

static struct gateau_config config;
static struct stats_snapshot s;
static struct stats_queue queues[QUEUES];
static char *text;

/** Two ports; "wan" has two queues that share a rate, "lan" one that does not. */
static int make_snapshot(void **state)
{
	(void)state;
	memset(&config, 0, sizeof(config));
	memset(&s, 0, sizeof(s));
	memset(queues, 0, sizeof(queues));
	config.n_ports = 2;
	strcpy(config.ports[0].name, "lan");
	strcpy(config.ports[1].name, "wan");
	strcpy(config.ports[1].device, "net_x,a=\"\\\n");
	for (unsigned p = 0; p < 2; p++)
		config.ports[p].scheduler.cake.diffserv = CAKE_DIFFSERV3;
	config.ports[1].scheduler.cake.bandwidth_bps = 8000;
	s.config = &config;
	s.queues = queues;
	s.n_queues = QUEUES;
	s.n_workers = 1;
	s.workers[0].cpu = 5;
	s.ports[0].n_queues = 1;
	s.ports[1].n_queues = 2;
	s.ports[1].first_queue = 1;
	for (unsigned i = 0; i < QUEUES; i++) {
		queues[i].port = i > 0;
		queues[i].queue = i > 1;
		queues[i].shares = i > 0;
		queues[i].cake.tin_cnt = TINS;
	}
	for (unsigned p = 0; p < 2; p++)
		s.ports[p].cake.tin_cnt = TINS;
	return 0;
}

static int free_text(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static const char *write_as(enum openmetrics_format format)
{
	size_t len;
	FILE *out;

	free(text);
	out = open_memstream(&text, &len);
	assert_non_null(out);
	openmetrics_write(out, format, &s, 7);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_line(const char *line)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	if (!strstr(text, whole))
		fail_msg("no line \"%s\" in\n%s", line, text);
}

static void assert_no(const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in\n%s", part, text);
}

static void openmetrics_has_units_and_an_end(void **state)
{
	(void)state;
	queues[1].tx_packets = 18446744073709551615u;
	write_as(OPENMETRICS_1);
	assert_line("# TYPE gateau_sent_packets counter");
	assert_line("# UNIT gateau_sent_packets packets");
	assert_line("# HELP gateau_sent_packets Frames that the device took.");
	assert_line("gateau_sent_packets_total{port=\"wan\",queue=\"0\"} 18446744073709551615");
	assert_line("gateau_config_generation 7");
	assert_string_equal(text + strlen(text) - strlen("\n# EOF\n"), "\n# EOF\n");
}

static void the_older_format_names_samples(void **state)
{
	(void)state;
	write_as(OPENMETRICS_PLAIN);
	assert_line("# TYPE gateau_sent_packets_total counter");
	assert_line("# TYPE gateau_port_info gauge");
	assert_line("# TYPE gateau_sojourn_seconds histogram");
	assert_no("# UNIT");
	assert_no("# EOF");
	assert_no(" info\n");
}

static void labels_are_escaped(void **state)
{
	(void)state;
	write_as(OPENMETRICS_1);
	assert_line("gateau_port_info{port=\"wan\",device=\"net_x,a=\\\"\\\\\\n\"} 1");
}

static void a_label_that_is_too_long_is_cut(void **state)
{
	struct labels l = {0};
	char value[1000];

	(void)state;
	memset(value, '\n', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	labels_add(&l, "device", value);
	assert_true(l.used < sizeof(l.text));
	assert_string_equal(l.text + l.used - 3, "\\n\"");
	labels_add(&l, "port", "a");
	assert_null(strstr(l.text, "port"));
}

/* us and ns and ppb, digit by digit: 1,500,000.000001234 s would be rounded as a double's %g */
static void units_are_exact_decimals(void **state)
{
	(void)state;
	s.uptime_ns = 1500000000001234;
	s.error_ppb = 1234;
	queues[2].cake.tins[2].peak_delay_us = 20001;
	s.workers[0].stall_ns = 999999999;
	write_as(OPENMETRICS_1);
	assert_line("gateau_uptime_seconds 1500000.000001234");
	assert_line("gateau_clock_error_ratio 0.000001234");
	assert_line(
		"gateau_tin_peak_delay_seconds{port=\"wan\",queue=\"1\",tin=\"Voice\"} 0.020001");
	assert_line("gateau_lcore_stall_seconds_total{cpu=\"5\"} 0.999999999");
}

/* What a queue counts has its label, the rest of the port's sum has none: added up it is the sum.
 */
static void drops_before_a_queue_are_not_counted_twice(void **state)
{
	(void)state;
	queues[1].gso_no_buffer = 2;
	queues[2].gso_no_buffer = 3;
	queues[2].link_down = 4;
	queues[2].dropped[CAKE_DROP_CODEL] = 6;
	s.ports[1].dropped[WORKER_DROP_GSO_NO_BUFFER] = 12;
	s.ports[1].dropped[WORKER_DROP_LINK_DOWN] = 4;
	s.ports[1].dropped[WORKER_DROPS + CAKE_DROP_CODEL - CAKE_DROP_OVERFLOW] = 6;
	write_as(OPENMETRICS_1);
	assert_line("gateau_dropped_packets_total{port=\"wan\",reason=\"gso-no-buffer\"} 7");
	assert_line(
		"gateau_dropped_packets_total{port=\"wan\",queue=\"0\",reason=\"gso-no-buffer\"} 2");
	assert_line(
		"gateau_dropped_packets_total{port=\"wan\",queue=\"1\",reason=\"gso-no-buffer\"} 3");
	assert_line("gateau_dropped_packets_total{port=\"wan\",reason=\"link-down\"} 0");
	assert_line(
		"gateau_dropped_packets_total{port=\"wan\",queue=\"1\",reason=\"link-down\"} 4");
	assert_line("gateau_dropped_packets_total{port=\"wan\",queue=\"1\",reason=\"codel\"} 6");
	assert_no("gateau_dropped_packets_total{port=\"wan\",reason=\"codel\"}");
}

/* 1 packet below 1.024 us, 2 in the next bucket, 4 beyond the last bound. */
static void buckets_are_cumulative_and_end_with_all(void **state)
{
	(void)state;
	queues[0].sojourn[0] = (struct sojourn){.sum_ns = 1234567890};
	queues[0].sojourn[0].counts[0] = 1;
	queues[0].sojourn[0].counts[1] = 2;
	queues[0].sojourn[0].counts[SOJOURN_BUCKETS - 1] = 4;
	write_as(OPENMETRICS_1);
#define SERIES(suffix, le) \
	"gateau_sojourn_seconds_" suffix "{port=\"lan\",queue=\"0\",tin=\"Best Effort\"" le "} "
	assert_line(SERIES("bucket", ",le=\"0.000001024\"") "1");
	assert_line(SERIES("bucket", ",le=\"0.000002048\"") "3");
	assert_line(SERIES("bucket", ",le=\"17.179869184\"") "3");
	assert_line(SERIES("bucket", ",le=\"+Inf\"") "7");
	assert_line(SERIES("count", "") "7");
	assert_line(SERIES("sum", "") "1.234567890");
}

static void only_what_there_is_has_samples(void **state)
{
	(void)state;
	s.ports[1].shed[0] = 9;
	write_as(OPENMETRICS_1);
	assert_line("gateau_bandwidth_bytes_per_second{port=\"wan\"} 1000");
	assert_no("gateau_bandwidth_bytes_per_second{port=\"lan\"}");
	assert_line("gateau_share_active_queues{port=\"wan\",queue=\"1\"} 0");
	assert_no("gateau_share_active_queues{port=\"lan\"");
	assert_line("gateau_shed_packets_total{port=\"wan\",tin=\"Best Effort\"} 9");
	assert_no("reason=\"classified\"");
}

/** Series that begin with @prefix. */
static unsigned count_series(const char *prefix)
{
	unsigned n = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n') + 1)
		n += !strncmp(line, prefix, strlen(prefix));
	return n;
}

/* docs/operations.md says how many there are, so that nobody is surprised by a bill. */
static void there_are_as_many_series_as_documented(void **state)
{
	const unsigned tins = QUEUES * TINS, shares = 2, ports = 2;

	(void)state;
	write_as(OPENMETRICS_1);
	/* 18 numbers, 3 states of flows, 26 buckets, sum and count: 49 of each tin */
	assert_int_equal(count_series("gateau_tin_") + count_series("gateau_sojourn_"), 49 * tins);
	assert_int_equal(count_series("gateau_share_"), 5 * shares);
	/* what a frame is dropped for before it reaches a queue, and what it may not be told by */
	assert_int_equal(count_series("gateau_dropped_"), WORKER_DROPS * ports + 7 * QUEUES);
	assert_int_equal(count_series("gateau_unclassified_"),
			 (PACKET_UNCLASSIFIED_REASONS - 1) * ports);
	assert_int_equal(count_series("gateau_lcore_"), 11);
}

/** Every family has a name of its own, its help and its type, and its unit at the end of the name.
 */
static void the_table_is_sound(void **state)
{
	(void)state;
	for (const struct family *f = openmetrics_families; f->name; f++) {
		const size_t len = strlen(f->name), unit = f->unit ? strlen(f->unit) : 0;

		assert_true(f->help && f->help[strlen(f->help) - 1] == '.');
		assert_true(!f->unit || (len > unit && f->name[len - unit - 1] == '_' &&
					 !strcmp(f->name + len - unit, f->unit)));
		assert_true((f->scope == SCOPE_OTHERS) == (f->write != NULL));
		assert_true(f->write || f->width == 1 || f->width == 4 || f->width == 8);
		for (const struct family *g = openmetrics_families; g != f; g++)
			assert_string_not_equal(f->name, g->name);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_snapshot, free_text)
	const struct CMUnitTest tests[] = {
		TEST(openmetrics_has_units_and_an_end),
		TEST(the_older_format_names_samples),
		TEST(labels_are_escaped),
		TEST(a_label_that_is_too_long_is_cut),
		TEST(units_are_exact_decimals),
		TEST(drops_before_a_queue_are_not_counted_twice),
		TEST(buckets_are_cumulative_and_end_with_all),
		TEST(only_what_there_is_has_samples),
		TEST(there_are_as_many_series_as_documented),
		TEST(the_table_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

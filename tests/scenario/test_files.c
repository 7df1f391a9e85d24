/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenario files: parameters, and what is wrong with a file and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Before cmocka, which has a macro expect_value(). */
#include "scenario.h"

#include <cmocka.h>

#include "scratch.h"

/* A file that is right, line by line; @extra is line 4. */
#define FILE_WITH(extra)                                                         \
	"{\n"                                                                    \
	"\"scenario\": \"x\", \"claim\": \"y\", \"duration\": \"10ms\",\n"       \
	"\"scheduler\": {\"bandwidth\": \"1gbit\"},\n" extra "\n"                \
	"\"senders\": [{\"name\": \"all\", \"load\": \"80%\"}],\n"               \
	"\"expect\": [{\"of\": \"port\", \"metric\": \"use\", \"min\": 79.5}]\n" \
	"}\n"

static struct scenario_file file;
static struct scenario run;
static struct config_error err;

/* Returns whether it is read and the first run of it made. */
static bool is_read(const char *text, bool brief, json_t *values)
{
	FILE *f = fopen(scratch_path, "w");
	bool good;

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	err.text[0] = 0;
	if (scenario_load(scratch_path, brief, values, -1, &file, &err))
		return false;
	good = !scenario_parse(&file, &run, &err);
	if (!good)
		scenario_close(&file);
	return good;
}

static void a_file_is_read(void **state)
{
	(void)state;
	assert_true(
		is_read(FILE_WITH("\"box\": {\"queues\": 4, \"share\": \"equal\"},"), false, NULL));
	assert_string_equal(run.name, "x");
	assert_int_equal(run.world.duration, 10000000);
	assert_int_equal(run.world.queues, 4);
	assert_int_equal(run.world.share, SHARE_EQUAL);
	assert_int_equal(run.world.cake.bandwidth_bps, 1000000000);
	assert_int_equal(run.n_senders, 1);
	assert_true(run.expects[0].min == 79.5);
	assert_string_equal(run.phases[0].name, "all");
	scenario_close(&file);
}

#define SWEEP                                                                    \
	"\"params\": {\"a\": [1, 2], \"b\": [3, 4, 5]}, \"short\": {\"a\": 6}, " \
	"\"seed\": \"$a\", \"box\": {\"queues\": \"$b\"},"

static unsigned count_runs(bool brief, json_t *values, unsigned *last_seed)
{
	unsigned n = 0;

	assert_true(is_read(FILE_WITH(SWEEP), brief, values));
	for (; !file.sweep.over; sweep_step(&file.sweep), n++)
		assert_int_equal(scenario_parse(&file, &run, &err), 0);
	*last_seed = run.world.seed;
	scenario_close(&file);
	return n;
}

static void each_combination_of_parameters_is_a_run(void **state)
{
	json_t *values = json_pack("{s:[i,i]}", "b", 7, 8);
	unsigned seed;

	(void)state;
	assert_int_equal(count_runs(false, NULL, &seed), 6);
	assert_int_equal(seed, 2);
	assert_int_equal(run.world.queues, 5);
	assert_int_equal(count_runs(true, NULL, &seed), 3);
	assert_int_equal(seed, 6);
	assert_int_equal(count_runs(false, values, &seed), 4);
	assert_int_equal(run.world.queues, 8);
	json_decref(values);
}

static void a_value_stands_within_a_text(void **state)
{
	(void)state;
	assert_true(is_read(FILE_WITH("\"params\": {\"n\": 250}, \"phases\": [{\"name\": \"p\", "
				      "\"until\": \"${n}us\"}],"),
			    false, NULL));
	assert_int_equal(run.phases[1].until, 250000);
	scenario_close(&file);
}

static void faults_name_file_line_and_key(void **state)
{
	static const struct {
		const char *extra, *where, *what;
	} faults[] = {
		{"\"bx\": {},", ":4: bx", "unknown key"},
		{"\"box\": {\"queues\": 65},", ":4: box.queues", "65"},
		{"\"box\": {\"share\": \"fair\"},", ":4: box.share", "demand"},
		{"\"box\": {\"queues\": \"$q\"},", ":4: box.queues", "no parameter \"q\""},
		{"\"seed\": \"${s}\",", ":4: seed", "no parameter \"s\""},
		{"\"short\": {\"q\": 1},", ":4: short", "no parameter \"q\""},
		{"\"params\": {\"q\": []},", ":4: params", "no value"},
		{"\"params\": 3,", ":4: params", "object"},
		{"\"cost\": {\"parse\": -1},", ":4: cost.parse", "-1"},
		{"\"stalls\": [{\"at\": \"1ms\"}],", ":4: stalls[0].for", "missing"},
		{"\"phases\": [{\"name\": \"p\", \"until\": \"20ms\"}],", ":4: phases", "\"p\""},
		{"\"tcp\": [{\"name\": \"t\"}],", ":4: tcp", "\"ports\": 2"},
		{"\"probes\": [{\"name\": \"p\"}],", ":4: probes", "\"ports\": 2"},
		{"\"tcp\": [{\"name\": \"t\", \"algorithm\": \"bbr\"}],", ":4: tcp[0].algorithm",
		 "cubic"},
		{"\"probes\": [{\"name\": \"p\", \"size\": 59}],", ":4: probes[0].size", "59"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		char text[1024] = FILE_WITH("@");
		char *at = strchr(text, '@'), rest[512];

		strcpy(rest, at + 1);
		strcpy(at, faults[i].extra);
		strcat(text, rest);
		assert_false(is_read(text, true, NULL));
		assert_non_null(strstr(err.text, faults[i].where));
		assert_non_null(strstr(err.text, faults[i].what));
	}
}

/* With its senders and expectations on lines 1 and 2. */
static void faults_of_senders_and_expectations_are_seen(void **state)
{
	static const struct {
		const char *sender, *expect, *fault;
	} faults[] = {
		{"\"load\": \"1%\", \"interval\": \"1ms\"", "", ":1: senders[0]: give one of"},
		{"\"flows\": 3", "", ":1: senders[0]: give one of"},
		{"\"load\": \"fast\"", "", ":1: senders[0].load"},
		{"\"load\": \"1%\", \"on\": \"1ms\"", "", ":1: senders[0]: on and off"},
		{"\"load\": \"1%\", \"hosts\": 2", "", ":1: senders[0]: more hosts"},
		{"\"load\": \"1%\", \"port\": 1", "", ":1: senders[0]: there is no such port"},
		{"\"window\": 4, \"burst\": 2", "", ":1: senders[0]: a window"},
		{"\"load\": \"1%\"", "\"metric\": \"speed\"", ":2: expect[0].metric: no such"},
		{"\"load\": \"1%\"", "\"metric\": \"use\", \"max\": \"9\"", ":2: expect[0].max"},
		{"\"load\": \"1%\"", "\"metrc\": \"use\"", ":2: expect[0].metrc: unknown key"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "{\"senders\": [{\"name\": \"a\", %s}], \"scenario\": \"x\", "
			 "\"claim\": \"y\", \"duration\": \"1ms\",\n"
			 "\"expect\": [{\"of\": \"port\", %s}],\n"
			 "\"scheduler\": {\"bandwidth\": \"1gbit\"}}",
			 faults[i].sender,
			 *faults[i].expect ? faults[i].expect : "\"metric\": \"use\"");
		assert_false(is_read(text, false, NULL));
		assert_non_null(strstr(err.text, faults[i].fault));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(each_combination_of_parameters_is_a_run),
		cmocka_unit_test(a_value_stands_within_a_text),
		cmocka_unit_test(faults_name_file_line_and_key),
		cmocka_unit_test(faults_of_senders_and_expectations_are_seen),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}

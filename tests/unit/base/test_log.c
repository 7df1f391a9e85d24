/* SPDX-License-Identifier: BSD-3-Clause */
/* What lines look like on a terminal and in the journal: standard error is a file here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/log_limit.h"

static int terminal, file;

/** Standard error goes to a file from now on. */
static int redirect(void **state)
{
	char path[] = "/tmp/gateau-log-XXXXXX";

	(void)state;
	file = mkstemp(path);
	terminal = dup(STDERR_FILENO);
	if (file < 0 || terminal < 0)
		return -1;
	unlink(path);
	unsetenv("JOURNAL_STREAM");
	return dup2(file, STDERR_FILENO) < 0;
}

static int restore(void **state)
{
	(void)state;
	log_limit(false);
	unsetenv("JOURNAL_STREAM");
	dup2(terminal, STDERR_FILENO);
	close(terminal);
	return close(file);
}

static void assert_written(const char *want)
{
	static char got[1 << 16];
	ssize_t n = pread(file, got, sizeof(got) - 1, 0);

	assert_true(n >= 0);
	got[n] = '\0';
	assert_string_equal(got, want);
}

/** As the service manager says it: the device and the inode of the stream. */
static void say_that_it_is_the_journal(unsigned wrong)
{
	char text[64];
	struct stat st;

	assert_int_equal(fstat(file, &st), 0);
	snprintf(text, sizeof(text), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino + wrong);
	setenv("JOURNAL_STREAM", text, 1);
}

static void say_one_of_each(void)
{
	log_set_name("gateaud");
	log_error("no %s", "luck");
	log_warning("%d left", 3);
	log_info("running");
	log_foreign(LOG_NOTICE, &file, "EAL: something");
}

#define PLAIN                        \
	"gateaud: no luck\n"         \
	"gateaud: warning: 3 left\n" \
	"gateaud: running\n"         \
	"EAL: something\n"

static void on_a_terminal_lines_have_the_name(void **state)
{
	(void)state;
	say_one_of_each();
	assert_written(PLAIN);
}

static void in_the_journal_they_have_a_priority(void **state)
{
	(void)state;
	say_that_it_is_the_journal(0);
	say_one_of_each();
	assert_written("<3>no luck\n<4>warning: 3 left\n<6>running\n<5>EAL: something\n");
}

/* gateaud 2>FILE, in a unit or in a shell that has inherited the variable */
static void another_file_is_not_the_journal(void **state)
{
	(void)state;
	say_that_it_is_the_journal(1);
	say_one_of_each();
	setenv("JOURNAL_STREAM", "garbage", 1);
	say_one_of_each();
	assert_written(PLAIN PLAIN);
}

static void log_repeatedly(unsigned n)
{
	for (unsigned i = 1; i <= n; i++)
		log_info("%u", i);
}

static void nothing_is_hidden_before_the_limit_is_on(void **state)
{
	(void)state;
	log_set_name("g");
	log_repeatedly(12);
	assert_written(
		"g: 1\ng: 2\ng: 3\ng: 4\ng: 5\ng: 6\ng: 7\ng: 8\ng: 9\ng: 10\ng: 11\ng: 12\n");
}

static void what_was_hidden_is_said_when_the_limit_goes(void **state)
{
	(void)state;
	log_set_name("g");
	log_limit(true);
	log_repeatedly(15);
	log_tick();
	assert_written("g: 1\ng: 2\ng: 3\ng: 4\ng: 5\ng: 6\ng: 7\ng: 8\ng: 9\ng: 10\n");
	log_limit(false);
	assert_written("g: 1\ng: 2\ng: 3\ng: 4\ng: 5\ng: 6\ng: 7\ng: 8\ng: 9\ng: 10\n"
		       "g: 15 (and 4 more like this, not shown)\n");
}

static void a_single_hidden_one_is_said_as_it_is(void **state)
{
	(void)state;
	log_set_name("g");
	log_limit(true);
	log_repeatedly(11);
	log_limit(false);
	assert_written("g: 1\ng: 2\ng: 3\ng: 4\ng: 5\ng: 6\ng: 7\ng: 8\ng: 9\ng: 10\ng: 11\n");
}

/* 1,023 characters, as the longest line of a start has them, and the newline. */
static void a_line_is_bounded(void **state)
{
	static char text[4000], want[1024 + 1] = "g: ";

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	memset(want + 3, 'x', 1020);
	want[1023] = '\n';
	log_set_name("g");
	log_info("%s", text);
	assert_written(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(on_a_terminal_lines_have_the_name, redirect,
						restore),
		cmocka_unit_test_setup_teardown(in_the_journal_they_have_a_priority, redirect,
						restore),
		cmocka_unit_test_setup_teardown(another_file_is_not_the_journal, redirect, restore),
		cmocka_unit_test_setup_teardown(nothing_is_hidden_before_the_limit_is_on, redirect,
						restore),
		cmocka_unit_test_setup_teardown(what_was_hidden_is_said_when_the_limit_goes,
						redirect, restore),
		cmocka_unit_test_setup_teardown(a_single_hidden_one_is_said_as_it_is, redirect,
						restore),
		cmocka_unit_test_setup_teardown(a_line_is_bounded, redirect, restore),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

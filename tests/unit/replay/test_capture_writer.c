/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written is read back by capture.c; what cannot be written is said. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "replay/capture_writer.h"
#include "scratch.h"

static struct capture_writer *create(const char *name)
{
	struct capture_writer *w = NULL;
	char err[256];

	if (capture_writer_open(&w, name, 160, err, sizeof(err)))
		fail_msg("%s", err);
	return w;
}

static void nanoseconds_lengths_and_bytes_are_kept(void **state)
{
	uint8_t bytes[] = {1, 2, 3, 4, 5};
	const struct capture_packet frames[] = {
		{.time_ns = 1700000000123456789, .data = bytes, .captured = 5, .len = 1514},
		{.time_ns = 1700000000123456788, .data = bytes + 1, .captured = 4, .len = 4},
		{.time_ns = 0, .data = bytes, .captured = 0, .len = CAPTURE_LEN_MAX},
	};
	struct capture_writer *w = create(scratch_path);
	struct capture_packet got;
	struct capture *c;
	char err[256];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(capture_writer_frame(w, &frames[i]), 0);
	assert_int_equal(capture_writer_flush(w), 0);
	assert_string_equal(capture_writer_error(w), "");
	capture_writer_close(w);

	assert_int_equal(capture_open(&c, scratch_path, err, sizeof(err)), 0);
	assert_int_equal(capture_snap_length(c), 160);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(capture_next(c, &got), 1);
		assert_int_equal(got.time_ns, frames[i].time_ns);
		assert_int_equal(got.captured, frames[i].captured);
		assert_int_equal(got.len, frames[i].len);
		assert_memory_equal(got.data, frames[i].data, got.captured);
	}
	assert_int_equal(capture_next(c, &got), 0);
	capture_close(c);
}

static void a_file_that_cannot_be_created_is_said(void **state)
{
	struct capture_writer *w;
	char err[256];

	(void)state;
	assert_int_equal(capture_writer_open(&w, P_tmpdir, 160, err, sizeof(err)), -EISDIR);
	assert_string_equal(err, P_tmpdir ": Is a directory");
}

static void a_full_disk_is_said(void **state)
{
	struct capture_writer *w = create("/dev/full");
	uint8_t byte = 0;
	int rc = 0;

	(void)state;
	assert_int_equal(capture_writer_flush(w), -EIO); /* the file's header */
	assert_string_equal(capture_writer_error(w), "/dev/full: No space left on device");
	/* Also without asking: a buffer holds less than 100,000 frames. */
	for (unsigned i = 0; !rc && i < 100000; i++)
		rc = capture_writer_frame(
			w, &(struct capture_packet){.data = &byte, .captured = 1, .len = 60});
	assert_int_equal(rc, -EIO);
	capture_writer_close(w);
}

/* 2^31 - 1 s is 2038-01-19; what is later would be read as before 1970. */
static void times_beyond_2038_are_refused(void **state)
{
	struct capture_writer *w = create(scratch_path);
	struct capture_packet frame = {.len = 60, .data = (uint8_t[1]){0}};

	(void)state;
	frame.time_ns = (uint64_t)INT32_MAX * 1000000000 + 999999999;
	assert_int_equal(capture_writer_frame(w, &frame), 0);
	frame.time_ns++;
	assert_int_equal(capture_writer_frame(w, &frame), -EOVERFLOW);
	assert_non_null(strstr(capture_writer_error(w), "2038"));
	capture_writer_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nanoseconds_lengths_and_bytes_are_kept),
		cmocka_unit_test(a_file_that_cannot_be_created_is_said),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(times_beyond_2038_are_refused),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}

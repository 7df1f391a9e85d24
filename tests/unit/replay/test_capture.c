/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of every form that can be read, written out by hand, and those that must be refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "replay/capture.h"

#define SEC  1700000000ull /* 0x6553f100 */
#define NSEC 123456789ull  /* 0x075bcd15; in microseconds 123,456 = 0x1e240 */

/* clang-format off */
#define DATA     1, 2, 3, 4
#define DATA_LEN 4
#define WIRE_LEN 60 /* only the first bytes of the frame were captured */

#define LE32(a, b, c, d) d, c, b, a
/* magic, version 2.4, zone, accuracy, longest frame, link type 1 = Ethernet */
#define PCAP_REST 2, 0, 4, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 4, 0,  1, 0, 0, 0
#define RECORD_LENS DATA_LEN, 0, 0, 0,  WIRE_LEN, 0, 0, 0

static const uint8_t pcap_header[] = {0x4d, 0x3c, 0xb2, 0xa1, PCAP_REST};

static const uint8_t pcap_ns[] = {
	0x4d, 0x3c, 0xb2, 0xa1, PCAP_REST,
	LE32(0x65, 0x53, 0xf1, 0x00), LE32(0x07, 0x5b, 0xcd, 0x15), RECORD_LENS, DATA,
	LE32(0x65, 0x53, 0xf1, 0x01), LE32(0, 0, 0, 1), RECORD_LENS, DATA,
};

static const uint8_t pcap_us[] = {
	0xd4, 0xc3, 0xb2, 0xa1, PCAP_REST,
	LE32(0x65, 0x53, 0xf1, 0x00), LE32(0x00, 0x01, 0xe2, 0x40), RECORD_LENS, DATA,
};

/* The same by a big-endian machine. */
static const uint8_t pcap_us_swapped[] = {
	0xa1, 0xb2, 0xc3, 0xd4,  0, 2, 0, 4,  0, 0, 0, 0,  0, 0, 0, 0,  0, 4, 0, 0,  0, 0, 0, 1,
	0x65, 0x53, 0xf1, 0x00,  0x00, 0x01, 0xe2, 0x40,  0, 0, 0, DATA_LEN,  0, 0, 0, WIRE_LEN,
	DATA,
};

/* Section header; interface with a resolution of 10^-9 s; one enhanced packet. The time is
 * SEC * 10^9 + NSEC = 0x17979cfe3d85cd15. */
static const uint8_t pcapng[] = {
	0x0a, 0x0d, 0x0d, 0x0a,  28, 0, 0, 0,  0x4d, 0x3c, 0x2b, 0x1a,  1, 0, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  28, 0, 0, 0,
	1, 0, 0, 0,  32, 0, 0, 0,  1, 0, 0, 0,  0, 0, 4, 0,  9, 0, 1, 0, 9, 0, 0, 0,  0, 0, 0, 0,
	32, 0, 0, 0,
	6, 0, 0, 0,  36, 0, 0, 0,  0, 0, 0, 0,
	LE32(0x17, 0x97, 0x9c, 0xfe), LE32(0x3d, 0x85, 0xcd, 0x15), RECORD_LENS, DATA,  36, 0, 0, 0,
};
/* clang-format on */

static char path[] = P_tmpdir "/test_capture.XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_plain(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void write_gzipped(const uint8_t *bytes, unsigned n)
{
	gzFile gz = gzopen(path, "w");

	assert_non_null(gz);
	assert_int_equal(gzwrite(gz, bytes, n), n);
	assert_int_equal(gzclose(gz), Z_OK);
}

static struct capture *open_ok(void)
{
	struct capture *c = NULL;
	char err[256] = "";

	if (capture_open(&c, path, err, sizeof(err)))
		fail_msg("%s", err);
	return c;
}

static void expect_packet(struct capture *c, uint64_t time_ns)
{
	static const uint8_t data[] = {DATA};
	struct capture_packet p;

	assert_int_equal(capture_next(c, &p), 1);
	assert_int_equal(p.time_ns, time_ns);
	assert_int_equal(p.captured, DATA_LEN);
	assert_int_equal(p.len, WIRE_LEN);
	assert_memory_equal(p.data, data, DATA_LEN);
}

static void expect_end(struct capture *c)
{
	struct capture_packet p;

	assert_int_equal(capture_next(c, &p), 0);
	capture_close(c);
}

/* The file can be opened, holds @whole sound frames, and then something said to be wrong. */
static void expect_damaged(unsigned whole, const char *why)
{
	struct capture *c = open_ok();
	struct capture_packet p;

	while (whole--)
		assert_int_equal(capture_next(c, &p), 1);
	assert_int_equal(capture_next(c, &p), -EBADMSG);
	assert_memory_equal(capture_error(c), path, strlen(path));
	if (!strstr(capture_error(c), why))
		fail_msg("\"%s\" does not say \"%s\"", capture_error(c), why);
	capture_close(c);
}

static void expect_refused(const char *name, int error, const char *why)
{
	struct capture *c;
	char err[512] = "";

	assert_int_equal(capture_open(&c, name, err, sizeof(err)), error);
	assert_memory_equal(err, name, strlen(name));
	if (!strstr(err, why))
		fail_msg("\"%s\" does not say \"%s\"", err, why);
}

static void nanoseconds_are_kept(void **state)
{
	struct capture *c;

	(void)state;
	write_plain(pcap_ns, sizeof(pcap_ns));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC);
	expect_packet(c, (SEC + 1) * 1000000000 + 1);
	expect_end(c);
}

static void microseconds_are_scaled_in_either_byte_order(void **state)
{
	struct capture *c;

	(void)state;
	write_plain(pcap_us, sizeof(pcap_us));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC / 1000 * 1000);
	expect_end(c);

	write_plain(pcap_us_swapped, sizeof(pcap_us_swapped));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC / 1000 * 1000);
	expect_end(c);
}

static void pcapng_is_read(void **state)
{
	struct capture *c;

	(void)state;
	write_plain(pcapng, sizeof(pcapng));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC);
	expect_end(c);
}

static void gzipped_captures_are_read(void **state)
{
	struct capture *c;

	(void)state;
	write_gzipped(pcap_ns, sizeof(pcap_ns));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC);
	expect_packet(c, (SEC + 1) * 1000000000 + 1);
	expect_end(c);

	write_gzipped(pcapng, sizeof(pcapng));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC);
	expect_end(c);
}

static void a_capture_of_no_frames_has_none(void **state)
{
	(void)state;
	write_plain(pcap_header, sizeof(pcap_header));
	expect_end(open_ok());
	write_gzipped(pcap_header, sizeof(pcap_header));
	expect_end(open_ok());
}

static void a_files_bytes_may_be_changed(void **state)
{
	struct capture_packet p;
	struct capture *c;

	(void)state;
	write_plain(pcap_ns, sizeof(pcap_ns));
	c = open_ok();
	assert_int_equal(capture_next(c, &p), 1);
	memset(p.data, 0xff, p.captured);
	expect_packet(c, (SEC + 1) * 1000000000 + 1);
	expect_end(c);
}

static void what_is_no_capture_is_refused(void **state)
{
	static const uint8_t text[] = "{\"scheduler\": {\"bandwidth\": \"10mbit\"}}";

	(void)state;
	write_plain(text, sizeof(text));
	expect_refused(path, -EINVAL, "not a capture");
	write_plain(text, 0);
	expect_refused(path, -EINVAL, "not a capture");
	write_plain(pcap_header, sizeof(pcap_header) - 1);
	expect_refused(path, -EINVAL, "not a capture");
	expect_refused(P_tmpdir, -EINVAL, "not a capture");
}

static void a_file_that_is_not_there_is_refused(void **state)
{
	(void)state;
	expect_refused("no-such.pcap", -ENOENT, "No such file");
}

/* 101 = LINKTYPE_RAW, IP without a link header. */
static void other_links_than_ethernet_are_refused(void **state)
{
	uint8_t raw[sizeof(pcap_header)];

	(void)state;
	memcpy(raw, pcap_header, sizeof(raw));
	raw[20] = 101;
	write_plain(raw, sizeof(raw));
	expect_refused(path, -EPROTONOSUPPORT, "link type RAW");
}

/* A file cut inside its second frame, 24 + 20 bytes in, at every byte of it. */
static void a_capture_cut_short_is_damaged(void **state)
{
	(void)state;
	for (size_t n = 24 + 20 + 1; n < sizeof(pcap_ns); n++) {
		write_plain(pcap_ns, n);
		expect_damaged(1, "truncated");
	}
}

/* The last 8 bytes of a gzip file are checksum and length (RFC 1952). */
static void a_gzip_file_cut_short_is_damaged(void **state)
{
	struct capture *c;
	struct capture_packet p;
	FILE *f;
	int rc;

	(void)state;
	write_gzipped(pcap_ns, sizeof(pcap_ns));
	f = fopen(path, "r+");
	assert_non_null(f);
	assert_int_equal(fseek(f, -8, SEEK_END), 0);
	assert_int_equal(ftruncate(fileno(f), ftell(f)), 0);
	assert_int_equal(fclose(f), 0);

	c = open_ok();
	while ((rc = capture_next(c, &p)) == 1)
		;
	assert_int_equal(rc, -EBADMSG);
	capture_close(c);
}

static void more_bytes_than_were_on_the_wire_are_damage(void **state)
{
	uint8_t bytes[sizeof(pcap_ns)];

	(void)state;
	memcpy(bytes, pcap_ns, sizeof(bytes));
	bytes[24 + 12] = DATA_LEN - 1;
	write_plain(bytes, sizeof(bytes));
	expect_damaged(0, "more bytes");
}

/* WIRE_LEN is in bytes 12 to 15 of a frame's header, which stands behind the file's 24 bytes. */
static void write_with_wire_length(uint32_t len)
{
	uint8_t bytes[sizeof(pcap_ns)];

	memcpy(bytes, pcap_ns, sizeof(bytes));
	for (unsigned i = 0; i < 4; i++)
		bytes[24 + 12 + i] = len >> 8 * i;
	write_plain(bytes, sizeof(bytes));
}

static void frames_no_link_carries_are_damage(void **state)
{
	struct capture_packet p;
	struct capture *c;

	(void)state;
	write_with_wire_length(CAPTURE_LEN_MAX);
	c = open_ok();
	assert_int_equal(capture_next(c, &p), 1);
	assert_int_equal(p.len, CAPTURE_LEN_MAX);
	capture_close(c);

	write_with_wire_length(CAPTURE_LEN_MAX + 1);
	expect_damaged(0, "longer than");
	write_with_wire_length(UINT32_MAX);
	expect_damaged(0, "longer than");
}

/* A file's 32 bits of seconds are signed to libpcap. */
static void times_before_1970_are_damage(void **state)
{
	uint8_t bytes[sizeof(pcap_ns)];

	(void)state;
	memcpy(bytes, pcap_ns, sizeof(bytes));
	bytes[24 + 3] |= 0x80;
	write_plain(bytes, sizeof(bytes));
	expect_damaged(0, "before 1970");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nanoseconds_are_kept),
		cmocka_unit_test(microseconds_are_scaled_in_either_byte_order),
		cmocka_unit_test(pcapng_is_read),
		cmocka_unit_test(gzipped_captures_are_read),
		cmocka_unit_test(a_capture_of_no_frames_has_none),
		cmocka_unit_test(a_files_bytes_may_be_changed),
		cmocka_unit_test(what_is_no_capture_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_refused),
		cmocka_unit_test(other_links_than_ethernet_are_refused),
		cmocka_unit_test(a_capture_cut_short_is_damaged),
		cmocka_unit_test(a_gzip_file_cut_short_is_damaged),
		cmocka_unit_test(more_bytes_than_were_on_the_wire_are_damage),
		cmocka_unit_test(frames_no_link_carries_are_damage),
		cmocka_unit_test(times_before_1970_are_damage),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}

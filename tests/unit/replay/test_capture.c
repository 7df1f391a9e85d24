/* SPDX-License-Identifier: BSD-3-Clause */
/* Captures of every form that can be read, written out by hand, and those that must be refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "replay/capture.h"
#include "scratch.h"

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

#define NG_SECTION                                                                                 \
	0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, \
		0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0
#define NG_INTERFACE(link) 1, 0, 0, 0, 20, 0, 0, 0, link, 0, 0, 0, 0, 0, 4, 0, 20, 0, 0, 0

/* Three interfaces: microseconds, as without an option; 2^-10 s (0x8a); milliseconds (3) that count
 * from 1,000 s. A packet of each: SEC s and 1 us (SEC * 10^6 + 1 = 0x60a24181e4001),
 * SEC s and 1/1,024 (SEC * 1,024 + 1 = 0x1954fc40001), SEC s and 1 ms
 * ((SEC - 1,000) * 10^3 + 1 = 0x18bcfd625c1). */
static const uint8_t pcapng_resolutions[] = {
	NG_SECTION,
	NG_INTERFACE(1),
	1, 0, 0, 0,  32, 0, 0, 0,  1, 0, 0, 0,  0, 0, 4, 0,  9, 0, 1, 0, 0x8a, 0, 0, 0,  0, 0, 0, 0,
	32, 0, 0, 0,
	1, 0, 0, 0,  44, 0, 0, 0,  1, 0, 0, 0,  0, 0, 4, 0,  9, 0, 1, 0, 3, 0, 0, 0,
	14, 0, 8, 0, 0xe8, 3, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0,  44, 0, 0, 0,
	6, 0, 0, 0,  36, 0, 0, 0,  0, 0, 0, 0,
	LE32(0, 0x06, 0x0a, 0x24), LE32(0x18, 0x1e, 0x40, 0x01), RECORD_LENS, DATA,  36, 0, 0, 0,
	6, 0, 0, 0,  36, 0, 0, 0,  1, 0, 0, 0,
	LE32(0, 0, 0x01, 0x95), LE32(0x4f, 0xc4, 0x00, 0x01), RECORD_LENS, DATA,  36, 0, 0, 0,
	6, 0, 0, 0,  36, 0, 0, 0,  2, 0, 0, 0,
	LE32(0, 0, 0x01, 0x8b), LE32(0xcf, 0xd6, 0x25, 0xc1), RECORD_LENS, DATA,  36, 0, 0, 0,
};

/* By a big-endian machine: SEC s and 0x1e240 us. SEC * 10^6 + 123,456 = 0x60a2418202240. */
static const uint8_t pcapng_swapped[] = {
	0x0a, 0x0d, 0x0d, 0x0a,  0, 0, 0, 28,  0x1a, 0x2b, 0x3c, 0x4d,  0, 1, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,  0, 0, 0, 28,
	0, 0, 0, 1,  0, 0, 0, 20,  0, 1, 0, 0,  0, 4, 0, 0,  0, 0, 0, 20,
	0, 0, 0, 6,  0, 0, 0, 36,  0, 0, 0, 0,  0, 0x06, 0x0a, 0x24, 0x18, 0x20, 0x22, 0x40,
	0, 0, 0, DATA_LEN,  0, 0, 0, WIRE_LEN,  DATA,  0, 0, 0, 36,
};

/* The second interface is of link type 113, Linux's "cooked" capture. */
static const uint8_t pcapng_mixed[] = {NG_SECTION, NG_INTERFACE(1), NG_INTERFACE(113)};
/* clang-format on */

static void write_plain(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(scratch_path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void write_gzipped(const uint8_t *bytes, unsigned n)
{
	gzFile gz = gzopen(scratch_path, "w");

	assert_non_null(gz);
	assert_int_equal(gzwrite(gz, bytes, n), n);
	assert_int_equal(gzclose(gz), Z_OK);
}

static struct capture *open_ok(void)
{
	struct capture *c = NULL;
	char err[256] = "";

	if (capture_open(&c, scratch_path, err, sizeof(err)))
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
	assert_memory_equal(capture_error(c), scratch_path, strlen(scratch_path));
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

static void pcapng_of_either_byte_order_is_read(void **state)
{
	struct capture *c;

	(void)state;
	write_plain(pcapng_swapped, sizeof(pcapng_swapped));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + NSEC / 1000 * 1000);
	expect_end(c);
}

/* 1/1,024 s are 976,562.5 ns. */
static void each_interface_has_its_own_resolution_and_offset(void **state)
{
	struct capture *c;

	(void)state;
	write_plain(pcapng_resolutions, sizeof(pcapng_resolutions));
	c = open_ok();
	expect_packet(c, SEC * 1000000000 + 1000);
	expect_packet(c, SEC * 1000000000 + 976562);
	expect_packet(c, SEC * 1000000000 + 1000000);
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

/* The descriptor of standard input stays the caller's. */
static void a_dash_is_standard_input(void **state)
{
	int saved = dup(STDIN_FILENO);
	struct capture *c = NULL;
	char err[256] = "";

	(void)state;
	write_gzipped(pcap_ns, sizeof(pcap_ns));
	assert_non_null(freopen(scratch_path, "r", stdin));
	assert_int_equal(capture_open(&c, "-", err, sizeof(err)), 0);
	expect_packet(c, SEC * 1000000000 + NSEC);
	expect_packet(c, (SEC + 1) * 1000000000 + 1);
	expect_end(c);
	assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1);

	assert_non_null(freopen("/dev/null", "r", stdin));
	assert_int_equal(capture_open(&c, "-", err, sizeof(err)), -EINVAL);
	assert_memory_equal(err, "standard input: not a capture", 29);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
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
	expect_refused(scratch_path, -EINVAL, "not a capture");
	write_plain(text, 0);
	expect_refused(scratch_path, -EINVAL, "not a capture");
	write_plain(pcap_header, sizeof(pcap_header) - 1);
	expect_refused(scratch_path, -EINVAL, "not a capture");
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
	expect_refused(scratch_path, -EPROTONOSUPPORT,
		       "link type RAW: only Ethernet captures can be read");
}

/* 113 = LINKTYPE_LINUX_SLL, 276 = LINKTYPE_LINUX_SLL2 */
static void captures_on_any_are_refused_with_advice(void **state)
{
	static const uint16_t links[] = {113, 276};
	uint8_t cooked[sizeof(pcap_header)];

	(void)state;
	memcpy(cooked, pcap_header, sizeof(cooked));
	for (unsigned i = 0; i < 2; i++) {
		cooked[20] = (uint8_t)links[i];
		cooked[21] = (uint8_t)(links[i] >> 8);
		write_plain(cooked, sizeof(cooked));
		expect_refused(scratch_path, -EPROTONOSUPPORT, "link type LINUX_SLL");
		expect_refused(scratch_path, -EPROTONOSUPPORT, "tcpdump -i eth0");
	}
}

static void one_interface_that_is_not_ethernet_is_refused(void **state)
{
	uint8_t bytes[sizeof(pcapng_mixed)];
	struct capture_packet p;
	struct capture *c;

	(void)state;
	write_plain(pcapng_mixed, sizeof(pcapng_mixed));
	c = open_ok();
	assert_int_equal(capture_next(c, &p), -EPROTONOSUPPORT);
	assert_non_null(strstr(capture_error(c), "only Ethernet captures can be read"));
	capture_close(c);

	/*
	 * The same the other way round: 28 bytes of section, link types 8 bytes into blocks of 20.
	 */
	memcpy(bytes, pcapng_mixed, sizeof(bytes));
	bytes[28 + 8] = 113;
	bytes[28 + 20 + 8] = 1;
	write_plain(bytes, sizeof(bytes));
	expect_refused(scratch_path, -EPROTONOSUPPORT, "link type LINUX_SLL");
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

/* Many frames, told apart by their times. */
#define MANY_FRAMES 200
#define MANY_LEN    (24 + MANY_FRAMES * (16 + DATA_LEN))

static void make_many(uint8_t *bytes)
{
	static const uint8_t lens[] = {RECORD_LENS, DATA};

	memcpy(bytes, pcap_header, sizeof(pcap_header));
	for (unsigned i = 0; i < MANY_FRAMES; i++) {
		uint8_t *record = bytes + 24 + i * (16 + DATA_LEN);

		memset(record, 0, 8);
		record[0] = (uint8_t)i;
		record[4] = (uint8_t)(i * 151); /* hard to compress */
		memcpy(record + 8, lens, sizeof(lens));
	}
}

/* How many bytes come out of the first @n of a gzip file, by zlib alone; the stream must be sound
 * that far. */
static size_t inflated_len(uint8_t *gz, unsigned n)
{
	static uint8_t out[MANY_LEN + 1];
	z_stream z = {.next_in = gz, .avail_in = n, .next_out = out, .avail_out = sizeof(out)};
	int rc;

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	rc = inflate(&z, Z_SYNC_FLUSH);
	assert_true(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
	inflateEnd(&z);
	return z.total_out;
}

static size_t read_file(uint8_t *bytes, size_t size)
{
	FILE *f = fopen(scratch_path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, size, f);
	fclose(f);
	return n;
}

/* Whatever could be unpacked is read; the checksum and length at the end (RFC 1952) count, too. */
static void a_gzip_file_cut_anywhere_is_read_as_far_as_it_goes(void **state)
{
	uint8_t bytes[MANY_LEN], gz[MANY_LEN];
	struct capture_packet p;
	struct capture *c;
	size_t len;

	(void)state;
	make_many(bytes);
	write_gzipped(bytes, sizeof(bytes));
	len = read_file(gz, sizeof(gz));
	assert_true(len < sizeof(gz));
	for (unsigned n = 18; n < len; n++) {
		size_t out = inflated_len(gz, n);

		write_plain(gz, n);
		if (out < 24) {
			expect_refused(scratch_path, -EINVAL, "not a capture");
			continue;
		}
		expect_damaged((unsigned)(out - 24) / (16 + DATA_LEN), "cannot be read beyond");
	}
	write_plain(gz, len);
	c = open_ok();
	for (unsigned i = 0; i < MANY_FRAMES; i++)
		assert_int_equal(capture_next(c, &p), 1);
	expect_end(c);
}

/* Blocks of 28, 32 and 36 bytes; at a block's end the file only has no more of them. */
static void a_pcapng_file_cut_inside_a_block_is_damaged(void **state)
{
	(void)state;
	for (size_t n = 1; n < 28 + 32; n++) {
		write_plain(pcapng, n);
		expect_refused(scratch_path, -EINVAL, "not a capture");
	}
	write_plain(pcapng, 28 + 32);
	expect_end(open_ok());
	for (size_t n = 28 + 32 + 1; n < sizeof(pcapng); n++) {
		write_plain(pcapng, n);
		expect_damaged(0, "cannot be read beyond frame 0: truncated");
	}
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

/* The second word of the first packet's time, in us, is in bytes 136 to 139: behind 28 bytes of
 * section, 96 of interfaces, 12 of the block. 2^63 ns are 0x20c49ba5e353f7 us. */
static void times_beyond_63_bits_of_ns_are_damage(void **state)
{
	uint8_t bytes[sizeof(pcapng_resolutions)];
	struct capture_packet p;
	struct capture *c;

	(void)state;
	memcpy(bytes, pcapng_resolutions, sizeof(bytes));
	memcpy(bytes + 136, (const uint8_t[]){0x9b, 0xc4, 0x20, 0}, 4);
	write_plain(bytes, sizeof(bytes));
	c = open_ok();
	assert_int_equal(capture_next(c, &p), 1);
	/* 0x20c49b << 32 us and the file's 0x181e4001 */
	assert_int_equal(p.time_ns, ((0x20c49bull << 32) + 0x181e4001) * 1000);
	capture_close(c);

	bytes[136]++;
	write_plain(bytes, sizeof(bytes));
	expect_damaged(0, "after 2262");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nanoseconds_are_kept),
		cmocka_unit_test(microseconds_are_scaled_in_either_byte_order),
		cmocka_unit_test(pcapng_is_read),
		cmocka_unit_test(pcapng_of_either_byte_order_is_read),
		cmocka_unit_test(each_interface_has_its_own_resolution_and_offset),
		cmocka_unit_test(a_dash_is_standard_input),
		cmocka_unit_test(gzipped_captures_are_read),
		cmocka_unit_test(a_capture_of_no_frames_has_none),
		cmocka_unit_test(a_files_bytes_may_be_changed),
		cmocka_unit_test(what_is_no_capture_is_refused),
		cmocka_unit_test(a_file_that_is_not_there_is_refused),
		cmocka_unit_test(other_links_than_ethernet_are_refused),
		cmocka_unit_test(captures_on_any_are_refused_with_advice),
		cmocka_unit_test(one_interface_that_is_not_ethernet_is_refused),
		cmocka_unit_test(a_capture_cut_short_is_damaged),
		cmocka_unit_test(a_gzip_file_cut_anywhere_is_read_as_far_as_it_goes),
		cmocka_unit_test(a_pcapng_file_cut_inside_a_block_is_damaged),
		cmocka_unit_test(more_bytes_than_were_on_the_wire_are_damage),
		cmocka_unit_test(frames_no_link_carries_are_damage),
		cmocka_unit_test(times_before_1970_are_damage),
		cmocka_unit_test(times_beyond_63_bits_of_ns_are_damage),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}

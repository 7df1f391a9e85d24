/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates and delays of what was sent, from departures written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/sent.h"

#define START 1000000000000ull
#define MS    1000000ull

static struct replay_sent sent;

static int none(void **state)
{
	(void)state;
	memset(&sent, 0, sizeof(sent));
	return 0;
}

static void send_frame(unsigned tin, uint32_t len, uint64_t enqueued, uint64_t now)
{
	struct cake_verdict v = {
		.enqueued_ns = enqueued, .len = len, .adj_len = len + 24, .tin = (uint8_t)tin};

	replay_sent_add(&sent, &v, now);
}

static void nothing_has_no_rate(void **state)
{
	(void)state;
	assert_int_equal(replay_sent_bytes(&sent).frames, 0);
	assert_int_equal(replay_sent_rate(&sent, 0), 0);
}

/* One frame lasts as long as nobody knows. */
static void one_frame_has_no_rate(void **state)
{
	(void)state;
	send_frame(0, 1250, START, START);
	assert_int_equal(replay_sent_bytes(&sent).frames, 0);
	assert_int_equal(replay_sent_rate(&sent, 1250), 0);
}

/* 1,250 bytes every 1 ms are 10 Mbit/s; with 24 bytes of overhead 1,274 bytes, 10.192 Mbit/s. */
static void frames_back_to_back_have_the_links_rate(void **state)
{
	struct replay_bytes bytes;

	(void)state;
	for (unsigned i = 0; i <= 100; i++)
		send_frame(1, 1250, START, START + i * MS);
	bytes = replay_sent_bytes(&sent);
	assert_int_equal(replay_sent_rate(&sent, bytes.frames), 10000000);
	assert_int_equal(replay_sent_rate(&sent, bytes.adjusted), 10192000);
}

/* Tin 0 has two of three frames: 5,000 bytes in 4 ms are 10 Mbit/s, of them 6 and 4. */
static void tins_add_up_to_the_whole(void **state)
{
	(void)state;
	send_frame(0, 1500, START, START);
	send_frame(2, 2000, START, START + 1 * MS);
	send_frame(0, 1500, START, START + 3 * MS);
	send_frame(2, 9999, START, START + 4 * MS);
	assert_int_equal(replay_sent_rate(&sent, sent.tins[0].bytes.frames), 6000000);
	assert_int_equal(replay_sent_rate(&sent, sent.tins[2].bytes.frames), 4000000);
	assert_int_equal(replay_sent_rate(&sent, replay_sent_bytes(&sent).frames), 10000000);
}

/* 2^44 bytes in an hour: the bits times 10^9 need 77 bits. 2^47 / 3600 = 39,093,746,765.4. */
static void large_numbers_do_not_overflow(void **state)
{
	(void)state;
	send_frame(0, 1, START, START);
	send_frame(0, 1, START, START + 3600 * 1000 * MS);
	assert_int_equal(replay_sent_rate(&sent, 1ull << 44), 39093746765);
}

static void delays_are_counted_by_tin(void **state)
{
	(void)state;
	send_frame(0, 100, START, START + 200);
	send_frame(3, 100, START, START + 7 * MS);
	send_frame(0, 100, START + 7 * MS, START + 7 * MS + 100);
	assert_int_equal(sent.tins[0].delay_ns.n, 2);
	assert_int_equal(sent.tins[0].delay_ns.min, 100);
	assert_int_equal(sent.tins[0].delay_ns.max, 200);
	assert_int_equal(sent.tins[3].delay_ns.n, 1);
	assert_int_equal(sent.tins[3].delay_ns.max, 7 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_has_no_rate, none),
		cmocka_unit_test_setup(one_frame_has_no_rate, none),
		cmocka_unit_test_setup(frames_back_to_back_have_the_links_rate, none),
		cmocka_unit_test_setup(tins_add_up_to_the_whole, none),
		cmocka_unit_test_setup(large_numbers_do_not_overflow, none),
		cmocka_unit_test_setup(delays_are_counted_by_tin, none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: test_replay GOLDEN-FOLDER
 *
 * The output capture against the decision log and the input: every frame sent, in order, at its
 * time, with the bytes that the wire would see. Which decisions are right is the golden suite's.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/replay.h"
#include "scratch.h"

#define ETHER_LEN 14
#define VLAN_LEN  4
#define TCP_LEN   32 /* in the capture with super-packets: 20 bytes and timestamps */
#define FIN_PSH   0x09

static const char *golden;
static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE};

/* One replay: its options, and what came of it. */
struct trial {
	char in_path[256];
	struct replay_options opt;
	struct replay_result *result;
	struct capture *in, *out;
	char *csv, *at; /* the log, and where reading it has come to */
};

/* What is compared of a row of the log. */
struct row {
	uint64_t idx, time_ns;
	unsigned seg, len;
	int ecn, dscp;
};

static struct capture *open_capture(const char *path)
{
	struct capture *c = NULL;
	char err[512];

	if (capture_open(&c, path, err, sizeof(err)))
		fail_msg("%s", err);
	return c;
}

static void trial_init(struct trial *t, const char *trace)
{
	memset(t, 0, sizeof(*t));
	snprintf(t->in_path, sizeof(t->in_path), "%s/traces/%s.pcap.gz", golden, trace);
	cake_params_default(&t->opt.params);
	t->opt.params.bandwidth_bps = 10000000;
	t->opt.rng = prng_xorshift32(1);
}

static void trial_run(struct trial *t)
{
	char err[512];
	size_t size;

	t->result = malloc(sizeof(*t->result));
	assert_non_null(t->result);
	packet_describer_init(&t->opt.describer, &t->opt.params, &hash);
	t->in = open_capture(t->in_path);
	t->opt.csv = open_memstream(&t->csv, &size);
	if (capture_writer_open(&t->opt.out, scratch_path, capture_snap_length(t->in), err,
				sizeof(err)))
		fail_msg("%s", err);
	assert_int_equal(replay_run(&t->opt, t->in, t->result), 0);
	capture_writer_close(t->opt.out);
	fclose(t->opt.csv);
	capture_close(t->in);

	t->in = open_capture(t->in_path);
	t->out = open_capture(scratch_path);
	t->at = t->csv;
	assert_int_equal(capture_snap_length(t->out), capture_snap_length(t->in));
}

static void trial_free(struct trial *t)
{
	capture_close(t->in);
	capture_close(t->out);
	free(t->csv);
	free(t->result);
}

/* The next row that says "sent"; false at the end. */
static bool next_sent(struct trial *t, struct row *row)
{
	while (*t->at) {
		char action[32];
		int fields = sscanf(t->at,
				    "%*u,%ju,%u,%*u,%*u,%31[a-z_],%ju,%*u,%*u,%*u,%*u,%u,%*u,%d,%d",
				    (uintmax_t *)&row->idx, &row->seg, action,
				    (uintmax_t *)&row->time_ns, &row->len, &row->ecn, &row->dscp);

		t->at = strchr(t->at, '\n') + 1;
		if (fields == 7 && !strcmp(action, "sent"))
			return true;
	}
	return false;
}

/* All frames of the input, for those are not sent in order. Their bytes are the list's. */
struct frames {
	size_t n;
	struct capture_packet *list;
};

static struct frames read_frames(struct capture *c)
{
	struct frames f = {0};
	struct capture_packet p;

	while (capture_next(c, &p) == 1) {
		f.list = reallocarray(f.list, f.n + 1, sizeof(*f.list));
		assert_non_null(f.list);
		p.data = memcpy(malloc(p.captured), p.data, p.captured);
		f.list[f.n++] = p;
	}
	return f;
}

static void free_frames(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].data);
	free(f->list);
}

static uint32_t be(const uint8_t *p, unsigned n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* RFC 1071, over all of the header; right is 0xffff. */
static unsigned header_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < (ip[0] & 15) * 4u; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Write DSCP and ECN as the log has them into the bytes of a frame. */
static void apply_ds(uint8_t *frame, const struct row *row)
{
	uint8_t *ip = frame + ETHER_LEN, ds;
	unsigned check;

	if (row->dscp < 0)
		return; /* no IP */
	ds = (uint8_t)(row->dscp << 2 | row->ecn);
	while (be(ip - 2, 2) == 0x8100 || be(ip - 2, 2) == 0x88a8)
		ip += VLAN_LEN;
	if (ip[0] >> 4 == 6) {
		ip[0] = 0x60 | ds >> 4;
		ip[1] = (uint8_t)(ds << 4) | (ip[1] & 0x0f);
		return;
	}
	ip[1] = ds;
	ip[10] = ip[11] = 0;
	check = ~header_sum(ip) & 0xffff;
	ip[10] = (uint8_t)(check >> 8);
	ip[11] = (uint8_t)check;
}

/* Returns how many frames left with another DS field than they came with. */
static unsigned assert_sent_as_logged(struct trial *t)
{
	struct frames in = read_frames(t->in);
	uint64_t sent = 0;
	unsigned changed = 0;
	struct capture_packet got;
	struct row row;

	while (next_sent(t, &row)) {
		struct capture_packet *want = &in.list[row.idx];

		assert_int_equal(capture_next(t->out, &got), 1);
		assert_int_equal(got.time_ns, in.list[0].time_ns + row.time_ns);
		assert_int_equal(got.len, want->len);
		assert_int_equal(got.captured, want->captured);
		if (memcmp(got.data, want->data, got.captured))
			changed++;
		apply_ds(want->data, &row);
		assert_memory_equal(got.data, want->data, got.captured);
		sent++;
	}
	assert_int_equal(capture_next(t->out, &got), 0);
	assert_int_equal(sent, t->result->stats.packets);
	assert_true(sent > 0);
	free_frames(&in);
	return changed;
}

static void frames_leave_at_their_times_with_their_bytes(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "0efa33c78d"); /* IPv4 and IPv6 */
	trial_run(&t);
	assert_int_equal(assert_sent_as_logged(&t), 0);
	trial_free(&t);
}

static void ce_is_set_in_the_bytes(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "aa2cfd46a8"); /* ECT(0) */
	trial_run(&t);
	assert_int_equal(assert_sent_as_logged(&t), t.result->stats.decisions[CAKE_SEND_CE]);
	assert_true(t.result->stats.decisions[CAKE_SEND_CE] > 0);
	trial_free(&t);
}

static void dscp_is_washed_in_the_bytes(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "cadc60abb7"); /* all code points */
	t.opt.params.bandwidth_bps = 50000000;
	t.opt.params.wash = true;
	trial_run(&t);
	assert_true(assert_sent_as_logged(&t) > 0);
	trial_free(&t);
}

/* What several queues send, in turn and at once, is one capture, as what one sends is. */
static void frames_of_several_queues_leave_as_of_one(void **state)
{
	static const enum share_mode modes[] = {SHARE_DEMAND, SHARE_EQUAL};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct cake_stats sum = {0};
		struct trial t;

		trial_init(&t, "aa2cfd46a8"); /* ECT(0) */
		t.opt.queues = 3;
		t.opt.share = modes[i];
		trial_run(&t);
		assert_int_equal(assert_sent_as_logged(&t),
				 t.result->stats.decisions[CAKE_SEND_CE]);
		assert_true(t.result->shares);
		assert_int_equal(t.result->n_queues, 3);
		for (unsigned q = 0; q < 3; q++)
			cake_stats_add(&sum, &t.result->queues[q].stats);
		assert_int_equal(sum.packets + sum.drops, t.result->received);
		assert_memory_equal(&sum, &t.result->stats, sizeof(sum));
		trial_free(&t);
	}
}

/* Segment @seg of the IPv4 super-packet @whole, without IP options, whose payload was cut off. */
static void assert_segment(const struct capture_packet *got, const struct capture_packet *whole,
			   const struct row *row, uint32_t gso_size)
{
	const uint32_t header = ETHER_LEN + 20 + TCP_LEN;
	const uint32_t start = row->seg * gso_size, payload = whole->len - header;
	const uint32_t length = payload - start < gso_size ? payload - start : gso_size;
	const uint8_t *ip = got->data + ETHER_LEN, *tcp = ip + 20;
	const uint8_t *whole_tcp = whole->data + ETHER_LEN + 20;

	assert_int_equal(got->len, header + length);
	assert_int_equal(got->len, row->len);
	assert_true(got->captured >= header);
	assert_true(got->captured <= got->len);
	assert_int_equal(be(ip + 2, 2), got->len - ETHER_LEN);
	assert_int_equal(header_sum(ip), 0xffff);
	assert_int_equal(be(tcp + 4, 4), be(whole_tcp + 4, 4) + start);
	if (start + length < payload)
		assert_int_equal(tcp[13] & FIN_PSH, 0);
	else
		assert_int_equal(tcp[13], whole_tcp[13]);
}

/* The capture has UDP, TCP and super-packets of up to 14,480 bytes of payload. */
static void super_packets_leave_as_segments(void **state)
{
	struct capture_packet got;
	struct frames in;
	struct trial t;
	struct row row;
	uint64_t sent = 0;

	(void)state;
	trial_init(&t, "9dd5a9d33c");
	t.opt.gso_size = 1448;
	trial_run(&t);
	in = read_frames(t.in);
	for (; next_sent(&t, &row); sent++) {
		const struct capture_packet *whole = &in.list[row.idx];

		assert_int_equal(capture_next(t.out, &got), 1);
		assert_int_equal(got.time_ns, in.list[0].time_ns + row.time_ns);
		if (row.len != whole->len)
			assert_segment(&got, whole, &row, 1448);
	}
	assert_int_equal(capture_next(t.out, &got), 0);
	assert_int_equal(sent, t.result->stats.packets);
	assert_true(t.result->segments_added > 0);
	free_frames(&in);
	trial_free(&t);
}

static void super_packets_that_stay_whole_leave_whole(void **state)
{
	struct trial t;

	(void)state;
	trial_init(&t, "9dd5a9d33c");
	t.opt.gso_size = 1448;
	t.opt.params.split_gso = false;
	trial_run(&t);
	assert_int_equal(assert_sent_as_logged(&t), 0);
	assert_int_equal(t.result->segments_added, 0);
	trial_free(&t);
}

/* /dev/full takes what fits a buffer: the fault is seen at the first flush, or at the last. */
static void a_full_disk_ends_the_replay(void **state)
{
	struct replay_result *result = malloc(sizeof(*result));
	struct trial t;
	char err[512];

	(void)state;
	trial_init(&t, "0efa33c78d");
	packet_describer_init(&t.opt.describer, &t.opt.params, &hash);
	t.in = open_capture(t.in_path);
	assert_int_equal(capture_writer_open(&t.opt.out, "/dev/full", 160, err, sizeof(err)), 0);
	assert_int_equal(replay_run(&t.opt, t.in, result), -EIO);
	assert_string_equal(capture_writer_error(t.opt.out), "/dev/full: No space left on device");
	assert_true(result->stats.packets < 1000); /* of 5,000: it gave up at once */
	capture_writer_close(t.opt.out);
	capture_close(t.in);
	free(result);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_leave_at_their_times_with_their_bytes),
		cmocka_unit_test(ce_is_set_in_the_bytes),
		cmocka_unit_test(dscp_is_washed_in_the_bytes),
		cmocka_unit_test(frames_of_several_queues_leave_as_of_one),
		cmocka_unit_test(super_packets_leave_as_segments),
		cmocka_unit_test(super_packets_that_stay_whole_leave_whole),
		cmocka_unit_test(a_full_disk_ends_the_replay),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s GOLDEN-FOLDER\n", argv[0]);
		return 2;
	}
	golden = argv[1];
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}

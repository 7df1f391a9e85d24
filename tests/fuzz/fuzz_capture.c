/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a capture: read to its end or its damage, and replayed, every frame accounted for,
 * also in the capture of those sent.
 * Input: OPTIONS bytes that choose the scheduler, then the file.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "fuzz.h"
#include "replay/capture.h"
#include "replay/capture_writer.h"
#include "replay/replay.h"

#define OPTIONS      6
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The bytes of a frame belong to the caller: all of them are there, and may be changed. */
static void use_frame(const struct capture_packet *p)
{
	assert_true(p->captured <= p->len);
	assert_true(p->len <= CAPTURE_LEN_MAX);
	for (uint32_t i = 0; i < p->captured; i++)
		p->data[i] ^= 0xff;
}

static struct capture *open_capture(const char *path)
{
	struct capture *in = NULL;
	char err[256];

	memset(err, '#', sizeof(err));
	if (!capture_open(&in, path, err, sizeof(err)))
		return in;
	assert_memory_equal(err, path, strlen(path));
	assert_non_null(memchr(err, 0, sizeof(err)));
	return NULL;
}

/* Returns the frames there are. */
static uint64_t read_all(const char *path)
{
	struct capture *in = open_capture(path);
	struct capture_packet p;
	uint64_t frames = 0;
	int got;

	if (!in)
		return 0;
	while ((got = capture_next(in, &p)) > 0) {
		use_frame(&p);
		frames++;
	}
	assert_true(got == 0 || got == -EBADMSG || got == -EPROTONOSUPPORT);
	if (got < 0)
		assert_memory_equal(capture_error(in), path, strlen(path));
	capture_close(in);
	return frames;
}

/* One queue or several, in both ways to share a rate, with one link or a link each. */
static void choose_queues(struct replay_options *o, unsigned kind)
{
	static const unsigned queues[] = {1, 2, 3, SHARE_QUEUES_MAX};

	o->queues = queues[kind];
	o->share = kind % 2 ? SHARE_EQUAL : SHARE_DEMAND;
	o->link_per_queue = kind % 2;
}

#define QUEUE_KINDS 4

static struct replay_options draw_options(struct fuzz_input *in)
{
	static const uint64_t rates[] = {0, 512, 1000000, 400000000000, 1ull << 32};
	/* Mostly none: room for 65,535 segments takes longer to make than most inputs to replay. */
	static const uint32_t gso_sizes[] = {0, 0, 0, 0, 0, 1, 100, 1448};
	static const uint64_t memlimits[] = {1, 2000, 20000, 1000000};
	static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE};
	struct replay_options o = {.rng = prng_xorshift32(1)};
	uint32_t link;

	cake_params_default(&o.params);
	o.params.profile = fuzz_below(in, CAKE_PROFILE_LINUX + 1);
	o.params.bandwidth_bps = rates[fuzz_below(in, COUNT(rates))];
	o.params.memlimit = memlimits[fuzz_below(in, COUNT(memlimits))];
	o.params.flows = CAKE_FLOWS_MIN;
	o.gso_size = gso_sizes[fuzz_below(in, COUNT(gso_sizes))];
	o.params.split_gso = fuzz_below(in, 2);
	link = fuzz_below(in, COUNT(rates) * QUEUE_KINDS);
	o.link_rate_bps = rates[link % COUNT(rates)];
	choose_queues(&o, link / COUNT(rates));
	o.params.wash = o.params.ingress = o.params.overhead_set = o.params.split_gso;
	packet_describer_init(&o.describer, &o.params, &hash);
	return o;
}

/* What replay wrote is a capture of all it sent, in order. */
static void check_sent(const char *path, uint64_t sent)
{
	struct capture *in = open_capture(path);
	struct capture_packet p;
	uint64_t frames = 0, last = 0;

	assert_non_null(in);
	while (capture_next(in, &p) > 0) {
		assert_true(p.time_ns >= last);
		last = p.time_ns;
		frames++;
	}
	assert_string_equal(capture_error(in), "");
	capture_close(in);
	assert_int_equal(frames, sent);
}

static void replay(const char *path, struct replay_options *options, const char *sent_path,
		   uint64_t frames)
{
	struct capture *in = open_capture(path);
	static struct replay_result r;
	char why[256];
	int err;

	if (!in)
		return;
	assert_int_equal(capture_writer_open(&options->out, sent_path, capture_snap_length(in), why,
					     sizeof(why)),
			 0);
	err = replay_run(options, in, &r);
	capture_close(in);
	if (!err)
		err = capture_writer_flush(options->out);
	capture_writer_close(options->out);
	if (err == -EPROTONOSUPPORT) /* an interface that is not Ethernet: nothing is told */
		return;
	if (err == -EOVERFLOW) /* sent after 2038, which pcap cannot say */
		return;
	if (err) { /* a super-packet of more segments than are counted */
		assert_int_equal(err, -E2BIG);
		assert_int_not_equal(options->gso_size, 0);
		return;
	}
	assert_int_equal(r.received, frames);
	assert_int_equal(r.received + r.segments_added, r.stats.packets + r.stats.drops + r.runts);
	assert_int_equal(r.stats.qlen, 0);
	check_sent(sent_path, r.stats.packets);
}

/* A file of @size bytes in memory; returns its descriptor. */
static int file_in_memory(const uint8_t *data, size_t size, char path[32])
{
	int fd = memfd_create("capture", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size < OPTIONS ? size : OPTIONS};
	struct replay_options options = draw_options(&in);
	char path[32], sent_path[32];
	int fd, sent_fd;

	data += size < OPTIONS ? size : OPTIONS;
	size -= size < OPTIONS ? size : OPTIONS;
	fd = file_in_memory(data, size, path);
	sent_fd = file_in_memory(data, 0, sent_path);
	replay(path, &options, sent_path, read_all(path));
	close(fd);
	close(sent_fd);
	return 0;
}

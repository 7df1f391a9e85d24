/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a capture: read to its end or its damage, and replayed, every frame accounted for.
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

static struct replay_options draw_options(struct fuzz_input *in)
{
	static const uint64_t rates[] = {0, 512, 1000000, 400000000000, 1ull << 32};
	/* Mostly none: room for 65,535 segments takes longer to make than most inputs to replay. */
	static const uint32_t gso_sizes[] = {0, 0, 0, 0, 0, 1, 100, 1448};
	static const uint64_t memlimits[] = {1, 2000, 20000, 1000000};
	static const struct packet_hash_params hash = {.method = PACKET_HASH_PORTABLE};
	struct replay_options o = {.rng = prng_xorshift32(1)};

	cake_params_default(&o.params);
	o.params.profile = fuzz_below(in, CAKE_PROFILE_LINUX + 1);
	o.params.bandwidth_bps = rates[fuzz_below(in, COUNT(rates))];
	o.params.memlimit = memlimits[fuzz_below(in, COUNT(memlimits))];
	o.params.flows = CAKE_FLOWS_MIN;
	o.gso_size = gso_sizes[fuzz_below(in, COUNT(gso_sizes))];
	o.params.split_gso = fuzz_below(in, 2);
	o.link_rate_bps = rates[fuzz_below(in, COUNT(rates))];
	o.params.wash = o.params.ingress = o.params.overhead_set = o.params.split_gso;
	packet_describer_init(&o.describer, &o.params, &hash);
	return o;
}

static void replay(const char *path, const struct replay_options *options, uint64_t frames)
{
	struct capture *in = open_capture(path);
	static struct replay_result r;
	int err;

	if (!in)
		return;
	err = replay_run(options, in, &r);
	capture_close(in);
	if (err == -EPROTONOSUPPORT) /* an interface that is not Ethernet: nothing is told */
		return;
	if (err) { /* a super-packet of more segments than are counted */
		assert_int_equal(err, -E2BIG);
		assert_int_not_equal(options->gso_size, 0);
		return;
	}
	assert_int_equal(r.received, frames);
	assert_int_equal(r.received + r.segments_added, r.stats.packets + r.stats.drops + r.runts);
	assert_int_equal(r.stats.qlen, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size < OPTIONS ? size : OPTIONS};
	struct replay_options options = draw_options(&in);
	int fd = memfd_create("capture", MFD_CLOEXEC);
	char path[32];

	data += size < OPTIONS ? size : OPTIONS;
	size -= size < OPTIONS ? size : OPTIONS;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	replay(path, &options, read_all(path));
	close(fd);
	return 0;
}

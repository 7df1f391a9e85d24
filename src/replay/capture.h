/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading packet captures, one frame at a time: pcap and pcapng, plain or gzipped, Ethernet only.
 *
 * A frame's bytes stay as they were captured; what they mean is src/packet/'s business.
 */
#ifndef GATEAU_REPLAY_CAPTURE_H
#define GATEAU_REPLAY_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct capture;

/**
 * Longest frame read, bytes on the wire: 32 times the largest super-packet Linux builds (BIG TCP,
 * 512 KiB). Whatever claims to be longer is damage, and no length below overflows 32 bits when
 * overhead, cells and the allocator's rounding come on top.
 */
#define CAPTURE_LEN_MAX (16u << 20)

/** A frame of a capture. */
struct capture_packet {
	uint64_t time_ns;  /* since 1970, to the nanosecond whatever the file's own resolution */
	uint8_t *data;     /* the bytes captured, the caller's to change; good until the next call
			      on this capture */
	uint32_t captured; /* how many of them there are, <= len */
	uint32_t len;      /* bytes of the frame on the wire, Ethernet header included,
			      <= CAPTURE_LEN_MAX */
};

/**
 * Open the capture at @path, or standard input if that is "-".
 *
 * @param out  set on success; free with capture_close()
 * @param err  on failure one line for a person, starting with @path; cut to @errsize
 * @return 0; -ENOENT and other errors of opening; -EINVAL for a file that is no capture;
 *         -EPROTONOSUPPORT for frames that are not Ethernet; -ENOMEM
 */
int capture_open(struct capture **out, const char *path, char *err, size_t errsize);

/**
 * Read the next frame into @out.
 *
 * @return 1; 0 at the end; -EBADMSG where damage keeps it from being read further;
 *         -EPROTONOSUPPORT where an interface follows that is not Ethernet: capture_error() says
 *         why in words
 */
int capture_next(struct capture *c, struct capture_packet *out);

/** After capture_next() failed: one line for a person, starting with the path. Else "". */
const char *capture_error(const struct capture *c);

/** Bytes of each frame that were captured at most, as the file says it. */
uint32_t capture_snap_length(const struct capture *c);

/** Close and free; NULL is allowed. */
void capture_close(struct capture *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing captures: Ethernet frames in a pcap file with nanoseconds. */
#ifndef GATEAU_REPLAY_CAPTURE_WRITER_H
#define GATEAU_REPLAY_CAPTURE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "replay/capture.h"

struct capture_writer;

/**
 * Create the capture at @path, or write it to standard output if that is "-".
 *
 * @param out          set on success; free with capture_writer_close()
 * @param snap_length  bytes of each frame that the file says it holds at most
 * @param err          on failure one line for a person, starting with @path; cut to @errsize
 * @return 0 or -errno
 */
int capture_writer_open(struct capture_writer **out, const char *path, uint32_t snap_length,
			char *err, size_t errsize);

/**
 * Write a frame, behind those before it whatever its time.
 *
 * @return 0; -EIO (the disk is full, ...) or -EOVERFLOW (pcap has 31 bits for seconds):
 *         capture_writer_error() says it in words
 */
int capture_writer_frame(struct capture_writer *w, const struct capture_packet *frame);

/** Write what is still buffered. Returns and explains failure like capture_writer_frame(). */
int capture_writer_flush(struct capture_writer *w);

/** After a failure: one line for a person, starting with the path. Else "". */
const char *capture_writer_error(const struct capture_writer *w);

/** Close and free; NULL is allowed. */
void capture_writer_close(struct capture_writer *w);

#endif

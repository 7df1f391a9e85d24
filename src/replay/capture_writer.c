/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpcap writes the file. It does not say whether it could: the stream below it is asked for that.
 */
#include "replay/capture_writer.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull

struct capture_writer {
	char *name; /* for messages */
	pcap_t *format;
	pcap_dumper_t *dumper;
	char error[512];
};

/* A stream of its own, also for standard output: closing one must not close the other. */
static FILE *stream_create(const char *path)
{
	FILE *stream;
	int fd;

	if (strcmp(path, "-"))
		return fopen(path, "we"); /* close on exec */
	fd = dup(STDOUT_FILENO);
	if (fd < 0)
		return NULL;
	stream = fdopen(fd, "w");
	if (!stream)
		close(fd);
	return stream;
}

static int start(struct capture_writer *w, const char *path, uint32_t snap_length)
{
	FILE *stream;

	w->name = strdup(strcmp(path, "-") ? path : "standard output");
	w->format = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)snap_length,
							 PCAP_TSTAMP_PRECISION_NANO);
	if (!w->name || !w->format)
		return -ENOMEM;
	stream = stream_create(path);
	if (!stream)
		return -errno;
	errno = 0;
	w->dumper = pcap_dump_fopen(w->format, stream);
	if (!w->dumper) {
		int rc = errno ? -errno : -EIO;

		fclose(stream);
		return rc;
	}
	return 0;
}

int capture_writer_open(struct capture_writer **out, const char *path, uint32_t snap_length,
			char *err, size_t errsize)
{
	struct capture_writer *w = calloc(1, sizeof(*w));
	int rc = w ? start(w, path, snap_length) : -ENOMEM;

	if (rc) {
		snprintf(err, errsize, "%s: %s", path, strerror(-rc));
		capture_writer_close(w);
		return rc;
	}
	*out = w;
	return 0;
}

static int failed(struct capture_writer *w, int rc, const char *why)
{
	snprintf(w->error, sizeof(w->error), "%s: %s", w->name, why);
	return rc;
}

int capture_writer_frame(struct capture_writer *w, const struct capture_packet *frame)
{
	struct pcap_pkthdr header = {
		.ts.tv_sec = (time_t)(frame->time_ns / NS_PER_S),
		.ts.tv_usec = (suseconds_t)(frame->time_ns % NS_PER_S), /* the format's: ns */
		.caplen = frame->captured,
		.len = frame->len,
	};

	if (frame->time_ns / NS_PER_S > INT32_MAX)
		return failed(w, -EOVERFLOW, "a frame leaves after January 2038, where pcap ends");
	errno = 0;
	pcap_dump((u_char *)w->dumper, &header, frame->data);
	if (ferror(pcap_dump_file(w->dumper)))
		return failed(w, -EIO, strerror(errno ? errno : EIO));
	return 0;
}

int capture_writer_flush(struct capture_writer *w)
{
	errno = 0;
	if (pcap_dump_flush(w->dumper) || ferror(pcap_dump_file(w->dumper)))
		return failed(w, -EIO, strerror(errno ? errno : EIO));
	return 0;
}

const char *capture_writer_error(const struct capture_writer *w)
{
	return w->error;
}

void capture_writer_close(struct capture_writer *w)
{
	if (!w)
		return;
	if (w->dumper)
		pcap_dump_close(w->dumper);
	if (w->format)
		pcap_close(w->format);
	free(w->name);
	free(w);
}

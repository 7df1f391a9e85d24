/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpcap knows the formats, zlib takes gzip off (and passes plain files through); this file joins
 * the two by a stdio stream and checks what libpcap lets pass.
 */
#include "replay/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Seconds since 1970 from where on nanoseconds do not fit in 63 bits: April 2262. */
#define CAPTURE_END_S (INT64_MAX / 1000000000)

struct capture {
	char *name; /* for messages */
	pcap_t *pcap;
	uint64_t frames; /* read so far */
	char error[PCAP_ERRBUF_SIZE + 256];
};

/* fread() from a gzip file, told to fail where a truncated one would only seem to end. */
static ssize_t stream_read(void *cookie, char *buf, size_t size)
{
	int n = gzread(cookie, buf, size), status;

	if (n == 0) {
		gzerror(cookie, &status);
		if (status == Z_BUF_ERROR)
			n = -1;
	}
	if (n < 0)
		errno = EIO;
	return n;
}

static int stream_close(void *cookie)
{
	return gzclose_r(cookie) == Z_OK ? 0 : EOF;
}

static gzFile gz_open(const char *path)
{
	gzFile gz;
	int fd;

	if (strcmp(path, "-"))
		return gzopen(path, "rbe"); /* close on exec */
	fd = dup(STDIN_FILENO);
	if (fd < 0)
		return NULL;
	gz = gzdopen(fd, "rb");
	if (!gz)
		close(fd);
	return gz;
}

/* The file as libpcap likes it; returns 0 or -errno. */
static int stream_open(const char *path, FILE **out)
{
	cookie_io_functions_t io = {.read = stream_read, .close = stream_close};
	gzFile gz;

	errno = 0;
	gz = gz_open(path);
	if (!gz)
		return errno ? -errno : -ENOMEM;
	*out = fopencookie(gz, "r", io);
	if (!*out) {
		gzclose_r(gz);
		return -ENOMEM;
	}
	return 0;
}

/* What to do about a capture of another link type: "" if there is nothing better to say. */
static const char *link_advice(int link)
{
	if (link == DLT_LINUX_SLL || link == DLT_LINUX_SLL2)
		return "; \"tcpdump -i any\" makes such, capture on one interface, e.g. "
		       "\"tcpdump -i eth0\"";
	return "";
}

/* Take over @stream, also on failure. */
static int capture_start(struct capture *c, FILE *stream, char *err, size_t errsize)
{
	char why[PCAP_ERRBUF_SIZE];
	const char *name;
	int link;

	c->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!c->pcap) {
		snprintf(err, errsize, "%s: not a capture: %s", c->name, why);
		fclose(stream);
		return -EINVAL;
	}
	link = pcap_datalink(c->pcap);
	if (link != DLT_EN10MB) {
		name = pcap_datalink_val_to_name(link);
		snprintf(err, errsize, "%s: link type %s: only Ethernet captures can be read%s",
			 c->name, name ? name : "unknown", link_advice(link));
		return -EPROTONOSUPPORT;
	}
	return 0;
}

int capture_open(struct capture **out, const char *path, char *err, size_t errsize)
{
	struct capture *c = calloc(1, sizeof(*c));
	FILE *stream;
	int rc;

	if (c)
		c->name = strdup(strcmp(path, "-") ? path : "standard input");
	rc = c && c->name ? stream_open(path, &stream) : -ENOMEM;
	if (rc) {
		snprintf(err, errsize, "%s: %s", path, strerror(-rc));
		goto fail;
	}
	rc = capture_start(c, stream, err, errsize);
	if (rc)
		goto fail;
	*out = c;
	return 0;

fail:
	capture_close(c);
	return rc;
}

static int damaged(struct capture *c, const char *why)
{
	snprintf(c->error, sizeof(c->error), "%s: cannot be read beyond frame %" PRIu64 ": %s",
		 c->name, c->frames, why);
	return -EBADMSG;
}

/*
 * libpcap has one error for everything. Another interface with another link type is no damage; it
 * is known by libpcap's words only, and should they change it counts as damage, with the new ones.
 */
static int unreadable(struct capture *c)
{
	const char *why = pcap_geterr(c->pcap);

	if (!strstr(why, "different from the type of the first interface"))
		return damaged(c, why);
	snprintf(c->error, sizeof(c->error),
		 "%s: interfaces of several link types: only Ethernet captures can be read",
		 c->name);
	return -EPROTONOSUPPORT;
}

int capture_next(struct capture *c, struct capture_packet *out)
{
	struct pcap_pkthdr *hdr;
	const uint8_t *data;

	switch (pcap_next_ex(c->pcap, &hdr, &data)) {
	case 1:
		break;
	case PCAP_ERROR_BREAK:
		return 0;
	default:
		return unreadable(c);
	}
	if (hdr->caplen > hdr->len)
		return damaged(c, "a frame with more bytes than it had on the wire");
	if (hdr->len > CAPTURE_LEN_MAX)
		return damaged(c, "a frame longer than any link carries");
	if (hdr->ts.tv_sec < 0)
		return damaged(c, "a frame from before 1970");
	if (hdr->ts.tv_sec >= CAPTURE_END_S)
		return damaged(c, "a frame from after 2262");
	*out = (struct capture_packet){
		/* tv_usec holds nanoseconds: the precision asked for */
		.time_ns = (uint64_t)hdr->ts.tv_sec * 1000000000 + (uint64_t)hdr->ts.tv_usec,
		/* libpcap's read buffer, filled anew for every frame */
		.data = (uint8_t *)data,
		.captured = hdr->caplen,
		.len = hdr->len,
	};
	c->frames++;
	return 1;
}

uint32_t capture_snap_length(const struct capture *c)
{
	return (uint32_t)pcap_snapshot(c->pcap);
}

const char *capture_error(const struct capture *c)
{
	return c->error;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	if (c->pcap)
		pcap_close(c->pcap);
	free(c->name);
	free(c);
}
